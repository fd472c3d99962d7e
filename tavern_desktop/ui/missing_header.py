"""Chats whose first line is a message: it stands where the header belongs, so it is not shown; a notice says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from tavern_desktop.storage.format import HEADERLESS_SUSPECT
from tavern_desktop.ui.banner import Notice

if TYPE_CHECKING:
    from tavern_desktop.session.chat_session import ChatSession
    from tavern_desktop.ui.chat_part import ChatPart

MISSING_HEADER = "missing_header"


class MissingHeader(QObject):
    """Owner: the chat's part of the window."""

    def __init__(self, part: ChatPart) -> None:
        super().__init__(part)
        self._part = part
        self._told: ChatSession | None = None
        part.desk.state_changed.connect(self._look)

    def _look(self) -> None:
        session = self._part.desk.session
        if session is self._told:
            return
        self._told = None
        if session is None or session.state != "ready" or HEADERLESS_SUSPECT not in session.warnings:
            return
        self._told = session
        text = self.tr(
            "This file has no header: its first line is a message, which is kept but not shown. "
            "A new chat can be made of it that has all messages."
        )
        self._part.pane.banner.show_notice(
            Notice(text, ((self.tr("Make a Chat"), self._import),), "warning", MISSING_HEADER)
        )

    def _import(self) -> None:
        if self._told is not None:
            path, owners = self._told.path, self._part.owners
            owners.import_chats(owners.owner_of(path), [path])
