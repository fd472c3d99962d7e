"""Chats that grow too long for SillyTavern: one warning for each, and going on in a new chat that is linked to it."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from tavern_desktop.library.sillytavern_use import is_used_by_sillytavern, limit_in_sight
from tavern_desktop.session.runner import Outcome
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.ui.banner import Notice

if TYPE_CHECKING:
    from tavern_desktop.session.continuation import Continued
    from tavern_desktop.ui.chat_part import ChatPart
    from tavern_desktop.ui.main_window import MainWindow

LONG, CONTINUED = "long", "continued"
KEPT = 500
"""Chats of which it is remembered that they were warned of."""


class LongChats(QObject):
    """Owner: the chat's part of the window."""

    def __init__(self, window: MainWindow, part: ChatPart) -> None:
        super().__init__(part)
        self._window = window
        self._part = part
        self._services = window.services
        self._is_asked = False
        self._is_used: bool | None = None
        self._told: set[str] = set()
        part.desk.state_changed.connect(self._look)
        part.desk.save_changed.connect(self._look)
        self._services.root_changed.connect(self._begin_anew)

    @property
    def is_known(self) -> bool:
        """Whether it was found out if SillyTavern uses the data folder; asked only once there is a long chat."""
        return self._is_used is not None

    def ask(self) -> None:
        """Ask how the chat in view shall go on in a new one."""
        from tavern_desktop.session.continuation import CARRIED, next_part
        from tavern_desktop.ui.continue_dialog import ContinueDialog

        session = self._part.desk.session
        if session is None or session.chat is None:
            return
        path, count = session.path, len(session.chat)
        ContinueDialog(
            self._window, next_part(session.title), min(CARRIED, count), count, partial(self._judge, path), self._go_on
        ).open()

    # -- the warning ------------------------------------------------------------------------------------

    def _look(self) -> None:
        session = self._part.desk.session
        if session is None or session.chat is None or session.state != "ready" or session.signature is None:
            return
        count, size = len(session.chat), session.signature.size
        if limit_in_sight(count, size) is None:
            return
        if self._is_used is None:
            self._find_out()
        elif self._is_used and not self._was_told(session.path) and self._services.root.holds(session.path):
            self._tell(session.path, count, size)

    def _find_out(self) -> None:
        if not self._is_asked:
            self._is_asked = True
            root, own = self._services.root, self._services.folders.library
            self._services.runner.submit(
                partial(is_used_by_sillytavern, root, own), lambda outcome: self._found_out(root, outcome)
            )

    def _found_out(self, root: object, outcome: Outcome[bool]) -> None:
        if root == self._services.root:
            self._is_used = outcome.result()
            self._look()

    def _begin_anew(self) -> None:
        self._is_asked, self._is_used = False, None
        self._told.clear()

    def _was_told(self, path: Path) -> bool:
        name = self._services.root.relative(path)
        return name in self._told or name in self._services.root_state.warned_long

    def _tell(self, path: Path, count: int, size: int) -> None:
        name = self._services.root.relative(path)
        self._told.add(name)
        self._services.keep_root_state(warned_long=(*self._services.root_state.warned_long, name)[-KEPT:])
        locale = self._window.locale()
        if limit_in_sight(count, size) == "messages":
            text = self.tr(
                "This chat has {count} messages. SillyTavern loses chats of more than about 120,000 when it opens them."
            ).format(count=locale.toString(count))
        else:
            text = self.tr(
                "This chat has {size}. SillyTavern loses chats of more than about 500 MB when it opens them."
            ).format(size=locale.formattedDataSize(size, 0, locale.DataSizeFormat.DataSizeSIFormat))
        buttons = ((self.tr("Continue in a New Chat…"), self.ask),)
        self._part.pane.banner.show_notice(Notice(text, buttons, "warning", LONG))

    # -- going on ---------------------------------------------------------------------------------------

    def _judge(self, path: Path, name: str) -> tuple[bool, str]:
        from tavern_desktop.storage.file_moves import renamed

        try:
            target = renamed(path, name)
        except StorageError as error:
            return False, sentence(error)
        if os.path.lexists(target):
            return False, self.tr("A chat with this name already exists.")
        return True, ""

    def _go_on(self, name: str, carried: int) -> None:
        from tavern_desktop.session.continuation import Continuations

        session = self._part.desk.session
        if session is None:
            return
        self._part.desk.keep_edit()
        former = session.path
        try:
            continuations = Continuations(self._services.runner, self._services.open_chats)
            continuations.start(former, name, carried, partial(self._gone_on, former))
        except StorageError as error:
            self._fail(error)

    def _gone_on(self, former: Path, outcome: Outcome[Continued]) -> None:
        if isinstance(outcome.error, StorageError):
            self._fail(outcome.error)
            return
        done = outcome.result()
        for warning in done.warnings:
            self._services.messages.warning(warning)
        self._services.library.refresh_chat(done.path)
        self._part.desk.open(done.path)
        text = self.tr("This chat goes on from “{title}”, which stays as it was.").format(title=former.stem)
        button = (self.tr("Open the Old Chat"), partial(self._part.desk.open, former))
        self._part.pane.banner.show_notice(Notice(text, (button,), key=CONTINUED))

    def _fail(self, error: StorageError) -> None:
        text = self.tr("The new chat was not made: {reason}").format(reason=sentence(error))
        self._part.pane.banner.show_notice(Notice(text, tone="danger", key=CONTINUED))
