"""What the records of characters and groups say about chat files, kept in step with them (contract D11, G5).

Nothing here is needed to find a chat again: where a record cannot be written, that is a warning.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tavern_desktop.chat import jsontext
from tavern_desktop.chat.jsontext import JsonTextError
from tavern_desktop.library.card_text import change_card, current_chat
from tavern_desktop.library.characters import SUFFIX as CARD
from tavern_desktop.library.data_root import DataRoot, root_of
from tavern_desktop.storage.conflict_copies import is_named_copy
from tavern_desktop.storage.directory import kind_of
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.storage.names import SUFFIX
from tavern_desktop.storage.publish import change_small_file

Record = dict[str, Any]


def follow(old: Path, new: Path) -> None:
    """Make the card or the groups that name the chat `old` name `new`. Raises StorageError, OSError."""
    root = root_of(old)
    if root is None:
        return
    before, after = _stem(old), _stem(new)
    if kind_of(old) == "group":
        _change_groups(root, lambda record: _renamed(record, before, after))
    elif character := root.character_of(old):
        card = root.characters / f"{character}{CARD}"
        if card.is_file():
            change_card(card, current_chat(after, instead_of=lambda named: named == before))


def record_current(chat: Path) -> bool:
    """Make `chat` the current one of its character or groups where they name none that is there (known failure B-03).

    Returns whether a record was changed. Raises StorageError, OSError.
    """

    def is_gone(named: object) -> bool:
        return not isinstance(named, str) or not named or not os.path.lexists(chat.with_name(named + SUFFIX))

    return _make_current(chat, is_gone)


def make_current(chat: Path) -> bool:
    """Make `chat`, which is there, the current one of its character, or of the groups that list it.

    Returns whether a record was changed. Raises StorageError, OSError.
    """
    return _make_current(chat, lambda named: True)


def add_beside(chat: Path, new: Path) -> None:
    """Tell the groups that have `chat` that they have `new` too; characters find theirs by the folder.

    Raises StorageError, OSError.
    """
    root = root_of(chat)
    if root is not None and kind_of(chat) == "group":
        _change_groups(root, lambda record: _with_another(record, _stem(chat), _stem(new)))


def add_to_group(root: DataRoot, group_id: str, chat: Path) -> None:
    """Tell the group `group_id` that `chat` is one of its chats. Raises StorageError, OSError."""
    new = _stem(chat)
    _change(root.groups / f"{group_id}.json", lambda record: _with_chat(record, new))


def set_order(root: DataRoot, group_id: str, order: int) -> bool:
    """Have a group's members speak in another order, see `Group.order`. Raises StorageError, OSError."""
    return _change(root.groups / f"{group_id}.json", lambda record: record | {"activation_strategy": order})


def mute(root: DataRoot, group_id: str, member: str, *, is_muted: bool) -> bool:
    """Let a member of a group speak no more of themselves, or again. Raises StorageError, OSError."""
    return _change(root.groups / f"{group_id}.json", lambda record: _with_muted(record, member, is_muted))


def rename_member(root: DataRoot, old: str, new: str) -> tuple[Path, ...]:
    """Make the groups that have the card `old` have `new`; return their records. Raises StorageError, OSError."""
    return _change_groups(root, lambda record: _with_member(record, old, new))


def drop(chat: Path) -> tuple[Path, ...]:
    """Take a chat that is gone out of the groups' lists; return the records that had it.

    A card that named it as the current chat names the newest that is left. Raises StorageError, OSError.
    """
    root = root_of(chat)
    if root is None:
        return ()
    if kind_of(chat) == "group":
        return _change_groups(root, lambda record: _without(record, _stem(chat)))
    newest = newest_beside(chat)
    if newest is not None:
        follow(chat, newest)
    return ()


def go_on_in(chat: Path, new: Path) -> None:
    """Make `new` the current chat wherever `chat` is it; both stay in the lists. Raises StorageError, OSError."""
    root = root_of(chat)
    if root is None:
        return
    if kind_of(chat) == "group":
        add_beside(chat, new)
        _change_groups(root, lambda record: _with_current(record, _stem(new), lambda named: named == _stem(chat)))
    else:
        follow(chat, new)


def put_back(records: tuple[Path, ...], chat: Path) -> None:
    """Give a chat that is there again back to the groups that `drop` took it from. Raises StorageError, OSError."""
    for record in records:
        _change(record, lambda record: record | {"chats": [*record.get("chats", []), _stem(chat)]})


def newest_beside(chat: Path) -> Path | None:
    """Return the newest other chat in the folder of `chat`, None if there is none or it cannot be read."""
    others: list[tuple[int, Path]] = []
    with contextlib.suppress(OSError):
        for entry in os.scandir(chat.parent):
            is_other = entry.name.endswith(SUFFIX) and entry.name != chat.name and entry.is_file()
            if is_other and not is_named_copy(entry.name):
                others.append((entry.stat().st_mtime_ns, Path(entry.path)))
    return max(others)[1] if others else None


def _make_current(chat: Path, instead_of: Callable[[object], bool]) -> bool:
    root, stem = root_of(chat), _stem(chat)
    if root is None:
        return False
    if kind_of(chat) == "group":
        return bool(_change_groups(root, lambda record: _with_current(record, stem, instead_of)))
    character = root.character_of(chat)
    card = root.characters / f"{character}{CARD}"
    return bool(character) and card.is_file() and change_card(card, current_chat(stem, instead_of=instead_of))


def _stem(path: Path) -> str:
    return path.name.removesuffix(SUFFIX)


def _change_groups(root: DataRoot, change: Callable[[Record], Record]) -> tuple[Path, ...]:
    return tuple(file for file in sorted(root.groups.glob("*.json")) if _change(file, change))


def _change(file: Path, change: Callable[[Record], Record]) -> bool:
    """Write a group's record anew if `change` makes another of it; return whether it did."""
    return change_small_file(file, lambda data: _changed(data, change))


def _changed(data: bytes, change: Callable[[Record], Record]) -> bytes | None:
    try:
        record = jsontext.decode(data)
    except JsonTextError:  # a damaged record is not ours to mend
        return None
    changed = change(record)
    if jsontext.same(changed, record):
        return None
    # As SillyTavern writes them; a lone surrogate can only stand in a string, where its escape means the same.
    return json.dumps(changed, ensure_ascii=False, indent=4).encode("utf-8", "backslashreplace")


def _with_muted(record: Record, member: str, is_muted: bool) -> Record:
    muted = record.get("disabled_members")
    others = [each for each in muted if each != member] if isinstance(muted, list) else []
    return record | {"disabled_members": [*others, member] if is_muted else others}


def _renamed(record: Record, old: str, new: str) -> Record:
    changed = dict(record)
    if record.get("chat_id") == old:
        changed["chat_id"] = new
    if isinstance(record.get("chats"), list):
        changed["chats"] = [new if chat == old else chat for chat in record["chats"]]
    past = record.get("past_metadata")
    if isinstance(past, dict) and old in past:
        changed["past_metadata"] = {(new if chat == old else chat): value for chat, value in past.items()}
    return changed


def _with_current(record: Record, chat: str, instead_of: Callable[[object], bool]) -> Record:
    chats = record.get("chats")
    if not isinstance(chats, list) or chat not in chats or not instead_of(record.get("chat_id")):
        return record
    return record | {"chat_id": chat}


def _with_another(record: Record, chat: str, new: str) -> Record:
    chats = record.get("chats")
    if not isinstance(chats, list) or chat not in chats or new in chats:
        return record
    return record | {"chats": [*chats, new]}


def _with_member(record: Record, old: str, new: str) -> Record:
    changed = dict(record)
    for key in ("members", "disabled_members"):
        if isinstance(record.get(key), list):
            changed[key] = [new if member == old else member for member in record[key]]
    return changed


def _with_chat(record: Record, new: str) -> Record:
    chats = record.get("chats")
    listed = chats if isinstance(chats, list) else []
    return record if new in listed else record | {"chats": [*listed, new]}


def _without(record: Record, gone: str) -> Record:
    chats = record.get("chats")
    if not isinstance(chats, list) or gone not in chats:
        return record
    left = [chat for chat in chats if chat != gone]
    changed = record | {"chats": left}
    if record.get("chat_id") == gone and left:
        changed["chat_id"] = left[-1]
    return changed


def reason(error: StorageError | OSError) -> str:
    """Return why a record could not be written, as the end of a sentence that says what was done before."""
    if isinstance(error, StorageError):
        return error.message or sentence(error).rstrip(".")
    return error.strerror or str(error)
