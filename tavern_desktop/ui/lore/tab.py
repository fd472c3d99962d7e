"""The lore of the chat in view: its books, and which of their entries are in the next request, and why."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QScrollArea, QVBoxLayout, QWidget

from tavern_desktop.library.card_fields import write_fields
from tavern_desktop.library.card_file import CardError
from tavern_desktop.library.characters import SUFFIX
from tavern_desktop.library.worlds import World, create_world
from tavern_desktop.session.header_commands import SetMetadata
from tavern_desktop.session.lore_books import BOOK_OF_CHAT, Books, book_from_card, books_of
from tavern_desktop.session.runner import Outcome
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.ui.inspector.prompt_data import PromptData
from tavern_desktop.ui.late_writer import why
from tavern_desktop.ui.lore.note import NoteEditor
from tavern_desktop.ui.lore.words import SOURCES, tr
from tavern_desktop.ui.services import Services
from tavern_desktop.ui.widgets import ElidedLabel, clear_layout, icon_button, label, push_button, set_tone

if TYPE_CHECKING:
    from tavern_desktop.ui.desk import ChatDesk

T = TypeVar("T")
LORE = "lore: "


class LoreTab(QScrollArea):
    """Owner: the inspector."""

    def __init__(self, services: Services, desk: ChatDesk, prompt: PromptData, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._services, self._desk, self._prompt = services, desk, prompt
        self.books = Books()
        self._number = 0
        self.said = label("", "danger", wrap=True)
        self.said.hide()
        self.choose_button = push_button(self.tr("Choose a Book…"), "plain", self._offer_books)
        self.note = NoteEditor(desk)
        self._books_column = _column(6)
        self._active_column = _column(8)
        self._left_column = _column(6)
        self._lay_out()
        prompt.changed.connect(self._show_entries)
        for changed in (desk.chat_changed, desk.state_changed):
            changed.connect(self._look)
            changed.connect(self.note.follow)
        services.files_changed.connect(lambda paths: self._look())

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._prompt.watch(self, True)
        self._look()
        self.note.follow()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._prompt.watch(self, False)

    def _lay_out(self) -> None:
        page = QWidget()
        page.setObjectName("scrolled")
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 4, 8, 12)
        column.setSpacing(8)
        column.addWidget(label(self.tr("Books in use here"), "section"))
        column.addLayout(self._books_column)
        column.addWidget(self.choose_button, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.said)
        column.addSpacing(10)
        column.addWidget(label(self.tr("In the next request"), "section"))
        column.addLayout(self._active_column)
        column.addSpacing(10)
        self._left_title = label(self.tr("Found, but left out"), "section")
        column.addWidget(self._left_title)
        column.addLayout(self._left_column)
        column.addSpacing(10)
        column.addWidget(self.note)
        column.addStretch(1)
        self.setWidget(page)

    # -- books ------------------------------------------------------------------------------------------------

    def _look(self) -> None:
        """Find out, away from the window, which books are in force."""
        session = self._desk.session
        chat = session.chat if session is not None else None
        if chat is None or not self.isVisible():
            return
        self._number += 1
        metadata, stem = chat.header.metadata(), self._desk.character
        work = partial(books_of, self._services.root, metadata, stem, self._services.persona.id)
        self._services.runner.submit(work, partial(self._take, self._number))

    def _take(self, number: int, outcome: Outcome[Books]) -> None:
        if number != self._number:
            return
        if isinstance(outcome.error, StorageError):
            self._fail(outcome.error)
            return
        self.books = outcome.result()
        self._show_books()

    def _show_books(self) -> None:
        clear_layout(self._books_column)
        for name, source in self.books.in_force:
            self._books_column.addWidget(self._row(name, source))
        if self.books.in_card:
            self._books_column.addWidget(self._card_row())
        if not self.books.in_force and not self.books.in_card:
            self._books_column.addWidget(label(self.tr("None yet."), "muted"))
        session = self._desk.session
        self.choose_button.setEnabled(session is not None and session.can_change)

    def _row(self, name: str, source: str) -> QWidget:
        row = QWidget()
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(4)
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(ElidedLabel(name))
        told = tr(SOURCES[source])
        is_missing = name in self.books.missing
        place = ElidedLabel(
            self.tr("{place} · its file is not here").format(place=told) if is_missing else told, "muted"
        )
        words.addWidget(place)
        line.addLayout(words, 1)
        edit = icon_button("pencil", self.tr("Edit {name}").format(name=name), partial(self.edit, name))
        edit.setEnabled(not is_missing)
        line.addWidget(edit)
        if source in ("chat", "character"):
            line.addWidget(
                icon_button("close", self.tr("Leave out {name}").format(name=name), partial(self.leave_out, source))
            )
        return row

    def _card_row(self) -> QWidget:
        row = QWidget()
        column = QVBoxLayout(row)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        count = self.books.in_card
        text = self.tr("1 entry in the card itself") if count == 1 else self.tr("{count} entries in the card itself")
        column.addWidget(label(text.format(count=count), wrap=True))
        make = push_button(self.tr("Make Them a Book"), "plain", self.make_book_of_card)
        make.setToolTip(self.tr("A file of their own can be edited, and SillyTavern uses it too"))
        column.addWidget(make, 0, Qt.AlignmentFlag.AlignLeft)
        return row

    def _offer_books(self) -> None:
        menu = QMenu(self)
        for_chat = menu.addMenu(self.tr("For This Chat"))
        self._fill(for_chat, self.use_in_chat)
        if self._desk.character:
            self._fill(menu.addMenu(self.tr("For the Character")), self.use_with_character)
        menu.popup(self.choose_button.mapToGlobal(QPoint(0, self.choose_button.height())))
        menu.aboutToHide.connect(menu.deleteLater)

    def _fill(self, menu: QMenu, use: Callable[[str], object]) -> None:
        menu.addAction(self.tr("New Book")).triggered.connect(partial(self._make_book, use))
        menu.addSeparator()
        for name in self.books.all_names:
            menu.addAction(name.replace("&", "&&")).triggered.connect(partial(_once, use, name))

    def use_in_chat(self, name: str) -> None:
        """Have the chat in view use this book, "" for none of its own. Undo takes it back."""
        session = self._desk.session
        if session is None or session.chat is None:
            return
        metadata = dict(session.chat.header.metadata())
        metadata.pop(BOOK_OF_CHAT, None)
        if name:
            metadata[BOOK_OF_CHAT] = name
        self._desk.commands.run(SetMetadata(metadata))
        self._look()

    def use_with_character(self, name: str) -> None:
        """Have the character in view bring this book along, "" for none."""
        card = self._services.root.characters / f"{self._desk.character}{SUFFIX}"
        self._do(partial(write_fields, card, {"world": name}), lambda _: self._prompt.build_soon())

    def leave_out(self, source: str) -> None:
        """Use no book of the chat, or of the character, any more; its file stays."""
        (self.use_in_chat if source == "chat" else self.use_with_character)("")

    def make_book_of_card(self) -> None:
        """Make the entries that are in the card a file of their own, and edit it."""
        self._do(partial(book_from_card, self._services.root, self._desk.character), self.edit)

    def edit(self, name: str) -> None:
        """Open the editor of a book."""
        from tavern_desktop.ui.lore.editor import LoreEditor

        editor = LoreEditor(self.window(), self._services, name)
        editor.written.connect(self._prompt.build_soon)
        editor.open()

    def _make_book(self, use: Callable[[str], object], _checked: bool = False) -> None:
        named = self._desk.heading

        def made(world: World) -> None:
            use(world.name)
            self.edit(world.name)

        self._do(lambda: create_world(self._services.root, named), made)

    def _do(self, work: Callable[[], T], done: Callable[[T], object]) -> None:
        def take(outcome: Outcome[T]) -> None:
            if isinstance(outcome.error, CardError | StorageError | OSError):
                self._fail(outcome.error)
                return
            self.said.hide()
            done(outcome.result())
            self._look()

        self._services.runner.submit(work, take)

    def _fail(self, error: CardError | StorageError | OSError) -> None:
        self.said.setText(why(error))
        self.said.show()

    # -- entries ----------------------------------------------------------------------------------------------

    def _show_entries(self) -> None:
        prompt, data = self._prompt.prompt, self._prompt
        if prompt is None and data.is_building:
            return  # what is shown stays until it is known better
        clear_layout(self._active_column)
        clear_layout(self._left_column)
        active = [part for part in prompt.parts if part.source.startswith(LORE)] if prompt is not None else []
        for part in active:
            tokens = self.tr("{count} tokens").format(count=self.locale().toString(part.tokens))
            self._active_column.addWidget(
                _entry(part.source.removeprefix(LORE), tokens, part.reason, part.message.text)
            )
        if not active:
            text = data.problem or self.tr("No entry: no key of one was said.")
            self._active_column.addWidget(label(text, "danger" if data.problem else "muted", wrap=True))
        left = [each for each in prompt.left_out if each.source.startswith(LORE)] if prompt is not None else []
        for each in left:
            self._left_column.addWidget(_entry(each.source.removeprefix(LORE), "", each.reason, ""))
        self._left_title.setVisible(bool(left))


def _column(spacing: int) -> QVBoxLayout:
    column = QVBoxLayout()
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(spacing)
    return column


def _entry(title: str, tokens: str, reason: str, text: str) -> QWidget:
    row = QWidget()
    column = QVBoxLayout(row)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(1)
    head = QHBoxLayout()
    name = ElidedLabel(title)
    set_tone(name, "strong")
    head.addWidget(name, 1)
    head.addWidget(label(tokens, "muted"))
    column.addLayout(head)
    column.addWidget(label(reason, "muted", wrap=True))
    if text:
        column.addWidget(ElidedLabel(" ".join(text.split()), "body"))
    row.setAccessibleName(", ".join(filter(None, (title, reason, tokens))))
    return row


def _once(use: Callable[[str], object], name: str, _checked: bool = False) -> None:
    use(name)
