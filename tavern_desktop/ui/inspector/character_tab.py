"""The card of the character whose chat is in view, to be read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from tavern_desktop.library.card_file import CardError, read_card, text_field
from tavern_desktop.session.runner import Outcome
from tavern_desktop.ui.chat_header import AvatarBox
from tavern_desktop.ui.services import Services
from tavern_desktop.ui.widgets import label

AVATAR = 72


@dataclass(frozen=True)
class CardTexts:
    """What the tab shows of a card. `problem` is a sentence where it cannot be read."""

    name: str
    description: str = ""
    greeting: str = ""
    problem: str = ""


def read_texts(path: Path) -> CardTexts:
    """Read a card's texts. Runs on any thread."""
    try:
        card = read_card(path)
    except CardError as error:
        return CardTexts(path.stem, problem=str(error))
    except OSError as error:
        return CardTexts(path.stem, problem=f"The card could not be read: {error.strerror or error}.")
    name = text_field(card, "name") or path.stem
    return CardTexts(name, text_field(card, "description"), text_field(card, "first_mes"))


class CharacterTab(QScrollArea):
    """Owner: the inspector."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._services = services
        self._stem = ""
        self._texts = CardTexts("")
        self.avatar = AvatarBox(AVATAR)
        self.name = label(tone="strong", wrap=True)
        self.problem = label(tone="danger", wrap=True)
        self.description = self._text()
        self.greeting = self._text()
        self._description_title = label(self.tr("Description"), "section")
        self._greeting_title = label(self.tr("Greeting"), "section")
        self._lay_out()
        services.avatars.loaded.connect(self._show_picture)
        self._show()

    def show_character(self, stem: str) -> None:
        """Show the card of another character; "" shows that there is none."""
        if stem == self._stem:
            return
        self._stem = stem
        if not stem:
            self._texts = CardTexts("")
            self._show()
            return
        path = self._path()
        self._services.runner.submit(lambda: read_texts(path), lambda outcome: self._keep(stem, outcome))

    def _path(self) -> Path:
        return self._services.root.characters / f"{self._stem}.png"

    def _keep(self, stem: str, outcome: Outcome[CardTexts]) -> None:
        if stem == self._stem:
            self._texts = outcome.result()
            self._show()

    def _show(self) -> None:
        texts = self._texts
        self.name.setText(texts.name or self.tr("No character in this chat."))
        for title, shown, text in (
            (self._description_title, self.description, texts.description),
            (self._greeting_title, self.greeting, texts.greeting),
        ):
            title.setVisible(bool(text))
            shown.setVisible(bool(text))
            shown.setText(text)
        self.problem.setText(texts.problem)
        self.problem.setVisible(bool(texts.problem))
        self._show_picture()

    def _show_picture(self) -> None:
        self.avatar.setVisible(bool(self._texts.name))
        path = self._path() if self._stem else None
        picture = self._services.avatars.picture(path, AVATAR, self.devicePixelRatioF())
        self.avatar.show_avatar(self._texts.name, picture)

    def _text(self) -> QLabel:
        shown = label(tone="body", wrap=True)
        shown.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        return shown

    def _lay_out(self) -> None:
        page = QWidget()
        page.setObjectName("scrolled")
        top = QHBoxLayout()
        top.setSpacing(14)
        top.addWidget(self.avatar, 0, Qt.AlignmentFlag.AlignTop)
        top.addWidget(self.name, 1)
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 4, 6, 8)
        column.setSpacing(6)
        column.addLayout(top)
        column.addWidget(self.problem)
        for title, shown in ((self._description_title, self.description), (self._greeting_title, self.greeting)):
            column.addSpacing(8)
            column.addWidget(title)
            column.addWidget(shown)
        column.addStretch(1)
        self.setWidget(page)
