"""The table of the chat manager: chats as they are sorted and filtered at the moment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QLocale, QModelIndex, QObject, Qt, Signal

from tavern_desktop.ui.manager.rows import ManagedChat
from tavern_desktop.ui.relative_date import relative_date
from tavern_desktop.ui.widgets import AnyIndex

CHAT, MESSAGES, SIZE, USED = range(4)
CHAT_ROLE = Qt.ItemDataRole.UserRole + 1

_SORTED_BY: tuple[Callable[[ManagedChat], Any], ...] = (
    lambda chat: chat.title.casefold(),
    lambda chat: chat.messages,
    lambda chat: chat.size,
    lambda chat: chat.date_ms,
)


def size_text(size: int, locale: QLocale) -> str:
    """Return a number of bytes as lists show it."""
    return locale.formattedDataSize(size, 1 if size >= 1_000_000 else 0, QLocale.DataSizeFormat.DataSizeSIFormat)


class ManagerModel(QAbstractTableModel):
    """One row a chat that is to be seen. `Qt.UserRole` is its path. Editing a title only asks for another name."""

    rename_requested = Signal(str, str)
    """(path, name): a chat shall be called so."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all: list[ManagedChat] = []
        self._chats: list[ManagedChat] = []
        self._wanted = ""
        self._column, self._order = USED, Qt.SortOrder.DescendingOrder
        self._locale = QLocale()

    def set_chats(self, chats: list[ManagedChat]) -> None:
        """Show other chats."""
        if chats != self._all:
            self._all = chats
            self._show()

    def keep(self, text: str) -> None:
        """Show only chats whose title or last words hold `text`."""
        self._wanted = text.strip().casefold()
        self._show()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._column, self._order = column, order
        self._show()

    @property
    def total(self) -> int:
        """How many chats there are, seen or not."""
        return len(self._all)

    def row_of(self, file: str) -> int | None:
        """Return the row of a chat by its path, None if it is not to be seen."""
        return next((row for row, chat in enumerate(self._chats) if chat.file == file), None)

    def _show(self) -> None:
        """Choose and order the chats anew; rows that stay the same chats stay the same rows."""
        seen = [chat for chat in self._all if self._wanted in f"{chat.title}\n{chat.words}".casefold()]
        seen.sort(key=_SORTED_BY[self._column], reverse=self._order == Qt.SortOrder.DescendingOrder)
        if [chat.file for chat in seen] != [chat.file for chat in self._chats]:
            self.beginResetModel()
            self._chats = seen
            self.endResetModel()
        elif seen:
            self._chats = seen
            self.dataChanged.emit(self.index(0, 0), self.index(len(seen) - 1, USED))

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._chats)

    def columnCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else USED + 1

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        chat = self._chats[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(chat, index.column())
        if role == Qt.ItemDataRole.EditRole:
            return chat.title
        if role == Qt.ItemDataRole.UserRole:
            return chat.file
        if role == CHAT_ROLE:
            return chat
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{chat.title}\n{chat.file}"
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._spoken(chat) if index.column() == CHAT else self._text(chat, index.column())
        return None

    def setData(self, index: AnyIndex, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        chat = self._chats[index.row()]
        if role != Qt.ItemDataRole.EditRole or value == chat.title:
            return False
        self.rename_requested.emit(chat.file, value)
        return False  # the title is another once the file is

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsEditable if index.isValid() and index.column() == CHAT else flags

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return (self.tr("Chat"), self.tr("Messages"), self.tr("Size"), self.tr("Last used"))[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignLeft if section == CHAT else Qt.AlignmentFlag.AlignRight
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def _text(self, chat: ManagedChat, column: int) -> str:
        if column == CHAT:
            return chat.title
        if column == MESSAGES:
            return self._locale.toString(chat.messages) if chat.messages >= 0 else "–"
        return size_text(chat.size, self._locale) if column == SIZE else relative_date(chat.date_ms)

    def _spoken(self, chat: ManagedChat) -> str:
        marks = [self.tr("current")] * chat.is_current + [self.tr("damaged")] * chat.is_damaged
        marks += [self.tr("has a conflict copy")] * chat.has_conflict
        if chat.parent:
            marks.append(self.tr("branch of {chat}").format(chat=chat.parent))
        count = self.tr("1 message") if chat.messages == 1 else self.tr("{n} messages").format(n=chat.messages)
        told = count if chat.messages >= 0 else ""
        return ", ".join(filter(None, (chat.title, *marks, told, relative_date(chat.date_ms), chat.words)))
