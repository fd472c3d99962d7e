"""When a chat is renamed, the chats beside it that point to it point to its new name (known failure B-31)."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tavern_desktop.library.data_root import root_of
from tavern_desktop.session.change_job import ChangeJob
from tavern_desktop.session.changes import Relink
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.session.refusals import Refused
from tavern_desktop.session.runner import Outcome, Runner
from tavern_desktop.storage.conflict_copies import is_named_copy
from tavern_desktop.storage.directory import is_chat_name, kind_of
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.storage.links import read_links
from tavern_desktop.storage.names import SUFFIX

Told = Callable[[tuple[str, ...]], object]


class LinkFollower:
    """Belongs to its runner's owner. Chats that are open are changed where they are open."""

    def __init__(self, runner: Runner, chats: OpenChats) -> None:
        self._runner = runner
        self._chats = chats
        self._jobs: set[ChangeJob] = set()
        """Held until they are finished: what they listen to does not hold them."""

    def follow(self, old: Path, new: Path, told: Told) -> None:
        """Change every chat beside `new` that points to `old`; `told` gets a sentence for each that could not be."""
        if old.name == new.name or root_of(new) is None:
            told(())
            return
        stem = old.name.removesuffix(SUFFIX)
        self._runner.submit(lambda: pointing_to(stem, new), partial(self._change, stem, new, told))

    def _change(self, stem: str, new: Path, told: Told, outcome: Outcome[list[Path]]) -> None:
        found = outcome.result()
        change = Relink(stem, new.name.removesuffix(SUFFIX))
        left = set(found)
        warnings: list[str] = []

        def finished(path: Path, job: ChangeJob) -> None:
            left.discard(path)
            self._jobs.discard(job)
            if job.error is not None:
                warnings.append(_warning(path, job.error))
            if not left:
                told(tuple(warnings))

        if not found:
            told(())
        for path in found:
            job = ChangeJob(self._chats, path, change, partial(finished, path))
            if not job.is_finished:
                self._jobs.add(job)


def pointing_to(stem: str, beside: Path) -> list[Path]:
    """Return the chats in the folder of `beside` that point to the chat `stem`. Runs off the owner.

    What cannot be read points to nothing; conflict copies stay as they came.
    """
    try:
        with os.scandir(beside.parent) as entries:
            others = [entry for entry in entries if is_chat_name(entry.name) and entry.name != beside.name]
    except OSError:
        return []
    paths = [Path(entry.path) for entry in others if not is_named_copy(entry.name)]
    return [path for path in sorted(paths) if _leads_to(path, stem)]


def _leads_to(path: Path, stem: str) -> bool:
    try:
        return read_links(path, kind=kind_of(path)).leads_to(stem)
    except StorageError:
        return False


def _warning(path: Path, error: StorageError | Refused) -> str:
    why = sentence(error) if isinstance(error, StorageError) else error.sentence
    return f"Renamed, but the chat “{path.name.removesuffix(SUFFIX)}” still points to the old name. {why}"
