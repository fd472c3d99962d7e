"""The inspector: what stands behind the chat in view, one tab for each part."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QButtonGroup, QStackedWidget, QVBoxLayout, QWidget

from tavern_desktop.ui.flow_layout import FlowLayout
from tavern_desktop.ui.services import Services
from tavern_desktop.ui.widgets import push_button

if TYPE_CHECKING:
    from tavern_desktop.ui.character.page import CharacterPage

NARROWEST = 264


class Inspector(QWidget):
    """Owner: the main window."""

    character_made = Signal()
    """`character` is there from now on."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("inspector")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setMinimumWidth(NARROWEST)
        self._services = services
        self._character: CharacterPage | None = None
        self._stem = ""
        self._chosen = 0
        self._tabs = QButtonGroup(self)
        self._pages = QStackedWidget()
        self._row = FlowLayout(4)
        self._rooms: list[QVBoxLayout] = []
        self._makers: dict[int, Callable[[], QWidget]] = {}
        """What makes the pages nobody has looked at yet, by their number."""
        self.add_tab(self.tr("Character"), lambda: self.character)
        self._tabs.button(0).setChecked(True)
        self._tabs.idClicked.connect(self.show_tab)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 12, 8, 0)
        column.setSpacing(8)
        column.addLayout(self._row)
        column.addWidget(self._pages, 1)

    @property
    def character(self) -> CharacterPage:
        """The page of the character whose chat is in view; made when it is first looked at."""
        if self._character is None:
            from tavern_desktop.ui.character.page import CharacterPage

            self._character = CharacterPage(self._services)
            self._character.show_character(self._stem)
            self.character_made.emit()
        return self._character

    def show_character(self, stem: str) -> None:
        """Turn to another character, "" for none."""
        self._stem = stem
        if self._character is not None:
            self._character.show_character(stem)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.show_tab(self._chosen)

    def add_tab(self, text: str, make: Callable[[], QWidget]) -> int:
        """Add a tab whose page is made when it is first shown; return its number."""
        number = len(self._tabs.buttons())
        button = push_button(text, "tab")
        button.setCheckable(True)
        self._tabs.addButton(button, number)
        self._row.addWidget(button)
        room = QWidget()
        self._rooms.append(QVBoxLayout(room))
        self._rooms[number].setContentsMargins(0, 0, 0, 0)
        self._pages.addWidget(room)
        self._makers[number] = make
        return number

    def show_tab(self, number: int) -> None:
        """Bring a tab to the front; its page is made once it can be seen."""
        self._chosen = number
        self._tabs.button(number).setChecked(True)
        if not self.isVisible():
            return
        if number in self._makers:
            self._rooms[number].addWidget(self._makers.pop(number)())
        self._pages.setCurrentIndex(number)
