"""A disk that is full: one notice for all that cannot be written, which goes by itself once there is room (B-15)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QLocale, QObject
from PySide6.QtWidgets import QFileDialog

from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.elsewhere import Room, room_for, write_elsewhere
from tavern_desktop.session.runner import Outcome
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.ui.banner import Banner, Button, Notice
from tavern_desktop.ui.services import Services

FULL = "disk_full"


class FullDisk(QObject):
    """Watches the chat in view and what is typed. Owner: the desk."""

    def __init__(
        self, services: Services, banner: Banner, session: Callable[[], ChatSession | None], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._services = services
        self._banner = banner
        self._session = session
        self._told: tuple[ChatSession | None, bool] = (None, False)
        """Of which chat the notice speaks, and whether of typed text; so that a dismissed one stays away."""
        services.typed_text_kept.connect(lambda: self.look())

    def look(self) -> None:
        """See whether there is something to tell, or nothing any more."""
        session = self._session()
        lacks = (session if session is not None and self._is_full(session) else None, self._is_typed_text_homeless())
        if lacks == self._told:
            return
        self._told = lacks
        if lacks == (None, False):
            self._banner.take_away(FULL)
        elif session is not None:
            path = session.path
            self._services.runner.submit(lambda: room_for(path), partial(self._tell, lacks))

    def _is_full(self, session: ChatSession) -> bool:
        """Say whether the last save found no room; an attempt that is under way changes nothing."""
        state = session.save_state
        if state.kind == "saving":
            return self._told[0] is session
        return state.kind == "failed" and state.error is not None and state.error.detail == "space"

    def _is_typed_text_homeless(self) -> bool:
        problem = self._services.drafts.problem
        return problem is not None and problem.detail == "space"

    def _tell(self, lacks: tuple[ChatSession | None, bool], outcome: Outcome[Room]) -> None:
        if self._told != lacks:
            return
        room = outcome.value  # without figures where even these cannot be had
        session, typed = lacks
        if session is None:
            text = self.tr("The disk is full: what you type is kept only in this window until there is room.")
            self._banner.show_notice(Notice(text, (), "warning", FULL))
            return
        text = self.tr("Not saved: the disk is full.")
        if room is not None:
            text = self.tr("Not saved: the disk is full, {free} free and about {needed} needed.").format(
                free=_size(room.free), needed=_size(room.needed)
            )
        kept = self.tr("Your changes are kept here and saved by themselves once there is room.")
        if typed:
            kept = self.tr("Your changes and what you type are kept only here, and saved once there is room.")
        buttons: tuple[Button, ...] = (
            (self.tr("Save Elsewhere…"), partial(self._ask_where, session)),
            (self.tr("Try Again"), partial(self._try_again, session)),
        )
        self._banner.show_notice(Notice(f"{text} {kept}", buttons, "danger", FULL))

    def _try_again(self, session: ChatSession) -> None:
        self._told = (None, False)
        session.save_now()

    def _ask_where(self, session: ChatSession) -> None:
        dialog = QFileDialog(self._banner.window(), self.tr("Save a Copy Elsewhere"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilter(self.tr("Chat file (*.jsonl)"))
        dialog.setDefaultSuffix("jsonl")
        dialog.selectFile(session.title)
        dialog.fileSelected.connect(lambda out: self.save_to(session, Path(out)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def save_to(self, session: ChatSession, out: Path) -> None:
        """Write a copy of the chat as it is here to `out`."""
        if session.chat is None:
            return
        header, messages = session.chat.snapshot()

        def written(outcome: Outcome[None]) -> None:
            if isinstance(outcome.error, StorageError):
                self._services.messages.error(sentence(outcome.error))
                return
            outcome.result()
            text = self.tr("A copy with all your changes is in {path}. The chat itself is saved once there is room.")
            self._services.messages.info(text.format(path=out))

        self._services.runner.submit(lambda: write_elsewhere(out, header, messages), written)


def _size(count: int) -> str:
    return QLocale().formattedDataSize(count)
