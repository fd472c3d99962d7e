"""The rows of a search in all chats: each chat, below it the places found in it, and files that could not be read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QAbstractListModel, QCoreApplication, QLocale, QModelIndex, QObject, Qt

from tavern_desktop.chat.searched import NOTE, REASONING, SWIPE, TEXT, TRANSLATION
from tavern_desktop.library.recents import ChatRow
from tavern_desktop.storage.conflict_copies import read_name
from tavern_desktop.storage.directory import FileFailure
from tavern_desktop.storage.search import RECORD, TITLE, Hit
from tavern_desktop.ui.library.entries import useful_title
from tavern_desktop.ui.widgets import AnyIndex

ROW_ROLE = Qt.ItemDataRole.UserRole + 1

Describe = Callable[[str], ChatRow | None]
"""Returns what the library knows of a chat file."""


@dataclass(slots=True)
class ChatHead:
    """The chat that the following places are in, `count` of them so far; of no more than `most` are listed."""

    path: str
    name: str
    title: str
    avatar: str
    most: int
    count: int = 0

    @property
    def told_count(self) -> str:
        return f"{QLocale().toString(self.count)}{'+' if self.count >= self.most else ''}"


Row = ChatHead | Hit | FileFailure


class ResultsModel(QAbstractListModel):
    """Rows in the order in which they were found. `Qt.UserRole` is the path of the row's file."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.hits = 0
        self.chats = 0
        self.failures = 0
        self._rows: list[Row] = []
        self._head: ChatHead | None = None
        self._head_row = -1

    def clear(self) -> None:
        """Show nothing."""
        self.beginResetModel()
        self._rows = []
        self._head, self._head_row = None, -1
        self.hits = self.chats = self.failures = 0
        self.endResetModel()

    def add(self, found: Sequence[Hit | FileFailure], describe: Describe, most: int) -> None:
        """Add what was found next; `most` is how many places of a chat are looked for."""
        if not found:
            return
        rows: list[Row] = []
        first, head_row = len(self._rows), self._head_row
        for item in found:
            if isinstance(item, FileFailure):
                self.failures += 1
            else:
                self.hits += 1
                if self._head is None or self._head.path != item.file:
                    self._head = _head_of(item.file, describe(item.file), most)
                    self._head_row = first + len(rows)
                    self.chats += 1
                    rows.append(self._head)
                self._head.count += 1
            rows.append(item)
        self.beginInsertRows(QModelIndex(), first, first + len(rows) - 1)
        self._rows += rows
        self.endInsertRows()
        if head_row >= 0:  # its count has grown
            self.dataChanged.emit(self.index(head_row), self.index(head_row))

    def row(self, number: int) -> Row:
        """Return a row."""
        return self._rows[number]

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self._rows[index.row()]
        if role == ROW_ROLE:
            return row
        if role == Qt.ItemDataRole.UserRole:
            return row.path if isinstance(row, ChatHead) else row.file
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return _spoken(row)
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{row.message}\n{row.file}" if isinstance(row, FileFailure) else _spoken(row)
        return None


def place_of(hit: Hit) -> str:
    """Return where a hit stands, in words: message number, speaker, and what is special about it."""
    parts = [f"#{QLocale().toString(hit.index)}"] if hit.index is not None else []
    parts.append(hit.name)
    if hit.field == SWIPE:
        parts.append(_tr("alternative {number} of {total}").format(number=hit.swipe, total=hit.swipes))
    elif hit.field != TEXT:
        parts.append(_FIELDS[hit.field]() if hit.field in _FIELDS else hit.field)
    if hit.hidden:
        parts.append(_tr("hidden"))
    return " · ".join(filter(None, parts))


_FIELDS: dict[str, Callable[[], str]] = {
    REASONING: lambda: _tr("reasoning"),
    TRANSLATION: lambda: _tr("translation"),
    NOTE: lambda: _tr("author's note"),
    TITLE: lambda: _tr("title"),
    RECORD: lambda: _tr("damaged line"),
}


def _head_of(path: str, row: ChatRow | None, most: int) -> ChatHead:
    if row is None:
        return ChatHead(path, Path(path).stem, _tr("conflict copy") if read_name(Path(path).name) else "", "", most)
    return ChatHead(path, row.name, useful_title(row.name, row.title), row.avatar, most)


def _spoken(row: Row) -> str:
    if isinstance(row, FileFailure):
        return f"{Path(row.file).stem}: {row.message}"
    if isinstance(row, ChatHead):
        places = _tr("1 place") if row.count == 1 else _tr("{count} places").format(count=row.told_count)
        return ", ".join(filter(None, (row.name, row.title, places)))
    return f"{place_of(row)}: {row.snippet}"


def _tr(text: str) -> str:
    return QCoreApplication.translate("Search", text)
