"""What may be dropped: one chat file or one folder to open, and files of other programs, or several, to import."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData

SUFFIX = ".jsonl"
IMPORTED = (SUFFIX, ".json")


def dropped_path(data: QMimeData) -> Path | None:
    """Return the file or folder that is dragged, None if it is nothing for us."""
    urls = data.urls()
    if len(urls) != 1 or not urls[0].isLocalFile():
        return None
    path = Path(urls[0].toLocalFile())
    return path if path.is_dir() or path.suffix == SUFFIX else None


def dropped_chats(data: QMimeData) -> list[Path]:
    """Return the files that are dragged and may be chats of any program."""
    paths = [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
    return [path for path in paths if path.suffix.lower() in IMPORTED]
