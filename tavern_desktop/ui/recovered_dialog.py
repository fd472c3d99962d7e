"""What was put aside instead of being lost: of which chat, when, how much; to open or to find on disk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtWidgets import QHBoxLayout, QTreeWidgetItem, QVBoxLayout, QWidget
from typing_extensions import override

from tavern_desktop.session.backup_list import BackupRow
from tavern_desktop.session.orphan_drafts import TEXT_SUFFIX
from tavern_desktop.session.recovered import recovered_copies, row_of_copy
from tavern_desktop.session.runner import Runner
from tavern_desktop.storage.backups import Backup
from tavern_desktop.ui.copies_dialog import CopiesDialog
from tavern_desktop.ui.widgets import push_button

CHAT, WHEN, MESSAGES, SIZE, WORDS = range(5)
LANE = "recovered"


class RecoveredDialog(CopiesDialog):
    """Owner: the window."""

    numbers = (MESSAGES, SIZE)

    def __init__(
        self,
        parent: QWidget,
        runner: Runner,
        folder: Path,
        open_copy: Callable[[Path], object],
        show_in_folder: Callable[[Path], object],
    ) -> None:
        super().__init__(parent, runner, self.tr("Recovered Copies"), LANE, row_of_copy)
        self.setObjectName("recoveredDialog")
        self._act = open_copy
        headings = (self.tr("Chat"), self.tr("Put aside"), self.tr("Messages"), self.tr("Size"), self.tr("Last words"))
        self.set_up_list("recoveredList", headings, WORDS)
        self.hint.setText(self.tr("Looking for copies…"))
        self.open_button = push_button(self.tr("Open"), "primary", self._open)
        self.open_button.setDefault(True)
        self.folder_button = push_button(self.tr("Show in Folder"), "plain", lambda: self._with_path(show_in_folder))
        self._lay_out()
        self.list.currentItemChanged.connect(lambda now, before: self._enable(now is not None))
        self.list.itemActivated.connect(lambda item, column: self._open())
        self._enable(False)
        self.fill(lambda: recovered_copies(folder))

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

    @override
    def hint_for(self, found: Sequence[Backup]) -> str:
        if not found:
            return self.tr("Nothing had to be put aside in this data folder.")
        return self.tr("Versions that could not be saved, or made way for another one, lie here until you delete them.")

    @override
    def cells(self, copy: Backup, when: str, size: str) -> list[str]:
        return [copy.key, when, "…", size, ""]

    @override
    def show_row(self, item: QTreeWidgetItem, row: BackupRow) -> None:
        what = self.tr("unsent text") if row.path.suffix == TEXT_SUFFIX else self.tr("damaged")
        item.setText(MESSAGES, what if row.messages is None else self.locale().toString(row.messages))
        item.setText(WORDS, " ".join(row.words.split()))

    def _enable(self, on: bool) -> None:
        self.open_button.setEnabled(on)
        self.folder_button.setEnabled(on)

    def _open(self) -> None:
        if self.chosen() is not None:
            self.accept()
            self._with_path(self._act)

    def _with_path(self, act: Callable[[Path], object]) -> None:
        path = self.chosen()
        if path is not None:
            act(path)
