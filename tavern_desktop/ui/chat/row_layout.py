"""Where everything of a row lies: one record of rectangles for painting, height and hit testing alike.

    ┌ day ─────────────────── Tuesday, 3 March 2026 ─────────────────────┐  only above the first message of a day
    ├ card ──────────────────────────────────────────────────────────────┤
    │ ┌avatar┐ name  time ◌hidden ⚑     [✎ ⧉ ◌ ⋯ strip]  [‹ 2 / 5 ›] │
    │ └──────┘ ▸ Thought for 8 s                                   folds │
    │          ┌ the box of a special message ────────────────┐         │
    │          └──────────────────────────────────────────────┘         │
    │          text ………………………………………………………………………………                │
    └────────────────────────────────────────────────────────────────────┘

Rectangles count from the row's top left corner, in device-independent pixels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QFontMetrics

from tavern_desktop.ui.chat.look import Look

STRIP_BUTTONS = ("edit", "copy", "hide", "more")


@dataclass(frozen=True, slots=True)
class FoldContent:
    """Something that folds, before it has a place: its label, and its height when open (0 when folded)."""

    name: str
    label: str
    height: int = 0


@dataclass(frozen=True, slots=True)
class Fold:
    """A line that opens and closes what is below it."""

    name: str
    label: str
    is_open: bool
    head: QRect
    body: QRect
    """Where the content's document goes; empty when folded."""


@dataclass(frozen=True, slots=True)
class Swipes:
    """The control `‹ 2 / 5 ›`."""

    left: QRect
    """Empty where there is only one."""
    label: QRect
    right: QRect
    text: str


@dataclass(frozen=True, slots=True)
class RowContent:
    """What a row's layout depends on, besides the look and the width."""

    name: str
    time: str
    hidden: bool
    day: str
    text_height: int
    """0 where no text is shown."""
    folds: Sequence[FoldContent] = ()
    swipe: int = 0
    """The alternative shown, from 0."""
    swipe_count: int = 0
    """0 where the control is not shown."""
    has_strip: bool = True
    compact: bool = False
    bookmarked: bool = False
    note: str = ""
    """What is to be known of the message, below its text, and …"""
    note_button: str = ""
    """… what can be done about it, "" for nothing."""
    editor_height: int = 0
    """Above 0 while the row is being edited: the editor stands in place of text and folds."""
    special_height: int = 0
    """Above 0 for a special message: of its box, painted or in use."""


@dataclass(frozen=True, slots=True)
class RowLayout:
    """The rectangles of one row. An empty rectangle is a thing the row does not have."""

    height: int
    day: QRect
    day_text: str
    card: QRect
    avatar: QRect
    name: QRect
    name_text: str
    time: QRect
    time_text: str
    hidden_mark: QRect
    bookmark: QRect
    swipes: Swipes | None
    strip: QRect
    folds: tuple[Fold, ...]
    text: QRect
    editor: QRect
    special: QRect
    """The box of a special message."""
    note: QRect
    note_text: str
    note_button: QRect
    note_button_text: str

    def strip_at(self, visible_top: int) -> QRect:
        """Return the strip's place when the part of the row above `visible_top` is scrolled out of sight.

        It stays within the row and on screen, so that a long message can be reached by its actions anywhere.
        """
        lowest = self.card.bottom() - self.strip.height() - 5
        wanted = max(self.strip.top(), visible_top + 6)
        return self.strip.translated(0, max(0, min(wanted, lowest) - self.strip.top()))

    def strip_buttons(self, strip: QRect) -> list[tuple[str, QRect]]:
        """Return (name, rectangle) of each button of the strip when it lies at `strip`."""
        if strip.isEmpty():
            return []
        width = (strip.width() - 6) // len(STRIP_BUTTONS)
        return [
            (name, QRect(strip.left() + 3 + at * width, strip.top(), width, strip.height()))
            for at, name in enumerate(STRIP_BUTTONS)
        ]


def lay_out(content: RowContent, width: int, look: Look) -> RowLayout:
    """Return where everything of a row goes that is `width` pixels wide."""
    px = look.px
    day_height = px(38) if content.day else 0
    pad = px(10)
    text_left, text_right = px(66), width - px(12)
    head = QRect(text_left, day_height + pad, text_right - text_left, px(21))
    swipes = _swipes(content.swipe, content.swipe_count, head, look)
    strip = _strip(head, swipes, look) if content.has_strip else QRect()
    name, name_text, time, marks = _head(content, head, _first_left(strip, swipes, head, look), look)
    y = head.top() if content.compact else head.bottom() + 1 + px(4)
    folds: list[Fold] = []
    editor = text = special = QRect()
    if content.editor_height:
        editor = QRect(text_left - px(8), y, text_right - text_left + px(8), content.editor_height)
        y = editor.bottom() + 1 + px(2)
    else:
        if content.special_height:
            special = QRect(text_left, y, text_right - text_left, content.special_height)
            y = special.bottom() + 1 + px(7 if content.text_height else 1)
        for fold in content.folds:
            placed, y = _fold(fold, y, text_left, text_right, look)
            folds.append(placed)
        if content.text_height:
            text = QRect(text_left, y, text_right - text_left, content.text_height)
            y = text.bottom() + 1
    note, note_button = _note(content, QRect(text_left, y + px(4), text_right - text_left, px(22)), look)
    y = note.bottom() + 1 if not note.isEmpty() else y
    bottom = px(6) if content.compact else px(8) + pad
    card_bottom = max(y + bottom, day_height + (0 if content.compact else px(56)))
    return RowLayout(
        height=card_bottom,
        day=QRect(0, 0, width, day_height),
        day_text=content.day,
        card=QRect(0, day_height, width, card_bottom - day_height),
        avatar=QRect() if content.compact else QRect(px(12), day_height + pad, px(36), px(36)),
        name=QRect() if content.compact else name,
        name_text=name_text,
        time=QRect() if content.compact else time,
        time_text=content.time,
        hidden_mark=marks[0] if content.hidden and not content.compact else QRect(),
        bookmark=marks[-1] if content.bookmarked and not content.compact else QRect(),
        swipes=None if content.compact else swipes,
        strip=strip,
        folds=tuple(folds),
        text=text,
        editor=editor,
        special=special,
        note=note,
        note_text=content.note,
        note_button=note_button,
        note_button_text=content.note_button,
    )


def text_width(width: int, look: Look) -> int:
    """Return how wide the text of a row of this width is."""
    return max(40, width - look.px(66) - look.px(12))


def _swipes(swipe: int, count: int, head: QRect, look: Look) -> Swipes | None:
    if not count:
        return None
    text = f"{swipe + 1} / {count}"
    arrow, height = look.px(24), look.px(26)
    label_width = QFontMetrics(look.label_font).horizontalAdvance(text) + look.px(4)
    top = head.center().y() - height // 2 + 1
    right = QRect(head.right() + 1 - arrow + look.px(6), top, arrow, height)
    label = QRect(right.left() - label_width, top, label_width, height)
    left = QRect(label.left() - arrow, top, arrow, height) if count > 1 else QRect()
    return Swipes(left, label, right, text)


def _strip(head: QRect, swipes: Swipes | None, look: Look) -> QRect:
    width, height = len(STRIP_BUTTONS) * look.px(27) + 6, look.px(28)
    right = swipes.label.left() - look.px(28) if swipes else head.right() + 1
    return QRect(right - width, head.center().y() - height // 2, width, height)


def _first_left(strip: QRect, swipes: Swipes | None, head: QRect, look: Look) -> int:
    if not strip.isEmpty():
        return strip.left()
    return swipes.label.left() - look.px(24) if swipes else head.right() + 1


def _head(content: RowContent, head: QRect, right: int, look: Look) -> tuple[QRect, str, QRect, list[QRect]]:
    """Place name, time and marks; a long name gives way, whether the strip is shown at the moment or not."""
    names, times = QFontMetrics(look.name_font), QFontMetrics(look.time_font)
    gap, mark_size = look.px(10), look.px(14)
    time_width = times.horizontalAdvance(content.time) + 2 if content.time else 0
    count = content.hidden + content.bookmarked
    taken = time_width + gap * 2 + count * (mark_size + gap)
    name_text = names.elidedText(
        content.name, Qt.TextElideMode.ElideRight, max(look.px(40), right - head.left() - taken)
    )
    name = QRect(head.left(), head.top(), names.horizontalAdvance(name_text) + 2, head.height())
    # Name and time stand on one baseline.
    drop = (names.ascent() - names.descent() - times.ascent() + times.descent()) // 2
    time = QRect(name.right() + 1 + gap, head.top() + drop, time_width, head.height())
    left, top = time.right() + 1 + gap, head.center().y() - mark_size // 2 + 1
    marks = [QRect(left + at * (mark_size + gap), top, mark_size, mark_size) for at in range(count)]
    return name, name_text, time, marks


def _note(content: RowContent, area: QRect, look: Look) -> tuple[QRect, QRect]:
    if not content.note or content.editor_height:
        return QRect(), QRect()
    letters, pad = QFontMetrics(look.label_font), look.px(8)
    note = QRect(area.left(), area.top(), letters.horizontalAdvance(content.note) + 2, area.height())
    if not content.note_button:
        return note, QRect()
    width = letters.horizontalAdvance(content.note_button) + 2 * pad
    return note, QRect(note.right() + 1 + pad // 2, area.top(), width, area.height())


def _fold(fold: FoldContent, y: int, left: int, right: int, look: Look) -> tuple[Fold, int]:
    head = QRect(left, y, right - left, look.px(20))
    y = head.bottom() + 1
    body = QRect()
    if fold.height:
        body = QRect(left + look.px(12), y + look.px(2), right - left - look.px(12), fold.height)
        y = body.bottom() + 1
    return Fold(fold.name, fold.label, fold.height > 0, head, body), y + look.px(8)
