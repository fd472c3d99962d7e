"""What the models of the surface answer, and what the view asks of them beyond Qt's interface."""

from __future__ import annotations

from enum import IntEnum
from typing import Protocol

from PySide6.QtCore import Qt

from tavern_desktop.ui.chat.record import RowRecord


class Role(IntEnum):
    """Data roles. DisplayRole is the shown text, AccessibleTextRole the whole row in words."""

    INDEX = Qt.ItemDataRole.UserRole.value
    """The absolute message index, None in a preview that does not know it."""
    RECORD = Qt.ItemDataRole.UserRole.value + 1
    KEY = Qt.ItemDataRole.UserRole.value + 2


class KeyedRows(Protocol):
    """A list model whose rows have keys. Row numbers live only inside one call; keys stay."""

    def rowCount(self) -> int: ...  # Qt's name

    def key(self, row: int) -> int: ...

    def row_of(self, key: int) -> int | None: ...


class RowModel(KeyedRows, Protocol):
    """A list model whose rows are messages."""

    editable: bool

    def record(self, row: int) -> RowRecord: ...

    def raw(self, row: int) -> bytes: ...

    def raw_before(self, row: int) -> bytes | None:
        """The record before a row's, mounted or not."""
        ...

    def is_live(self, row: int) -> bool:
        """Whether a row's message is being written just now."""
        ...
