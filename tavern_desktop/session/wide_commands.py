"""Commands that look at every message of a chat and change those that need it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable

from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.message import Message
from tavern_desktop.session.commands import Command
from tavern_desktop.session.steps import Replace, Step

MANY = 2_000
"""Messages from which on they are better looked at off the owner, before the command is carried out."""


class RewriteEach(Command):
    """A command that rewrites messages one by one, wherever in the chat they are."""

    def __init__(self) -> None:
        super().__init__()
        self._prepared: dict[int, tuple[Message, Message]] = {}

    def prepare(self, messages: Iterable[Message]) -> None:
        """Work out beforehand what these messages will be; from any thread.

        What is another message by the time of `do` is then worked out anew.
        """
        self._prepared = {message.key: (message, self._changed(message)) for message in messages}

    def _replacements(self, chat: Chat) -> list[Step]:
        prepared, self._prepared = self._prepared, {}
        pairs = []
        for message in chat.messages:
            was, becomes = prepared.get(message.key, (None, message))
            changed = becomes if was is message else self._changed(message)
            if changed is not message:
                pairs.append((message, changed))
        return [Replace(tuple(old for old, _ in pairs), tuple(new for _, new in pairs))] if pairs else []

    @abstractmethod
    def _changed(self, message: Message) -> Message:
        """Return what a message becomes: itself where it does not need to change. Called from any thread."""
