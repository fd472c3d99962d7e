"""The groups of a data folder: who is in them, and which chats are theirs."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import msgspec
import orjson

from tavern_desktop.library.characters import SUFFIX
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.settings_file import read_settings
from tavern_desktop.storage.errors import from_os


class Group(msgspec.Struct, frozen=True):
    """A group as lists show it.

    `members` are avatar ids (file names of cards), `missing` those of them without a card; `chats` are stems
    of files in `group chats/`, each once, `chat` the current one or "". A record that cannot be read has its
    file's name, and says so in `problem`.
    """

    id: str
    name: str
    members: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    chats: tuple[str, ...] = ()
    chat: str = ""
    picture: str = ""
    problem: str = ""
    muted: tuple[str, ...] = ()
    order: int = 0
    """Who speaks: 0 natural, 1 by the list, 2 who the person names, 3 from a pool (chat files §13.1)."""
    answers_itself: bool = False
    """Whether who spoke last may speak again."""


def list_groups(root: DataRoot) -> list[Group]:
    """Return all groups sorted by name. Raises StorageError io/list; a folder that is not there has none."""
    try:
        names = [name for name in os.listdir(root.groups) if name.endswith(".json")]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise from_os(error, "list", root.groups) from error
    found = [read_group(root, name.removesuffix(".json")) for name in names]
    return sorted(found, key=lambda group: (group.name.casefold(), group.id))


def read_group(root: DataRoot, group_id: str) -> Group:
    """Return the group `groups/<group_id>.json`, whatever state its record is in."""
    file = root.groups / f"{group_id}.json"
    try:
        record = orjson.loads(file.read_bytes())
    except OSError as error:
        return Group(group_id, group_id, problem=f"The group could not be read: {error.strerror or error}.")
    except orjson.JSONDecodeError:
        return Group(group_id, group_id, problem="The group's record is damaged (not JSON).")
    if not isinstance(record, dict):
        return Group(group_id, group_id, problem="The group's record is damaged (not a JSON object).")
    members = _texts(record.get("members"))
    return Group(
        group_id,
        _text(record.get("name")).strip() or group_id,
        members,
        tuple(member for member in members if not _has_card(root, member)),
        _texts(record.get("chats")),
        _text(record.get("chat_id")),
        _text(record.get("avatar_url")),
        muted=_texts(record.get("disabled_members")),
        order=order if type(order := record.get("activation_strategy")) is int and 0 <= order <= 3 else 0,
        answers_itself=record.get("allow_self_responses") is True,
    )


def header_for_headerless(root: DataRoot, chat: Path) -> tuple[dict[str, Any], bool]:
    """Return what the header of a group chat without one has to hold, and whether the person must agree to it.

    The metadata is in the group's record (storage contract §13 G1). A SillyTavern older than 1.16 would show
    a header as an empty message, so where `settings.json` names such a version the person decides (D6).
    """
    version = read_settings(root).get("currentVersion")
    return _recorded_metadata(root, chat.stem), isinstance(version, str) and _is_before_headers(version)


def _recorded_metadata(root: DataRoot, stem: str) -> dict[str, Any]:
    for file in sorted(root.groups.glob("*.json")):
        try:
            record = orjson.loads(file.read_bytes())
        except (OSError, orjson.JSONDecodeError):
            continue
        if not isinstance(record, dict):
            continue
        past = record.get("past_metadata")
        current = record.get("chat_metadata") if record.get("chat_id") == stem else None
        metadata = current or (past.get(stem) if isinstance(past, dict) else None)
        if isinstance(metadata, dict):
            return metadata
    return {}


def _is_before_headers(version: str) -> bool:
    match = re.match(r"(\d+)\.(\d+)", version)
    return match is not None and (int(match[1]), int(match[2])) < (1, 16)


def _has_card(root: DataRoot, member: str) -> bool:
    """Members are file names; very old records have the characters' names instead."""
    if Path(member).name != member:
        return False
    return (root.characters / member).is_file() or (root.characters / f"{member}{SUFFIX}").is_file()


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: Any) -> tuple[str, ...]:
    """Return the texts in a list in their order, each once; anything else is left out."""
    if not isinstance(value, list):
        return ()
    return tuple(dict.fromkeys(item for item in value if isinstance(item, str) and item))
