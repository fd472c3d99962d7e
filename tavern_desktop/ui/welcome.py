"""The first page: where the chats are. Everything works without choosing, on our own folder with a sample."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from tavern_desktop.library.found_roots import FoundRoot
from tavern_desktop.ui.icons import application_icon
from tavern_desktop.ui.widgets import ElidedLabel, Sign, label

COLUMN = 560


class WelcomePage(QScrollArea):
    """Owner: the chat pane. Also takes folders that are dropped; see the main window for that."""

    folder_chosen = Signal(Path)
    sample_chosen = Signal()
    model_requested = Signal()
    """A model to talk to is wanted."""
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
            title = self.tr("Open my {program} folder").format(program=one.program)
            button = self._choice(title, str(one.root.path), "folder", partial(self.folder_chosen.emit, one.root.path))
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
            self.tr("Start here with a sample"),
            self.tr("Two characters and three chats, in a folder of its own"),
            "chat",
            self.sample_chosen.emit,
        )
        self.other = self._choice(
            self.tr("Choose a folder…"),
            self.tr("A SillyTavern or TauriTavern folder; it can also be dropped on this window"),
            "plus",
            self.other_requested.emit,
        )
        self.model = self._choice(
            self.tr("Connect a model…"),
            self.tr("A server on this computer, a model file, or a service with a key"),
            "link",
            self.model_requested.emit,
        )
        for choice in (self.sample, self.other, self.model):
            column.addWidget(choice)

    def _choice(self, title: str, detail: str, sign: str, on_click: Callable[[], object]) -> QPushButton:
        button = ChoiceButton(title, detail, sign)
        button.clicked.connect(lambda: on_click())
        return button


class ChoiceButton(QPushButton):
    """A large button with a title and a quiet line under it."""

    def __init__(self, title: str, detail: str, sign: str) -> None:
        super().__init__()
        self.setProperty("kind", "choice")
        self.setAccessibleName(f"{title}: {detail}")
        self.setToolTip(detail)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(16, 11, 16, 11)
        self._row.setSpacing(14)
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addWidget(label(title))
        words.addWidget(ElidedLabel(detail, "muted"))
        self._row.addWidget(Sign(sign, "accent", 22))
        self._row.addLayout(words, 1)
        for child in self.findChildren(QWidget):
            child.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def sizeHint(self) -> QSize:
        return self._row.sizeHint()
