"""What may be said on the command line, and whether it is said to the command line at all."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence

from tavern_desktop import __version__

COMMANDS = ("roots", "chats", "cards", "tools", "characters", "search", "prompt", "send", "backends", "doctor")

_WITH_VALUE = ("--data-root", "--user")
_ANSWERED_HERE = ("-h", "--help", "--version")
_RANGE = re.compile(r"(?P<first>[0-9]{1,9})(?:-(?P<last>[0-9]{1,9}))?")

_DESCRIPTION = """\
Without a command, opens the window:  tavern-desktop [FILE|FOLDER] [--data-root DIR] [--new-window]

A first word that is a command is the command; for a file of that name write ./chats. FILE is a path, or
CHARACTER/CHAT relative to the data folder. Messages are numbered from 0, as in SillyTavern; swipes from 1, as
in the window. Exit codes: 0 done, 1 failed, 2 wrong usage.
"""


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Keeps our line breaks."""


def is_for_command_line(words: Sequence[str]) -> bool:
    """Say whether the first word is a command, or help is asked for before any word."""
    rest = iter(words)
    for word in rest:
        if word in _ANSWERED_HERE:
            return True
        if word in _WITH_VALUE:
            next(rest, None)
        elif not word.startswith("-"):
            return word in COMMANDS
    return False


def parse(words: Sequence[str] | None) -> argparse.Namespace:
    """Return what the words say; `run` is the name of the command's function.

    Raises SystemExit, with usage or help printed, where there is nothing to do.
    """
    top = _parser()
    args = top.parse_args(words, argparse.Namespace(data_root=None, user=None, portable=False, json=False))
    if getattr(args, "tail", None) is not None and args.count is not None:
        top.error("--count goes with --from, not with --tail")
    if args.run == "history" and args.out is not None and args.restore is None:
        top.error("--out goes with --restore")
    if getattr(args, "best", None) is not None and (args.chat is None or args.raw or args.exact_case):
        top.error("--best goes with --in, and not with --raw or --exact-case")
    return args


def _parser() -> argparse.ArgumentParser:
    # Every start of the window imports this module to ask whether a word is a command; only a command parses.
    from tavern_desktop.cli.backend_arguments import add_backends
    from tavern_desktop.cli.card_arguments import add_cards
    from tavern_desktop.cli.generate_arguments import add_generating
    from tavern_desktop.cli.tool_arguments import add_tools

    common = _common_options()
    top = argparse.ArgumentParser(
        "tavern-desktop", description=_DESCRIPTION, formatter_class=_Formatter, parents=[common], allow_abbrev=False
    )
    top.add_argument("--version", action="version", version=f"Tavern Desktop {__version__}")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _command(commands, common, "roots", "roots", "data folders found on this computer")
    chats = commands.add_parser(
        "chats", help="list, show, check, change and export chats", parents=[common], allow_abbrev=False
    )
    _chats(chats.add_subparsers(title="commands", metavar="COMMAND", required=True), common)
    add_cards(commands, common, _command)
    characters = commands.add_parser(
        "characters",
        help="characters: list, edit, import, export, rename and more",
        parents=[common],
        allow_abbrev=False,
    )
    _characters(characters.add_subparsers(title="commands", metavar="COMMAND", required=True), common)
    _search(commands, common)
    add_generating(commands, common, _command)
    add_tools(commands, common, _command)
    add_backends(commands, common, _command)
    _command(commands, common, "doctor", "doctor", "versions, folders, locks, index: what to paste into a report")
    return top


def message_number(word: str) -> int:
    """Read the number of one message. Raises ArgumentTypeError."""
    if not word.isascii() or not word.isdigit():
        raise argparse.ArgumentTypeError(f"{word!r} is no message number (they count from 0)")
    return int(word)


def message_range(word: str) -> tuple[int, int]:
    """Read I or I-J, both included. Raises ArgumentTypeError."""
    match = _RANGE.fullmatch(word)
    if match is None:
        raise argparse.ArgumentTypeError(f"{word!r} is no message number I and no range I-J (they count from 0)")
    first = int(match["first"])
    last = first if match["last"] is None else int(match["last"])
    if last < first:
        raise argparse.ArgumentTypeError(f"the range {word} ends before it begins")
    return first, last


def _common_options() -> argparse.ArgumentParser:
    """Options that go with every command, before or after it: a level that is not told leaves them alone."""
    common = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    group = common.add_argument_group("for every command")
    group.add_argument("--data-root", metavar="DIR", help="the SillyTavern or TauriTavern data folder")
    group.add_argument("--user", metavar="HANDLE", help="whose folder in it (usually default-user)")
    group.add_argument("--portable", action="store_true", help="keep our own files beside the program")
    group.add_argument("--json", action="store_true", help="for machines: one object, or one a line for lists")
    return common


def _command(commands: argparse._SubParsersAction[argparse.ArgumentParser], common: argparse.ArgumentParser,
             name: str, run: str, help_text: str) -> argparse.ArgumentParser:  # fmt: skip
    command = commands.add_parser(name, help=help_text, description=help_text, parents=[common], allow_abbrev=False)
    command.set_defaults(run=run)
    return command


def _chats(commands: argparse._SubParsersAction[argparse.ArgumentParser], common: argparse.ArgumentParser) -> None:
    listed = _command(commands, common, "list", "list_chats", "recent chats, newest first")
    listed.add_argument("--limit", type=_positive, metavar="N", help="at most N chats")
    listed.add_argument("--character", metavar="STEM", help="one character's chats; STEM is its card without .png")

    show = _command(commands, common, "show", "show", "one message a line: number, date, name, swipe k/n, text")
    show.add_argument("file", metavar="FILE")
    which = show.add_mutually_exclusive_group()
    which.add_argument("--tail", type=_positive, metavar="N", help="the newest N messages")
    which.add_argument("--from", type=message_number, metavar="I", dest="first", help="from message I on")
    show.add_argument("--count", type=_positive, metavar="N", help="at most N messages, from --from on")

    check = _command(commands, common, "check", "check", "every problem, with kind, detail, record, line and offset")
    check.add_argument("files", metavar="FILE", nargs="+")

    append = _change(commands, common, "append", "add a message at the end")
    append.add_argument("--role", choices=("user", "assistant", "system"), required=True)
    append.add_argument("--name", type=_text, help="the speaker; else the persona's or the character's name")
    append.add_argument("--text", type=_text, required=True)

    edit = _change(commands, common, "edit", "give a message another text")
    edit.add_argument("--message", type=message_number, metavar="I", required=True)
    edit.add_argument("--text", type=_text, required=True)

    swipe = _change(commands, common, "swipe", "choose, add or delete an alternative of a message")
    swipe.add_argument("--message", type=message_number, metavar="I", required=True)
    what = swipe.add_mutually_exclusive_group(required=True)
    what.add_argument("--to", type=_positive, metavar="K", help="choose alternative K of n (from 1)")
    what.add_argument("--add", type=_text, metavar="TEXT", help="add an alternative and choose it")
    what.add_argument("--delete", type=_positive, metavar="K", help="delete alternative K of n (from 1)")

    delete = _change(commands, common, "delete", "delete messages")
    delete.add_argument("--message", type=message_range, metavar="I[-J]", required=True)

    hide = _change(commands, common, "hide", "keep messages out of prompts")
    hide.add_argument("--message", type=message_range, metavar="I[-J]", required=True)
    hide.add_argument("--show", action="store_true", help="the other way: let them in again")
    _files(commands, common)


def _files(commands: argparse._SubParsersAction[argparse.ArgumentParser], common: argparse.ArgumentParser) -> None:
    repair = _change(commands, common, "repair", "everything readable into a new file, the rest beside it")
    repair.add_argument("--out", metavar="COPY", required=True, help="the new file; FILE itself is not touched")

    branch = _change(commands, common, "branch", "a new chat of the messages up to one; prints its file")
    branch.add_argument("--message", type=message_number, metavar="I", required=True)

    bookmark = _change(commands, common, "bookmark", "mark a message with a checkpoint; prints the checkpoint's file")
    bookmark.add_argument("--message", type=message_number, metavar="I", required=True)
    what = bookmark.add_mutually_exclusive_group()
    what.add_argument("--name", type=_text, metavar="NAME", help="the checkpoint's name; else FILE - Checkpoint #n")
    what.add_argument("--remove", action="store_true", help="take the mark away; the checkpoint stays")

    _change(commands, common, "bookmarks", "the bookmarked messages and their checkpoints")
    _change(commands, common, "tree", "the chats that this one branched off, and those that branched off it")

    rename = _change(commands, common, "rename", "give a chat another name")
    rename.add_argument("name", metavar="NAME", type=_text)

    remove = _change(commands, common, "remove", "put a chat into the system's bin")
    remove.add_argument("--anyway", action="store_true", help="also a damaged one")

    merge = _change(commands, common, "merge", "unite a chat with a conflict copy of it: all messages of both")
    merge.add_argument("copy", metavar="COPY", help="the copy, which then goes into the bin")
    merge.add_argument("--keep-copy", action="store_true", help="leave the copy where it is")

    metadata = _change(commands, common, "metadata", "print the header's chat_metadata")
    metadata.add_argument("--set", type=_text, metavar="JSON", help="replace it; integrity stays if JSON has none")

    history = _change(commands, common, "history", "the chat's versions, newest first, and its backups")
    history.add_argument("--restore", metavar="ID", type=_text, help="make the chat what it was in version ID")
    history.add_argument("--out", metavar="COPY", help="with --restore: a new file instead, the chat stays")

    export = _change(commands, common, "export", "write a chat as JSONL, YAML, Markdown, a web page or text")
    export.add_argument("--format", choices=("jsonl", "yaml", "md", "html", "txt"), required=True)
    export.add_argument("--out", metavar="OUT", required=True, help="a new file")

    deleted = _command(commands, common, "deleted", "deleted", "deleted chats of which a backup is still there")
    restore = _command(commands, common, "restore", "restore", "bring a deleted chat back; prints its file")
    restore.add_argument("backup", metavar="BACKUP", help="its file in backups/, as chats deleted prints it")
    restore.add_argument("--name", metavar="NAME", type=_text, help="what it is called; else as its owner")
    for command in (deleted, restore):
        owner = command.add_mutually_exclusive_group(required=True)
        owner.add_argument("--character", metavar="STEM", help="whose chats; STEM is the card without .png")
        owner.add_argument("--group", metavar="ID", help="the group whose chats, by its id or name")

    imported = _command(commands, common, "import", "import_", "chats of other programs as new chats of a character")
    imported.add_argument("file", metavar="IN", help="JSONL, our YAML, or JSON of Kobold Lite, CAI Tools, Agnai …")
    whose = imported.add_mutually_exclusive_group()
    whose.add_argument("--character", metavar="STEM", help="whose chats they are; else the one whom the file names")
    whose.add_argument("--group", metavar="ID", help="the group whose chats they are, by its id or name")
    imported.add_argument("--repair", action="store_true", help="leave out what is damaged instead of refusing")


def _characters(commands: argparse._SubParsersAction[argparse.ArgumentParser], common: argparse.ArgumentParser) -> None:
    _command(commands, common, "list", "list_characters", "characters by name: the card's file without .png, the name")
    imported = _command(commands, common, "import", "import_character", "a card of any kind as a new character")
    imported.add_argument("file", metavar="IN")
    export = _command(commands, common, "export", "export_character", "write a character's card, byte for byte")
    rename = _command(commands, common, "rename", "rename_character", "another name; card, chats and groups follow")
    remove = _command(commands, common, "remove", "remove_character", "put a character's card into the system's bin")
    show = _command(commands, common, "show", "show_character", "what a character's card says")
    edit = _command(commands, common, "edit", "edit_character", "change what a character's card says")
    edit.add_argument(
        "--set",
        dest="changes",
        action="append",
        required=True,
        metavar="FIELD=VALUE",
        type=_text,
        help="a field as `characters show --json` names it; tags and greetings as a JSON list; may be given again",
    )
    duplicate = _command(commands, common, "duplicate", "duplicate_character", "write a character once more; its stem")
    for command in (export, rename, remove, show, edit, duplicate):
        command.add_argument("stem", metavar="STEM", help="the card's file without .png")
    export.add_argument("--out", metavar="OUT", required=True, help="a new file")
    rename.add_argument("name", metavar="NAME", type=_text)
    rename.add_argument("--keep-messages", action="store_true", help="what it wrote stays under the old name")
    remove.add_argument("--chats", action="store_true", help="its chats too; not if one of them cannot be read")
    remove.add_argument("--anyway", action="store_true", help="also chats that cannot be read")


def _search(commands: argparse._SubParsersAction[argparse.ArgumentParser], common: argparse.ArgumentParser) -> None:
    search = _command(commands, common, "search", "search", "search all chats, or one: file, message, swipe, snippet")
    search.add_argument(
        "query", metavar="QUERY", nargs="+", type=_text, help="words that a chat must hold; '\"words together\"'"
    )
    search.add_argument("--limit", type=_positive, metavar="N", help="at most N places")
    search.add_argument("--exact-case", action="store_true", help="tell capitals from small letters")
    search.add_argument("--in", metavar="FILE", dest="chat", help="in this chat only")
    search.add_argument(
        "--best", type=_positive, metavar="N", help="with --in: the N messages that hold most of the words, best first"
    )
    search.add_argument(
        "--raw", action="store_true", help="search the lines of the files as they stand, keys and metadata too"
    )


def _change(commands: argparse._SubParsersAction[argparse.ArgumentParser], common: argparse.ArgumentParser,
            name: str, help_text: str) -> argparse.ArgumentParser:  # fmt: skip
    command = _command(commands, common, name, name, help_text)
    command.add_argument("file", metavar="FILE")
    return command


def _text(word: str) -> str:
    """Refuse what the shell's encoding could not read: it would be stored as damage."""
    try:
        word.encode("utf-8")
    except UnicodeEncodeError:
        raise argparse.ArgumentTypeError("the text is not valid in this terminal's encoding") from None
    return word


def _positive(word: str) -> int:
    if not word.isascii() or not word.isdigit() or int(word) == 0:
        raise argparse.ArgumentTypeError(f"{word!r} is no number from 1 on")
    return int(word)
