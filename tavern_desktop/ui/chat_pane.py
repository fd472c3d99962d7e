"""The middle of the window: header, banner, what is in view, composer. Layout only."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QStackedWidget, QVBoxLayout, QWidget

from tavern_desktop.ui.actions import Act
from tavern_desktop.ui.banner import Banner
from tavern_desktop.ui.chat.view import ChatView
from tavern_desktop.ui.chat_header import ChatHeader
from tavern_desktop.ui.composer import ComposerArea
from tavern_desktop.ui.empty_chat import EmptyChat
from tavern_desktop.ui.failed_panel import FailedPanel
from tavern_desktop.ui.find_bar import FindBar
from tavern_desktop.ui.loading_line import LoadingLine
from tavern_desktop.ui.undo_bar import UndoBar
from tavern_desktop.ui.welcome import WelcomePage
from tavern_desktop.ui.widgets import label

HINT_ROOM = 56
"""Pixels at the foot of the surface that its own hints need."""

Page = Literal["surface", "failed", "welcome", "nothing"]


class ChatPane(QWidget):
    """Owner: the main window. The desk decides what is shown."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("chatPane")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.header = ChatHeader()
        self.find_bar = FindBar()
        self.banner = Banner()
        self.view = ChatView()
        self.loading = LoadingLine()
        self.undo_bar = UndoBar()
        self.empty = EmptyChat()
        self.failed = FailedPanel()
        self.welcome = WelcomePage()
        self.composer = ComposerArea()
        self._pages = QStackedWidget()
        self._shown: Page = "nothing"
        self._lay_out()
        self.show_page("nothing")

    @property
    def page(self) -> Page:
        return self._shown

    def show_page(self, page: Page) -> None:
        """Bring one of the pages to the front, with what belongs to it."""
        self._shown = page
        self._pages.setCurrentWidget(self._page_widgets[page])
        self.header.setVisible(page in ("surface", "failed"))
        self.composer.setVisible(page in ("surface", "failed"))
        self.composer.setEnabled(page == "surface")
        if page != "surface":
            self.find_bar.close_bar()
            self.undo_bar.hide()
            self.loading.stop()

    def show_above_composer(self, widget: QWidget) -> None:
        """Put something between the chat and the composer; it shows itself when it has something to say."""
        self._column.insertWidget(self._column.indexOf(self.composer), widget)

    def _lay_out(self) -> None:
        surface = QWidget()
        over = QGridLayout(surface)
        over.setContentsMargins(0, 0, 0, 0)
        over.addWidget(self.view, 0, 0, 2, 1)
        over.addWidget(self.empty, 0, 0, Qt.AlignmentFlag.AlignCenter)
        over.addWidget(self.loading, 0, 0, Qt.AlignmentFlag.AlignTop)
        over.addWidget(self.undo_bar, 0, 0, Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignHCenter)
        over.setRowStretch(0, 1)
        over.setRowMinimumHeight(1, HINT_ROOM)
        self._page_widgets: dict[Page, QWidget] = {
            "surface": surface,
            "failed": self.failed,
            "welcome": self.welcome,
            "nothing": self._nothing(),
        }
        for widget in self._page_widgets.values():
            self._pages.addWidget(widget)
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for widget in (self.header, self.find_bar, self.banner):
            column.addWidget(widget)
        column.addWidget(self._pages, 1)
        column.addWidget(self.composer)

    def _nothing(self) -> QWidget:
        page = QWidget()
        text = self.tr("Choose a chat on the left, or press {key} to jump to one.").format(key=Act.JUMP.keys_text)
        sentence = label(text, "muted", wrap=True)
        sentence.setAlignment(Qt.AlignmentFlag.AlignCenter)
        column = QVBoxLayout(page)
        column.addWidget(sentence)
        return page
