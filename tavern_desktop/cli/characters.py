"""Commands about characters: list, import, export, rename and remove."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tavern_desktop.cli import output
from tavern_desktop.cli.context import Context
from tavern_desktop.cli.files import act_on, tell
from tavern_desktop.library import characters
from tavern_desktop.library.card_file import CardError
from tavern_desktop.library.character_files import chats_of, import_card
from tavern_desktop.library.characters import SUFFIX, Character
from tavern_desktop.session import file_jobs
from tavern_desktop.session.refusals import CommandRefused
from tavern_desktop.storage.copies import copy_new
from tavern_desktop.storage.errors import StorageError


def list_characters(context: Context) -> int:
    """Print the characters by name."""
    for one in characters.list_characters(context.root, context.index()):
        if context.json:
            output.say_json(_facts(context, one))
        else:
            problem = f"  {one.problem}" if one.problem else ""
            favourite = "  [favourite]" if one.favourite else ""
            output.say(f"{one.stem}  {one.name}{favourite}{problem}")
    return 0


def import_character(context: Context) -> int:
    """Print the stem of a character that came from a card, and what of the card was adjusted."""
    try:
        imported = import_card(context.root, Path(context.args.file).absolute())
    except CardError as error:
        raise CommandRefused(str(error)) from None
    path = context.root.characters / f"{imported.stem}{SUFFIX}"
    if context.json:
        output.say_json({"stem": imported.stem, "file": str(path), "adjusted": imported.adjusted})
    else:
        output.say(imported.stem)
        for line in imported.adjusted:
            output.say(f"  {line}")
    return 0


def export_character(context: Context) -> int:
    """Write a character's card, byte for byte."""
    card, out = _card(context), Path(context.args.out).absolute()
    copy_new(card, out)
    if context.json:
        output.say_json({"file": str(card), "out": str(out)})
    else:
        output.say(str(out))
    return 0


def rename_character(context: Context) -> int:
    """Give a character another name."""
    args = context.args
    report = act_on(context, _card(context), file_jobs.RenameCharacter(args.name, not args.keep_messages))
    return tell(context, report, f"renamed to {report['stem']}, in {report['changed']} chats")


def remove_character(context: Context) -> int:
    """Put a character's card into the bin, and its chats if that is asked for."""
    args = context.args
    report = act_on(context, _card(context), file_jobs.RemoveCharacter(args.chats, args.anyway))
    what = f" with {report['chats']} chats" if report["chats"] else ""
    return tell(context, report, f"{args.stem}: moved to the bin{what}")


def _card(context: Context) -> Path:
    """Return the card of --stem. Raises StorageError not_found/source."""
    card = context.root.characters / f"{context.args.stem}{SUFFIX}"
    if not card.is_file():
        raise StorageError("not_found", "source", f"There is no character {context.args.stem}", chat_ref=card)
    return card


def _facts(context: Context, one: Character) -> dict[str, Any]:
    return {
        "stem": one.stem,
        "name": one.name,
        "file": one.avatar,
        "chat": one.chat or None,
        "chats": len(chats_of(context.root, one.stem)),
        "favourite": one.favourite,
        "problem": one.problem or None,
    }
