"""The newest records of a chat that is still being read: to look at, nothing else (decision D19)."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QObject
from typing_extensions import override

from tavern_desktop.chat.chat import Chat
from tavern_desktop.ui.chat.geometry import Anchor
from tavern_desktop.ui.chat.list_model import AnyIndex, RecordListModel
from tavern_desktop.ui.chat.record import NOBODY, Names

_ROOT = QModelIndex()


class PreviewModel(RecordListModel):
    """Raw records without keys of their own: theirs are negative and count from the newest, -1.

    The same count leads from a preview's row to the message of the whole chat that replaces it.
    """

    editable = False

    def __init__(
        self,
        records: Sequence[bytes],
        start_index: int | None = None,
        names: Names = NOBODY,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(names, parent)
        self._raws = tuple(records)
        self._start = start_index

    @override
    def rowCount(self, parent: AnyIndex = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._raws)

    @override
    def raw(self, row: int) -> bytes:
        return self._raws[row]

    @override
    def raw_before(self, row: int) -> bytes | None:
        return self._raws[row - 1] if row > 0 else None

    @override
    def key(self, row: int) -> int:
        return row - len(self._raws)

    @override
    def row_of(self, key: int) -> int | None:
        return len(self._raws) + key if -len(self._raws) <= key < 0 else None

    @override
    def absolute(self, row: int) -> int | None:
        return None if self._start is None else self._start + row

    @override
    def total(self) -> int:
        return len(self._raws) + (self._start or 0)


def place_in_chat(anchor: Anchor | None, chat: Chat) -> Anchor | None:
    """Return where a preview's anchor is in the whole chat: both count the same from the newest message."""
    if anchor is None or not 0 < -anchor.key <= len(chat):
        return None
    return Anchor(chat.messages[anchor.key].key, anchor.pixels)
