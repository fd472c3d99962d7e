"""Which ids the special messages of a chat have: of several with one id, the first is the original (contract §3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tavern_desktop.chat import facts
from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.message import Message
from tavern_desktop.session.runner import Outcome, Runner

_MARK = b'"card"'
"""In every record that may be a special message: most need not be decoded to see that they are none."""


class CardIds:
    """Follows one chat. Until the chat was looked through, off the owner, nothing counts as a copy."""

    def __init__(self, runner: Runner, chat: Chat, found_copies: Callable[[], object]) -> None:
        """`found_copies` is called when there turn out to be copies in a chat that was just opened."""
        self._runner, self._chat, self._found_copies = runner, chat, found_copies
        self._keys: dict[str, set[int]] = {}
        """By id, the keys of the messages that have it, or had it before they were changed or removed."""
        for signal, slot in self._connections():
            signal.connect(slot)
        self._read_all()

    def close(self) -> None:
        """Follow the chat no more."""
        for signal, slot in self._connections():
            signal.disconnect(slot)

    def is_copy(self, key: int, card_id: str) -> bool:
        """Say whether a special message before the message `key` has its id."""
        others = self._keys.get(card_id, set()) - {key}
        index = self._chat.find(key) if others else None
        return index is not None and any(self._stands_before(other, index, card_id) for other in others)

    def _stands_before(self, key: int, index: int, card_id: str) -> bool:
        at = self._chat.find(key)
        return at is not None and at < index and _id_of(self._chat.messages[at]) == card_id

    def _connections(self) -> list[tuple[Any, Any]]:
        chat = self._chat
        return [(chat.inserted, self._take), (chat.changed, self._take), (chat.was_reset, self._read_all)]

    def _take(self, first: int, last: int) -> None:
        self._add(_ids(self._chat.messages[first : last + 1]))

    def _read_all(self) -> None:
        messages = tuple(self._chat.messages)

        def read(outcome: Outcome[list[tuple[str, int]]]) -> None:
            self._add(outcome.result())
            if any(len(keys) > 1 for keys in self._keys.values()):
                self._found_copies()

        self._runner.submit(lambda: list(_ids(messages)), read)

    def _add(self, found: Iterable[tuple[str, int]]) -> None:
        for card_id, key in found:
            self._keys.setdefault(card_id, set()).add(key)


def _ids(messages: Iterable[Message]) -> Iterable[tuple[str, int]]:
    for message in messages:
        card_id = _id_of(message)
        if card_id:
            yield card_id, message.key


def _id_of(message: Message) -> str:
    """Return the id as the envelope has it: good enough to find copies by, and quick."""
    if _MARK not in message.seen:
        return ""
    envelope = facts.envelope(message.seen_data()) or {}
    own_id = envelope.get("id")
    return own_id if isinstance(own_id, str) else ""
