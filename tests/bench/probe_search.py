"""P12: searching all chats for words that are in none, so that everything has to be read."""

from __future__ import annotations

import subprocess
from pathlib import Path
from time import perf_counter

from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.search import search_chats
from tavern_desktop.storage.search import Query
from tests.bench.sample import Sample

WORDS = ("lanternest", "quartermaster", "東京駅")
"""Ordinary letters, a rare one, and a script without cases: words that both programs understand alike."""
REPEATS = 3


def any_case(root: Path) -> Sample:
    """All of WORDS one after another, capitals and small letters alike."""
    return _compare(root, exact=False)


def exact_case(root: Path) -> Sample:
    """The same as they are written."""
    return _compare(root, exact=True)


def _compare(root: Path, *, exact: bool) -> Sample:
    pairs = [[(_search(root, word, exact), _grep(root, word, exact)) for word in WORDS] for _ in range(REPEATS)]
    ours, theirs = (sum(min(pair[which] for pair in column) for column in zip(*pairs, strict=True)) for which in (0, 1))
    return Sample(ours, theirs)


def _search(root: Path, word: str, exact: bool) -> float:
    began = perf_counter()
    found = list(search_chats(DataRoot(root), Query(word, exact_case=exact)))
    assert found == []
    return perf_counter() - began


def _grep(root: Path, word: str, exact: bool) -> float:
    began = perf_counter()
    done = subprocess.run(["grep", "-rlF" if exact else "-rliF", word, str(root)], capture_output=True, check=False)
    assert done.returncode == 1, done
    return perf_counter() - began
