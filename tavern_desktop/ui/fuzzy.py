"""Fuzzy matching for the jump dialog and the command palette. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


def score(query: str, text: str) -> float | None:
    """Return how well `text` fits `query`, higher is better; None where a letter is missing.

    Every word of the query must be there, its letters in order. Letters that stand together, and at the
    beginning of words, count most.
    """
    text = text.casefold()
    total = 0.0
    for word in query.casefold().split():
        found = _word(word, text)
        if found is None:
            return None
        total += found
    return total


def best(query: str, items: Iterable[T], text_of: Callable[[T], str], limit: int) -> list[T]:
    """Return the items that fit, best first, equally good ones in the order given."""
    if not query.strip():
        return [item for item, _ in zip(items, range(limit), strict=False)]
    scored = [(score(query, text_of(item)), item) for item in items]
    fitting = [(value, item) for value, item in scored if value is not None]
    fitting.sort(key=lambda pair: -pair[0])
    return [item for _, item in fitting[:limit]]


def _word(word: str, text: str) -> float | None:
    whole = text.find(word)
    if whole >= 0:
        at_start = whole == 0 or not text[whole - 1].isalnum()
        return (
            len(word) * (4.0 if at_start else 3.0)
            + (1.0 if whole == 0 else 0.0)
            + (0.5 if len(word) == len(text) else 0.0)
        )
    total, position = 0.0, -1
    for letter in word:
        found = text.find(letter, position + 1)
        if found < 0:
            return None
        together = found == position + 1
        at_start = found == 0 or not text[found - 1].isalnum()
        total += 1.0 + 0.5 * together + 0.5 * at_start - min(found - position - 1, 10) * 0.05
        position = found
    return total
