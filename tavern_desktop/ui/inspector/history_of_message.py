"""The earlier texts of one message: when each was replaced, what differs from the present one, and a way back."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QDialog, QHBoxLayout, QListView, QPlainTextEdit, QStackedWidget, QVBoxLayout, QWidget

from tavern_desktop.chat.word_differences import Span, word_differences
from tavern_desktop.session.message_history import EarlierText
from tavern_desktop.ui.inspector.history_versions import PAST_ROLE, VersionPainter, VersionsModel
from tavern_desktop.ui.theme import blend, themes
from tavern_desktop.ui.utf16 import units
from tavern_desktop.ui.widgets import label, push_button

FIRST_SIZE = (820, 520)
LIST_WIDTH = 250
BEGINNING = 60
"""Characters of a text that the list shows."""
LONGEST = 200_000
"""Characters of a text that are shown."""


class MessageHistory(QDialog):
    """Shows texts and asks for one of them to be brought back."""

    restore_requested = Signal(object)
    """The message shall be what it was: an EarlierText."""

    def __init__(self, parent: QWidget, title: str) -> None:
        super().__init__(parent)
        self.setObjectName("messageHistory")
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.is_closed = False
        self._texts: dict[str, EarlierText] = {}
        self._present = ""
        self.model = VersionsModel(self)
        self.list = QListView()
        self.list.setObjectName("messageHistoryList")
        self.list.setAccessibleName(self.tr("Earlier texts of this message"))
        self.list.setModel(self.model)
        self.list.setItemDelegate(VersionPainter(self.list))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setAccessibleName(self.tr("The text as it was before this change"))
        self.hint = label(tone="section")
        self.message = label(self.tr("Looking for earlier texts…"), "muted", wrap=True)
        self.message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.restore = push_button(self.tr("Restore This Text"), "primary", self._restore)
        self._pages = QStackedWidget()
        self._lay_out()
        self.list.selectionModel().currentChanged.connect(self._show_text)
        self.finished.connect(self._close_up)
        window = parent.window()
        self.resize(min(FIRST_SIZE[0], window.width() - 40), min(FIRST_SIZE[1], window.height() - 60))

    @property
    def chosen(self) -> EarlierText | None:
        """The text that is shown."""
        past = self.list.currentIndex().data(PAST_ROLE)
        return self._texts.get(getattr(past, "id", ""))

    def show_texts(self, texts: Sequence[EarlierText], present: str) -> None:
        """Show what the message said before; `present` is what it says now."""
        self._texts = {one.past.id: one for one in texts}
        self._present = present
        beginnings = {one.past.id: " ".join(one.text[:BEGINNING].split()) for one in texts}
        self.model.show_versions([one.past for one in texts], beginnings)
        if texts:
            self._pages.setCurrentIndex(0)
            row = self.model.row_of(texts[0].past.id)
            self.list.setCurrentIndex(self.model.index(row or 0))
            self.list.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.show_message(self.tr("This message has always said what it says now."))

    def show_message(self, text: str) -> None:
        """Show a sentence in place of texts."""
        self.message.setText(text)
        self._pages.setCurrentIndex(1)
        self.restore.setEnabled(False)

    def _show_text(self, now: QModelIndex, _: QModelIndex) -> None:
        chosen = self.chosen
        self.restore.setEnabled(chosen is not None)
        if chosen is None:
            return
        text = chosen.text[:LONGEST]
        self.text.setPlainText(text)
        marks = word_differences(text, self._present[:LONGEST]).before
        self._mark(text, [(start, end) for start, end in marks if start < end])
        self.hint.setText(
            self.tr("Until then the message said this; what it does not say any more is marked.")
            if marks
            else self.tr("Until then the message said this.")
        )

    def _mark(self, text: str, marks: Sequence[Span]) -> None:
        theme = themes().current
        look = QTextCharFormat()
        look.setBackground(blend(theme.danger, theme.raised, 0.76))
        look.setFontStrikeOut(True)
        cursor = QTextCursor(self.text.document())
        for start, end in marks:
            cursor.setPosition(units(text[:start]))
            cursor.setPosition(units(text[:end]), QTextCursor.MoveMode.KeepAnchor)
            cursor.mergeCharFormat(look)

    def _restore(self) -> None:
        if self.chosen is not None:
            self.restore_requested.emit(self.chosen)
            self.accept()

    def _close_up(self) -> None:
        self.is_closed = True

    def _lay_out(self) -> None:
        self.list.setFixedWidth(LIST_WIDTH)
        right = QVBoxLayout()
        right.setSpacing(6)
        right.addWidget(self.hint)
        right.addWidget(self.text, 1)
        page = QWidget()
        row = QHBoxLayout(page)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(12)
        row.addWidget(self.list)
        row.addLayout(right, 1)
        self._pages.addWidget(page)
        self._pages.addWidget(self.message)
        self._pages.setCurrentIndex(1)
        close = push_button(self.tr("Close"), "plain", self.reject)
        close.setAutoDefault(False)
        self.restore.setEnabled(False)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(close)
        foot.addWidget(self.restore)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 16, 14)
        column.setSpacing(12)
        column.addWidget(self._pages, 1)
        column.addLayout(foot)
