"""A layout like a line of words: what does not fit into a row goes into the next."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem
from typing_extensions import override


class FlowLayout(QLayout):
    """Items keep the size they want, from left to right."""

    def __init__(self, gap: int = 6) -> None:
        super().__init__()
        self.setContentsMargins(0, 0, 0, 0)
        self._gap = gap
        self._items: list[QLayoutItem] = []

    @override
    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    @override
    def count(self) -> int:
        return len(self._items)

    @override
    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    @override
    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    @override
    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    @override
    def hasHeightForWidth(self) -> bool:
        return True

    @override
    def heightForWidth(self, width: int) -> int:
        return self._place(QRect(0, 0, width, 0), moves=False)

    @override
    def setGeometry(self, area: QRect) -> None:
        super().setGeometry(area)
        self._place(area, moves=True)

    @override
    def sizeHint(self) -> QSize:
        return self.minimumSize()

    @override
    def minimumSize(self) -> QSize:
        sizes = [item.minimumSize() for item in self._items]
        width = max((size.width() for size in sizes), default=0)
        return QSize(width, max((size.height() for size in sizes), default=0))

    def _place(self, area: QRect, *, moves: bool) -> int:
        """Return how high the rows are at the width of `area`; put the items there if it `moves` them."""
        x, y, row = area.left(), area.top(), 0
        for item in self._items:
            size = item.sizeHint()
            if x > area.left() and x + size.width() > area.right() + 1:
                x, y, row = area.left(), y + row + self._gap, 0
            if moves:
                item.setGeometry(QRect(QPoint(x, y), size))
            x += size.width() + self._gap
            row = max(row, size.height())
        return y + row - area.top()
