"""Commands that change a chat: in the window's process where one has the data folder open, else here."""

from __future__ import annotations

from pathlib import Path

from tavern_desktop.cli import output
from tavern_desktop.cli.context import Context
from tavern_desktop.cli.owner import ask_owner, open_chats, owning
from tavern_desktop.library.data_root import DataRoot, root_of
from tavern_desktop.session import changes
from tavern_desktop.session.change_job import ChangeJob
from tavern_desktop.session.change_jobs import change_request
from tavern_desktop.session.changes import Change
from tavern_desktop.session.runner import PlainRunner

Result = tuple[bool, int]
"""Whether the chat changed, and how many messages it has; everything is on disk by then."""


def append(context: Context) -> int:
    """Add a message at the end."""
    args = context.args
    return carry_out(context, changes.Append(args.role, args.text, args.name))


def edit(context: Context) -> int:
    """Give a message another text."""
    return carry_out(context, changes.Edit(context.args.message, context.args.text))


def swipe(context: Context) -> int:
    """Choose, add or delete an alternative; the command line counts them from 1, as people see them."""
    args = context.args
    if args.add is not None:
        return carry_out(context, changes.AddSwipe(args.message, args.add))
    if args.to is not None:
        return carry_out(context, changes.ChooseSwipe(args.message, args.to - 1))
    return carry_out(context, changes.DeleteSwipe(args.message, args.delete - 1))


def delete(context: Context) -> int:
    """Delete messages."""
    first, last = context.args.message
    return carry_out(context, changes.Delete(first, last))


def hide(context: Context) -> int:
    """Keep messages out of prompts, or let them in again."""
    first, last = context.args.message
    return carry_out(context, changes.Hide(first, last, hidden=not context.args.show))


def carry_out(context: Context, change: Change) -> int:
    """Change the chat that is named on the command line, and print what became of it."""
    path = context.chat_file(context.args.file)
    changed, messages = change_chat(context, path, change)
    if context.json:
        output.say_json({"file": str(path), "changed": changed, "messages": messages})
    else:
        output.say(f"{path}: {'saved' if changed else 'nothing to change'}, {messages} messages")
    return 0


def change_chat(context: Context, path: Path, change: Change) -> Result:
    """Change a chat, wherever that is to be done. Raises StorageError, CommandRefused."""
    root = root_of(path)
    folder = context.folders.for_root((root or context.root).path).data
    report = ask_owner(folder, change_request(path, change))
    if report is not None:
        return report["changed"], report["messages"]
    with owning(folder):
        return _change_here(context, root, path, change)


def _change_here(context: Context, root: DataRoot | None, path: Path, change: Change) -> Result:
    """Change the chat in this process."""
    runner = PlainRunner()
    job = ChangeJob(open_chats(runner, context, root), path, change)
    runner.run_until_idle()
    if job.error is not None:
        raise job.error
    return job.changed, job.messages
