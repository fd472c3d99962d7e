"""Who may change the data folder: the process that has it open does what is asked, else this one for a moment."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from tavern_desktop.cli.context import Context
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.groups import header_for_headerless
from tavern_desktop.session import backing_up, handover
from tavern_desktop.session.backing_up import Backups
from tavern_desktop.session.change_jobs import error_of
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.session.refusals import CommandRefused
from tavern_desktop.session.runner import PlainRunner
from tavern_desktop.storage.errors import StorageError

ASK_AGAIN = 0.05
"""Seconds between two questions whether the window's process is done."""

Report = dict[str, Any]

_GONE = "The program that has this data folder open stopped answering; look whether the change was made."
_SILENT = "The program that has this data folder open does not answer. Nothing was changed from here; close it first."


def ask_owner(folder: Path, request: Report, seen: Callable[[Report], object] | None = None) -> Report | None:
    """Have the process that owns the data folder do it, and wait; None if there is none that answers.

    `seen` is told what the job has to say before it is finished.
    Raises StorageError as that process says, CommandRefused where it stops answering.
    """
    report = handover.ask(folder, request)
    if not report:
        return None
    while report is not None and report["state"] == "working":
        if seen is not None:
            seen(report)
        time.sleep(ASK_AGAIN)
        report = handover.ask(folder, {"job": report["job"]})
    if report is None:
        raise CommandRefused(_GONE)
    if report["state"] == "failed":
        raise error_of(report)
    return report


@contextlib.contextmanager
def owning(folder: Path) -> Iterator[None]:
    """Own the data folder for as long as the change takes. Raises CommandRefused if another process does."""
    try:
        ownership = handover.take(folder)
    except StorageError:
        # Where our own folder cannot be written nobody can own anything, and files are still safe to change.
        yield
        return
    if ownership is None:
        raise CommandRefused(_SILENT)
    try:
        yield
    finally:
        ownership.release()


def own_folder(context: Context, root: DataRoot | None) -> Path:
    """Return our own folder for the data root that a chat lies in, ours for all others where it lies in none."""
    return context.folders.for_root(root.path).data if root else context.folders.data


def open_chats(runner: PlainRunner, context: Context, root: DataRoot | None) -> OpenChats:
    """Return open chats for one command."""
    folder = own_folder(context, root)
    return OpenChats(
        runner,
        folder / "recovery",
        own_folder=folder,
        root=root.path if root else None,
        folders=context.folders,
        header_for_headerless=partial(header_for_headerless, root) if root else None,
        preview_limit=0,
        # Each command is a program of its own: a hundred of them shall not push every older backup out.
        backups=Backups(runner, least_age=backing_up.WINDOW),
    )
