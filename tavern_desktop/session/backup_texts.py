"""Texts that a chat once had, found in its newest backup: it was made after our last save."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from tavern_desktop.chat.deltas import digest
from tavern_desktop.session.backup_list import backups_for
from tavern_desktop.storage.directory import kind_of
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.reader import load


def texts_of_backup(chat: Path, wanted: Collection[int]) -> dict[int, bytes]:
    """Return those of the texts with these digests that the newest backup has. Runs off the owner; never fails."""
    try:
        backups = backups_for(chat)
        records = [message.raw for message in load(backups[0].path, kind=kind_of(chat)).messages] if backups else []
    except StorageError:  # then they are not known
        return {}
    found = ((digest(raw), raw) for raw in records)
    return {number: raw for number, raw in found if number in wanted}
