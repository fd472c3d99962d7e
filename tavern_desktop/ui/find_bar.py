"""The line to search the open chat with."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QToolButton, QWidget

from tavern_desktop.ui.actions import Act
from tavern_desktop.ui.widgets import TextField, icon_button, label, set_tone

PAUSE = 150
"""Milliseconds without typing before a search starts."""


class FindBar(QFrame):
    """Asks for searches and shows how many hits there are; who searches is somebody else's business."""

    search_requested = Signal(str, bool)
    """(text, match case); "" for nothing."""
    step_requested = Signal(int)
    """1 for the next hit, -1 for the one before."""
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("findBar")
        self.field = TextField(self.tr("Find in this chat"))
        self.count = label(tone="muted")
        self.match_case = QToolButton()
        self.match_case.setText("Aa")
        self.match_case.setCheckable(True)
        self.match_case.setAccessibleName(self.tr("Match case"))
        self.match_case.setToolTip(self.tr("Match case"))
        row = QHBoxLayout(self)
        row.setContentsMargins(22, 6, 14, 6)
        row.setSpacing(6)
        row.addWidget(self.field, 1)
        row.addWidget(self.count)
        row.addWidget(self.match_case)
        for act, name, step in ((Act.FIND_PREVIOUS, "chevron-up", -1), (Act.FIND_NEXT, "chevron-down", 1)):
            row.addWidget(icon_button(name, act.text, partial(self.step_requested.emit, step), key=act.keys_text))
        row.addWidget(icon_button("close", self.tr("Close"), self.close_bar, key="Esc"))
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE)
        self._pause.timeout.connect(self._search)
        self.field.textChanged.connect(self._pause.start)
        self.match_case.toggled.connect(self._search)
        self.hide()

    def open_bar(self, text: str = "") -> None:
        """Show the bar, with the text selected in the chat if there is one line of it."""
        self.show()
        if text and "\n" not in text:
            self.field.setText(text)
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()
        self._search()

    def show_text(self, text: str) -> None:
        """Show the bar and search for `text`; whoever is typing elsewhere goes on."""
        self.show()
        self.field.setText(text)
        self._search()

    def close_bar(self) -> None:
        """Hide the bar and forget the hits."""
        if self.isVisible():
            self._pause.stop()
            self.hide()
            self.closed.emit()

    def show_count(self, current: int | None, total: int) -> None:
        """Say which hit (from 1) of how many is shown; None while none is chosen."""
        if not self.field.text():
            text = ""
        elif not total:
            text = self.tr("Nothing found")
        else:
            locale = self.locale()
            parts = {"number": locale.toString(current or 0), "total": locale.toString(total)}
            text = self.tr("{number} of {total}").format(**parts)
        self.count.setText(text)
        set_tone(self.count, "danger" if self.field.text() and not total else "muted")

    def _search(self) -> None:
        self._pause.stop()
        self.search_requested.emit(self.field.text(), self.match_case.isChecked())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_bar()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self._pause.isActive():
                self._search()
            back = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            self.step_requested.emit(-1 if back else 1)
        else:
            super().keyPressEvent(event)
