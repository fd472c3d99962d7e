"""Commands that change a chat: in the window's process where one has the data folder open, else here."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tavern_desktop.cli import output
from tavern_desktop.cli.context import Context
from tavern_desktop.library.data_root import DataRoot, root_of
from tavern_desktop.library.groups import header_for_headerless
from tavern_desktop.session import backing_up, changes, handover
from tavern_desktop.session.backing_up import Backups
from tavern_desktop.session.change_jobs import ChangeJob, change_request, error_of
from tavern_desktop.session.changes import Change
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.session.refusals import CommandRefused
from tavern_desktop.session.runner import PlainRunner
from tavern_desktop.storage.errors import StorageError

ASK_AGAIN = 0.05
"""Seconds between two questions whether the window's process is done."""

Result = tuple[bool, int]
"""Whether the chat changed, and how many messages it has; everything is on disk by then."""

_GONE = "The program that has this data folder open stopped answering; look whether the change was made."
_SILENT = "The program that has this data folder open does not answer. Nothing was changed from here; close it first."


def append(context: Context) -> int:
    """Add a message at the end."""
    args = context.args
    return _carry_out(context, changes.Append(args.role, args.text, args.name))


def edit(context: Context) -> int:
    """Give a message another text."""
    return _carry_out(context, changes.Edit(context.args.message, context.args.text))


def swipe(context: Context) -> int:
    """Choose, add or delete an alternative; the command line counts them from 1, as people see them."""
    args = context.args
    if args.add is not None:
        return _carry_out(context, changes.AddSwipe(args.message, args.add))
    if args.to is not None:
        return _carry_out(context, changes.ChooseSwipe(args.message, args.to - 1))
    return _carry_out(context, changes.DeleteSwipe(args.message, args.delete - 1))


def delete(context: Context) -> int:
    """Delete messages."""
    first, last = context.args.message
    return _carry_out(context, changes.Delete(first, last))


def hide(context: Context) -> int:
    """Keep messages out of prompts, or let them in again."""
    first, last = context.args.message
    return _carry_out(context, changes.Hide(first, last, hidden=not context.args.show))


def _carry_out(context: Context, change: Change) -> int:
    path = context.chat_file(context.args.file)
    root = root_of(path)
    folder = context.folders.for_root((root or context.root).path).data
    result = _change_there(folder, path, change)
    if result is None:
        with _owning(folder):
            result = _change_here(context, root, path, change)
    changed, messages = result
    if context.json:
        output.say_json({"file": str(path), "changed": changed, "messages": messages})
    else:
        output.say(f"{path}: {'saved' if changed else 'nothing to change'}, {messages} messages")
    return 0


def _change_there(folder: Path, path: Path, change: Change) -> Result | None:
    """Hand the change to the process that owns the data folder; None if there is none that answers."""
    report = handover.ask(folder, change_request(path, change))
    if report is None:
        return None
    while report is not None and report["state"] == "working":
        time.sleep(ASK_AGAIN)
        report = handover.ask(folder, {"job": report["job"]})
    if report is None:
        raise CommandRefused(_GONE)
    if report["state"] == "failed":
        raise error_of(report)
    return report["changed"], report["messages"]


@contextlib.contextmanager
def _owning(folder: Path) -> Iterator[None]:
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


def _change_here(context: Context, root: DataRoot | None, path: Path, change: Change) -> Result:
    """Change the chat in this process."""
    runner = PlainRunner()
    folder = context.folders.for_root(root.path).data if root else context.folders.data
    chats = OpenChats(
        runner,
        folder / "recovery",
        header_for_headerless=partial(header_for_headerless, root) if root else None,
        preview_limit=0,
        # Each command is a program of its own: a hundred of them shall not push every older backup out.
        backups=Backups(runner, least_age=backing_up.WINDOW),
    )
    job = ChangeJob(chats, path, change)
    runner.run_until_idle()
    if job.error is not None:
        raise job.error
    return job.changed, job.messages
