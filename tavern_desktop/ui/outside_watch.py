"""Keeps the lists and the open chats in step with what other programs do to the data folder."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from tavern_desktop.ui.services import Services
from tavern_desktop.workers.watcher import Paths, Watcher

END_SECONDS = 5.0
"""How long the end of the program waits for the watching to end."""


class OutsideWatch(QObject):
    """Watches the data root in use. Owner: the services; made once there is time for it, after the first frame."""

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self._services = services
        self.watcher = self._make()
        services.root_leaving.connect(lambda: self.watcher.stop())
        services.root_changed.connect(self._take_new_root)
        services.window_activated.connect(self._look)
        services.ending.connect(self._end)
        self.watcher.start()

    def _make(self) -> Watcher:
        root = self._services.root
        folders = (root.chats, root.group_chats, root.characters, root.groups, root.worlds)
        return Watcher(self._services.runner, root.user_folder, folders, self._changed, is_a_window_seen)

    def _take_new_root(self) -> None:
        self.watcher = self._make()
        self.watcher.start()

    def _changed(self, paths: Paths) -> None:
        self._services.look_at_chats()
        self._services.avatars.read_again(paths)
        self._services.library.refresh_for(paths)
        self._services.files_changed.emit(paths)

    def _look(self) -> None:
        """Somebody turns to a window: see what they would see, whatever was heard."""
        self._services.look_at_chats()
        self.watcher.wake()
        if not self.watcher.is_observing:
            self._services.library.refresh()

    def _end(self) -> None:
        self.watcher.stop()
        self._services.runner.run_until(lambda: self.watcher.is_at_rest, END_SECONDS)


def is_a_window_seen() -> bool:
    """Say whether anybody can see a window of the program."""
    return any(window.isVisible() and not window.isMinimized() for window in QApplication.topLevelWidgets())
