"""P15: the list of recent chats when nothing is known of them yet."""

from __future__ import annotations

import shutil
from pathlib import Path
from time import perf_counter

from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.recents import recents
from tavern_desktop.storage.index import Index
from tests.bench.sample import Sample


def first_rows(root: Path) -> Sample:
    """Until the first rows are there."""
    began = perf_counter()
    next(recents(DataRoot(root), _no_index(root)))
    return Sample(perf_counter() - began)


def all_rows(root: Path) -> Sample:
    """Until all are there."""
    began = perf_counter()
    for _ in recents(DataRoot(root), _no_index(root)):
        pass
    return Sample(perf_counter() - began)


def _no_index(root: Path) -> Index:
    folder = root.with_name(f"{root.name} index")
    shutil.rmtree(folder, ignore_errors=True)
    return Index(folder, root)
