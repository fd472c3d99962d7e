"""One quiet line above the chat: what happened, and what can be done about it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from tavern_desktop.ui.icons import Tone
from tavern_desktop.ui.widgets import Sign, icon_button, label, push_button, set_tone

Button = tuple[str, Callable[[], object]]
"""A button's text and what it does; pressing one takes the notice away first, unless it only shows something."""


@dataclass(frozen=True)
class Notice:
    """What the banner says. A notice with the same `key` replaces the earlier one."""

    text: str
    buttons: Sequence[Button] = ()
    tone: Literal["info", "warning", "danger"] = "info"
    key: str = ""
    looks: Collection[str] = ()
    """The texts of buttons that only show something: after these the notice is still there."""


_ICONS: dict[str, tuple[str, Tone]] = {
    "info": ("info", "accent"),
    "warning": ("warning", "warn"),
    "danger": ("warning", "danger"),
}


class Banner(QWidget):
    """Shows the newest notice; when it is dismissed the one before it comes back."""

    def __init__(self, parent: QWidget | None = None, *, inset: int = 22) -> None:
        """`inset`: pixels left free at either side, as over the chat; the upper edge is then free too."""
        super().__init__(parent)
        self._notices: list[Notice] = []
        self._frame = QFrame()
        self._frame.setObjectName("banner")
        self._icon = Sign("info", "accent", 18)
        self._text = label(wrap=True)
        self._text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._buttons = QHBoxLayout()
        self._buttons.setSpacing(4)
        self._shown_buttons: list[QPushButton] = []
        self._are_below = False
        """The buttons stand below the text, where there is no room for them behind it."""
        self._close = icon_button("close", self.tr("Dismiss"), self._dismiss)
        self._grid = QGridLayout(self._frame)
        self._grid.setContentsMargins(12, 5, 6, 5)
        self._grid.setHorizontalSpacing(10)
        self._grid.setVerticalSpacing(2)
        self._grid.setColumnStretch(1, 1)
        self._grid.addWidget(self._icon, 0, 0)
        self._grid.addWidget(self._text, 0, 1)
        self._grid.addLayout(self._buttons, 0, 2)
        self._grid.addWidget(self._close, 0, 3)
        around = QVBoxLayout(self)
        around.setContentsMargins(inset, 8 if inset else 0, inset, 0)
        around.addWidget(self._frame)
        self.hide()

    @property
    def text(self) -> str:
        """What is shown now, "" for nothing."""
        return self._notices[-1].text if self._notices else ""

    @property
    def buttons(self) -> list[QPushButton]:
        """The buttons shown now."""
        return list(self._shown_buttons)

    def show_notice(self, notice: Notice) -> None:
        """Show `notice` in front of the others."""
        self._notices = [held for held in self._notices if not notice.key or held.key != notice.key]
        self._notices.append(notice)
        self._show_newest()

    def show_behind(self, notice: Notice) -> None:
        """Show `notice` unless something more urgent is shown: then once that is dismissed."""
        if self._notices and self._notices[-1].tone != "info":
            self._notices = [held for held in self._notices if not notice.key or held.key != notice.key]
            self._notices.insert(len(self._notices) - 1, notice)
        else:
            self.show_notice(notice)

    def take_away(self, key: str) -> None:
        """Forget the notice with this key; one that is not there is fine."""
        self._notices = [held for held in self._notices if held.key != key]
        self._show_newest()

    def clear(self) -> None:
        """Forget everything, as when another chat comes into view."""
        self._notices = []
        self._show_newest()

    def _dismiss(self) -> None:
        self._notices.pop()
        self._show_newest()

    def _press(self, notice: Notice, act: Callable[[], object]) -> None:
        self._notices = [held for held in self._notices if held is not notice]
        self._show_newest()
        act()

    def _show_newest(self) -> None:
        for button in self._shown_buttons:
            self._buttons.removeWidget(button)
            button.hide()
            button.deleteLater()
        self._shown_buttons = []
        self.setVisible(bool(self._notices))
        if not self._notices:
            return
        notice = self._notices[-1]
        name, tone = _ICONS[notice.tone]
        self._icon.show_icon(name, tone)
        self._text.setText(notice.text)
        self._frame.setAccessibleName(notice.text)
        set_tone(self._frame, notice.tone)
        for text, act in notice.buttons:
            press = act if text in notice.looks else partial(self._press, notice, act)
            button = push_button(text, "quiet", press)
            self._shown_buttons.append(button)
            self._buttons.addWidget(button)
        self._arrange()

    def _arrange(self) -> None:
        """Put the buttons below the text if both do not fit on one line."""
        margins = self._grid.contentsMargins()
        width = self._frame.width() - margins.left() - margins.right()
        parts = [self._icon.width(), self._text.fontMetrics().horizontalAdvance(self._text.text())]
        parts += [button.sizeHint().width() for button in self._shown_buttons]
        parts.append(self._close.sizeHint().width())
        gaps = 3 * self._grid.horizontalSpacing() + len(self._shown_buttons) * self._buttons.spacing()
        are_below = bool(self._shown_buttons) and sum(parts) + gaps > width
        if are_below != self._are_below:
            self._are_below = are_below
            self._grid.removeItem(self._buttons)
            if are_below:
                self._grid.addLayout(self._buttons, 1, 1, 1, 3, Qt.AlignmentFlag.AlignRight)
            else:
                self._grid.addLayout(self._buttons, 0, 2)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()
