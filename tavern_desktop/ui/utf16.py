"""Places in a text as Qt counts them: characters beyond the basic plane are two."""

from __future__ import annotations


def units(text: str) -> int:
    """Return how long Qt takes a text to be."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def characters(text: str, at: int) -> int:
    """Return how many characters of a text stand before the place that Qt calls `at`."""
    return len(text.encode("utf-16-le", "surrogatepass")[: 2 * at].decode("utf-16-le", "surrogatepass"))
