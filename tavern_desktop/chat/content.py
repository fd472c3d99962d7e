"""What a record says, compared apart from how it is spelled.

Other programs respell what they do not change: spaces, key order, escapes. Equal bytes are equal content and are
never parsed; only where bytes differ is the canonical form made.
"""

from __future__ import annotations

import hashlib
import json
import operator
from collections.abc import Callable, Iterable, Sequence
from itertools import islice, takewhile
from typing import Any, TypeVar

import orjson

from tavern_desktop.chat import jsontext

T = TypeVar("T")

BATCH = 2000


def canonical(value: Any) -> bytes:
    """Return a JSON value as text with sorted keys: equal exactly for values that are equal type-strictly."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:  # surrogates, long integers, deep nesting
        return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


class Digests(dict[bytes, bytes]):
    """Digests of the content of records, by their text; each is made when it is first asked for.

    Hand one from step to step of a merge, so that no record is parsed twice for its digest.
    """

    def __missing__(self, raw: bytes) -> bytes:
        digest = hashlib.sha256(canonical(jsontext.decode(raw))).digest()
        self[raw] = digest
        return digest

    def are_equal(self, one: bytes, other: bytes) -> bool:
        """Say whether two records have the same content."""
        return one == other or self[one] == self[other]


def all_equal(records: Sequence[bytes], others: Sequence[bytes]) -> bool:
    """Say whether two lists of records have the same content in the same order (a touch, a respelling)."""
    return len(records) == len(others) and all(map(Digests().are_equal, records, others))


def in_batches(function: Callable[..., T], *columns: Sequence[Any]) -> list[T]:
    """Return what `map` would, but let other threads go on now and then: hashing 100,000 texts takes 0.1 s."""
    results: list[T] = []
    for start in range(0, len(columns[0]), BATCH):
        results += map(function, *(column[start : start + BATCH] for column in columns))
    return results


def common_ends(
    one: Sequence[T], other: Sequence[T], are_equal: Callable[[T, T], bool] = operator.eq
) -> tuple[int, int]:
    """Return how many items are equal at the same place from the front, and of the rest from the back."""
    shorter = min(len(one), len(other))
    front = _equal_run(one, other, are_equal)
    back = _equal_run(islice(reversed(one), shorter - front), reversed(other), are_equal)
    return front, back


def _equal_run(one: Iterable[T], other: Iterable[T], are_equal: Callable[[T, T], bool]) -> int:
    return sum(1 for _ in takewhile(bool, map(are_equal, one, other)))
