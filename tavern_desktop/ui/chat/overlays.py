"""The few real widgets that float over the surface: Show more, the way to the end, the words of selection mode."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QLabel, QToolButton

from tavern_desktop.ui.icons import icon
from tavern_desktop.ui.widgets import label, push_button

if TYPE_CHECKING:
    from tavern_desktop.ui.chat.view import ChatView

HEADER_HEIGHT = 48
"""Room for *Show more* above the first row."""
MARGIN = 16


class Overlays:
    """Owner: the view, which says when to look again."""

    def __init__(self, view: ChatView) -> None:
        self._view = view
        self.unread = 0
        """Messages that came while the reader was further up."""
        self.more = push_button("", "pill", view.show_more)
        self.more.setParent(view.viewport())
        self.more.setObjectName("showMoreButton")
        self.more.setCursor(Qt.CursorShape.PointingHandCursor)
        self.more.hide()
        self.end = QToolButton(view)
        self.end.setObjectName("endButton")
        self.end.setIcon(icon("arrow-down"))
        self.end.setIconSize(QSize(18, 18))
        self.end.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.end.setCursor(Qt.CursorShape.PointingHandCursor)
        self.end.clicked.connect(view.go_to_end)
        self.end.hide()
        self.hint: QLabel = label(tone="muted")
        self.hint.setParent(view)
        self.hint.setObjectName("selectionHint")
        self.hint.hide()

    def restyle(self) -> None:
        """Take the colours of the view's theme."""
        theme = self._view.context.theme
        pill = f"background: {theme.raised.name()}; border: 1px solid {theme.line.name()};"
        self.end.setStyleSheet(
            f"QToolButton {{ {pill} border-radius: 18px; min-width: 26px; min-height: 26px; padding: 4px;"
            f" color: {theme.accent.name()}; }} QToolButton:hover {{ background: {theme.accent_soft.name()}; }}"
        )
        self.hint.setStyleSheet(f"QLabel {{ {pill} border-radius: 10px; padding: 5px 14px; }}")

    def place(self) -> None:
        self._place_more()
        self._place_end()
        self._place_hint()

    def _place_more(self) -> None:
        view, earlier = self._view, self._view.earlier
        if not earlier:
            self.more.hide()
            return
        locale = view.context.locale
        step = min(view.mounted_count, earlier)
        text = view.tr("Show {0} more · {1} earlier").format(locale.toString(step), locale.toString(earlier))
        if self.more.text() != text:
            self.more.setText(text)
            self.more.setToolTip("")
        size = self.more.sizeHint()
        rows = view.row_rect(0)
        x = rows.left() + (rows.width() - size.width()) // 2
        self.more.setGeometry(x, 10 - view.places.value, size.width(), size.height())
        self.more.setVisible(view.places.value < HEADER_HEIGHT)

    def _place_end(self) -> None:
        view, places = self._view, self._view.places
        away = places.maximum - places.value
        if places.at_end or away <= view.viewport().height() // 4:
            self.end.hide()
            if places.at_end:
                self.unread = 0
            return
        text = view.context.locale.toString(self.unread) if self.unread else ""
        if self.end.text() != text or not self.end.accessibleName():
            self.end.setText(text)
            beside, only = Qt.ToolButtonStyle.ToolButtonTextBesideIcon, Qt.ToolButtonStyle.ToolButtonIconOnly
            self.end.setToolButtonStyle(beside if text else only)
            name = view.tr("To the newest message")
            self.end.setAccessibleName(f"{name}, {view.tr('{0} new').format(text)}" if text else name)
            self.end.setToolTip(name)
        size = self.end.sizeHint()
        area = view.viewport().geometry()
        self.end.setGeometry(
            area.right() - MARGIN - size.width(), area.bottom() - MARGIN - size.height(), size.width(), size.height()
        )
        self.end.show()
        self.end.raise_()

    def _place_hint(self) -> None:
        view, mode = self._view, self._view.selection_mode
        if not mode.is_on:
            self.hint.hide()
            return
        count = len(mode.keys())
        chosen = view.tr("{0} messages").format(view.context.locale.toString(count)) if count > 1 else ""
        keys = view.tr("E edit · H hide · Del delete · Space fold · Esc leaves")
        self.hint.setText(" · ".join(part for part in (chosen, keys) if part))
        size = self.hint.sizeHint()
        area = view.viewport().geometry()
        self.hint.setGeometry(
            area.center().x() - size.width() // 2, area.bottom() - MARGIN - size.height(), size.width(), size.height()
        )
        self.hint.show()
        self.hint.raise_()
