"""Which tools models are offered, and which run without a question: for the program, and for one chat."""

from __future__ import annotations

import msgspec

from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.generating.scenes import chat_choices, with_choices
from tavern_desktop.session.header_commands import SetMetadata
from tavern_desktop.session.sections import Section
from tavern_desktop.storage.own_folders import OwnFolders
from tavern_desktop.tools.definition import Tool


class ToolSettings(msgspec.Struct, frozen=True):
    """What a person has decided. Tools are named by their ids."""

    is_on: bool = False
    """Whether models are offered tools at all."""
    off: tuple[str, ...] = ()
    """Tools of the program's own that are not offered."""
    asks_for_own: bool = False
    """Whether the program's own tools ask first too; what they do stays in the chat."""
    allowed: dict[str, str] = {}
    """Tools that always run without a question, with what people call them."""


class ToolPermissions:
    """Methods may be called from any thread; those that change write a file. Raise StorageError."""

    def __init__(self, folders: OwnFolders) -> None:
        self._section = Section(folders.config / "tools.json", ToolSettings)

    @property
    def settings(self) -> ToolSettings:
        """What is decided, as last read."""
        return self._section.value

    def reload(self) -> ToolSettings:
        """Read again what another window or program may have changed."""
        return self._section.reload()

    def asks(self, tool: Tool) -> bool:
        """Say whether a tool asks before it runs, where the chat does not allow it."""
        asks_first = tool.asks_first or (not tool.source and self.settings.asks_for_own)
        return asks_first and tool.id not in self.settings.allowed

    def may_run(self, session: ChatSession, tool: Tool) -> bool:
        """Say whether a tool runs in a chat without a question. On the owner of the chat."""
        if not self.asks(tool):
            return True
        return session.chat is not None and tool.id in chat_choices(session.chat.header.metadata()).allowed_tools

    def allow_always(self, tool: Tool) -> None:
        """Ask no more for a tool, in any chat."""
        name = f"{tool.source}: {tool.title}" if tool.source else tool.title
        self._section.put("allowed", tool.id, name, 1_000)

    def revoke(self, tool_id: str) -> None:
        """Ask again before a tool runs; what one chat allowed stays with that chat."""
        self._section.drop("allowed", tool_id)

    def offer(self, *, is_on: bool) -> None:
        """Offer models tools, or none."""
        self._section.update(is_on=is_on)

    def ask_for_own(self, *, asks: bool) -> None:
        """Have the program's own tools ask first too, or no longer."""
        self._section.update(asks_for_own=asks)

    def switch(self, tool_id: str, *, is_on: bool) -> None:
        """Offer a tool of the program's own, or no longer."""
        off = [each for each in self.settings.off if each != tool_id]
        self._section.update(off=tuple(off if is_on else [*off, tool_id]))


def use_in_chat(session: ChatSession, uses: bool | None) -> None:
    """Offer models tools in this chat, or none; None for as elsewhere. Raises CommandRefused."""
    if session.chat is not None:
        metadata = session.chat.header.metadata()
        choices = msgspec.structs.replace(chat_choices(metadata), uses_tools=uses)
        session.do(SetMetadata(with_choices(metadata, choices)))


def allow_in_chat(session: ChatSession, tool: Tool) -> None:
    """Ask no more for a tool in this chat; the chat remembers it. Raises CommandRefused."""
    if session.chat is not None:
        metadata = session.chat.header.metadata()
        choices = chat_choices(metadata)
        allowed = (*(each for each in choices.allowed_tools if each != tool.id), tool.id)
        session.do(SetMetadata(with_choices(metadata, msgspec.structs.replace(choices, allowed_tools=allowed))))
