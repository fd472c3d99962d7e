"""Tells on the desktop that a reply is ready, where no window of ours is in front; a click leads to its chat."""

from __future__ import annotations

import contextlib
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from typing import Any

    from tavern_desktop.backends.loop_thread import LoopThread
    from tavern_desktop.session.desktop_notices import DesktopNotices
    from tavern_desktop.ui.services import Services

SHOWN = 200
"""Characters of a reply that a notice shows, where it shows any."""


class Notices(QObject):
    """Owner: the services of all windows. The thread that talks to the desktop is started with the first notice."""

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self._services = services
        self._loop: LoopThread | None = None
        self._desktop: DesktopNotices | None = None
        services.ending.connect(self.close)

    def tell(self, chat: Path, name: str, reply: str) -> None:
        """Say that somebody has replied in a chat; with the reply's beginning where the person wants that."""
        wanted = self._services.settings.notices
        if wanted == "off":
            return
        words = " ".join(reply.split())
        if wanted != "text":
            words = chat.stem
        elif len(words) > SHOWN:
            words = words[:SHOWN].rstrip() + "…"
        title = self.tr("{name} has replied").format(name=name)
        self._do(self._notices().show(str(chat), title, words, self.tr("Open")))

    def withdraw(self, chat: Path) -> None:
        """Take back what was said of a chat: it has been looked at."""
        if self._desktop is not None:
            self._do(self._desktop.withdraw(str(chat)))

    def close(self) -> None:
        """Say nothing more."""
        if self._loop is not None and self._desktop is not None:
            self._loop.close(self._desktop.aclose)

    def _notices(self) -> DesktopNotices:
        if self._desktop is None:
            from tavern_desktop.backends.loop_thread import LoopThread
            from tavern_desktop.session.desktop_notices import DesktopNotices

            self._loop = LoopThread("desktop-notices")
            self._desktop = DesktopNotices(self._clicked)
        return self._desktop

    def _do(self, work: Coroutine[Any, Any, object]) -> None:
        assert self._loop is not None
        with contextlib.suppress(RuntimeError):  # the program ends
            self._loop.submit(work)

    def _clicked(self, chat: str) -> None:
        """On the loop: have the window's thread show the chat."""
        self._services.runner.post(partial(self._services.chat_wanted.emit, Path(chat)))
