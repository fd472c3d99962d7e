"""The parts of a prompt as rows, in the order in which they are sent, and behind them what is left out."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractListModel, QCoreApplication, QModelIndex, QObject, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from tavern_desktop.prompt.kinds import kind_of
from tavern_desktop.ui.inspector.budget_bar import colour_of
from tavern_desktop.ui.library.row_painter import scaled_font
from tavern_desktop.ui.theme import blend, themes
from tavern_desktop.ui.widgets import AnyIndex

if TYPE_CHECKING:
    from tavern_desktop.prompt.messages import LeftOut, Part, Prompt

ENTRY_ROLE = Qt.ItemDataRole.UserRole + 1
PADDING, LINE = 7, 2
SHOWN = 200
"""Characters of a part that a row may show."""

NAMES = {
    "main": "Instruction",
    "persona": "You",
    "description": "Description",
    "personality": "Personality",
    "scenario": "Scenario",
    "examples": "Example",
    "heading": "Heading",
    "history": "Message",
    "pictures": "Picture",
    "post_history": "Instruction at the end",
    "group_nudge": "Who speaks",
    "nudge": "Whose turn it is",
    "turn": "Whose turn it is",
    "story": "Story",
    "lore before": "Lore before the character",
    "lore after": "Lore after the character",
    "note": "Author’s note",
    "character note": "Character’s note",
    "summary": "Summary",
    "alignment": "Beginning",
    "prefill": "Beginning of the reply",
    "impersonate": "Your part",
    "continue": "Go on",
}


class Entry:
    """One row: a part that is sent, or several that belong together, or something left out."""

    def __init__(self, parts: Sequence[Part] = (), left: LeftOut | None = None) -> None:
        self.parts, self.left = tuple(parts), left

    @property
    def is_sent(self) -> bool:
        """Whether it is in the prompt."""
        return bool(self.parts)

    @property
    def title(self) -> str:
        """What it is, with the number of its message."""
        if len(self.parts) > 1:
            return _tr("Examples")
        if self.parts:
            part = self.parts[0]
            number = f" #{part.index}" if part.index is not None else ""
            return _name(part.source) + number
        left = self.left
        if left is None:
            return ""
        if left.first is None:
            return _name(left.source)
        return f"{_name(left.source)} #{left.first}" + (f"–{left.last}" if left.last != left.first else "")

    @property
    def role(self) -> str:
        """By whom it is said to the model, "" for what is not."""
        return self.parts[0].message.role if self.parts else ""

    @property
    def reason(self) -> str:
        """Why it is there, or not."""
        if self.parts:
            return self.parts[-1].reason
        return self.left.reason if self.left is not None else ""

    @property
    def text(self) -> str:
        """What it says, whole; "" for what is left out."""
        return "\n".join(part.message.text for part in self.parts)

    @property
    def line(self) -> str:
        """How it begins, with the reason in front where that says more than that there is room."""
        if not self.is_sent:
            return _tr("Left out: {0}").format(self.reason)
        words = " ".join(self.text[:SHOWN].split())
        return words if self.parts[0].source == "history" else f"{self.reason} — {words}"

    @property
    def tokens(self) -> int | None:
        """How many tokens it has, None where nobody counted."""
        if self.parts:
            return sum(part.tokens for part in self.parts)
        return self.left.tokens if self.left is not None else None


def entries_of(prompt: Prompt) -> list[Entry]:
    """Return the rows for a prompt: what is sent, examples as one row, and what is left out."""
    found: list[Entry] = []
    for is_example, group in groupby(prompt.parts, lambda part: part.source == "examples"):
        parts = list(group)
        found += [Entry(parts)] if is_example else [Entry([part]) for part in parts]
    return found + [Entry(left=left) for left in prompt.left_out]


class PartsModel(QAbstractListModel):
    """`ENTRY_ROLE` is the Entry of a row."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._entries: list[Entry] = []

    def show_prompt(self, prompt: Prompt | None) -> None:
        """Show another prompt, None for none."""
        self.beginResetModel()
        self._entries = []
        if prompt is not None:
            self._entries = entries_of(prompt)
        self.endResetModel()

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._entries)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        entry = self._entries[index.row()]
        if role == ENTRY_ROLE:
            return entry
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            what = entry.role or _tr("left out")
            return f"{entry.title}, {what}, {entry.reason}: {entry.text[:SHOWN]}"
        return None


class PartPainter(QStyledItemDelegate):
    """Paints a part in two lines: what it is with its tokens, and how it begins; what is left out is dimmed."""

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        title, small = (QFontMetrics(scaled_font(option.font, size)).height() for size in (12.5, 11.5))
        return QSize(100, title + small + 2 * PADDING + LINE)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        entry = index.data(ENTRY_ROLE)
        theme = themes().current
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        if selected or option.state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.accent_soft if selected else blend(theme.pane, theme.text, 0.05))
            painter.drawRoundedRect(QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)
        if is_sent := entry.is_sent:
            mark = QRectF(option.rect.left() + 1, option.rect.top() + PADDING, 3, option.rect.height() - 2 * PADDING)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour_of(kind_of(entry.parts[0].source)))
            painter.drawRoundedRect(mark, 1.5, 1.5)
        area = option.rect.adjusted(11, PADDING, -8, -PADDING)
        title_font = scaled_font(option.font, 12.5, QFont.Weight.DemiBold if is_sent else QFont.Weight.Normal)
        height = QFontMetrics(title_font).height()
        number = "" if entry.tokens is None else option.locale.toString(entry.tokens)
        tokens = " · ".join(filter(None, (entry.role, number)))
        small = scaled_font(option.font, 11.5)
        room = QFontMetrics(small).horizontalAdvance(tokens) + 10
        self._line(painter, QRect(area.left(), area.top(), area.width() - room, height), entry.title, title_font,
                   theme.text if is_sent else theme.muted)  # fmt: skip
        painter.setFont(small)
        painter.setPen(theme.muted)
        flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(QRect(area.left(), area.top(), area.width(), height), flags, tokens)
        below = QRect(
            area.left(), area.top() + height + LINE, area.width(), area.bottom() - area.top() - height - LINE + 1
        )
        self._line(painter, below, entry.line, small, theme.muted)
        painter.restore()

    def _line(self, painter: QPainter, area: QRect, text: str, font: QFont, colour: Any) -> None:
        painter.setFont(font)
        painter.setPen(colour)
        shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, area.width())
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, shown)


def _name(source: str) -> str:
    """Return what people call a part; a preset's own prompt goes by its name."""
    kind, _, rest = source.partition(": ")
    if rest and kind in ("prompt", "lore"):
        return rest if kind == "prompt" else _tr("Lore: {0}").format(rest)
    return _tr(NAMES.get(source, source))


def _tr(text: str) -> str:
    return QCoreApplication.translate("Prompt", text)
