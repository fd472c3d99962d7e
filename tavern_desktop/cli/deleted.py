"""Commands about chats that are not there any more: chats deleted and chats restore."""

from __future__ import annotations

from tavern_desktop.cli import output
from tavern_desktop.cli.context import Context
from tavern_desktop.cli.importing import receiver_of
from tavern_desktop.session.backup_list import row_of_backup
from tavern_desktop.session.deleted import bring_back, deleted_chats

WORDS = 60
"""Characters of a chat's last words that are printed."""


def deleted(context: Context) -> int:
    """Print the newest backup of each deleted chat of a character or a group, newest first."""
    for backup in deleted_chats(context.root, receiver_of(context, with_card=False)):
        row = row_of_backup(backup)
        if context.json:
            known = {"backup": str(row.path), "date": output.iso_date(row.made_ms), "messages": row.messages}
            output.say_json(known | {"size": row.size, "preview": row.words})
        else:
            count = "     ?" if row.messages is None else f"{row.messages:>6}"
            words = output.shortened(row.words, WORDS)
            output.say(f"{output.local_date(row.made_ms):16}  {count}  {row.path.name}  {words}")
    return 0


def restore(context: Context) -> int:
    """Print the file of a chat that is there again."""
    args = context.args
    owner = receiver_of(context, with_card=False)
    name = args.name or f"{args.character or args.group} (restored)"
    path = bring_back(context.root, owner, name, context.root.user_folder / args.backup)
    if context.json:
        output.say_json({"file": str(path)})
    else:
        output.say(str(path))
    return 0
