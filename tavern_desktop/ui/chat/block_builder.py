"""Collects runs and blocks while a text is walked, whatever it comes from: Markdown tokens or allowed HTML."""

from __future__ import annotations

import re

from tavern_desktop.ui.chat.blocks import Align, Block, Cell, ListPlace, Parsed, Picture, Run, Style
from tavern_desktop.ui.chat.speech import mark_speech

_STYLES = {
    "b": Style.BOLD,
    "i": Style.ITALIC,
    "u": Style.UNDERLINE,
    "s": Style.STRIKE,
    "sub": Style.SUB,
    "sup": Style.SUP,
}
_SIZE = re.compile(r"=(\d+)x(\d+)")

MAX_STYLES = 40
"""How many open tags count; thousands left open are somebody's joke, and must not cost their square."""


class BlockBuilder:
    """The open block, the styles and the containers in force at this point of the text."""

    def __init__(self, data_urls: list[str]) -> None:
        self.quote = 0
        self._data_urls = data_urls
        self._parsed = Parsed()
        self._runs: list[Run] = []
        self._shape = Block("text")
        self._styles: list[tuple[str, str, str]] = []
        """(name, href, colour) of what is open, innermost last."""
        self._look = (Style.PLAIN, "", "")
        self._aligns: list[Align] = []
        self._markers: list[str] = []
        """One for each open list: the marker of the item whose first block is still to come, else ""."""
        self._rows: list[list[Cell]] | None = None
        self._cell: Cell | None = None
        self._folds: list[int] = []
        self._fold_count = 0
        self._open_folds: set[int] = set()

    # Blocks

    def begin_text(self, *, tight: bool = False) -> None:
        self.end_block()
        self._shape = Block("text", tight=tight)

    def begin_heading(self, level: int) -> None:
        self.end_block()
        self._shape = Block("heading", level=level)

    def end_block(self) -> None:
        """Close the paragraph that is open, if there is anything in it."""
        if self._cell is not None:
            return
        runs = _trimmed(self._runs)
        self._runs = []
        if runs:
            self._shape.runs = mark_speech(runs)
            self._put(self._shape)
        self._shape = Block("text", tight=self._shape.tight and bool(self._markers))

    def code(self, text: str, language: str) -> None:
        self.end_block()
        self._put(Block("code", code=text, language=language))

    def rule(self) -> None:
        self.end_block()
        self._put(Block("rule"))

    def _put(self, block: Block) -> None:
        if block.kind == "summary" and not self._folds:
            block.kind = "text"
        block.quote = self.quote
        block.place = self._take_place()
        block.align = self._aligns[-1] if self._aligns else block.align
        block.folds = tuple(self._folds)
        self._parsed.blocks.append(block)

    # Lists

    @property
    def at_item_start(self) -> bool:
        """Whether the first block of a list item is still to come."""
        return bool(self._markers and self._markers[-1])

    def open_list(self) -> None:
        self.end_block()
        self._markers.append("")

    def close_list(self) -> None:
        self.end_block()
        self._markers.pop()

    def begin_item(self, marker: str) -> None:
        self.end_block()
        self._markers[-1] = marker

    def set_task(self, *, done: bool) -> None:
        self._markers[-1] = "☑" if done else "☐"

    def _take_place(self) -> ListPlace | None:
        if not self._markers:
            return None
        marker, self._markers[-1] = self._markers[-1], ""
        return ListPlace(len(self._markers), marker)

    # Runs

    def add_text(self, text: str) -> None:
        if text:
            self._add(text, Style.PLAIN)

    def add_code(self, text: str) -> None:
        self._add(text, Style.CODE)

    def line_break(self) -> None:
        self._add("\n", Style.PLAIN)

    def _add(self, text: str, style: int) -> None:
        in_force, href, colour = self._look
        style |= in_force
        last = self._runs[-1] if self._runs else None
        if last is not None and last[1:] == (style, href, colour):
            self._runs[-1] = Run(last.text + text, style, href, colour)
        else:
            self._runs.append(Run(text, style, href, colour))

    def open_style(self, name: str, *, href: str = "", colour: str = "") -> None:
        self._styles.append((name, href, colour))
        self._look = self._sum_of_styles()

    def close_style(self, name: str) -> None:
        """End the innermost style of this name; one that was never opened is ignored."""
        for at in range(len(self._styles) - 1, -1, -1):
            if self._styles[at][0] == name:
                del self._styles[at]
                self._look = self._sum_of_styles()
                return

    def _sum_of_styles(self) -> tuple[int, str, str]:
        style, href, colour = Style.PLAIN, "", ""
        for name, its_href, its_colour in self._styles[-MAX_STYLES:]:
            style |= _STYLES.get(name, Style.PLAIN)
            href = its_href or href
            colour = its_colour or colour
        return style, href, colour

    def open_align(self, align: Align) -> None:
        self.end_block()
        self._aligns.append(align or (self._aligns[-1] if self._aligns else ""))

    def close_align(self) -> None:
        self.end_block()
        if self._aligns:
            self._aligns.pop()

    # Pictures

    def add_picture(self, url: str, alt: str, title: str = "", width: int = 0, height: int = 0) -> None:
        """Put a picture: a block of its own, or its description within a table cell."""
        if url.startswith("attached:") and url[9:].isdigit() and int(url[9:]) < len(self._data_urls):
            url = self._data_urls[int(url[9:])]
        if size := _SIZE.fullmatch(title):
            width, height = int(size.group(1)), int(size.group(2))
        if self._cell is not None:
            self.add_text(f"[{alt or 'picture'}]")
            return
        going_on = Block(self._shape.kind, level=self._shape.level, tight=self._shape.tight)
        self.end_block()
        self._put(Block("picture", picture=Picture(url, alt, width, height)))
        self._shape = going_on

    # Tables

    def open_table(self) -> None:
        self.end_block()
        self._rows, self._cell = [], None

    def begin_row(self) -> None:
        if self._rows is not None:
            self._end_cell()
            self._rows.append([])

    def begin_cell(self, *, header: bool = False, align: Align = "") -> None:
        if self._rows is not None:
            self._end_cell()
            if not self._rows:
                self._rows.append([])
            self._cell = Cell((), align, header)

    def _end_cell(self) -> None:
        if self._cell is not None and self._rows is not None:
            runs = mark_speech(_trimmed(self._runs))
            self._rows[-1].append(Cell(runs, self._cell.align, self._cell.header))
            self._runs = []
        self._cell = None

    def close_table(self) -> None:
        if self._rows is not None:
            self._end_cell()
            rows = tuple(tuple(row) for row in self._rows if row)
            self._rows = None
            if rows:
                self._put(Block("table", rows=rows))

    # Folds

    def open_details(self, *, is_open: bool) -> None:
        self.end_block()
        if is_open:
            self._open_folds.add(self._fold_count)
        self._folds.append(self._fold_count)
        self._fold_count += 1

    def begin_summary(self) -> None:
        self.end_block()
        self._shape = Block("summary")

    def close_details(self) -> None:
        self.end_block()
        if self._folds:
            self._folds.pop()

    def finish(self) -> Parsed:
        """Close everything and return what was collected."""
        self.close_table()
        self.end_block()
        self._parsed.open_folds = frozenset(self._open_folds) | self._folds_without_summary()
        return self._parsed

    def _folds_without_summary(self) -> frozenset[int]:
        """Nothing could open a <details> that shows no summary: leave it open."""
        with_summary = {block.folds[-1] for block in self._parsed.blocks if block.kind == "summary"}
        return frozenset(range(self._fold_count)) - with_summary


def _trimmed(runs: list[Run]) -> list[Run]:
    """Drop line breaks and blanks at both ends."""
    while runs and not (runs[0].style & Style.CODE):
        text = runs[0].text.lstrip(" \t\n")
        if text:
            runs[0] = runs[0]._replace(text=text)
            break
        del runs[0]
    while runs and not (runs[-1].style & Style.CODE):
        text = runs[-1].text.rstrip(" \t\n")
        if text:
            runs[-1] = runs[-1]._replace(text=text)
            break
        del runs[-1]
    return runs
