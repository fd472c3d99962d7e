"""Whose chat this is: avatar, name, the chat's title and size, and a menu."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QHBoxLayout, QWidget

from tavern_desktop.ui.avatars import paint_avatar
from tavern_desktop.ui.widgets import ElidedLabel, icon_button, push_button

HEIGHT = 52
AVATAR = 32
MODEL_WIDTH = 200
"""Pixels a model's name may have; long ones are shortened in the middle."""


class AvatarBox(QWidget):
    """A picture with round corners, or a coloured square with an initial."""

    def __init__(self, side: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedSize(QSize(side, side))
        self._name = ""
        self._picture: QPixmap | None = None

    def show_avatar(self, name: str, picture: QPixmap | None) -> None:
        """Show this picture, or the initial of `name` where there is none."""
        self._name, self._picture = name, picture
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_avatar(QPainter(self), QRectF(self.rect()), self._name, self._picture)


class ChatHeader(QWidget):
    """Owner: the chat pane."""

    menu_requested = Signal(object)
    """The global position for the menu."""
    model_requested = Signal(object)
    """The global position for the choice of a model."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("chatHeader")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedHeight(HEIGHT)
        self.avatar = AvatarBox(AVATAR)
        self.title = ElidedLabel(tone="strong")
        self.details = ElidedLabel(tone="muted")
        self.model = push_button("", "model", self._ask_for_model)
        self.model.setObjectName("modelButton")
        self.show_model("")
        self._menu = icon_button("more", self.tr("Chat menu"), self._ask_for_menu)
        row = QHBoxLayout(self)
        row.setContentsMargins(22, 0, 14, 0)
        row.setSpacing(0)
        row.addWidget(self.avatar)
        row.addSpacing(12)
        row.addWidget(self.title)
        row.addSpacing(6)
        row.addWidget(self.details, 1)
        row.addWidget(self.model)
        row.addSpacing(4)
        row.addWidget(self._menu)

    def show_chat(self, name: str, title: str, messages: int | None) -> None:
        """Say whose chat it is; `messages` is None while that is not known."""
        parts = [title] if title else []
        if messages is not None:
            count = self.locale().toString(messages)
            parts.append(self.tr("1 message") if messages == 1 else self.tr("{count} messages").format(count=count))
        self.title.setText(name)
        self.details.setText(" · ".join(["", *parts]).strip() if parts else "")
        self.setAccessibleName(" ".join([name, *parts]))

    def show_model(self, name: str, tip: str = "") -> None:
        """Say which model answers in this chat, "" for none."""
        shown = self.fontMetrics().elidedText(name, Qt.TextElideMode.ElideMiddle, MODEL_WIDTH)
        self.model.setText(f"{shown or self.tr('No model')} ▾")
        self.model.setToolTip(tip or self.tr("Choose the model that answers"))
        self.model.setAccessibleName(self.tr("Model: {name}").format(name=name or self.tr("none")))

    def _ask_for_model(self) -> None:
        self.model_requested.emit(self.model.mapToGlobal(self.model.rect().bottomLeft()))

    def _ask_for_menu(self) -> None:
        self.menu_requested.emit(self._menu.mapToGlobal(self._menu.rect().bottomLeft()))
