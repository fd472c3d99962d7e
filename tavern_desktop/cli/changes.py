"""Commands that change a chat: in the window's process where one has the data folder open, else here."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from tavern_desktop.chat.chat import Chat
from tavern_desktop.cli import output
from tavern_desktop.cli.context import Context
from tavern_desktop.library.data_root import DataRoot, root_of
from tavern_desktop.library.groups import header_for_headerless
from tavern_desktop.session import changes
from tavern_desktop.session.changes import Change
from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.session.refusals import CommandRefused
from tavern_desktop.session.runner import PlainRunner
from tavern_desktop.storage.errors import StorageError

_READ_ONLY = {
    "not_a_chat": "This file holds no messages: it is not a chat, and nothing was changed.",
    "owned_elsewhere": "Another program has this data folder open and does not answer; nothing was changed.",
    "old_form": "This group chat has no header and shall keep its old form; nothing was changed.",
}
_NEEDS_HEADER = (
    "Saving would give this group chat a header line, which the SillyTavern of this folder (older than 1.16) shows "
    "as an empty message; agree to it in the window first. Nothing was changed."
)


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
    changed, messages = _change_here(context, path, change)
    if context.json:
        output.say_json({"file": str(path), "changed": changed, "messages": messages})
    else:
        output.say(f"{path}: {'saved' if changed else 'nothing to change'}, {messages} messages")
    return 0


def _change_here(context: Context, path: Path, change: Change) -> tuple[bool, int]:
    """Change the chat in this process and save it; return whether it changed and how many messages it has."""
    root = root_of(path)
    runner = PlainRunner()
    chats = OpenChats(
        runner,
        _recovery_folder(context, root),
        header_for_headerless=partial(header_for_headerless, root) if root else None,
        preview_limit=0,
    )
    session = chats.open(path)
    runner.run_until_idle()
    chat = _ready(session)
    changed = session.do(changes.command_for(change, chat, path, root))
    if changed:
        session.save_now()
        runner.run_until_idle()
        _saved(session)
    return changed, len(chat)


def _recovery_folder(context: Context, root: DataRoot | None) -> Path:
    folder = context.folders.for_root(root.path).data if root else context.folders.data
    return folder / "recovery"


def _ready(session: ChatSession) -> Chat:
    """Return the loaded chat. Raises StorageError where it cannot be read, CommandRefused where not changed."""
    if session.chat is None:
        raise session.error or StorageError("io", "read", chat_ref=session.path, message="it could not be loaded")
    if session.needs_header_consent:
        raise CommandRefused(_NEEDS_HEADER)
    if session.read_only is not None:
        raise CommandRefused(_READ_ONLY[session.read_only])
    return session.chat


def _saved(session: ChatSession) -> None:
    """Raise what kept the change from the file."""
    state = session.save_state
    if state.error is not None:
        raise state.error
    if state.kind != "saved":
        raise StorageError(
            "io",
            "replace",
            chat_ref=session.path,
            message="another program changed the chat meanwhile; nothing was written, try again",
        )
