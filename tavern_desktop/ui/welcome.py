"""The first page: where the chats are. Everything works without choosing, on our own folder with a sample."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from tavern_desktop.library.found_roots import FoundRoot
from tavern_desktop.ui.about import application_icon
from tavern_desktop.ui.icons import icon
from tavern_desktop.ui.widgets import label, push_button

COLUMN = 560


class WelcomePage(QScrollArea):
    """Owner: the chat pane. Also takes folders that are dropped; see the main window for that."""

    folder_chosen = Signal(Path)
    sample_chosen = Signal()
    other_requested = Signal()
    """A dialog to choose a folder is wanted."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("welcomePage")
        self.setWidgetResizable(True)
        self._found_text = label(tone="section")
        self._found = QVBoxLayout()
        self._found.setSpacing(8)
        self._found_buttons: list[QPushButton] = []
        page = QWidget()
        page.setObjectName("scrolled")
        around = QHBoxLayout(page)
        around.setContentsMargins(24, 24, 24, 24)
        around.addStretch(1)
        column = QVBoxLayout()
        column.setSpacing(8)
        column.addStretch(2)
        self._fill(column)
        column.addStretch(3)
        holder = QWidget()
        holder.setLayout(column)
        holder.setMaximumWidth(COLUMN)
        around.addWidget(holder, 1000)
        around.addStretch(1)
        self.setWidget(page)
        self.show_found([])

    def show_found(self, found: Sequence[FoundRoot]) -> None:
        """List the folders of SillyTavern and TauriTavern on this computer."""
        for button in self._found_buttons:
            self._found.removeWidget(button)
            button.deleteLater()
        self._found_buttons = []
        for one in found:
            text = self.tr("Open my {program} folder\n{path}").format(program=one.program, path=one.root.path)
            button = self._choice(text, "folder", partial(self.folder_chosen.emit, one.root.path))
            self._found.addWidget(button)
            self._found_buttons.append(button)
        self._found_text.setVisible(bool(found))
        self._found_text.setText(self.tr("Found on this computer"))

    def focus_first(self) -> None:
        """Put the keyboard on the first choice."""
        (self._found_buttons or [self.sample])[0].setFocus(Qt.FocusReason.OtherFocusReason)

    def _fill(self, column: QVBoxLayout) -> None:
        sign = QLabel()
        sign.setPixmap(application_icon().pixmap(QSize(64, 64), self.devicePixelRatio()))
        sign.setContentsMargins(0, 0, 0, 8)
        column.addWidget(sign)
        column.addWidget(label(self.tr("Welcome to Tavern Desktop"), "title"))
        sentence = self.tr(
            "Your chats stay where they are, in SillyTavern’s own files. Choose the folder they are in, "
            "or look around first with a small sample."
        )
        shown = label(sentence, wrap=True)
        shown.setContentsMargins(0, 0, 0, 14)
        column.addWidget(shown)
        column.addWidget(self._found_text)
        column.addLayout(self._found)
        self.sample = self._choice(
            self.tr("Start here with a sample\nTwo characters and three chats, in a folder of its own"),
            "chat",
            self.sample_chosen.emit,
        )
        self.other = self._choice(
            self.tr("Choose a folder…\nA SillyTavern or TauriTavern folder, or drop one on this window"),
            "plus",
            self.other_requested.emit,
        )
        column.addWidget(self.sample)
        column.addWidget(self.other)

    def _choice(self, text: str, sign: str, on_click: object) -> QPushButton:
        button = push_button(text, "choice")
        button.setIcon(icon(sign, "accent"))
        button.setIconSize(QSize(22, 22))
        button.setAccessibleName(text.replace("\n", ": "))
        button.setToolTip(text.split("\n")[-1])
        button.clicked.connect(lambda: on_click())  # type: ignore[operator]
        return button
