"""A QListView whose own layout never runs: it answers every question about places from a `Geometry`.

A plain QListView asks every row for its size at each change; a custom QAbstractItemView loses the accessible list. So
this one stays a QListView, and only the rows on screen are laid out.
"""

from __future__ import annotations

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QRect, Qt
from PySide6.QtGui import QRegion
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView, QWidget
from typing_extensions import override

from tavern_desktop.ui.chat.geometry import Geometry

WHEEL_STEP = 24
"""Pixels of a single step; a notch of a wheel is three."""


class PlacedRows(QListView):
    """Base of the views of any number of rows. After whatever happened, `settle` puts the anchor back where it was."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.places = Geometry(self._measure, self._estimate)
        self._is_settling = False
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setAutoScroll(False)
        self.viewport().setMouseTracking(True)
        self.verticalScrollBar().setSingleStep(WHEEL_STEP)

    def settle(self) -> None:
        """Bring everything into agreement after a change: the anchor keeps its place, the rest follows."""
        self._settle()
        self.viewport().update()

    def header_height(self) -> int:
        """Return the height of the decoration above the first row."""
        return self.places.header

    def settled(self) -> None:
        """Everything has its place: what floats above the rows can follow."""

    def _measure(self, row: int) -> int:
        """Return the exact height of a row, which lays it out."""
        raise NotImplementedError

    def _estimate(self, row: int) -> int:
        """Return about how high a row is, without laying it out."""
        raise NotImplementedError

    def _settle(self) -> None:
        if self._is_settling or self.viewport().height() <= 0:
            return
        self._is_settling = True
        try:
            self.places.screen_height = self.viewport().height()
            self.places.header = self.header_height()
            value = self.places.settle()
            bar = self.verticalScrollBar()
            bar.setRange(0, self.places.maximum)
            bar.setPageStep(self.places.screen_height)
            bar.setValue(value)
        finally:
            self._is_settling = False
        self.settled()

    # -- Qt's questions ---------------------------------------------------------------------------------

    @override
    def horizontalOffset(self) -> int:
        return 0

    @override
    def verticalOffset(self) -> int:
        return self.places.value

    @override
    def setSelection(self, rect: QRect, command: QItemSelectionModel.SelectionFlag) -> None:
        """Select nothing: rows are chosen by their own means, text by the mouse."""

    @override
    def visualRegionForSelection(self, selection: QItemSelection) -> QRegion:
        return QRegion()

    @override
    def keyboardSearch(self, search: str) -> None:
        """Do not search: Qt would ask 100,000 rows for their text at a single letter."""

    @override
    def doItemsLayout(self) -> None:
        QAbstractItemView.doItemsLayout(self)

    @override
    def updateGeometries(self) -> None:
        """Do nothing: `settle` sets the scroll bar."""

    @override
    def scrollContentsBy(self, dx: int, dy: int) -> None:
        if not self._is_settling:
            self.places.scroll_to(self.verticalScrollBar().value())
            self.settle()
