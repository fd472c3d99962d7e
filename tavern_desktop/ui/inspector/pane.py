"""The inspector: what stands behind the chat in view, one tab for each part."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from tavern_desktop.ui.inspector.character_tab import CharacterTab
from tavern_desktop.ui.services import Services
from tavern_desktop.ui.widgets import push_button

NARROWEST = 200


class Inspector(QWidget):
    """Owner: the main window."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("inspector")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setMinimumWidth(NARROWEST)
        self.character = CharacterTab(services)
        self._tabs = QButtonGroup(self)
        self._pages = QStackedWidget()
        row = QHBoxLayout()
        row.setSpacing(4)
        for number, (text, page) in enumerate(((self.tr("Character"), self.character),)):
            button = push_button(text, "tab")
            button.setCheckable(True)
            self._tabs.addButton(button, number)
            self._pages.addWidget(page)
            row.addWidget(button)
        row.addStretch(1)
        self._tabs.button(0).setChecked(True)
        self._tabs.idClicked.connect(self._pages.setCurrentIndex)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 12, 8, 0)
        column.setSpacing(8)
        column.addLayout(row)
        column.addWidget(self._pages, 1)
