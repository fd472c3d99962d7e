"""In which order the messages of a merge stand (conversation entry 6.3).

Everything here is lists of message keys: linear in their lengths.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

TOP = None
"""In place of a predecessor: what stands before every message."""


def merge_order(
    base: Sequence[int], disk: Sequence[int], memory: Sequence[int], kept: Container[int]
) -> tuple[list[int], bool]:
    """Return the keys in `kept` in merged order, and whether both sides moved messages differently.

    Every kept key has to be in `disk` or `memory`.
    """
    in_base, on_disk, in_memory = set(base), set(disk), set(memory)
    memory_moved = _moved(base, in_base, memory, in_memory, kept)
    if memory_moved:
        order = _weave(memory, in_memory, disk, kept)
    else:
        order = _weave(disk, on_disk, memory, kept, added=on_disk - in_base - in_memory)
    both_moved = memory_moved and _moved(base, in_base, disk, on_disk, kept)
    return order, both_moved and _only(in_base & in_memory, disk) != _only(in_base & on_disk, memory)


def _moved(
    base: Sequence[int], in_base: Container[int], side: Sequence[int], on_side: Container[int], kept: Container[int]
) -> bool:
    """Say whether the messages that a side has in common with base, if kept, stand in another order there."""
    before = [key for key in base if key in on_side and key in kept]
    after = [key for key in side if key in in_base and key in kept]
    return before != after


def _weave(
    frame: Sequence[int],
    in_frame: Container[int],
    other: Sequence[int],
    kept: Container[int],
    added: Container[int] = (),
) -> list[int]:
    """Return the kept keys of `frame`, with those that only `other` has behind their predecessors there.

    They are collected by predecessor and woven in once. Keys in `added` that stand right behind a
    predecessor keep that place before them.
    """
    runs: dict[int | None, list[int]] = {}
    predecessor = TOP
    for key in _only(kept, other):
        if key in in_frame:
            predecessor = key
        else:
            runs.setdefault(predecessor, []).append(key)
    order: list[int] = []
    waiting: Sequence[int] = runs.get(TOP, ())
    for key in _only(kept, frame):
        if waiting and key not in added:
            order += waiting
            waiting = ()
        order.append(key)
        waiting = runs.get(key, waiting)
    order += waiting
    return order


def _only(keys: Container[int], order: Iterable[int]) -> list[int]:
    return [key for key in order if key in keys]
