"""Selection mode: messages are walked and chosen by keys, and letters act on them (decision D24)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tavern_desktop.ui.chat.view import ChatView


class SelectionMode:
    """Which messages are chosen. The current one always is. Owner: the view."""

    def __init__(self, view: ChatView) -> None:
        self._view = view
        self.is_on = False
        self._keys: set[int] = set()
        self._origin: int | None = None
        """Where a range began."""

    def selected(self, key: int) -> bool:
        return key in self._keys

    def keys(self) -> list[int]:
        """Return the chosen messages in the order of the chat."""
        rows = sorted((row, key) for key in self._keys if (row := self._view.row_of(key)) is not None)
        return [key for _, key in rows]

    def walk(self, step: int) -> None:
        """Enter the mode at the current message, or the last one in sight; in it, go a message on."""
        view = self._view
        if not view.is_editable or not view.places.row_count:
            return
        if self.is_on:
            self.step(step)
            return
        row = view.row_of(view.current_key) if view.current_key is not None else None
        visible = view.places.visible_rows()
        if row is None or row not in visible:
            row = visible[-1] if visible else view.places.row_count - 1
        view.text.clear()
        view.setFocus()
        self.is_on = True
        self.choose(view.key(row))
        view.ensure_visible(row)

    def step(self, step: int, *, extend: bool = False) -> None:
        """Go to the previous (-1) or next (1) message; `extend` takes it to what is chosen."""
        view = self._view
        row = view.row_of(view.current_key) if view.current_key is not None else None
        if row is None:
            row = view.places.row_count - 1
        row = min(max(row + step, 0), view.places.row_count - 1)
        (self.extend_to if extend else self.choose)(view.key(row))
        view.ensure_visible(row)

    def leave(self) -> None:
        if self.is_on:
            self.is_on = False
            self._keys.clear()
            self._origin = None
            self._view.choice_changed()

    def choose(self, key: int) -> None:
        """Choose this message alone."""
        self._keys, self._origin = {key}, key
        self._view.set_current_key(key)
        self._view.choice_changed()

    def toggle(self, key: int) -> None:
        """Add or take away one message; the last one stays chosen."""
        if self._keys == {key}:
            return
        self._keys ^= {key}
        self._origin = key
        self._view.set_current_key(key if key in self._keys else self.keys()[-1])
        self._view.choice_changed()

    def extend_to(self, key: int) -> None:
        """Choose everything between where the range began and this message."""
        start = self._view.row_of(self._origin) if self._origin is not None else None
        end = self._view.row_of(key)
        if start is None or end is None:
            self.choose(key)
            return
        self._keys = {self._view.key(row) for row in range(min(start, end), max(start, end) + 1)}
        self._view.set_current_key(key)
        self._view.choice_changed()

    def forget(self, key: int) -> None:
        """The message goes away."""
        self._keys.discard(key)
        if self._origin == key:
            self._origin = None
