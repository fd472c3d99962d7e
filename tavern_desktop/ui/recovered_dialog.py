"""What was put aside instead of being lost: of which chat, when, how much; to open or to find on disk."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QDateTime, QLocale, Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QHeaderView, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from tavern_desktop.session.backup_list import BackupRow
from tavern_desktop.session.orphan_drafts import TEXT_SUFFIX
from tavern_desktop.session.recovered import recovered_copies, row_of_copy
from tavern_desktop.session.runner import Outcome, Runner
from tavern_desktop.storage.backups import Backup
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.ui.widgets import label, push_button

PATH_ROLE = Qt.ItemDataRole.UserRole
CHAT, WHEN, MESSAGES, SIZE, WORDS = range(5)
LANE = "recovered"


class RecoveredDialog(QDialog):
    """Fills while it is shown: counting messages reads the copies, off the window's thread."""

    def __init__(
        self,
        parent: QWidget,
        runner: Runner,
        folder: Path,
        open_copy: Callable[[Path], object],
        show_in_folder: Callable[[Path], object],
    ) -> None:
        super().__init__(parent)
        self.setObjectName("recoveredDialog")
        self.setWindowTitle(self.tr("Recovered Copies"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._runner, self._act = runner, open_copy
        self._is_closed = False
        self._items: dict[Path, QTreeWidgetItem] = {}
        self.list = self._make_list()
        self.hint = label(self.tr("Looking for copies…"), "muted", wrap=True)
        self.open_button = push_button(self.tr("Open"), "primary", self._open)
        self.open_button.setDefault(True)
        self.folder_button = push_button(self.tr("Show in Folder"), "plain", lambda: self._with_path(show_in_folder))
        self._lay_out()
        self.finished.connect(self._close_up)
        self.list.currentItemChanged.connect(lambda now, before: self._enable(now is not None))
        self.list.itemActivated.connect(lambda item, column: self._open())
        self._enable(False)
        runner.submit(lambda: recovered_copies(folder), self._show, lane=LANE)

    def _make_list(self) -> QTreeWidget:
        made = QTreeWidget()
        made.setObjectName("recoveredList")
        made.setAccessibleName(self.windowTitle())
        headings = (self.tr("Chat"), self.tr("Put aside"), self.tr("Messages"), self.tr("Size"), self.tr("Last words"))
        made.setHeaderLabels(headings)
        made.setRootIsDecorated(False)
        made.setUniformRowHeights(True)
        made.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        made.header().setSectionResizeMode(WORDS, QHeaderView.ResizeMode.Stretch)
        return made

    def _lay_out(self) -> None:
        foot = QHBoxLayout()
        foot.addWidget(self.hint, 1)
        close = push_button(self.tr("Close"), "plain", self.reject)
        close.setAutoDefault(False)
        self.folder_button.setAutoDefault(False)
        for button in (close, self.folder_button, self.open_button):
            foot.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 16, 18, 14)
        column.setSpacing(12)
        column.addWidget(self.list, 1)
        column.addLayout(foot)
        self.resize(760, 420)

    def _show(self, outcome: Outcome[list[Backup]]) -> None:
        if self._is_closed:
            return
        try:
            found = outcome.result()
        except StorageError as error:
            self.hint.setText(sentence(error))
            return
        self.hint.setText(
            self.tr("Versions that could not be saved, or made way for another one, lie here until you delete them.")
            if found
            else self.tr("Nothing had to be put aside in this data folder.")
        )
        for copy in found:
            item = self._items[copy.path] = self._item(copy)
            self.list.addTopLevelItem(item)
            self._runner.submit(partial(self._row, copy), self._fill, lane=LANE)
        if found:
            self.list.setCurrentItem(self._items[found[0].path])
        self.list.setFocus(Qt.FocusReason.OtherFocusReason)

    def _row(self, copy: Backup) -> BackupRow | None:
        """Runs off the window's thread; a dialog that was closed wants nothing read any more."""
        return None if self._is_closed else row_of_copy(copy)

    def _fill(self, outcome: Outcome[BackupRow | None]) -> None:
        row = outcome.result()
        if self._is_closed or row is None:
            return
        item = self._items[row.path]
        what = self.tr("unsent text") if row.path.suffix == TEXT_SUFFIX else self.tr("damaged")
        item.setText(MESSAGES, what if row.messages is None else self.locale().toString(row.messages))
        item.setText(WORDS, " ".join(row.words.split()))

    def _item(self, copy: Backup) -> QTreeWidgetItem:
        moment = QDateTime.fromSecsSinceEpoch(int(copy.mtime))
        when = self.locale().toString(moment, QLocale.FormatType.ShortFormat)
        item = QTreeWidgetItem([copy.key, when, "…", self.locale().formattedDataSize(copy.size), ""])
        item.setData(CHAT, PATH_ROLE, str(copy.path))
        for column in (MESSAGES, SIZE):
            item.setTextAlignment(column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return item

    def _enable(self, on: bool) -> None:
        self.open_button.setEnabled(on)
        self.folder_button.setEnabled(on)

    def _open(self) -> None:
        if self.list.currentItem() is not None:
            self.accept()
            self._with_path(self._act)

    def _with_path(self, act: Callable[[Path], object]) -> None:
        item = self.list.currentItem()
        if item is not None:
            act(Path(item.data(CHAT, PATH_ROLE)))

    def _close_up(self) -> None:
        self._is_closed = True
