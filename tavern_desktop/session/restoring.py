"""Bringing back what stood in an earlier version of a chat: some of its messages, or all of it.

Both are commands like any other: they make a new version, destroy nothing, and can be undone.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.differences import Kind, compare, is_known
from tavern_desktop.chat.header import Header
from tavern_desktop.chat.message import Message
from tavern_desktop.session.commands import Command
from tavern_desktop.session.refusals import CommandRefused
from tavern_desktop.session.steps import Place, Presence, Relocate, Replace, Step
from tavern_desktop.session.version_steps import steps_between
from tavern_desktop.session.versions import Version
from tavern_desktop.storage.journal_format import JournalKind

NOT_KNOWN = "The text that stood there is not known: it was lost outside this program."


class Wanted(NamedTuple):
    """Messages of an earlier version that shall be back, with the keys they have in the chat if they are still there.

    `places` are those of the `texts` that shall also stand where they stood; both are indices in `version`.
    """

    version: Sequence[Message]
    texts: frozenset[int]
    places: frozenset[int] = frozenset()


class RestoreMessages(Command):
    """Messages say again what they said in earlier versions; those that are gone are back in their places."""

    kind: JournalKind = "restore"

    def __init__(self, *wanted: Wanted) -> None:
        super().__init__()
        self._wanted = wanted
        count = sum(len(one.texts) for one in wanted)
        self.label = "Restore message" if count == 1 else f"Restore {count} messages"

    def _plan(self, chat: Chat) -> list[Step]:
        if not any(is_known(one.version[index]) for one in self._wanted for index in one.texts):
            raise CommandRefused(NOT_KNOWN)
        present = {message.key: message for message in chat.messages}
        return [step for one in self._wanted for step in _steps(chat, present, one)]


class RestoreVersion(Command):
    """The chat is what it was in an earlier version, its metadata too; it stays the same chat.

    Exactly that version is wanted, so it is not merged with anything; what it replaces is backed up first.
    """

    kind = "restore"
    replaces_all = True
    label = "Restore version"

    def __init__(self, header: Header, messages: Sequence[Message]) -> None:
        super().__init__()
        self._header = header
        self._messages = messages

    def _plan(self, chat: Chat) -> list[Step]:
        present = {message.key: message for message in chat.messages}
        texts = ((message if is_known(message) else present.get(message.key)) for message in self._messages)
        messages = [message for message in texts if message is not None]
        identity = chat.header.integrity()
        metadata = self._header.metadata() | ({} if identity is None else {"integrity": identity})
        target = Version(self._header.with_metadata(metadata), messages)
        return steps_between(Version(chat.header, list(chat.messages)), target)


def _steps(chat: Chat, present: dict[int, Message], wanted: Wanted) -> list[Step]:
    """Return what brings texts back, then messages that are gone, then places."""
    steps: list[Step] = []
    messages = [wanted.version[index] for index in sorted(wanted.texts)]
    pairs = [(present[one.key], one) for one in messages if one.key in present and is_known(one)]
    pairs = [(now, then) for now, then in pairs if now is not then and now.raw != then.raw]
    if pairs:
        steps.append(Replace(tuple(now for now, _ in pairs), tuple(then for _, then in pairs)))
    elsewhere = _elsewhere(chat, wanted.version)
    runs = _runs(wanted, present.keys(), elsewhere)
    if runs:
        gone = tuple((_behind(chat, anchor), tuple(messages)) for anchor, messages in runs.items())
        steps.append(Presence(True, gone))
    return steps + _moves(chat, wanted, present.keys(), elsewhere)


def _elsewhere(chat: Chat, version: Sequence[Message]) -> Collection[int]:
    """Return the keys of messages that stand in another order now: no others are to be placed by them."""
    difference = compare(version, chat.messages)
    return {chat.messages[row.after].key for row in difference.filtered([Kind.MOVED])}


def _runs(wanted: Wanted, present: Collection[int], elsewhere: Collection[int]) -> dict[int | None, list[Message]]:
    """Return the messages that are gone, by the key of what stood before them and still does."""
    runs: dict[int | None, list[Message]] = {}
    anchor = None
    for index, message in enumerate(wanted.version):
        if message.key in present:
            anchor = anchor if message.key in elsewhere else message.key
        elif index in wanted.texts and is_known(message):
            runs.setdefault(anchor, []).append(message)
    return runs


def _moves(chat: Chat, wanted: Wanted, present: Collection[int], elsewhere: Collection[int]) -> list[Step]:
    """Return what brings messages back behind what stood before them."""
    steps: list[Step] = []
    anchor = None
    for index, message in enumerate(wanted.version):
        if message.key not in present:
            continue
        if message.key in elsewhere:
            if index not in wanted.places:
                continue
            here = chat.find(message.key)
            if here is not None:
                steps.append(Relocate(message.key, Place.around(chat, here, here), _behind(chat, anchor)))
        anchor = message.key
    return steps


def _behind(chat: Chat, key: int | None) -> Place:
    """Return the place behind a message, or at the top."""
    index = -1 if key is None else chat.find(key)
    if index is None:
        raise AssertionError("what is to be placed by a message stands behind one that is there")
    return Place.around(chat, index + 1, index)
