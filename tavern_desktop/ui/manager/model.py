"""The table of the chat manager, and what it is sorted and filtered by."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QLocale, QModelIndex, QObject, QSortFilterProxyModel, Qt, Signal

from tavern_desktop.ui.manager.rows import ManagedChat
from tavern_desktop.ui.relative_date import relative_date
from tavern_desktop.ui.widgets import AnyIndex

CHAT, MESSAGES, SIZE, USED = range(4)
CHAT_ROLE = Qt.ItemDataRole.UserRole + 1
SORT_ROLE = Qt.ItemDataRole.UserRole + 2


def size_text(size: int, locale: QLocale) -> str:
    """Return a number of bytes as lists show it."""
    return locale.formattedDataSize(size, 1 if size >= 1_000_000 else 0, QLocale.DataSizeFormat.DataSizeSIFormat)


class ManagerModel(QAbstractTableModel):
    """One row a chat. `Qt.UserRole` is its path. Editing a title only asks for another name."""

    rename_requested = Signal(str, str)
    """(path, name): a chat shall be called so."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._chats: list[ManagedChat] = []
        self._locale = QLocale()

    def set_chats(self, chats: list[ManagedChat]) -> None:
        """Show other chats; rows that stay the same chats stay the same rows."""
        if chats == self._chats:
            return
        if [chat.file for chat in chats] != [chat.file for chat in self._chats]:
            self.beginResetModel()
            self._chats = chats
            self.endResetModel()
            return
        self._chats = chats
        self.dataChanged.emit(self.index(0, 0), self.index(len(chats) - 1, USED))

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
        if role == SORT_ROLE:
            return (chat.title.casefold(), chat.messages, chat.size, chat.date_ms)[index.column()]
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


class ManagerFilter(QSortFilterProxyModel):
    """Keeps the chats whose title or last words hold what was typed."""

    def __init__(self, model: ManagerModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._wanted = ""
        self.setSourceModel(model)
        self.setSortRole(SORT_ROLE)
        self.sort(USED, Qt.SortOrder.DescendingOrder)

    def keep(self, text: str) -> None:
        """Show only chats that hold `text`."""
        self.beginFilterChange()
        self._wanted = text.strip().casefold()
        self.endFilterChange()

    def filterAcceptsRow(self, row: int, parent: AnyIndex) -> bool:
        chat: ManagedChat = self.sourceModel().index(row, CHAT).data(CHAT_ROLE)
        return self._wanted in f"{chat.title}\n{chat.words}".casefold()
