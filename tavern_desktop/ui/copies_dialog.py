"""The dialogs that list copies of chats: the list fills while it is shown, counted off the window's thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QDateTime, QLocale, Qt
from PySide6.QtWidgets import QDialog, QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from tavern_desktop.session.backup_list import BackupRow
from tavern_desktop.session.runner import Outcome, Runner
from tavern_desktop.storage.backups import Backup
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.ui.manager.model import size_text
from tavern_desktop.ui.widgets import label

PATH_ROLE = Qt.ItemDataRole.UserRole


class CopiesDialog(QDialog):
    """Base of them. What a dialog says of a copy is in `cells` and `show_row`."""

    numbers: tuple[int, ...] = ()
    """Columns that hold numbers."""

    def __init__(
        self, parent: QWidget, runner: Runner, title: str, lane: str, read: Callable[[Backup], BackupRow]
    ) -> None:
        """`read` looks into a copy, off the window's thread."""
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._runner, self._lane, self._read = runner, lane, read
        self._is_closed = False
        self._items: dict[Path, QTreeWidgetItem] = {}
        self.list = QTreeWidget()
        self.hint = label("", "muted", wrap=True)
        self.finished.connect(self._close_up)

    def cells(self, copy: Backup, when: str, size: str) -> list[str]:
        """Return the texts of a copy's row before it was read."""
        raise NotImplementedError

    def show_row(self, item: QTreeWidgetItem, row: BackupRow) -> None:
        """Say what was read of a copy."""
        raise NotImplementedError

    def hint_for(self, found: Sequence[Backup]) -> str:
        """Return what is said below the list."""
        raise NotImplementedError

    def fill(self, find: Callable[[], list[Backup]]) -> None:
        """Fill the list with what `find` returns; that runs off the window's thread."""
        self._runner.submit(find, self._show, lane=self._lane)

    def chosen(self) -> Path | None:
        """Return the copy that is chosen."""
        item = self.list.currentItem()
        return Path(item.data(0, PATH_ROLE)) if item is not None else None

    def set_up_list(self, name: str, headings: Sequence[str], wide: int) -> None:
        """Give the list its columns; `wide` takes the room that is left."""
        made = self.list
        made.setObjectName(name)
        made.setAccessibleName(self.windowTitle())
        made.setHeaderLabels(headings)
        made.setRootIsDecorated(False)
        made.setUniformRowHeights(True)
        made.header().setAccessibleName(self.tr("Columns"))
        made.header().setStretchLastSection(False)
        made.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        made.header().setSectionResizeMode(wide, QHeaderView.ResizeMode.Stretch)

    def _show(self, outcome: Outcome[list[Backup]]) -> None:
        if self._is_closed:
            return
        try:
            found = outcome.result()
        except StorageError as error:
            self.hint.setText(sentence(error))
            return
        self.hint.setText(self.hint_for(found))
        for copy in found:
            item = self._items[copy.path] = self._item(copy)
            self.list.addTopLevelItem(item)
            self._runner.submit(partial(self._row, copy), self._fill, lane=self._lane)
        if found:
            self.list.setCurrentItem(self._items[found[0].path])
        self.list.setFocus(Qt.FocusReason.OtherFocusReason)

    def _row(self, copy: Backup) -> BackupRow | None:
        """Runs off the window's thread; a dialog that was closed wants nothing read any more."""
        return None if self._is_closed else self._read(copy)

    def _fill(self, outcome: Outcome[BackupRow | None]) -> None:
        row = outcome.result()
        if not self._is_closed and row is not None:
            self.show_row(self._items[row.path], row)

    def _item(self, copy: Backup) -> QTreeWidgetItem:
        moment = QDateTime.fromSecsSinceEpoch(int(copy.mtime))
        when = self.locale().toString(moment, QLocale.FormatType.ShortFormat)
        item = QTreeWidgetItem(self.cells(copy, when, size_text(copy.size, self.locale())))
        item.setData(0, PATH_ROLE, str(copy.path))
        for column in self.numbers:
            item.setTextAlignment(column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return item

    def _close_up(self) -> None:
        self._is_closed = True
