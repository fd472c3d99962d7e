"""What became of the last saves, to look at and to copy for a report: counts and signatures, never a word of a chat."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QDateTime, QModelIndex, QObject, QSortFilterProxyModel, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from tavern_desktop.session.runner import Outcome, Runner
from tavern_desktop.storage.savelog import SaveRecord, read_save_log
from tavern_desktop.ui.theme import themes
from tavern_desktop.ui.widgets import AnyIndex, label, push_button

TIME, CHAT, OPERATION, MESSAGES, SIZE, TOOK, RESULT, MARKS = range(8)
NOTABLE_ROLE = Qt.ItemDataRole.UserRole + 1


class SaveLogModel(QAbstractTableModel):
    """One row for each save, the newest first."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._records: Sequence[SaveRecord] = ()
        self._headings = (
            self.tr("Time"), self.tr("Chat"), self.tr("What"), self.tr("Messages"), self.tr("Bytes"),
            self.tr("Took"), self.tr("Result"), self.tr("Worth a look"),
        )  # fmt: skip

    def set_records(self, records: Sequence[SaveRecord]) -> None:
        self.beginResetModel()
        self._records = records
        self.endResetModel()

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._records)

    def columnCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._headings)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return self._headings[section]
        return None

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        record = self._records[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return _cells(record)[index.column()]
        if role == NOTABLE_ROLE:
            return is_notable(record)
        if role == Qt.ItemDataRole.ToolTipRole and index.column() == CHAT:
            return record.chat
        if role == Qt.ItemDataRole.ForegroundRole and index.column() in (RESULT, MARKS):
            return themes().current.danger if is_notable(record) else None
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() in (MESSAGES, SIZE, TOOK):
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def as_text(self, rows: Sequence[int]) -> str:
        """Return rows as tab-separated lines with their headings; chats are named by their files' names only."""
        return "\n".join("\t".join(line) for line in (self._headings, *(_cells(self._records[row]) for row in rows)))


class SaveLogDialog(QDialog):
    """Reads the log once, off the window's thread, when it is opened."""

    def __init__(self, parent: QWidget, runner: Runner, folder: Path) -> None:
        super().__init__(parent)
        self.setObjectName("saveLogDialog")
        self.setWindowTitle(self.tr("Save Log"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._is_closed = False
        self.model = SaveLogModel(self)
        self._shown = QSortFilterProxyModel(self)
        self._shown.setSourceModel(self.model)
        self._shown.setFilterRole(NOTABLE_ROLE)
        self.table = self._make_table()
        self.hint = label(self.tr("Reading…"), "muted", wrap=True)
        self.only_notable = QCheckBox(self.tr("Only what is worth a look"))
        self.copy_button = push_button(self.tr("Copy"), "plain", self.copy)
        self.copy_button.setToolTip(self.tr("Copy the selected rows, or all of them, as a table"))
        self._lay_out()
        self.only_notable.toggled.connect(lambda on: self._shown.setFilterFixedString("true" if on else ""))
        self.finished.connect(self._close_up)
        runner.submit(lambda: read_save_log(folder), self._show)

    def copy(self) -> None:
        """Copy the selected rows, or all that are shown."""
        chosen = self.table.selectionModel().selectedRows()
        rows = chosen or [self._shown.index(row, 0) for row in range(self._shown.rowCount())]
        numbers = sorted(self._shown.mapToSource(index).row() for index in rows)
        QGuiApplication.clipboard().setText(self.model.as_text(numbers))

    def _make_table(self) -> QTreeView:
        made = QTreeView()
        made.setObjectName("saveLogTable")
        made.setAccessibleName(self.windowTitle())
        made.setModel(self._shown)
        made.setRootIsDecorated(False)
        made.setUniformRowHeights(True)
        made.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        return made

    def _lay_out(self) -> None:
        foot = QHBoxLayout()
        foot.addWidget(self.hint, 1)
        foot.addWidget(self.only_notable)
        foot.addWidget(self.copy_button)
        close = push_button(self.tr("Close"), "primary", self.accept)
        close.setDefault(True)
        foot.addWidget(close)
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 16, 18, 14)
        column.setSpacing(12)
        column.addWidget(self.table, 1)
        column.addLayout(foot)
        self.resize(980, 480)

    def _show(self, outcome: Outcome[list[SaveRecord]]) -> None:
        if self._is_closed:
            return
        records = outcome.result()
        self.model.set_records(records)
        for column in range(self.model.columnCount()):
            self.table.resizeColumnToContents(column)
        self.table.header().setStretchLastSection(False)
        self.table.header().setSectionResizeMode(CHAT, QHeaderView.ResizeMode.Stretch)
        notable = sum(map(is_notable, records))
        if not records:
            text = self.tr("Nothing has been saved in this data folder yet.")
        elif notable:
            text = self.tr("{count} saves, {notable} of them worth a look.").format(count=len(records), notable=notable)
        else:
            text = self.tr("{count} saves, and nothing odd about them.").format(count=len(records))
        self.hint.setText(text)

    def _close_up(self) -> None:
        self._is_closed = True


def is_notable(record: SaveRecord) -> bool:
    """Say whether a save failed, or did something that deserves a second look."""
    return record.result != "saved" or any(flag != "shrink" for flag in record.flags) or record.conflicts > 0


def _cells(record: SaveRecord) -> tuple[str, ...]:
    moment = QDateTime.fromMSecsSinceEpoch(record.at_ms).toString("yyyy-MM-dd HH:mm:ss")
    what = f"{record.op} ({record.path})" if record.path else record.op
    marks = list(record.flags)
    if record.conflicts:
        marks.append(f"conflicts: {record.conflicts}")
    return (
        moment,
        Path(record.chat).stem,
        what,
        _change(record.old_count, record.new_count),
        _change(record.old[0] if record.old else None, record.new[0] if record.new else None),
        f"{record.duration_ms} ms",
        record.result,
        ", ".join(marks),
    )


def _change(old: int | None, new: int | None) -> str:
    told = ["–" if count is None else f"{count:,}" for count in (old, new)]
    return told[0] if old == new else " → ".join(told)
