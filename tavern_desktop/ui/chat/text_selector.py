"""The selected text of a view: made by the mouse, read by painting and copying."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData

from tavern_desktop.ui.chat import copy_text
from tavern_desktop.ui.chat.blocks import Block
from tavern_desktop.ui.chat.markdown import parse
from tavern_desktop.ui.chat.selection import End, TextSelection, word_at

if TYPE_CHECKING:
    from tavern_desktop.ui.chat.view import ChatView

MAX_FORMATTED = 500
"""Whole messages that are also copied as HTML; beyond that, and nobody pastes that into a letter, as text only."""


class TextSelector:
    """Owner: the view."""

    def __init__(self, view: ChatView) -> None:
        self._view = view
        self._selection: TextSelection | None = None
        self._word: tuple[End, End] | None = None
        """The word that a double click began with; extending goes on by words."""

    @property
    def is_empty(self) -> bool:
        return self._selection is None or self._selection.is_empty()

    def begin(self, key: int, character: int) -> None:
        end = End(key, character)
        self._set(TextSelection(end, end))
        self._word = None

    def begin_word(self, key: int, character: int) -> None:
        """Select the word around a character; extend by words from there."""
        start, end = self._word_range(key, character)
        self._word = End(key, start), End(key, end)
        self._set(TextSelection(*self._word))

    def extend(self, key: int, character: int) -> None:
        """Move the far end."""
        if self._selection is None:
            return
        if self._word is None:
            self._set(TextSelection(self._selection.anchor, End(key, character)))
            return
        start, end = self._word_range(key, character)
        forward = TextSelection(self._word[0], End(key, end))
        ordered = forward.ordered(self._row_of)
        is_forward = ordered is not None and ordered[0][1] == self._word[0]
        self._set(forward if is_forward else TextSelection(self._word[1], End(key, start)))

    def select_message(self, key: int) -> None:
        row = self._row_of(key)
        if row is not None and (document := self._view.row_view(row).document) is not None:
            self._word = None
            self._set(TextSelection(End(key, 0), End(key, document.length())))

    def clear(self) -> None:
        self._word = None
        if self._selection is not None:
            self._set(None)

    def span_in(self, row: int, length: int) -> tuple[int, int] | None:
        """Return what is selected of a row's characters."""
        return None if self._selection is None else self._selection.range_in(row, length, self._row_of)

    def text(self) -> str:
        """Return the selected characters as they are shown."""
        return "\n\n".join(text for text in (self._plain_of(row) for row in self._rows()) if text)

    def markdown(self) -> str:
        """Return the source of what is selected: whole messages exactly, parts of them as well-formed Markdown."""
        return "\n\n".join(text for text in (self._markdown_of(row) for row in self._rows()) if text)

    def mime(self) -> QMimeData:
        """Return what Ctrl+C copies: the Markdown as text, and clean HTML for who takes rich text."""
        data = QMimeData()
        data.setText(self.markdown())
        rows = self._rows()
        if len(rows) <= MAX_FORMATTED:
            data.setHtml("".join(copy_text.to_html(self._blocks_of(row)) for row in rows))
        return data

    def _rows(self) -> range:
        ends = self._selection.ordered(self._row_of) if self._selection is not None else None
        if ends is None or self.is_empty:
            return range(0)
        return range(ends[0][0], ends[1][0] + 1)

    def _is_whole(self, row: int) -> bool:
        """Say whether a row is selected from end to end; those between the ends are, unseen."""
        rows = self._rows()
        if row not in (rows[0], rows[-1]):
            return True
        document = self._view.row_view(row).document
        if document is None:
            return True
        return self.span_in(row, document.length()) == (0, document.length())

    def _blocks_of(self, row: int) -> list[Block]:
        if self._is_whole(row):
            return parse(self._view.record(row).text).blocks
        document = self._view.row_view(row).document
        span = self.span_in(row, document.length()) if document is not None else None
        return document.cut(*span) if document is not None and span is not None else []

    def _plain_of(self, row: int) -> str:
        document = self._view.row_view(row).document
        span = self.span_in(row, document.length()) if document is not None else None
        return document.text()[slice(*span)] if document is not None and span is not None else ""

    def _markdown_of(self, row: int) -> str:
        if self._is_whole(row):
            return self._view.record(row).text
        return copy_text.to_markdown(self._blocks_of(row))

    def _word_range(self, key: int, character: int) -> tuple[int, int]:
        row = self._row_of(key)
        document = self._view.row_view(row).document if row is not None else None
        return (character, character) if document is None else word_at(document.text(), character)

    def _row_of(self, key: int) -> int | None:
        return self._view.row_of(key)

    def _set(self, selection: TextSelection | None) -> None:
        self._selection = selection
        self._view.viewport().update()
