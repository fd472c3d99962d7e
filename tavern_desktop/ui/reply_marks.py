"""Marks in the lists which chats a reply is being written in, and which have one that nobody has seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from tavern_desktop.ui.notices import Notices

if TYPE_CHECKING:
    from tavern_desktop.session.generating.generations import Generations
    from tavern_desktop.session.generating.task import GenerationTask
    from tavern_desktop.ui.services import Services


class ReplyMarks(QObject):
    """Owner: the services of all windows."""

    def __init__(self, services: Services, generations: Generations) -> None:
        super().__init__(services)
        self._services = services
        self._generations = generations
        self._notices = Notices(services)
        services.window_activated.connect(self.see)
        generations.started.connect(self._began)
        generations.ended.connect(self._ended)

    def see(self) -> None:
        """The chat in front is being looked at: it has nothing new any more."""
        path, library = self._services.in_front(), self._services.library
        if path is not None and str(path) in library.marks.unread:
            library.show_marks(unread=library.marks.unread - {str(path)})
        if path is not None:
            self._notices.withdraw(path)

    def _began(self, task: GenerationTask) -> None:
        self._show_writing()

    def _ended(self, task: GenerationTask) -> None:
        self._show_writing()
        path, library = task.session.path, self._services.library
        if task.goes_on:  # only the last text of a turn with tools is news
            return
        if task.landed is None or self._services.in_front() == path:
            return
        library.show_marks(unread=library.marks.unread | {str(path)})
        if QApplication.activeWindow() is None:
            # No window of ours is in front: the task bar and the desktop tell that something has come.
            for window in QApplication.topLevelWidgets():
                if window.isVisible():
                    QApplication.alert(window)
            self._notices.tell(path, task.speaker.name, task.log.so_far().text)

    def _show_writing(self) -> None:
        running = frozenset(str(task.session.path) for task in self._generations.running())
        self._services.library.show_marks(writing=running)
