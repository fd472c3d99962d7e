"""The rows of a comparison: messages that changed side by side, runs of others folded into one line."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from PySide6.QtCore import QAbstractListModel, QCoreApplication, QLocale, QModelIndex, QObject, Qt, Signal

from tavern_desktop.chat import facts
from tavern_desktop.chat.differences import Kind, Row, is_known
from tavern_desktop.chat.facts import Record
from tavern_desktop.chat.field_differences import field_changes
from tavern_desktop.chat.matching import NONE
from tavern_desktop.chat.message import Message
from tavern_desktop.chat.word_differences import Marks, word_differences
from tavern_desktop.session.history import Comparison
from tavern_desktop.session.restoring import Wanted
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.ui.inspector import history_words as words
from tavern_desktop.ui.widgets import AnyIndex

ROW_ROLE = Qt.ItemDataRole.UserRole + 1
SPOKEN_TEXT = 200
"""Characters of a text that are read out."""


class Side(NamedTuple):
    """One version of a message in a row: what stands above it, its text, and whether that is known."""

    number: str
    speaker: str
    text: str
    is_known: bool = True


class RowTexts(NamedTuple):
    """What a row shows. A side is None where the version has no such message."""

    before: Side | None
    after: Side | None
    marks: Marks
    notes: tuple[str, ...]


class DifferenceModel(QAbstractListModel):
    """Rows of one comparison. `key` names a row as long as the comparison is shown; a run that is unfolded becomes
    rows of its own."""

    ticked_changed = Signal()
    """Other rows are chosen to be restored."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.comparison: Comparison | None = None
        self.ticked: set[int] = set()
        """Keys of the rows that are chosen."""
        self._kinds: frozenset[Kind] = frozenset()
        self._rows: list[Row] = []
        self._places: dict[int, int] | None = None

    def show_comparison(self, comparison: Comparison | None) -> None:
        """Show another comparison, or none; what was chosen stays chosen where it is the same message."""
        kept = self._chosen_messages()
        self.comparison = comparison
        self.ticked = set()
        self._rebuild()
        if comparison is not None and kept:
            self.ticked = {self.key_of(row) for row in comparison.restorable if self._message(row).raw in kept}
        self.ticked_changed.emit()

    def show_kinds(self, kinds: Iterable[Kind]) -> None:
        """Show only rows of some kinds; none stands for everything, with what is alike between."""
        self._kinds = frozenset(kinds)
        self._rebuild()

    def row(self, number: int) -> Row:
        return self._rows[number]

    def key(self, number: int) -> int:
        return self.key_of(self._rows[number])

    def key_of(self, row: Row) -> int:
        """Return what names a row: its place in the later version, or behind all of these in the earlier one."""
        if row.after != NONE:
            return 2 * row.after + (row.length > 1)
        return -1 - row.before

    def row_of(self, key: int) -> int | None:
        if self._places is None:
            self._places = {self.key_of(row): number for number, row in enumerate(self._rows)}
        return self._places.get(key)

    def unfold(self, number: int) -> None:
        """Show every message of a run."""
        run = self._rows[number]
        if run.kinds or run.length == 1:
            return
        shown = [Row(NONE, run.after + step) for step in range(run.length)]
        self.beginRemoveRows(QModelIndex(), number, number)
        del self._rows[number]
        self._places = None
        self.endRemoveRows()
        self.beginInsertRows(QModelIndex(), number, number + len(shown) - 1)
        self._rows[number:number] = shown
        self._places = None
        self.endInsertRows()

    # -- what is chosen ---------------------------------------------------------------------------------

    def can_tick(self, row: Row) -> bool:
        return self.comparison is not None and row in self.comparison.restorable

    def tick(self, keys: Collection[int], on: bool) -> None:
        """Choose rows to be restored, or no longer."""
        places = map(self.row_of, keys) if len(keys) == 1 else range(len(self._rows))
        numbers = [number for number in places if number is not None and self.key(number) in keys]
        changed = [number for number in numbers if self.can_tick(self._rows[number])]
        for number in changed:
            (self.ticked.add if on else self.ticked.discard)(self.key(number))
        if changed:
            self.dataChanged.emit(self.index(changed[0]), self.index(changed[-1]), [Qt.ItemDataRole.CheckStateRole])
            self.ticked_changed.emit()

    def tick_all(self, on: bool) -> None:
        """Choose all rows that are shown and can be restored, or none."""
        self.tick({self.key_of(row) for row in self._rows if self.can_tick(row)}, on)

    def tickable(self) -> tuple[int, int]:
        """Return how many of the rows shown are chosen, and how many of them can be."""
        keys = {self.key_of(row) for row in self._rows if self.can_tick(row)}
        return len(keys & self.ticked), len(keys)

    def wanted(self, keys: Collection[int]) -> list[Wanted]:
        """Return what restoring these rows brings back."""
        comparison = self.comparison
        if comparison is None:
            return []
        texts: dict[int, set[int]] = {}
        places: dict[int, set[int]] = {}
        versions = {id(one): one for one in (comparison.before, comparison.after)}
        for row in comparison.restorable:
            if self.key_of(row) in keys:
                version, index = comparison.wanted(row)
                texts.setdefault(id(version), set()).add(index)
                if Kind.MOVED in row.kinds:
                    places.setdefault(id(version), set()).add(index)
        return [
            Wanted(versions[one].messages, frozenset(indices), frozenset(places.get(one, ())))
            for one, indices in texts.items()
        ]

    # -- what is shown ----------------------------------------------------------------------------------

    def texts(self, row: Row) -> RowTexts:
        """Return what a row shows: read anew each time, for the view keeps what it has laid out."""
        comparison = self.comparison
        if comparison is None:
            raise AssertionError("there are no rows without a comparison")
        before, after = comparison.difference.sides(row)
        if not row.kinds and after is not None:
            place = comparison.place_before(after.key)
            return RowTexts(_side(place, after), _side(row.after, after), Marks(), ())
        marks, notes = Marks(), []
        if before is not None and after is not None and is_known(before) and is_known(after):
            old, new = _whole(before), _whole(after)
            if Kind.EDITED in row.kinds:
                marks = word_differences(facts.text(old), facts.text(new))
                notes = [words.change_text(change) for change in field_changes(old, new)]
        if Kind.MOVED in row.kinds:
            notes.insert(0, _tr("Moved from {old} to {new}").format(
                old=words.locale_text(row.before), new=words.locale_text(row.after)))  # fmt: skip
        return RowTexts(_side(row.before, before), _side(row.after, after), marks, tuple(notes))

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return flags | Qt.ItemFlag.ItemIsUserCheckable if self.can_tick(self._rows[index.row()]) else flags

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        if role == ROW_ROLE:
            return row
        if role == Qt.ItemDataRole.UserRole:
            return self.key_of(row)
        if role == Qt.ItemDataRole.CheckStateRole and self.can_tick(row):
            return Qt.CheckState.Checked if self.key_of(row) in self.ticked else Qt.CheckState.Unchecked
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return self._spoken(row)
        return None

    def setData(self, index: AnyIndex, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.CheckStateRole or not self.can_tick(self._rows[index.row()]):
            return False
        self.tick({self.key(index.row())}, Qt.CheckState(value) == Qt.CheckState.Checked)
        return True

    def _spoken(self, row: Row) -> str:
        if not row.kinds and row.length > 1:
            return alike_text(row.length)
        kinds = [words.kind_text(kind) for kind in Kind if kind in row.kinds]
        shown = self.texts(row)
        parts = [" ".join(kinds)]
        for side, name in ((shown.before, _tr("before")), (shown.after, _tr("after"))):
            if side is not None:
                told = f"{side.number} {side.speaker}: {side.text[:SPOKEN_TEXT]}"
                parts.append(f"{name} {told}" if shown.before and shown.after else told)
        return ". ".join(filter(None, (*parts, *shown.notes)))

    def _rebuild(self) -> None:
        self.beginResetModel()
        self._places = None
        if self.comparison is None:
            self._rows = []
        elif self._kinds:
            self._rows = self.comparison.difference.filtered(self._kinds)
        else:
            self._rows = _with_neighbours(self.comparison.difference.rows)
        self.endResetModel()

    def _message(self, row: Row) -> Message:
        if self.comparison is None:
            raise AssertionError("there are no rows without a comparison")
        version, index = self.comparison.wanted(row)
        return version.messages[index]

    def _chosen_messages(self) -> set[bytes]:
        if self.comparison is None:
            return set()
        return {self._message(row).raw for row in self.comparison.restorable if self.key_of(row) in self.ticked}


def _with_neighbours(rows: Sequence[Row]) -> list[Row]:
    """Take the messages beside a change out of the runs: one reads a change by what stands around it."""
    shown: list[Row] = []
    for number, row in enumerate(rows):
        if row.kinds:
            shown.append(row)
            continue
        first, last = row.after, row.after + row.length
        head = 1 if number > 0 else 0
        tail = 1 if number + 1 < len(rows) else 0
        if row.length - head - tail < 2 and number + 1 < len(rows):
            head, tail = row.length, 0
        shown += [Row(NONE, index) for index in range(first, first + head)]
        if row.length > head + tail:
            shown.append(Row(row.before + head, first + head, length=row.length - head - tail))
        shown += [Row(NONE, index) for index in range(last - tail, last)]
    return shown


def alike_text(count: int) -> str:
    """Return the line that stands for messages that did not change."""
    if count == 1:
        return _tr("1 unchanged message")
    return _tr("{count} unchanged messages").format(count=QLocale().toString(count))


def _side(index: int, message: Message | None) -> Side | None:
    if message is None:
        return None
    if not is_known(message):
        return Side(words.locale_text(index), "", _tr("This text was lost outside this program."), False)
    data = message.seen_data()
    return Side(words.locale_text(index), facts.name(data), facts.text(data))


def _whole(message: Message) -> Record:
    """Return the record with all its alternatives, without those that cannot be read back."""
    try:
        return message.data()
    except StorageError:
        return message.seen_data()


def _tr(text: str) -> str:
    return QCoreApplication.translate("History", text)
