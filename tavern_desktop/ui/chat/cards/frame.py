"""What the real widgets of all special messages have in common: title, rows of fields, buttons, the keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget
from typing_extensions import override

from tavern_desktop.cards.envelope import Card
from tavern_desktop.cards.yaml_reading import Payload
from tavern_desktop.ui.chat.cards.faces import field_width, label_width, text_of
from tavern_desktop.ui.chat.cards.fields import FieldEditor
from tavern_desktop.ui.chat.cards.words import field_label, type_name
from tavern_desktop.ui.chat.look import Look
from tavern_desktop.ui.flow_layout import FlowLayout
from tavern_desktop.ui.widgets import label, push_button

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class CardFrame(QFrame):
    """The widget of the special message in use. It says what the person did; it changes nothing."""

    filled = Signal(object)
    """The payload as it is now: something was filled in, and is to be kept."""
    submitted = Signal(object)
    """What was filled in, by name; everything in it may be submitted."""
    requested = Signal(str)
    """Something else is wanted: "cancel", "values", "csv"."""
    left = Signal()
    height_changed = Signal()

    def __init__(self, card: Card, look: Look, width: int, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("cardFrame")
        self.setAccessibleName(f"{type_name(card.type)}: {card.title}")
        self.setFont(look.label_font)
        self.look = look
        self.payload: Payload = card.payload
        """As it stands in the chat, as far as this widget knows."""
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(look.px(14), look.px(11), look.px(14), look.px(11))
        self.column.setSpacing(look.px(6))
        self._room = width - 2 * look.px(14)
        self._labels = label_width(look, self._room)
        self.grid = QGridLayout()
        self.grid.setHorizontalSpacing(0)
        self.grid.setVerticalSpacing(look.px(4))
        self.grid.setColumnMinimumWidth(0, self._labels)
        self.grid.setColumnStretch(1, 1)
        self._height = 0
        self._head(card)
        self.column.addLayout(self.grid)

    # -- for those who make one of them -----------------------------------------------------------------

    def add_row(self, editor: FieldEditor, unit: str = "") -> QLabel:
        """Put a field with its label, its help, and a line for what is wrong with it; return that line."""
        field, row = editor.field, self.grid.rowCount()
        name = label(field_label(field), wrap=True)
        name.setFixedWidth(self._labels - self.look.px(8))
        name.setFont(self.look.label_font)
        editor.widget.setFont(self.look.label_font)
        name.setBuddy(editor.focus)
        self.grid.addWidget(name, row, 0, Qt.AlignmentFlag.AlignTop)
        name.setMinimumHeight(self.look.px(28))
        width = field_width(self.look, field.kind, self._room - self._labels)
        if width < self._room - self._labels:
            editor.widget.setFixedWidth(width)
        beside = QHBoxLayout()
        beside.setSpacing(self.look.px(8))
        beside.addWidget(editor.widget, 1)
        if unit:
            beside.addWidget(label(unit, "muted"))
        if width < self._room - self._labels:
            beside.addStretch(1)
        self.grid.addLayout(beside, row, 1)
        below = label(field.help, "muted", wrap=True)
        below.setVisible(bool(field.help))
        self.grid.addWidget(below, row + 1, 1)
        self.watch(editor.focus)
        return below

    def add_foot(self, *offers: tuple[str, str, Callable[[], object]], indent: bool = True) -> None:
        """Put buttons: (kind, text, what it does)."""
        foot = FlowLayout(self.look.px(8))
        for kind, text, act in offers:
            button = push_button(text, kind, act)  # type: ignore[arg-type]
            button.setObjectName(f"card_{act.__name__}")
            self.watch(button)
            foot.addWidget(button)
        around = QHBoxLayout()
        around.setSpacing(0)
        if indent:
            around.addSpacing(self._labels)
        around.addLayout(foot, 1)
        self.column.addLayout(around)

    def watch(self, widget: QWidget) -> None:
        """Let a control leave by Esc and submit by Ctrl+Enter, whatever the window's own keys are."""
        widget.installEventFilter(self)

    def keep(self, payload: Payload) -> None:
        """Have a changed payload kept."""
        if payload != self.payload:
            self.payload = payload
            self.filled.emit(payload)

    # -- for the surface --------------------------------------------------------------------------------

    def focus_on(self, name: str) -> None:
        """Put the keyboard into the field of this name, else into the first."""

    def finish(self) -> None:
        """Have everything that is filled in kept."""

    def submit(self) -> None:
        """Do what the main button does."""

    def wanted_height(self) -> int:
        """Return how high the frame wants to be at its width."""
        layout: Any = self.layout()
        return int(layout.heightForWidth(self.width())) if layout.hasHeightForWidth() else self.sizeHint().height()

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and _is_own(event):
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                self.left.emit() if event.key() == Qt.Key.Key_Escape else self.submit()
                return True
        if event.type() == QEvent.Type.FocusOut:
            self.finish()
        return super().eventFilter(watched, event)

    @override
    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            wanted = self.wanted_height()
            if wanted != self._height:
                self._height = wanted
                self.height_changed.emit()
        return super().event(event)

    def _head(self, card: Card) -> None:
        if card.title:
            title = label(card.title, wrap=True)
            font = QFont(self.look.label_font)
            font.setWeight(QFont.Weight.DemiBold)
            title.setFont(font)
            self.column.addWidget(title)
        description = text_of(card.payload, "description")
        if description:
            self.column.addWidget(label(description, "muted", wrap=True))


def _is_own(event: QKeyEvent) -> bool:
    control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
    return event.key() == Qt.Key.Key_Escape or (event.key() in _ENTER and control)
