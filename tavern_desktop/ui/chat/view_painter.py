"""One painting of the surface: the rows that are on screen, each in its present state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QRectF, Qt, QTimer
from PySide6.QtGui import QPainter

from tavern_desktop.ui.chat.row_painter import RowPainter, RowState
from tavern_desktop.ui.chat.rows import RowView

if TYPE_CHECKING:
    from tavern_desktop.ui.chat.view import ChatView


class ViewPainter:
    """Owner: the view."""

    def __init__(self, view: ChatView) -> None:
        self._view = view
        self._rows = RowPainter(view.look, view.context, view.pictures)
        self._colours = QTimer(view)
        self._colours.setSingleShot(True)
        self._colours.timeout.connect(self._colour_code)

    def restyle(self) -> None:
        self._rows = RowPainter(self._view.look, self._view.context, self._view.pictures)

    def paint(self, painter: QPainter, area: QRect) -> None:
        """Paint what of the rows lies within `area` of the viewport."""
        view = self._view
        painter.fillRect(area, view.context.theme.bg)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
        wants_colours = False
        for row in view.places.visible_rows():
            place = view.row_rect(row)
            if not place.intersects(area.adjusted(-4, -4, 4, 4)):
                continue
            shown = view.row_view(row)
            painter.save()
            painter.translate(place.topLeft())
            visible = QRectF(area).translated(-place.topLeft())
            painter.setClipRect(visible, Qt.ClipOperation.IntersectClip)
            self._rows.paint(painter, shown, self._state(row, shown, place, visible))
            painter.restore()
            wants_colours |= not shown.coloured
        if wants_colours:
            # After the painting: pygments takes 1.75 ms for 20 lines, and its import much longer.
            self._colours.start(0)

    def _state(self, row: int, shown: RowView, place: QRect, visible: QRectF) -> RowState:
        view, key = self._view, shown.record.key
        hovered = view.mouse.hovered == key
        length = shown.document.length() if shown.document is not None else 0
        return RowState(
            current=view.current_key == key,
            hovered=hovered,
            selected=view.selection_mode.selected(key),
            in_selection_mode=view.selection_mode.is_on,
            begins_context=view.context_begin == key,
            pointed_at=view.mouse.pointed_at if hovered else "",
            selection=view.text.span_in(row, length) if length else None,
            hits=view.marks.hits_in(shown),
            current_hit=view.marks.current_in(key),
            visible_top=max(0, -place.top()),
            clip=visible,
        )

    def _colour_code(self) -> None:
        view = self._view
        for row in view.places.visible_rows():
            shown = view.row_view(row)
            if shown.coloured:
                continue
            shown.coloured = True
            for document in (shown.document, *shown.fold_documents.values()):
                if document is not None:
                    document.colour_code()
        view.viewport().update()
