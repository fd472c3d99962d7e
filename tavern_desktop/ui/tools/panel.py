"""The tools that the reply in view calls: what they are to do, and whether they may; between chat and composer.

It stands below the message with the calls, which is the last one. It shows what a batch says and changes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Literal

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QPushButton, QScrollArea, QVBoxLayout, QWidget
from typing_extensions import override

from tavern_desktop.session.generating.tool_batch import PendingCall, ToolBatch
from tavern_desktop.ui.composer import COLUMN
from tavern_desktop.ui.flow_layout import FlowLayout
from tavern_desktop.ui.tools.words import tr
from tavern_desktop.ui.widgets import ElidedLabel, clear_layout, label, never_scroll_sideways, push_button

Scope = Literal["once", "chat", "always"]

MOST_LINES = 6
"""Lines of arguments that are seen without scrolling."""
MOST_SHOWN = 20_000
"""Characters of arguments that are shown."""
TALLEST = 320
SIDE = 22
"""Pixels at the left and right, as the composer has."""
AROUND = 20
"""Pixels above and below the lines of a field."""


class ToolPanel(QFrame):
    """Owner: the chat pane."""

    allowed = Signal(int, str)
    """A call may run: its number, and for how long that holds (a Scope)."""
    refused = Signal(int)
    cancelled = Signal(int)
    given_up = Signal()
    """The whole turn is not wanted any more."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("toolPanel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(self.tr("Tools that the reply calls"))
        self._shown: tuple[tuple[object, ...], ...] = ()
        inside = QWidget()
        inside.setObjectName("scrolled")
        inside.installEventFilter(self)
        column = QWidget()
        column.setObjectName("scrolled")
        column.setMaximumWidth(COLUMN)
        self._calls = QVBoxLayout(column)
        self._calls.setContentsMargins(0, 8, 0, 8)
        self._calls.setSpacing(10)
        beside = QHBoxLayout(inside)
        beside.setContentsMargins(SIDE, 0, SIDE, 0)
        beside.addStretch(1)
        beside.addWidget(column, 1000)
        beside.addStretch(1)
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setWidget(inside)
        around = QVBoxLayout(self)
        around.setContentsMargins(0, 0, 0, 0)
        around.addWidget(self._scroll)
        self.hide()

    def show_batch(self, batch: ToolBatch | None) -> None:
        """Show the calls of a batch as they stand, nothing with None; the keyboard stays on the button it was on."""
        calls = batch.calls if batch is not None else []
        shown = tuple((id(each), each.state, each.sentence) for each in calls)
        if shown == self._shown:
            return
        self._shown = shown
        focused = self.focusWidget()
        was_on = focused.objectName() if focused is not None and self.isAncestorOf(focused) else ""
        clear_layout(self._calls)
        for number, each in enumerate(calls):
            if each.state != "done":
                call = _Call(self, number, each)
                self._calls.addWidget(call)
                call.show()  # at once: what is still to be shown gets no keyboard
        open_calls = any(each.state != "done" for each in calls)
        self.setVisible(open_calls)
        self._fit()
        if was_on and open_calls:
            named = [button for button in self._buttons() if button.objectName() == was_on]
            for button in (named or self._buttons())[:1]:
                button.setFocus(Qt.FocusReason.OtherFocusReason)

    def first_button(self) -> QPushButton | None:
        """Return the first button that decides something."""
        return next(iter(self._buttons()), None)

    def _buttons(self) -> list[QPushButton]:
        """Return the buttons of the calls that are shown; those that were are still children for a moment."""
        return [button for button in self.findChildren(QPushButton) if button.isVisibleTo(self)]

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:  # arguments have another height at their width
            self._fit()
        return super().eventFilter(watched, event)

    def _fit(self) -> None:
        """Be as high as the calls want at this width, within limits."""
        parent = self.parentWidget()
        width = self.width() if self.isVisible() or parent is None else parent.width()
        self._calls.activate()
        room = min(width - 2 * SIDE, COLUMN)
        self._scroll.setFixedHeight(min(self._calls.totalHeightForWidth(room) + 2, TALLEST))


class _Call(QFrame):
    """One call."""

    def __init__(self, panel: ToolPanel, number: int, pending: PendingCall) -> None:
        super().__init__()
        self.setObjectName("toolCall")
        self._number = number
        tool = pending.tool
        source = tool.source if tool is not None else ""
        name = f"{pending.title} · {source}" if source else pending.title
        self.setAccessibleName(name)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 9, 14, 9)
        column.setSpacing(6)
        head = QHBoxLayout()
        head.addWidget(ElidedLabel(name, "strong"), 1)
        head.addWidget(label(_state_words(pending), "danger" if pending.state == "unknown" else "muted"))
        column.addLayout(head)
        if pending.sentence:
            column.addWidget(label(pending.sentence, "danger", wrap=True))
        if pending.given:
            column.addWidget(_arguments(pending))
        row = FlowLayout()
        for kind, text, what, act in self._offers(panel, pending):
            button = push_button(text, "primary" if kind else "plain", act)
            button.setObjectName(f"tool_{what}_{number}")
            button.setAccessibleName(f"{text}: {pending.title}")
            row.addWidget(button)
        column.addLayout(row)

    def _offers(self, panel: ToolPanel, pending: PendingCall) -> list[tuple[bool, str, str, Callable[[], object]]]:
        number = self._number
        give_up = (False, tr("Give Up"), "give_up", panel.given_up.emit)
        if pending.state == "running":
            return [(False, tr("Cancel"), "cancel", partial(panel.cancelled.emit, number))]
        if pending.state == "unknown":
            return [(True, tr("Run Again"), "again", partial(panel.allowed.emit, number, "once")), give_up]
        return [
            (True, tr("Allow Once"), "once", partial(panel.allowed.emit, number, "once")),
            (False, tr("Allow in This Chat"), "chat", partial(panel.allowed.emit, number, "chat")),
            (False, tr("Always"), "always", partial(panel.allowed.emit, number, "always")),
            (False, tr("Refuse"), "refuse", partial(panel.refused.emit, number)),
        ]


class _Arguments(QPlainTextEdit):
    """Some lines of text, as many as it has at its width, within limits."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._show_lines(1)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_lines(round(self.document().size().height()))  # a plain text's height counts lines

    def _show_lines(self, lines: int) -> None:
        fits = lines <= MOST_LINES
        policy = Qt.ScrollBarPolicy.ScrollBarAlwaysOff if fits else Qt.ScrollBarPolicy.ScrollBarAsNeeded
        self.setVerticalScrollBarPolicy(policy)
        shown = max(1, min(MOST_LINES, lines))
        self.setFixedHeight(QFontMetrics(self.font()).lineSpacing() * shown + AROUND)


def _state_words(pending: PendingCall) -> str:
    words = {
        "asking": tr("wants to run"),
        "running": tr("Running…"),
        "unknown": tr("Outcome unknown"),
    }
    return words.get(pending.state, "")


def _arguments(pending: PendingCall) -> QPlainTextEdit:
    """Return what is passed to the tool, to be read: one line for each, texts as they are."""
    text = "\n".join(f"{name}: {_readable(value)}" for name, value in pending.given.items())
    field = _Arguments(text[:MOST_SHOWN])
    field.setReadOnly(True)
    field.setTabChangesFocus(True)
    field.setAccessibleName(tr("What is passed to {tool}").format(tool=pending.title))
    never_scroll_sideways(field)
    return field


def _readable(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
