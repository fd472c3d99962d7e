"""What may be dropped on the window: one chat file, or one folder."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData

SUFFIX = ".jsonl"


def dropped_path(data: QMimeData) -> Path | None:
    """Return the file or folder that is dragged, None if it is nothing for us."""
    urls = data.urls()
    if len(urls) != 1 or not urls[0].isLocalFile():
        return None
    path = Path(urls[0].toLocalFile())
    return path if path.is_dir() or path.suffix == SUFFIX else None
