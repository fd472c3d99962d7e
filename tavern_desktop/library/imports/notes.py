"""What an import had to adjust, counted by kind, and how that is said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

SENTENCES: Mapping[str, tuple[str, str]] = {
    "utf16": ("The text was turned from UTF-16 into UTF-8.", ""),
    "bom": ("A byte order mark before the first line was taken away.", ""),
    "nul_tail": ("Empty bytes at the end of the file were taken away.", ""),
    "header": ("The file had no header; it has one now.", ""),
    "glued": ("A line that held several messages was split.", "{n} lines that held several messages were split."),
    "objects": (
        "One message had its texts wrapped in objects; the texts are kept.",
        "{n} messages had their texts wrapped in objects; the texts are kept.",
    ),
    "damaged": (
        "One line could not be read and was left out.",
        "{n} lines could not be read and were left out.",
    ),
    "left_out": (
        "One entry held no text and was left out.",
        "{n} entries held no text and were left out.",
    ),
    "dates": ("The file has no dates; its messages carry the time of the import.", ""),
}
"""kind -> the sentence for one and for several."""


@dataclass(frozen=True, slots=True)
class Adjustment:
    """One kind of adjustment and how often it was made."""

    kind: str
    count: int

    @property
    def sentence(self) -> str:
        """The adjustment for people."""
        one, several = SENTENCES[self.kind]
        return several.format(n=self.count) if several and self.count > 1 else one


class Notes:
    """Counts adjustments while a file is read; the order is that of the first of each kind."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def add(self, kind: str, count: int = 1) -> None:
        """Note `count` more adjustments of a kind of SENTENCES; none is nothing to tell."""
        if count:
            self._counts[kind] = self._counts.get(kind, 0) + count

    def told(self) -> tuple[Adjustment, ...]:
        """Return what was noted."""
        return tuple(Adjustment(kind, count) for kind, count in self._counts.items())
