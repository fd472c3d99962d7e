"""Search hits in the shown texts: marked while painting, the first of a message brought into sight."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tavern_desktop.ui.chat.geometry import Anchor
from tavern_desktop.ui.chat.rows import RowView

if TYPE_CHECKING:
    from tavern_desktop.ui.chat.view import ChatView


class SearchMarks:
    """What is searched for, and which hit stands out. Owner: the view."""

    def __init__(self, view: ChatView) -> None:
        self._view = view
        self._needle = ("", False)
        self._current: tuple[int, int] | None = None
        """(message key, number of the hit in its text)."""

    def look_for(self, needle: str, *, exact_case: bool) -> None:
        """Mark every occurrence of `needle`; "" for none."""
        self._needle = (needle, exact_case)
        self._current = None
        self._view.viewport().update()

    def hits_in(self, shown: RowView) -> tuple[tuple[int, int], ...]:
        if not self._needle[0] or shown.document is None:
            return ()
        return shown.document.hits(*self._needle)

    def current_in(self, key: int) -> int | None:
        return self._current[1] if self._current is not None and self._current[0] == key else None

    def show_first(self, key: int) -> None:
        """Let the first hit of a message stand out and hold it in sight; settle afterwards."""
        self._current = None
        row = self._view.row_of(key)
        if row is None:
            return
        shown = self._view.row_view(row)
        hits = self.hits_in(shown)
        if not hits or shown.document is None:
            return
        self._current = (key, 0)
        line = shown.layout.text.top() + round(shown.document.line_top(hits[0][0]))
        room = self._view.viewport().height()
        # A third down, so that what leads up to it can be read; but the message's own top not far from the edge.
        self._view.places.hold(Anchor(key, min(room // 3 - line, room // 6)))
