"""After a crash: which chats have changes that never reached their files. Opening one brings its changes back.

The journal has them, and its notes say where it is ahead of a file (`storage.unsaved`); nothing is read of the chats.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject

from tavern_desktop.session.runner import Outcome
from tavern_desktop.storage.unsaved import FOLDER, Unsaved, list_unsaved
from tavern_desktop.ui.banner import Banner, Notice
from tavern_desktop.ui.desk import ChatDesk
from tavern_desktop.ui.relative_date import relative_date
from tavern_desktop.ui.services import Services

UNSAVED = "unsaved"


class UnsavedNotice(QObject):
    """Looks once, when the program has started. Owner: the first window."""

    def __init__(self, services: Services, desk: ChatDesk, banner: Banner, is_owner: Callable[[], bool]) -> None:
        """`is_owner` says whether this process has the data folder: else the notes are of one that still runs."""
        super().__init__(banner)
        self._services = services
        self._desk = desk
        self._banner = banner
        self._is_owner = is_owner
        self._waiting: list[Unsaved] = []
        folder = services.own_data / FOLDER
        services.runner.submit(lambda: _find(folder), self._found)
        desk.chat_changed.connect(self._show)
        services.root_changed.connect(self.deleteLater)

    def _found(self, outcome: Outcome[list[Unsaved]]) -> None:
        found = outcome.result()
        if found and self._is_owner():
            self._waiting = found
            self._show()

    def _show(self) -> None:
        """Say what is left: the chat in view has its changes back."""
        here = str(self._desk.path)
        self._waiting = [unsaved for unsaved in self._waiting if unsaved.chat != here]
        if self._waiting:
            self._banner.show_notice(self._notice())
        else:
            self._banner.take_away(UNSAVED)

    def _notice(self) -> Notice:
        count = len(self._waiting)
        if count == 1:
            text = self.tr("1 chat has changes that were not saved: {title}").format(title=self._waiting[0].title)
            show = (self.tr("Show"), lambda: self._open(self._waiting[0]))
        else:
            text = self.tr("{count} chats have changes that were not saved.").format(count=count)
            show = (self.tr("Show…"), self._choose)
        return Notice(text, (show, (self.tr("Later"), self._waiting.clear)), "warning", UNSAVED)

    def _choose(self) -> None:
        from tavern_desktop.ui.quick_pick import Pick, QuickPick

        picks = [
            Pick(
                unsaved.title,
                Path(unsaved.chat).parent.name,
                relative_date(unsaved.since_ms),
                partial(self._open, unsaved),
                icon="save",
            )
            for unsaved in self._waiting
        ]
        title = self.tr("Chats With Unsaved Changes")
        dialog = QuickPick(self._banner.window(), "unsavedDialog", title, self.tr("Open a chat"), picks)
        dialog.show_pictures(None)
        dialog.rejected.connect(self._show)
        dialog.open()

    def _open(self, unsaved: Unsaved) -> None:
        self._desk.open(Path(unsaved.chat))


def _find(folder: Path) -> list[Unsaved]:
    """Return the notes of chats that are still there. Runs off the window's thread."""
    return [unsaved for unsaved in list_unsaved(folder) if os.path.isfile(unsaved.chat)]
