"""What a message's text says, free of Qt: a flat list of blocks made of runs of one style each.

`markdown.py` makes them, `document.py` lays them out, `copy_text.py` turns them back into Markdown and HTML.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple


class Style:
    """How a run of characters looks: bits of an int (an IntFlag costs ten times as much, for every run of every row).

    SPEECH wins over the narration colour of ITALIC.
    """

    PLAIN = 0
    BOLD = 1
    ITALIC = 2
    UNDERLINE = 4
    STRIKE = 8
    CODE = 16
    SPEECH = 32
    SUB = 64
    SUP = 128


class Run(NamedTuple):
    """Characters of one style. "\\n" is a line break within the block."""

    text: str
    style: int = Style.PLAIN
    href: str = ""
    colour: str = ""
    """A colour the author asked for, as CSS writes it; "" for the theme's."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture the text asks for. Sizes are pixels the author wished for, 0 where none."""

    url: str
    alt: str = ""
    width: int = 0
    height: int = 0


@dataclass(frozen=True, slots=True)
class ListPlace:
    """Where a block stands in lists: nesting from 1; a marker only on the first block of an item."""

    depth: int
    marker: str
    """"•", "3." or "☐"/"☑"; "" for the further blocks of an item."""


BlockKind = Literal["text", "heading", "code", "rule", "table", "picture", "summary"]
Align = Literal["", "left", "center", "right"]


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table."""

    runs: tuple[Run, ...]
    align: Align = ""
    header: bool = False


@dataclass(slots=True)
class Block:
    """One paragraph, heading, code block … with the quotes, list and folds it lies in. Only the builder changes it."""

    kind: BlockKind
    runs: tuple[Run, ...] = ()
    level: int = 0
    """Heading 1 … 6."""
    quote: int = 0
    """How many block quotes it lies in."""
    place: ListPlace | None = None
    tight: bool = False
    """An item of a list whose items stand close together."""
    align: Align = ""
    code: str = ""
    language: str = ""
    rows: tuple[tuple[Cell, ...], ...] = ()
    picture: Picture | None = None
    folds: tuple[int, ...] = ()
    """The numbers of the <details> it lies in, outermost first; a summary's own number is its last."""

    def text(self) -> str:
        """Return its characters without marks, for tests and for code that searches."""
        if self.kind == "code":
            return self.code
        return "".join(run.text for run in self.runs)


@dataclass(slots=True)
class Parsed:
    """A parsed message text."""

    blocks: list[Block] = field(default_factory=list)
    open_folds: frozenset[int] = frozenset()
    """The <details> that the author wants open."""
