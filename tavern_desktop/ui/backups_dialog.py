"""The backups of one chat: when, how many messages, how large; one of them opens as a chat of its own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QDateTime, QLocale, Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QHeaderView, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from tavern_desktop.session.backup_list import BackupRow, backups_for, row_of_backup
from tavern_desktop.session.runner import Outcome, Runner
from tavern_desktop.storage.backups import Backup
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.ui.widgets import label, push_button

PATH_ROLE = Qt.ItemDataRole.UserRole
WHEN, MESSAGES, SIZE, WORDS = range(4)
LANE = "backups"


class BackupsDialog(QDialog):
    """Fills while it is shown: counting the messages of a backup reads it, off the window's thread."""

    def __init__(
        self, parent: QWidget, runner: Runner, chat: Path, title: str, restore: Callable[[Path], object]
    ) -> None:
        super().__init__(parent)
        self.setObjectName("backupsDialog")
        self.setWindowTitle(self.tr("Backups of {title}").format(title=title))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._runner, self._chat, self._restore = runner, chat, restore
        self._is_closed = False
        self._items: dict[Path, QTreeWidgetItem] = {}
        self.list = QTreeWidget()
        self.list.setObjectName("backupList")
        self.list.setAccessibleName(self.windowTitle())
        self.list.setHeaderLabels([self.tr("Saved"), self.tr("Messages"), self.tr("Size"), self.tr("Last words")])
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.list.header().setSectionResizeMode(WORDS, QHeaderView.ResizeMode.Stretch)
        self.hint = label(self.tr("Looking for backups…"), "muted", wrap=True)
        self.open_button = push_button(self.tr("Open as a Copy"), "primary", self._open)
        self.open_button.setDefault(True)
        self.open_button.setEnabled(False)
        foot = QHBoxLayout()
        foot.addWidget(self.hint, 1)
        close = push_button(self.tr("Close"), "plain", self.reject)
        close.setAutoDefault(False)
        foot.addWidget(close)
        foot.addWidget(self.open_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 16, 18, 14)
        column.setSpacing(12)
        column.addWidget(self.list, 1)
        column.addLayout(foot)
        self.resize(680, 420)
        self.finished.connect(self._close_up)
        self.list.currentItemChanged.connect(lambda now, before: self.open_button.setEnabled(now is not None))
        self.list.itemActivated.connect(lambda item, column: self._open())
        runner.submit(lambda: backups_for(chat), self._show, lane=LANE)

    def _show(self, outcome: Outcome[list[Backup]]) -> None:
        if self._is_closed:
            return
        try:
            found = outcome.result()
        except StorageError as error:
            self.hint.setText(sentence(error))
            return
        self.hint.setText(
            self.tr("A copy opens as a new chat; the present one stays as it is.")
            if found
            else self.tr("There are no backups of this chat yet. One is made when it is saved.")
        )
        for backup in found:
            item = self._items[backup.path] = self._item(backup)
            self.list.addTopLevelItem(item)
            self._runner.submit(partial(self._row, backup), self._fill, lane=LANE)
        if found:
            self.list.setCurrentItem(self._items[found[0].path])
        self.list.setFocus(Qt.FocusReason.OtherFocusReason)

    def _row(self, backup: Backup) -> BackupRow | None:
        """Runs off the window's thread; a dialog that was closed wants nothing read any more."""
        return None if self._is_closed else row_of_backup(backup)

    def _fill(self, outcome: Outcome[BackupRow | None]) -> None:
        row = outcome.result()
        if self._is_closed or row is None:
            return
        item = self._items[row.path]
        count = self.tr("damaged") if row.messages is None else self.locale().toString(row.messages)
        item.setText(MESSAGES, count)
        item.setText(WORDS, " ".join(row.words.split()))

    def _item(self, backup: Backup) -> QTreeWidgetItem:
        moment = QDateTime.fromSecsSinceEpoch(int(backup.mtime))
        when = self.locale().toString(moment, QLocale.FormatType.ShortFormat)
        item = QTreeWidgetItem([when, "…", self.locale().formattedDataSize(backup.size), ""])
        item.setData(WHEN, PATH_ROLE, str(backup.path))
        for column in (MESSAGES, SIZE):
            item.setTextAlignment(column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return item

    def _open(self) -> None:
        item = self.list.currentItem()
        if item is not None:
            self.accept()
            self._restore(Path(item.data(WHEN, PATH_ROLE)))

    def _close_up(self) -> None:
        self._is_closed = True
