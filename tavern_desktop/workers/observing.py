"""The system's own word for what changes in folders, through watchdog. Imported only once it is needed."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable
from pathlib import Path

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver
from watchdog.observers.polling import PollingObserver

Hear = Callable[[str], object]
"""Takes the path of something that changed, on a thread of the observer."""

EVENTS: list[type[FileSystemEvent]] = [
    FileCreatedEvent,
    FileModifiedEvent,
    FileClosedEvent,
    FileMovedEvent,
    FileDeletedEvent,
    DirCreatedEvent,
    DirMovedEvent,
    DirDeletedEvent,
]
"""Without opening and reading, which we do ourselves all the time."""


class _Handler(FileSystemEventHandler):
    """Only ever hands paths on: what they mean is not thought about on this thread."""

    def __init__(self, hear: Hear) -> None:
        self._hear = hear

    def dispatch(self, event: FileSystemEvent) -> None:
        for path in (event.src_path, event.dest_path):
            if path:
                self._hear(os.fsdecode(path))


def observe(top: Path, folders: Iterable[Path], hear: Hear) -> BaseObserver:
    """Tell `hear` of every change in `folders`, at any depth, and of what comes and goes directly in `top`.

    Folders that are not there are left out. Raises OSError where the system cannot do it: no more watches are to be
    had, or it knows no such thing.
    """
    observer = Observer()
    try:
        if isinstance(observer, PollingObserver):
            raise OSError(errno.ENOSYS, "this system does not tell of changes in folders")
        handler = _Handler(hear)
        observer.start()
        for folder in folders:
            if folder.is_dir():
                observer.schedule(handler, str(folder), recursive=True, event_filter=EVENTS)
        # Last: where the watches of the folders before used up what the system grants, this one fails and says so.
        observer.schedule(handler, str(top), event_filter=EVENTS)
    except BaseException:
        end(observer)
        raise
    return observer


def end(observer: BaseObserver) -> None:
    """Stop an observer; when this returns its threads are gone."""
    observer.stop()
    if observer.is_alive():
        observer.join()
