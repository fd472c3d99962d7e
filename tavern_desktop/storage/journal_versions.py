"""Earlier versions of a chat, found by going back from one that is known."""

from __future__ import annotations

from collections.abc import Sequence

from tavern_desktop.chat import deltas
from tavern_desktop.chat.delta_net import composed
from tavern_desktop.chat.deltas import Delta, DeltaMismatch
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.journal import Journal


def records_at(
    journal: Journal, number: int, header: bytes, records: Sequence[bytes], at: int | None = None
) -> tuple[bytes, list[bytes]]:
    """Return header and records of the state `number`, given those of the state `at` (None: the newest).

    Raises StorageError: not_found/source where the state is not kept any more, io/read where the journal is damaged or
    the records are not those of the state `at`.
    """
    known = journal.number if at is None else at
    found = list(records)
    try:
        if number <= known:
            for delta in _steps(journal, number, known):
                header = deltas.apply(delta, header, found, back=True)
        else:
            for delta in reversed(_steps(journal, known, number)):
                header = deltas.apply(delta, header, found)
    except DeltaMismatch as mismatch:
        raise StorageError("io", "read", f"the history does not fit the chat ({mismatch})") from None
    return header, found


def net(journal: Journal, older: int, newer: int) -> Delta | None:
    """Return what leads from one state to a later one, each message named once; None for nothing.

    Raises StorageError as `records_at` does.
    """
    steps = _steps(journal, older, newer)
    return composed(reversed(steps)) if steps else None


def _steps(journal: Journal, older: int, newer: int) -> list[Delta]:
    """Return the deltas between two states, the latest first."""
    steps: list[Delta] = []
    if older == newer:
        return steps
    before = None
    for meta, delta in journal.deltas_back(older):
        if meta.number > newer:
            continue
        if before is None and meta.number != newer:
            break
        steps.append(delta)
        before = meta.before
    if before != older:
        raise StorageError("not_found", "source", "this version is not kept any more")
    return steps
