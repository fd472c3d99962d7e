"""The command chats import: chats of other programs as new chats of a character or a group."""

from __future__ import annotations

from pathlib import Path

from tavern_desktop.cli import output
from tavern_desktop.cli.context import Context
from tavern_desktop.library.characters import card_stems, list_characters
from tavern_desktop.library.groups import list_groups
from tavern_desktop.session.importing import Imported, Receiver, import_chats
from tavern_desktop.storage.errors import StorageError


def import_(context: Context) -> int:
    """Print the new chats, and what had to be adjusted."""
    args = context.args
    receiver = receiver_of(context)
    characters = () if receiver != Receiver() else list_characters(context.root, context.index())
    done = import_chats(context.root, Path(args.file).absolute(), receiver, characters=characters, repair=args.repair)
    if context.json:
        output.say_json(_facts(done))
        return 0
    for path in done.paths:
        output.say(str(path))
    for adjustment in done.adjustments:
        output.complain(adjustment.sentence)
    for warning in done.warnings:
        output.complain(warning)
    return 0


def receiver_of(context: Context, *, with_card: bool = True) -> Receiver:
    """Return who is meant by --character or --group. Raises StorageError validation/argument for nobody here.

    `with_card`: the character has to have its card.
    """
    args, root = context.args, context.root
    if with_card and args.character is not None and args.character not in card_stems(root):
        raise StorageError("validation", "argument", f"There is no character {args.character}; see characters list")
    if args.group is None:
        return Receiver(args.character or "")
    known = [group.id for group in list_groups(root) if args.group in (group.id, group.name)]
    if len(known) != 1:
        raise StorageError("validation", "argument", f"There is no group {args.group}, or more than one")
    return Receiver(group=known[0])


def _facts(done: Imported) -> dict[str, object]:
    return {
        "files": [str(path) for path in done.paths],
        "form": done.form,
        "messages": done.messages,
        "exact": done.is_exact,
        "adjusted": [
            {"kind": adjustment.kind, "count": adjustment.count, "message": adjustment.sentence}
            for adjustment in done.adjustments
        ],
        "warnings": list(done.warnings),
    }
