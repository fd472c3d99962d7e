"""Spelling in fields where people write: waves under what is wrong, and in the context menu what may be meant."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent, QLocale, QObject, QPoint, QTimer, Signal
from PySide6.QtGui import QAction, QContextMenuEvent, QTextBlock, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QMenu, QPlainTextEdit, QTextEdit

from tavern_desktop.session.runner import Outcome
from tavern_desktop.session.spelling import (
    Speller,
    Word,
    dictionaries,
    keep_own_word,
    languages_for,
    read_own_words,
    words_of,
)
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.ui.services import Services
from tavern_desktop.ui.theme import themes
from tavern_desktop.ui.utf16 import characters, units

PAUSE_MS = 250
"""Milliseconds without a key after which what is on screen is looked at."""
LONGEST_BLOCK = 20_000
"""Characters of a paragraph beyond which it is no prose that somebody is writing."""
LANE = "spelling"


class Spelling(QObject):
    """The dictionaries in use, for all windows. Read off the window's thread when somebody first types."""

    changed = Signal()
    """Other words are right now."""

    def __init__(self, services: Services, parent: QObject) -> None:
        super().__init__(parent)
        self._services = services
        self._speller: Speller | None = None
        self._is_reading = False
        self._settings = self._wanted()
        services.settings_changed.connect(self._look_at_settings)

    @property
    def is_on(self) -> bool:
        return self._services.settings.spelling

    @property
    def speller(self) -> Speller | None:
        """What checks, None while it is off or being read; asking for it has it read."""
        if not self.is_on:
            return None
        if self._speller is None and not self._is_reading:
            self._read()
        return self._speller

    def turn(self, on: bool) -> None:
        """Check spelling, or no longer."""
        self._services.change_setting("spelling", on)

    def learn(self, word: str, *, knows: bool = True) -> None:
        """Take a word for right from now on, or no longer, and keep that."""
        speller = self._speller
        if speller is None:
            return
        (speller.learn if knows else speller.unlearn)(word)
        self.changed.emit()
        work = partial(keep_own_word, self._services.folders.config, word, knows=knows)
        self._services.runner.submit(work, self._written, lane=LANE)

    def _wanted(self) -> tuple[bool, tuple[str, ...]]:
        settings = self._services.settings
        return settings.spelling, settings.spelling_languages

    def _look_at_settings(self) -> None:
        if self._settings != self._wanted():
            self._settings = self._wanted()
            self._speller = None
            self.changed.emit()

    def _read(self) -> None:
        self._is_reading = True
        chosen, folder = self._services.settings.spelling_languages, self._services.folders.config
        of_system = QLocale.system().name()

        def work() -> Speller:
            there = dictionaries()
            return Speller(languages_for(chosen, of_system, there), there, read_own_words(folder))

        self._services.runner.submit(work, partial(self._take, chosen))

    def _take(self, chosen: tuple[str, ...], outcome: Outcome[Speller]) -> None:
        self._is_reading = False
        speller = outcome.result()
        if chosen == self._services.settings.spelling_languages:
            self._speller = speller
        self.changed.emit()

    def _written(self, outcome: Outcome[None]) -> None:
        if isinstance(outcome.error, StorageError):
            reason = sentence(outcome.error)
            self._services.messages.warning(self.tr("The word could not be kept: {reason}").format(reason=reason))
        else:
            outcome.result()


class SpellMarks(QObject):
    """Marks what is wrong in one field, as far as it is on screen, and extends its context menu. Owner: the field."""

    def __init__(self, field: QPlainTextEdit, spelling: Spelling) -> None:
        super().__init__(field)
        self._field = field
        self._spelling = spelling
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(PAUSE_MS)
        self._timer.timeout.connect(self.mark)
        field.document().contentsChanged.connect(self._later)
        field.cursorPositionChanged.connect(self._later)
        field.verticalScrollBar().valueChanged.connect(self._later)
        spelling.changed.connect(self._later)
        themes().changed.connect(self._later)
        field.installEventFilter(self)
        field.viewport().installEventFilter(self)
        self._later()

    def mark(self) -> None:
        """Put waves under the words on screen that are wrong; not under the one that is being written."""
        speller = self._spelling.speller if not self._field.document().isEmpty() else None
        wrong = [] if speller is None else [self._wave(block, word) for block, word in self._wrong(speller)]
        if wrong or self._field.extraSelections():
            self._field.setExtraSelections(wrong)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ContextMenu and isinstance(event, QContextMenuEvent):
            self._show_menu(event)
            return True
        return False

    def menu_at(self, cursor: QTextCursor) -> QMenu:
        """Return the field's context menu with what can be done about the word at `cursor` before all else."""
        menu: QMenu = self._field.createStandardContextMenu()
        first = menu.actions()[0]
        speller = self._spelling.speller
        word = _word_at(cursor)
        if speller is not None and word is not None:
            for act in self._acts_for(speller, cursor.block(), word, menu):
                menu.insertAction(first, act)
        menu.addSeparator()
        check = menu.addAction(self.tr("Check Spelling"))
        check.setCheckable(True)
        check.setChecked(self._spelling.is_on)
        check.triggered.connect(self._spelling.turn)
        return menu

    def _later(self) -> None:
        # Nothing to look at and nothing to take away: dictionaries are not read for an empty field.
        if not self._field.document().isEmpty() or self._field.extraSelections():
            self._timer.start()

    def _wrong(self, speller: Speller) -> list[tuple[QTextBlock, Word]]:
        field, found = self._field, []
        block = field.cursorForPosition(QPoint(0, 0)).block()
        last = field.cursorForPosition(QPoint(0, field.viewport().height())).block()
        cursor = field.textCursor()
        writing = cursor.position() if field.hasFocus() and not cursor.hasSelection() else -1
        while block.isValid():
            if block.length() <= LONGEST_BLOCK:
                at = writing - block.position()
                wrong = speller.wrong_words(block.text())
                written = characters(block.text(), at) if at >= 0 else -1
                found += [(block, word) for word in wrong if word.end != written]
            if block == last:
                break
            block = block.next()
        return found

    def _wave(self, block: QTextBlock, word: Word) -> QTextEdit.ExtraSelection:
        wave = QTextEdit.ExtraSelection()
        wave.cursor = _cursor_of(block, word)
        look = QTextCharFormat()
        look.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
        look.setUnderlineColor(themes().current.danger)
        wave.format = look
        return wave

    def _show_menu(self, event: QContextMenuEvent) -> None:
        cursor = self._field.textCursor()
        place = event.globalPos()
        if event.reason() == QContextMenuEvent.Reason.Mouse:
            cursor = self._field.cursorForPosition(self._field.viewport().mapFromGlobal(place))
        else:
            corner = self._field.cursorRect(cursor).bottomLeft()
            place = self._field.viewport().mapToGlobal(corner)
        menu = self.menu_at(cursor)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(place)

    def _acts_for(self, speller: Speller, block: QTextBlock, word: Word, menu: QMenu) -> list[QAction]:
        if speller.is_right(word.text):
            if word.text not in speller.own:
                return []
            text = self.tr("Remove “{word}” from the Dictionary").format(word=word.text)
            forget = _act(menu, text, lambda: self._spelling.learn(word.text, knows=False))
            return [forget, _separator(menu)]
        acts = []
        for suggestion in speller.suggestions(word.text):
            act = _act(menu, suggestion, partial(self._replace, block, word, suggestion))
            font = act.font()
            font.setBold(True)
            act.setFont(font)
            acts.append(act)
        if not acts:
            none = _act(menu, self.tr("No Suggestions"))
            none.setEnabled(False)
            acts.append(none)
        text = self.tr("Add “{word}” to the Dictionary").format(word=word.text)
        learn = _act(menu, text, lambda: self._spelling.learn(word.text))
        return [*acts, _separator(menu), learn, _separator(menu)]

    def _replace(self, block: QTextBlock, word: Word, suggestion: str) -> None:
        _cursor_of(block, word).insertText(suggestion)


def _word_at(cursor: QTextCursor) -> Word | None:
    if cursor.block().length() > LONGEST_BLOCK:
        return None
    at = characters(cursor.block().text(), cursor.positionInBlock())
    return next((word for word in words_of(cursor.block().text()) if word.start <= at <= word.end), None)


def _cursor_of(block: QTextBlock, word: Word) -> QTextCursor:
    """Return a cursor that has the word selected."""
    text = block.text()
    start = block.position() + units(text[: word.start])
    cursor = QTextCursor(block)
    cursor.setPosition(start)
    cursor.setPosition(start + units(word.text), QTextCursor.MoveMode.KeepAnchor)
    return cursor


def _act(menu: QMenu, text: str, do: Callable[[], object] | None = None) -> QAction:
    act = QAction(text.replace("&", "&&"), menu)
    if do is not None:
        act.triggered.connect(lambda: do())
    return act


def _separator(menu: QMenu) -> QAction:
    act = QAction(menu)
    act.setSeparator(True)
    return act
