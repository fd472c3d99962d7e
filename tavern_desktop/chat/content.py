"""What a record says, compared apart from how it is spelled.

Other programs respell what they do not change: spaces, key order, `1.0` as `1`. Equal bytes are equal content and
are never parsed; only where bytes differ is the canonical form made.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

import orjson

from tavern_desktop.chat import jsontext


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
        digest = hashlib.blake2b(canonical(jsontext.decode(raw)), digest_size=16).digest()
        self[raw] = digest
        return digest


def equal(one: bytes, other: bytes) -> bool:
    """Say whether two records have the same content."""
    return one == other or jsontext.same(jsontext.decode(one), jsontext.decode(other))


def all_equal(records: Sequence[bytes], others: Sequence[bytes]) -> bool:
    """Say whether two lists of records have the same content in the same order (a touch, a respelling)."""
    return len(records) == len(others) and all(map(equal, records, others))


def common_ends(one: Sequence[bytes], other: Sequence[bytes], digests: Digests | None = None) -> tuple[int, int]:
    """Return how many records are equal at the same place from the front, and of the rest from the back.

    By content if `digests` are given, else byte for byte.
    """
    shorter = min(len(one), len(other))
    front = _equal_run(one, other, digests)
    back = _equal_run(islice(reversed(one), shorter - front), reversed(other), digests)
    return front, back


def _equal_run(one: Iterable[bytes], other: Iterable[bytes], digests: Digests | None) -> int:
    count = 0
    for record, counterpart in zip(one, other, strict=False):
        if record != counterpart and (digests is None or digests[record] != digests[counterpart]):
            break
        count += 1
    return count
