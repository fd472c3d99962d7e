"""The mounted range of a chat as a Qt list model: the chat owns the list, the model only translates.

Rows are messages [first, end). *Show more* moves `first` down and does no I/O. Lives on the GUI thread.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from typing_extensions import override

from tavern_desktop.chat.chat import Chat
from tavern_desktop.ui.chat.context import nothing_works
from tavern_desktop.ui.chat.record import NOBODY, Names, RowRecord, read_record
from tavern_desktop.ui.chat.roles import Role

MOUNTED = 100
"""Messages mounted at first, and by each *Show more*: what SillyTavern's users are used to."""
CACHED_RECORDS = 256

AnyIndex = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class RecordListModel(QAbstractListModel):
    """What the model of a chat and that of a preview have in common: records read once, and what the roles say."""

    editable: bool
    """Whether its messages can be acted on."""

    def __init__(self, names: Names, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._names = names
        self.is_working: Callable[[int], bool] = nothing_works
        """See `ChatContext.is_working`."""
        self.context_begin: int | None = None
        """The key of the message from which on the model knows the chat; see `Surface.mark_context_begin`."""
        self._records: OrderedDict[int, RowRecord] = OrderedDict()

    def set_names(self, names: Names) -> None:
        """Say who `{{user}}` and `{{char}}` are now."""
        if names != self._names:
            self._names = names
            self._records.clear()
            if count := self.rowCount():
                self.dataChanged.emit(self.index(0), self.index(count - 1))

    def raw(self, row: int) -> bytes:
        """Return the record as far as it is in memory: the same object as long as it says the same."""
        raise NotImplementedError

    def raw_before(self, row: int) -> bytes | None:
        """Return the record before a row's, mounted or not."""
        raise NotImplementedError

    def is_live(self, row: int) -> bool:
        """Say whether a row's message is being written just now."""
        return False

    def key(self, row: int) -> int:
        raise NotImplementedError

    def row_of(self, key: int) -> int | None:
        """Return the row of a message, None if it is not mounted."""
        raise NotImplementedError

    def absolute(self, row: int) -> int | None:
        """Return the message index of a row, None where nobody knows it."""
        raise NotImplementedError

    def total(self) -> int:
        """Return how many messages there are, mounted or not, as far as is known."""
        raise NotImplementedError

    def record(self, row: int) -> RowRecord:
        """Return what a row shows, read afresh only when its bytes or its place changed."""
        key, raw, index = self.key(row), self.raw(row), self.absolute(row)
        found = self._records.get(key)
        if found is None or found.raw is not raw or found.index != index:
            found = self._records[key] = read_record(raw, key, index, self._names)
            if len(self._records) > CACHED_RECORDS:
                self._records.popitem(last=False)
        else:
            self._records.move_to_end(key)
        return found

    @override
    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= self.rowCount():
            return None
        row = index.row()
        if role == Role.INDEX:
            return self.absolute(row)
        if role == Role.KEY:
            return self.key(row)
        if role == Qt.ItemDataRole.DisplayRole:
            return self._shown(self.record(row))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._in_words(row)
        return self.record(row) if role == Role.RECORD else None

    @override
    def roleNames(self) -> dict[int, Any]:
        return super().roleNames() | {Role.INDEX: b"messageIndex", Role.RECORD: b"record", Role.KEY: b"key"}

    def _in_words(self, row: int) -> str:
        """Speaker, position and text, for who hears the list instead of seeing it (known failure B-60)."""
        record = self.record(row)
        parts = [_speaker(record) or self.tr("Message")]
        if record.index is not None:
            parts.append(self.tr("message {0} of {1}").format(record.index + 1, self.total()))
        if record.hidden:
            parts.append(self.tr("hidden from prompts"))
        if self.context_begin is not None and record.key == self.context_begin:
            parts.append(self.tr("the model knows the chat from here on"))
        if record.bookmark:
            parts.append(self.tr("bookmarked"))
        if record.swipe_count > 1:
            parts.append(self.tr("alternative {0} of {1}").format(record.swipe + 1, record.swipe_count))
        return ", ".join(parts) + ": " + self._shown(record)

    def _shown(self, record: RowRecord) -> str:
        """Return what a row says, a special message in words."""
        if record.special is None:
            return record.text
        from tavern_desktop.ui.chat.cards.words import in_words

        return in_words(record.special, is_running=self.is_working(record.key))


def _speaker(record: RowRecord) -> str:
    if record.special is None:
        return record.name
    from tavern_desktop.ui.chat.cards.words import type_name

    return type_name(record.special.type)


@dataclass(slots=True)
class _Live:
    """What is being written: `raw` shows instead of the message `key`, or as a row of its own before message `at`."""

    key: int
    raw: bytes
    after: int | None
    """Key of the message it stands behind, None at the top; for a row of its own."""
    at: int | None = None
    """Index of the message it stands before; None for a message that changes, and while the row is away."""


class ChatListModel(RecordListModel):
    """The newest messages of a chat, and more on request.

    A reply that is being written shows as well, though it is not in the chat: in the place of the message that grows,
    or as one row of its own (see `show_live`).
    """

    mounted_changed = Signal()
    """`earlier` is another number now."""

    def __init__(
        self, chat: Chat, names: Names = NOBODY, mounted: int = MOUNTED, parent: QObject | None = None
    ) -> None:
        super().__init__(names, parent)
        self.chat = chat
        self.step = mounted
        self._first = max(0, len(chat) - mounted)
        self._resetting_move = False
        self._kept = 0
        self._live: _Live | None = None
        self._is_landing = False
        for signal, slot in self._connections():
            signal.connect(slot)

    editable = True

    def detach(self) -> None:
        """Hear no more of the chat: the model is done with."""
        for signal, slot in self._connections():
            signal.disconnect(slot)

    def _connections(self) -> list[tuple[Any, Any]]:
        chat = self.chat
        return [
            (chat.about_to_insert, self._on_about_to_insert),
            (chat.inserted, self._on_inserted),
            (chat.about_to_remove, self._on_about_to_remove),
            (chat.removed, self._on_removed),
            (chat.about_to_move, self._on_about_to_move),
            (chat.moved, self._on_moved),
            (chat.changed, self._on_changed),
            (chat.about_to_reset, self._on_about_to_reset),
            (chat.was_reset, self._on_was_reset),
        ]

    @property
    def first(self) -> int:
        """The absolute index of the first mounted message."""
        return self._first

    @property
    def earlier(self) -> int:
        return self._first

    def show_more(self, count: int | None = None) -> None:
        """Mount `count` earlier messages, by default as many as at first."""
        self.mount_from(self._first - (count or self.step))

    def mount_from(self, index: int) -> None:
        """Mount so many that message `index` is among them. Nothing is unmounted."""
        index = max(0, index)
        if index < self._first:
            self.beginInsertRows(_ROOT, 0, self._first - index - 1)
            self._first = index
            self.endInsertRows()
            self.mounted_changed.emit()

    @override
    def rowCount(self, parent: AnyIndex = _ROOT) -> int:
        if parent.isValid():
            return 0
        return len(self.chat.messages) - self._first + (self._live_row() is not None)

    @override
    def raw(self, row: int) -> bytes:
        if self._live is not None and self.is_live(row):
            return self._live.raw
        return self.chat.messages[self._index(row)].seen

    @override
    def is_live(self, row: int) -> bool:
        live = self._live
        return live is not None and (row == self._live_row() or (live.at is None and self.key(row) == live.key))

    @override
    def raw_before(self, row: int) -> bytes | None:
        live_row = self._live_row()
        if live_row is not None and row == live_row + 1:
            return self.raw(live_row)
        index = self._index(row) - 1
        return self.chat.messages[index].seen if index >= 0 else None

    @override
    def key(self, row: int) -> int:
        if self._live is not None and row == self._live_row():
            return self._live.key
        return self.chat.messages[self._index(row)].key

    @override
    def row_of(self, key: int) -> int | None:
        if self._live is not None and self._live.key == key and self._live.at is not None:
            return self._live_row()
        index = self.chat.find(key)
        return None if index is None or index < self._first else self._row(index)

    @override
    def absolute(self, row: int) -> int | None:
        return None if row == self._live_row() else self._index(row)

    @override
    def total(self) -> int:
        return len(self.chat)

    # A reply that is being written

    @property
    def live_key(self) -> int | None:
        """The key of what is being written, None while nothing is."""
        return self._live.key if self._live is not None else None

    def show_live(self, key: int, raw: bytes, after: int | None = None) -> None:
        """Show a reply as far as it has come: of the message `key`, or of one to come that will have this key.

        One to come stands behind the message `after`, at the top with None.
        """
        live = self._live
        if live is None or live.key != key:
            self.end_live()
            live = self._live = _Live(key, raw, after)
            self._bring_live()
        live.raw = raw
        row = self.row_of(key)
        if row is not None:
            self.dataChanged.emit(self.index(row), self.index(row))

    def end_live(self) -> None:
        """Show only what is in the chat."""
        live = self._live
        if live is None:
            return
        if live.at is not None:
            self._take_live_away()
            self._live = None
            return
        self._live = None
        row = self.row_of(live.key)
        if row is not None:
            self.dataChanged.emit(self.index(row), self.index(row))

    def land_live(self) -> None:
        """The next message that comes into the chat is the one that was being written: its row becomes it."""
        self._is_landing = self._live_row() is not None

    def _bring_live(self) -> None:
        live = self._live
        if live is None or self.chat.find(live.key) is not None:
            return
        index = None if live.after is None else self.chat.find(live.after)
        at = len(self.chat) if index is None and live.after is not None else (-1 if index is None else index) + 1
        row = max(at, self._first) - self._first
        self.beginInsertRows(_ROOT, row, row)
        live.at = row + self._first
        self.endInsertRows()

    def _take_live_away(self) -> None:
        row = self._live_row()
        if self._live is not None and row is not None:
            self.beginRemoveRows(_ROOT, row, row)
            self._live.at = None
            self.endRemoveRows()

    def _live_row(self) -> int | None:
        live = self._live
        return None if live is None or live.at is None else live.at - self._first

    def _row(self, index: int) -> int:
        row = index - self._first
        live_row = self._live_row()
        return row + 1 if live_row is not None and row >= live_row else row

    def _index(self, row: int) -> int:
        live_row = self._live_row()
        return self._first + (row - 1 if live_row is not None and row > live_row else row)

    # The chat's signals carry absolute indices; what lies before `first` only shifts it.

    # What is being written steps aside meanwhile, unless it is itself what comes.

    def _on_about_to_insert(self, first: int, last: int) -> None:
        live = self._live
        self._is_landing = self._is_landing and first == last and live is not None and live.at == first
        if self._is_landing:
            return
        self._take_live_away()
        if first >= self._first:
            self.beginInsertRows(_ROOT, first - self._first, last - self._first)

    def _on_inserted(self, first: int, last: int) -> None:
        if self._is_landing:
            self._is_landing = False
            self._live = None
            row = first - self._first
            self.dataChanged.emit(self.index(row), self.index(row))
            return
        if first >= self._first:
            self.endInsertRows()
        else:
            self._shift_first(last - first + 1)
        self._bring_live()

    def _on_about_to_remove(self, first: int, last: int) -> None:
        self._take_live_away()
        if last >= self._first:
            self.beginRemoveRows(_ROOT, max(first, self._first) - self._first, last - self._first)

    def _on_removed(self, first: int, last: int) -> None:
        before = max(0, min(last + 1, self._first) - first)
        if last >= self._first:
            self._first -= before
            self.endRemoveRows()
            if before:
                self.mounted_changed.emit()
        else:
            self._shift_first(-before)
        if self._first and not self.rowCount():
            self.show_more()
        self._bring_live()

    def _on_about_to_move(self, first: int, last: int, destination: int) -> None:
        self._take_live_away()
        if min(first, destination) >= self._first:
            self.beginMoveRows(_ROOT, first - self._first, last - self._first, _ROOT, destination - self._first)
        elif max(last, destination - 1) >= self._first:
            # Across the edge of the range: rows come and go at both ends. Keys let the view keep its place.
            self._resetting_move = True
            self.beginResetModel()

    def _on_moved(self, first: int, last: int, destination: int) -> None:
        if min(first, destination) >= self._first:
            self.endMoveRows()
        elif self._resetting_move:
            self._resetting_move = False
            self.endResetModel()
        self._bring_live()

    def _on_changed(self, first: int, last: int) -> None:
        if last >= self._first:
            self.dataChanged.emit(self.index(self._row(max(first, self._first))), self.index(self._row(last)))

    def _on_about_to_reset(self) -> None:
        self._take_live_away()
        self._kept = max(self.rowCount(), self.step)
        self.beginResetModel()

    def _on_was_reset(self) -> None:
        self._first = max(0, len(self.chat) - self._kept)
        self._records.clear()
        self.endResetModel()
        self.mounted_changed.emit()
        self._bring_live()

    def _shift_first(self, by: int) -> None:
        self._first += by
        self.mounted_changed.emit()
