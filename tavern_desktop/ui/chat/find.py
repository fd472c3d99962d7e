"""Search in an open chat, all of it, mounted or not: a scan over the raw bytes. Free of Qt; runs on any thread.

Of each record only the bytes of its text are looked at, without decoding: that sorts out nearly all. What may match is
decoded to be sure, because JSON writes some characters as escapes. What counts as the same is decided where it is for
the search in all chats, in `storage.fragments`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, islice
from typing import TYPE_CHECKING

import orjson

from tavern_desktop.chat import facts, jsontext

if TYPE_CHECKING:
    from tavern_desktop.storage.fragments import Fragment

_TEXT_START = b'"mes":"'
_SPACES = re.compile(r"\s+")

CHECK_EVERY = 2_000
"""Records between two questions whether the search is still wanted."""


def find_messages(
    raws: Iterable[bytes], needle: str, *, cancelled: Callable[[], bool] | None = None, exact_case: bool = False
) -> list[int]:
    """Return the indices of the records whose text contains `needle`, ascending.

    Case does not matter unless `exact_case`. Returns what was found so far when `cancelled` says so.
    """
    found: list[int] = []
    if not needle:
        return found
    fragment = _fragment(needle, exact_case)
    records, first = iter(raws), 0
    while block := list(islice(records, CHECK_EVERY)):
        if cancelled is not None and cancelled():
            break
        found += [first + at for at in _candidates(block, fragment) if fragment.find(_text(block[at])) is not None]
        first += len(block)
    return found


def find_in_text(text: str, needle: str, *, exact_case: bool = False) -> list[tuple[int, int]]:
    """Return (start, end) of each occurrence of `needle` in `text`, not overlapping."""
    return _fragment(needle, exact_case).find_all(text) if needle else []


def next_hit(hits: Sequence[int], index: int, step: int) -> int | None:
    """Return the hit after (step 1) or before (step -1) message `index`, wrapping around; None if there are none."""
    if not hits:
        return None
    if step > 0:
        return next((hit for hit in hits if hit > index), hits[0])
    return next((hit for hit in reversed(hits) if hit < index), hits[-1])


@lru_cache(8)
def _fragment(needle: str, exact_case: bool) -> Fragment:
    """Return what finds the needle, where one space stands for any."""
    from tavern_desktop.storage.fragments import Fragment  # by who searches: every chat that is opened imports this

    return Fragment(_SPACES.sub(" ", needle), exact_case=exact_case)


def _candidates(block: list[bytes], fragment: Fragment) -> Iterator[int]:
    """Yield which records may hold the fragment in their text, ascending."""
    texts = [_escaped_text(raw) for raw in block]
    # A record of which only decoding can tell is looked at as a whole: its text is somewhere in it.
    data = b"\n".join(raw if text is None else text for raw, text in zip(block, texts, strict=True))
    lengths = (len(raw if text is None else text) + 1 for raw, text in zip(block, texts, strict=True))
    starts = [0, *accumulate(lengths)]
    prepared = data.lower() if fragment.needs_lowering else data
    for start, _end in fragment.lines(prepared, 0, len(prepared)):
        yield bisect_right(starts, start) - 1


def _escaped_text(raw: bytes) -> bytes | None:
    """Return the text of a record as it stands between its quotes, None where only decoding can tell."""
    start = raw.find(_TEXT_START)
    # Something that opens before may be an object with a field of the same name.
    if start < 0 or raw.find(b"{", 1, start) >= 0:
        return None
    start += len(_TEXT_START)
    end = raw.find(b'","', start)  # stands in no JSON string: a quote within one has a backslash before it
    return raw[start:end] if end > start else None


def _text(raw: bytes) -> str:
    escaped = _escaped_text(raw)
    if escaped is not None:
        try:
            return str(orjson.loads(b'"%b"' % escaped))
        except orjson.JSONDecodeError:  # a lone surrogate
            pass
    return facts.text(jsontext.decode(raw))
