"""What may be dropped: one chat file or folder to open, one table for the chat, files of other programs to import."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData

SUFFIX = ".jsonl"
IMPORTED = (SUFFIX, ".json", ".yaml")
CARDS = (".png", ".json", ".charx", ".byaf", ".jpg", ".jpeg", ".webp")
"""Endings of files that may hold a character's card, whatever their content turns out to be."""

TABLES = (".csv", ".tsv")


def dropped_path(data: QMimeData) -> Path | None:
    """Return the file or folder that is dragged, None if it is nothing for us."""
    path = _only_path(data)
    return path if path is not None and (path.suffix == SUFFIX or path.is_dir()) else None


def dropped_card(data: QMimeData) -> Path | None:
    """Return the file that is dragged and may hold a character's card, None if it is none."""
    path = _only_path(data)
    return path if path is not None and path.suffix.lower() in CARDS else None


def dropped_table(data: QMimeData) -> Path | None:
    """Return the file that is dragged and holds a table, None if it is none."""
    path = _only_path(data)
    return path if path is not None and path.suffix.lower() in TABLES else None


def dropped_chats(data: QMimeData) -> list[Path]:
    """Return the files that are dragged and may be chats of any program."""
    paths = [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
    return [path for path in paths if path.suffix.lower() in IMPORTED]


def _only_path(data: QMimeData) -> Path | None:
    urls = data.urls()
    return Path(urls[0].toLocalFile()) if len(urls) == 1 and urls[0].isLocalFile() else None
