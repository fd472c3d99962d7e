"""What the banner says of a chat that was opened and is not what its file was: changes that are back, or may be."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QObject, Signal

from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.reopening import BringBack, Recovery
from tavern_desktop.ui.banner import Banner, Button, Notice
from tavern_desktop.ui.relative_date import relative_date

RECOVERED = "recovered"


class RecoveryNotice(QObject):
    """Watches the session in view. Owner: the desk."""

    show_requested = Signal(int)
    """The key of a message that is back."""
    undo_requested = Signal()

    def __init__(self, banner: Banner, parent: QObject) -> None:
        super().__init__(parent)
        self._banner = banner
        self._session: ChatSession | None = None

    def watch(self, session: ChatSession | None) -> None:
        """Speak for this session from now on."""
        if self._session is not None:
            self._session.recovered.disconnect(self._show)
        self._session = session
        if session is not None:
            session.recovered.connect(self._show)

    def _show(self, recovery: Recovery) -> None:
        buttons: list[Button] = []
        first = recovery.first
        if recovery.kind == "shrunk":
            if recovery.steps:
                buttons.append((self.tr("Bring Mine Back"), self._bring_back))
        else:
            if first is not None:
                buttons.append((self.tr("Show"), lambda: self.show_requested.emit(first)))
            buttons.append((self.tr("Undo"), self._undo))
        tone: Literal["info", "warning"] = "warning" if recovery.kind == "shrunk" else "info"
        self._banner.show_notice(Notice(self._text(recovery), buttons, tone, RECOVERED, (self.tr("Show"),)))

    def _text(self, recovery: Recovery) -> str:
        count = recovery.count
        if recovery.kind == "unsaved":
            return self.tr("Changes of {time} that were not saved are back.").format(time=relative_date(recovery.at_ms))
        if recovery.kind == "saved_over" and count == 1:
            return self.tr(
                "While this chat was closed, another program saved over 1 of your messages; it was restored."
            )
        if recovery.kind == "saved_over":
            text = self.tr(
                "While this chat was closed, another program saved over {count} of your messages; they were restored."
            )
            return text.format(count=count)
        now = len(self._session.chat) if self._session is not None and self._session.chat is not None else 0
        text = self.tr("This chat shrank from {before} to {after} messages while it was closed here.")
        if not recovery.steps:
            text += " " + self.tr("Earlier versions are among its backups and in its history.")
        return text.format(before=count, after=now)

    def _undo(self) -> None:
        """Take back what was brought back, unless something else was done since: that is taken back first, by hand."""
        if self._session is not None and isinstance(self._session.commands.next_undo, BringBack):
            self.undo_requested.emit()

    def _bring_back(self) -> None:
        if self._session is not None:
            self._session.bring_back()
