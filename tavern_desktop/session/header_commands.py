"""Changes of a chat's header as commands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.header import Header
from tavern_desktop.session.commands import Command
from tavern_desktop.session.steps import Changed, Step


@dataclass(frozen=True, slots=True)
class ReplaceHeader:
    """Another header."""

    old: Header
    new: Header

    def check(self, chat: Chat, *, back: bool) -> None:
        """Raise Changed unless the chat has the header that this step starts from."""
        if chat.header != (self.new if back else self.old):
            raise Changed

    def apply(self, chat: Chat, *, back: bool) -> None:
        chat.set_header(self.old if back else self.new)


class SetMetadata(Command):
    """Other metadata, all of it."""

    label = "Change chat settings"

    def __init__(self, metadata: Mapping[str, Any]) -> None:
        super().__init__()
        self.metadata = dict(metadata)

    def _plan(self, chat: Chat) -> list[Step]:
        header = chat.header.with_metadata(self.metadata)
        return [] if header == chat.header else [ReplaceHeader(chat.header, header)]
