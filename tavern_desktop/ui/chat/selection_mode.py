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

    def enter(self, key: int) -> None:
        self.is_on = True
        self.choose(key)

    def leave(self) -> None:
        self.is_on = False
        self._keys.clear()
        self._origin = None

    def choose(self, key: int) -> None:
        """Choose this message alone."""
        self._keys, self._origin = {key}, key
        self._view.set_current_key(key)

    def toggle(self, key: int) -> None:
        """Add or take away one message; the last one stays chosen."""
        if self._keys == {key}:
            return
        self._keys ^= {key}
        self._origin = key
        self._view.set_current_key(key if key in self._keys else self.keys()[-1])

    def extend_to(self, key: int) -> None:
        """Choose everything between where the range began and this message."""
        start = self._view.row_of(self._origin) if self._origin is not None else None
        end = self._view.row_of(key)
        if start is None or end is None:
            self.choose(key)
            return
        self._keys = {self._view.key(row) for row in range(min(start, end), max(start, end) + 1)}
        self._view.set_current_key(key)

    def forget(self, key: int) -> None:
        """The message goes away."""
        self._keys.discard(key)
        if self._origin == key:
            self._origin = None
