"""This process's claim on the data folder it works on: one owner each, later starts hand over (decision D28)."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from tavern_desktop.session.runner import Runner
from tavern_desktop.storage.errors import StorageError

if TYPE_CHECKING:
    from tavern_desktop.session.change_jobs import ChangeDesk
    from tavern_desktop.session.generating.jobs import GenerateJob
    from tavern_desktop.session.handover import Answer, Ownership
    from tavern_desktop.ui.services import Services
    from tavern_desktop.ui.windows import Windows

# `handover` and `change_jobs` are imported when needed: sockets alone cost a start a tenth of its time.

POLL = 0.05


class Claim(QObject):
    """Holds the ownership of one data folder at a time, named by our own folder for it."""

    def __init__(self, runner: Runner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.runner = runner
        self._ownership: Ownership | None = None
        self._answer: Answer | None = None
        self.is_owner = False
        """No other process has the folder that was moved to."""

    def move_to(self, folder: Path) -> bool:
        """Give up the folder held and own this one; return False if another process does."""
        from tavern_desktop.session import handover

        self.release()
        self.is_owner = True
        try:
            self._ownership = handover.take(folder, patience=0)
        except StorageError:
            return True  # where our own folder cannot be written nobody can own anything
        self.is_owner = self._ownership is not None
        if self._ownership is not None and self._answer is not None:
            self._ownership.serve(self.runner, self._answer)
        return self.is_owner

    def serve(self, answer: Answer) -> None:
        """Answer other processes from now on, whatever folder is owned."""
        self._answer = answer
        if self._ownership is not None:
            self._ownership.serve(self.runner, answer)

    def release(self) -> None:
        """Own nothing any more."""
        if self._ownership is not None:
            self._ownership.release()
            self._ownership = None


class RequestDesk:
    """Answers what other processes ask of this one: files to open, and changes from the command line."""

    def __init__(self, services: Services, windows: Windows) -> None:
        self._services = services
        self._windows = windows
        self._changes: ChangeDesk | None = None
        self._take_new_root()
        services.root_changed.connect(self._take_new_root)

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the reply; an empty one to what is not understood."""
        if "open" in request:
            path = request["open"]
            self._windows.receive(Path(path) if path else None, new_window=bool(request.get("new_window")))
            return {"done": True}
        return self._desk().answer(request) or {}

    def _take_new_root(self) -> None:
        # Asked for at once: who opens the chats of a data folder claims it.
        self._chats, self._changes = self._services.open_chats, None

    def _desk(self) -> ChangeDesk:
        """Return who does changes, made with the first that is asked for."""
        if self._changes is None:
            from tavern_desktop.session.change_jobs import ChangeDesk

            self._changes = ChangeDesk(self._chats, self._services.file_acts, self._generate)
        return self._changes

    def _generate(self, plain: dict[str, Any]) -> GenerateJob:
        """Have a reply written that another process asks for."""
        import msgspec

        from tavern_desktop.session.generating.jobs import GenerateJob, Wanted

        services = self._services
        wanted = msgspec.convert(plain, Wanted)
        return GenerateJob(services.runner, services.open_chats, services.generations, wanted)


def hand_over(folder: Path, path: Path | None, *, new_window: bool) -> bool:
    """Let the process that owns the data folder, if any, do what this start asks for; return whether it does.

    An owner that has only just started may not be listening yet; one that is silent for two seconds is hung.
    """
    from tavern_desktop.session import handover

    request = open_request(path, new_window=new_window)
    deadline = time.monotonic() + handover.PATIENCE
    while time.monotonic() < deadline:
        if handover.ask(folder, request, deadline - time.monotonic()) is not None:
            return True
        try:
            ownership = handover.take(folder, patience=POLL)
        except StorageError:
            return False
        if ownership is not None:
            ownership.release()
            return False
    return False


def open_request(path: Path | None, *, new_window: bool) -> dict[str, Any]:
    """Return what a second start asks of the first."""
    return {"open": None if path is None else str(path), "new_window": new_window}
