"""Commands about characters: list, show, edit, import, export, duplicate, rename and remove."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from tavern_desktop.cli import output
from tavern_desktop.cli.context import Context
from tavern_desktop.cli.files import act_on, tell
from tavern_desktop.library import character_files as files
from tavern_desktop.library import characters
from tavern_desktop.library.card_fields import EDITABLE, CardFields, card_of, fields_of, write_fields
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


def show_character(context: Context) -> int:
    """Print what a character's card says, field by field."""
    with _told():
        fields = msgspec.structs.asdict(fields_of(card_of(_card(context).read_bytes())))
    if context.json:
        output.say_json({"stem": context.args.stem} | fields)
        return 0
    for name, value in fields.items():
        if value not in ("", (), None):
            output.say(f"{name}: {', '.join(value) if name == 'tags' else value}")
    return 0


def edit_character(context: Context) -> int:
    """Change fields of a character's card; say which."""
    changes = dict(_change(word) for word in context.args.changes)
    with _told():
        is_changed = write_fields(_card(context), changes)
    if context.json:
        output.say_json({"stem": context.args.stem, "changed": sorted(changes) if is_changed else []})
    else:
        output.say(f"{context.args.stem}: {', '.join(changes)}" if is_changed else "Nothing changed.")
    return 0


def duplicate_character(context: Context) -> int:
    """Write a character once more, without its chats; print its stem."""
    _card(context)
    with _told():
        stem = files.duplicate_character(context.root, context.args.stem)
    output.say_json({"stem": stem}) if context.json else output.say(stem)
    return 0


@contextlib.contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except CardError as error:
        raise CommandRefused(str(error)) from None


def _change(word: str) -> tuple[str, Any]:
    """Return a field of a card and its new value. Raises StorageError validation/argument."""
    name, found, text = word.partition("=")
    if not found or name not in EDITABLE:
        fields = ", ".join(sorted(EDITABLE))
        raise StorageError("validation", "argument", f"{name} is no field that can be set; there are {fields}")
    kind = {field.name: field.type for field in msgspec.structs.fields(CardFields)}[name]
    if kind is str:
        return name, text
    try:
        return name, msgspec.json.decode(text, type=kind)
    except msgspec.MsgspecError as error:
        raise StorageError("validation", "argument", f"{name}: {error}") from None


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
