"""What lies under a point of the surface: the same rectangles that were painted."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QPoint, QRect

from tavern_desktop.ui.chat.document import MessageDocument
from tavern_desktop.ui.chat.look import Look
from tavern_desktop.ui.chat.rows import RowView

CLICKABLE = ("edit", "copy", "hide", "more", "swipe_left", "swipe_right", "bookmark", "continue")
REACH = 4
"""Pixels around a small mark that still belong to it."""


class Hit(NamedTuple):
    """A part of a row. `part` is one of CLICKABLE, "fold:<name>", "code:<number>", "special:<spot>", "link", "text",
    "time", "card"."""

    row: int
    key: int
    part: str
    character: int | None = None
    """The nearest place in the text, None in a row without text."""
    href: str = ""

    @property
    def is_clickable(self) -> bool:
        return self.part in CLICKABLE or self.part.startswith(("fold:", "code:", "special:"))


def hit_row(view: RowView, row: int, point: QPoint, visible_top: int, look: Look) -> Hit:
    """Return what is at `point`, counted from the row's top left corner."""
    layout, key = view.layout, view.record.key
    for name, area in layout.strip_buttons(layout.strip_at(visible_top)):
        if area.contains(point):
            return Hit(row, key, name)
    if layout.swipes is not None:
        for name, area in (("swipe_left", layout.swipes.left), ("swipe_right", layout.swipes.right)):
            if area.contains(point):
                return Hit(row, key, name)
    if layout.bookmark.adjusted(-REACH, -REACH, REACH, REACH).contains(point) and not layout.bookmark.isEmpty():
        return Hit(row, key, "bookmark")
    if layout.note_button.contains(point) and not layout.note_button.isEmpty():
        return Hit(row, key, "continue")
    if view.face is not None and layout.special.contains(point):
        spot = view.face.spot_at(point - layout.special.topLeft())
        return Hit(row, key, f"special:{spot.name}" if spot is not None else "card")
    for fold in layout.folds:
        if fold.head.contains(point):
            return Hit(row, key, f"fold:{fold.name}")
    for number, area in code_buttons(view, look):
        if area.contains(point):
            return Hit(row, key, f"code:{number}")
    if layout.time.contains(point) or layout.name.contains(point) or layout.avatar.contains(point):
        return Hit(row, key, "time", _character(view, point))
    return _hit_text(view, row, point)


def nearest_in_row(view: RowView, row: int, point: QPoint) -> Hit:
    """Return the place in a row's text nearest to `point`, wherever that is."""
    return Hit(row, view.record.key, "text", _character(view, point) or 0)


def code_buttons(view: RowView, look: Look) -> list[tuple[int, QRect]]:
    """Return (number, rectangle) of the copy button of each code block, counted from the row's corner."""
    if view.document is None or view.layout.text.isEmpty():
        return []
    size, gap = look.px(24), look.px(5)
    found = []
    for decoration in view.document.decorations():
        if decoration.kind == "code":
            ground = decoration.rect.toRect().translated(view.layout.text.topLeft())
            found.append(QRect(ground.right() + 1 - size - gap, ground.top() + gap, size, size))
    return list(enumerate(found))


def code_of(document: MessageDocument, number: int) -> str:
    """Return the code that the copy button of this number copies."""
    return [d.block.code for d in document.decorations() if d.kind == "code"][number]


def _hit_text(view: RowView, row: int, point: QPoint) -> Hit:
    text, key = view.layout.text, view.record.key
    if view.document is None or text.isEmpty():
        return Hit(row, key, "card")
    inside = point - text.topLeft()
    if text.contains(point) and (href := view.document.href_at(inside.x(), inside.y())):
        return Hit(row, key, "link", _character(view, point), href)
    around = text.adjusted(-8, -4, 8, 4)
    return Hit(row, key, "text" if around.contains(point) else "card", _character(view, point))


def _character(view: RowView, point: QPoint) -> int | None:
    """Return the nearest character: the first above the text, the last below it."""
    text = view.layout.text
    if view.document is None or text.isEmpty():
        return None
    if point.y() < text.top():
        return 0
    if point.y() > text.bottom():
        return view.document.length()
    return view.document.character_at(point.x() - text.left(), point.y() - text.top())
