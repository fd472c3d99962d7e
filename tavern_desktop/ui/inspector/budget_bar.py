"""Where the room of a context goes, as a bar with its legend: parts by their kinds, the reply, what is free."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from tavern_desktop.ui.flow_layout import FlowLayout
from tavern_desktop.ui.theme import blend, themes
from tavern_desktop.ui.widgets import clear_layout, label

if TYPE_CHECKING:
    from tavern_desktop.prompt.messages import Prompt

_N = QT_TRANSLATE_NOOP

NAMES = {
    "instructions": _N("Prompt", "Instructions"),
    "character": _N("Prompt", "Character"),
    "persona": _N("Prompt", "You"),
    "lore": _N("Prompt", "Lore"),
    "notes": _N("Prompt", "Notes"),
    "examples": _N("Prompt", "Examples"),
    "conversation": _N("Prompt", "Conversation"),
    "reply": _N("Prompt", "Reply"),
    "free": _N("Prompt", "Free"),
}
COLOURS = {
    "instructions": "#a85428",
    "character": "#7a5c8e",
    "persona": "#86524f",
    "lore": "#8a6a3d",
    "notes": "#5f7a4f",
    "examples": "#3f6f73",
    "conversation": "#5b6b86",
}
HEIGHT = 12
THINNEST = 2.0
"""Pixels that a part has at least, so that it is seen."""


def shares_of(prompt: Prompt) -> list[tuple[str, int]]:
    """Return (kind, tokens) of everything the context holds, "reply" and "free" last."""
    from tavern_desktop.prompt.kinds import free_tokens, tokens_by_kind

    shares: list[tuple[str, int]] = list(tokens_by_kind(prompt).items())
    shares += [("reply", prompt.reply), ("free", free_tokens(prompt))]
    return [(kind, tokens) for kind, tokens in shares if tokens > 0]


def colour_of(kind: str) -> QColor:
    """Return the colour of a kind in the present theme."""
    theme = themes().current
    if kind == "free":
        return blend(theme.pane, theme.text, 0.08)
    if kind == "reply":
        return blend(theme.pane, theme.text, 0.32)
    return blend(QColor(COLOURS[kind]), theme.text, 0.22 if theme.dark else 0.0)


def name_of(kind: str) -> str:
    """Return what people call a kind."""
    return QCoreApplication.translate("Prompt", str(NAMES[kind]))


class BudgetBar(QWidget):
    """Owner: the prompt tab."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bar = _Bar()
        legend = QWidget()
        self._legend = FlowLayout(gap=7)
        legend.setLayout(self._legend)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self.bar)
        column.addWidget(legend)
        self.hide()

    def show_prompt(self, prompt: Prompt | None) -> None:
        """Show another prompt, None for none."""
        self.setVisible(prompt is not None)
        shares = shares_of(prompt) if prompt is not None else []
        if shares == self.bar.shares:
            return
        self.bar.show_shares(shares)
        clear_layout(self._legend)
        number = self.locale().toString
        texts = []
        for kind, tokens in shares:
            texts.append(f"{name_of(kind)} {number(tokens)}")
            self._legend.addWidget(_Key(kind, texts[-1]))
        self.bar.setAccessibleName(self.tr("Room in the context"))
        self.bar.setAccessibleDescription(", ".join(texts))
        self.bar.setToolTip("\n".join(texts))


class _Key(QWidget):
    """A colour and what it stands for."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(5)
        row.addWidget(_Swatch(kind))
        row.addWidget(label(text, "muted"))


class _Swatch(QWidget):
    def __init__(self, kind: str) -> None:
        super().__init__()
        self._kind = kind
        self.setFixedSize(9, 9)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour_of(self._kind))
        painter.drawRoundedRect(QRectF(self.rect()), 2.5, 2.5)


class _Bar(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.shares: list[tuple[str, int]] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_shares(self, shares: list[tuple[str, int]]) -> None:
        """Show other shares."""
        self.shares = shares
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(120, HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(self.rect())
        shape = QPainterPath()
        shape.addRoundedRect(area, 4, 4)
        painter.setClipPath(shape)
        left = area.left()
        for (kind, _), width in zip(self.shares, widths(self.shares, area.width()), strict=True):
            painter.fillRect(QRectF(left, area.top(), width, area.height()), colour_of(kind))
            left += width


def widths(shares: list[tuple[str, int]], room: float) -> list[float]:
    """Return how wide each share is in a room: as its tokens, but nothing too thin to be seen."""
    total = sum(tokens for _, tokens in shares) or 1
    wanted = [max(THINNEST, room * tokens / total) for _, tokens in shares]
    scale = room / sum(wanted) if wanted else 1.0
    return [width * scale for width in wanted]
