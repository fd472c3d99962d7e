"""A chat that could not be read: why, what happened to the data, what can be done, and everything readable.

Nothing here can be edited, and nothing is ever saved over the file.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QRect, QSize, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListView,
    QPlainTextEdit,
    QSplitter,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from tavern_desktop.ui.failure import Line, Lines
from tavern_desktop.ui.theme import themes
from tavern_desktop.ui.widgets import AnyIndex, Sign, label, push_button

LINE_ROLE = Qt.ItemDataRole.UserRole + 1
LONGEST_SHOWN = 100_000
"""Characters of one line that the reading box takes."""


class LinesModel(QAbstractListModel):
    """The lines of a damaged file, read when they are looked at."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lines = Lines()

    def set_lines(self, lines: Lines) -> None:
        self.beginResetModel()
        self._lines = lines
        self.endResetModel()

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._lines)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role not in (LINE_ROLE, Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return None
        line = self._lines.line(index.row())
        if role == LINE_ROLE:
            return line
        return ", ".join(filter(None, (line.place, line.speaker, line.text)))


class LinePainter(QStyledItemDelegate):
    """Paints a line of the file: number, speaker, beginning of the text; damaged ones stand out."""

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(100, option.fontMetrics.height() + 12)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        line: Line = index.data(LINE_ROLE)
        theme = themes().current
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, theme.accent_soft)
        metrics = option.fontMetrics
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
        left = option.rect.left() + 10
        for text, width, colour in (
            (line.place, metrics.horizontalAdvance("line 000,000"), theme.danger if line.damaged else theme.muted),
            (line.speaker, metrics.horizontalAdvance("M" * 10), theme.danger if line.damaged else theme.text),
            (line.text, option.rect.right() - left, theme.danger if line.damaged else theme.muted),
        ):
            box = QRect(left, option.rect.top(), max(0, min(width, option.rect.right() - left)), option.rect.height())
            painter.setPen(colour)
            shown = metrics.elidedText(" ".join(text[:400].split()), Qt.TextElideMode.ElideRight, box.width())
            painter.drawText(box, flags, shown)
            left += width + 12
        painter.restore()


class FailedPanel(QWidget):
    """Owner: the chat pane."""

    show_file_requested = Signal()
    repair_requested = Signal()
    backups_requested = Signal()
    retry_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("failedPanel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.what = label(tone="strong", wrap=True)
        self.data_text = label(tone="muted", wrap=True)
        self.backup_text = label(tone="muted", wrap=True)
        self._sign = Sign("warning", "danger", 28)
        self.retry = push_button(self.tr("Retry"), "primary", self.retry_requested.emit)
        self.repair = push_button(self.tr("Save a Repaired Copy"), "plain", self.repair_requested.emit)
        self.backups = push_button(self.tr("Open Backup…"), "plain", self.backups_requested.emit)
        self.show_file = push_button(self.tr("Show File"), "plain", self.show_file_requested.emit)
        self.rest_text = label(tone="section", wrap=True)
        self.lines = QListView()
        self.lines.setObjectName("failedLines")
        self.lines.setAccessibleName(self.tr("What can be read of this chat"))
        self.lines.setUniformItemSizes(True)
        self.lines.setItemDelegate(LinePainter(self.lines))
        self._model = LinesModel(self)
        self.lines.setModel(self._model)
        self.reading = QPlainTextEdit()
        self.reading.setReadOnly(True)
        self.reading.setAccessibleName(self.tr("The chosen line"))
        self._lay_out()
        self.lines.selectionModel().currentChanged.connect(self._show_line)
        self.show_lines(Lines(), "")

    def show_error(self, what: str, data_text: str) -> None:
        """Say what is wrong and what became of the data."""
        self.say(what, data_text)
        self.show_backup("")
        self.show_lines(Lines(), "")

    def say(self, what: str, data_text: str) -> None:
        """Say it anew, now that it is known better."""
        self.what.setText(what)
        self.data_text.setText(data_text)
        self.setAccessibleName(what)

    def show_backup(self, text: str) -> None:
        """Say which backup there is."""
        self.backup_text.setText(text)
        self.backup_text.setVisible(bool(text))

    def show_lines(self, lines: Lines, summary: str) -> None:
        """Show the readable rest, damaged lines in their places; none hides it."""
        self._model.set_lines(lines)
        self.rest_text.setText(summary)
        self.repair.setVisible(lines.readable > 0)
        self.rest_text.setVisible(bool(summary))
        self._rest.setVisible(len(lines) > 0)
        self._filler.setVisible(not len(lines))
        if len(lines):
            self.choose_line(lines.first_damaged)

    def choose_line(self, number: int) -> None:
        """Bring a line of the rest into sight, from 0; beyond the last, the last."""
        index = self._model.index(min(number, self._model.rowCount() - 1))
        self.lines.setCurrentIndex(index)
        self.lines.scrollTo(index, QListView.ScrollHint.PositionAtCenter)

    def _lay_out(self) -> None:
        words = QVBoxLayout()
        words.setSpacing(4)
        words.addWidget(self.what)
        words.addWidget(self.data_text)
        words.addWidget(self.backup_text)
        top = QHBoxLayout()
        top.setSpacing(14)
        top.addWidget(self._sign, 0, Qt.AlignmentFlag.AlignTop)
        top.addLayout(words, 1)
        buttons = QHBoxLayout()
        buttons.setContentsMargins(42, 0, 0, 0)
        for button in (self.retry, self.repair, self.backups, self.show_file):
            buttons.addWidget(button)
        buttons.addStretch(1)
        self._rest = QSplitter(Qt.Orientation.Vertical)
        self._rest.addWidget(self.lines)
        self._rest.addWidget(self.reading)
        self._rest.setStretchFactor(0, 3)
        self._rest.setStretchFactor(1, 1)
        self._rest.setObjectName("quietSplitter")
        self._rest.setHandleWidth(10)
        self._filler = QWidget()
        column = QVBoxLayout(self)
        column.setContentsMargins(28, 26, 28, 14)
        column.setSpacing(12)
        column.addLayout(top)
        column.addLayout(buttons)
        column.addSpacing(6)
        column.addWidget(self.rest_text)
        column.addWidget(self._rest, 1)
        column.addWidget(self._filler, 1)

    def _show_line(self, index: QModelIndex) -> None:
        line = index.data(LINE_ROLE)
        self.reading.setPlainText(line.text[:LONGEST_SHOWN] if line is not None else "")
