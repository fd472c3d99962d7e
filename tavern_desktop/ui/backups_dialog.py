"""Backups: when, how many messages, how large, and how one ends; one of them opens as a chat of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QHBoxLayout,
    QPushButton,
    QSplitter,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)
from typing_extensions import override

from tavern_desktop.session.backup_list import BackupRow, row_of_backup
from tavern_desktop.session.runner import Outcome, Runner
from tavern_desktop.storage.backups import Backup
from tavern_desktop.storage.directory import kind_of
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.storage.pages import Page, tail_preview
from tavern_desktop.ui.chat.context import ChatContext
from tavern_desktop.ui.chat.preview_model import PreviewModel
from tavern_desktop.ui.chat.record import Names
from tavern_desktop.ui.chat.view import ChatView
from tavern_desktop.ui.copies_dialog import CopiesDialog
from tavern_desktop.ui.widgets import label, push_button

WHEN, MESSAGES, SIZE = range(3)
LANE = "backups"
SHOWN = 100
"""Newest messages of a backup that are shown to look at."""


@dataclass(frozen=True)
class BackupAct:
    """What can be done with a backup: the button's text, and what it does with the file."""

    text: str
    do: Callable[[Path], object]
    kind: Literal["plain", "primary"] = "primary"
    tip: str = ""


@dataclass(frozen=True)
class BackupTexts:
    """What a list of backups is called, and what is said below it."""

    title: str
    hint: str
    none: str


class BackupsDialog(CopiesDialog):
    """Backups of one chat, or of all chats of somebody."""

    numbers = (MESSAGES, SIZE)

    def __init__(
        self,
        parent: QWidget,
        runner: Runner,
        find: Callable[[], list[Backup]],
        texts: BackupTexts,
        acts: Sequence[BackupAct],
        context: ChatContext,
    ) -> None:
        """`find` runs off the window's thread; the last of `acts` is what Enter does. `context`: how to show one."""
        super().__init__(parent, runner, texts.title, LANE, row_of_backup)
        self.setObjectName("backupsDialog")
        self._texts, self._context = texts, context
        self.set_up_list("backupList", (self.tr("Saved"), self.tr("Messages"), self.tr("Size")), WHEN)
        self.view = ChatView()
        self.view.setObjectName("backupView")
        self.view.setAccessibleName(self.tr("The end of the chosen backup"))
        self.ending = label(tone="muted", wrap=True)
        self.hint.setText(self.tr("Looking for backups…"))
        self._acts = tuple(acts)
        self.buttons: list[QPushButton] = []
        self._lay_out()
        self.list.currentItemChanged.connect(lambda now, before: self._look())
        self.list.itemActivated.connect(lambda item, column: self._do(self._acts[-1]))
        self.fill(find)

    @property
    def open_button(self) -> QPushButton:
        """The button that Enter presses."""
        return self.buttons[-1]

    # -- the list ---------------------------------------------------------------------------------------

    @override
    def hint_for(self, found: Sequence[Backup]) -> str:
        return self._texts.hint if found else self._texts.none

    @override
    def cells(self, copy: Backup, when: str, size: str) -> list[str]:
        return [when, "…", size]

    @override
    def show_row(self, item: QTreeWidgetItem, row: BackupRow) -> None:
        count = self.tr("damaged") if row.messages is None else self.locale().toString(row.messages)
        item.setText(MESSAGES, count)
        item.setToolTip(WHEN, " ".join(row.words.split()))

    # -- looking at one ---------------------------------------------------------------------------------

    def _look(self) -> None:
        path = self.chosen()
        for button in self.buttons:
            button.setEnabled(path is not None)
        if path is not None:
            self._runner.submit(
                lambda: tail_preview(path, SHOWN, kind=kind_of(path)), partial(self._show_end, path), lane=LANE
            )

    def _show_end(self, path: Path, outcome: Outcome[Page]) -> None:
        if self._is_closed or path != self.chosen():
            return
        try:
            page = outcome.result()
        except StorageError as error:
            self.view.set_chat(None, self._context)
            self.ending.setText(sentence(error))
            return
        names = Names(self._context.user_name, self._context.char_name)
        self.view.set_preview(PreviewModel(page.records, page.start_index, names), self._context)
        self.ending.setText(
            self.tr("The last {n} messages, to look at.").format(n=SHOWN)
            if page.has_more_before
            else self.tr("The whole chat, to look at.")
            if page.records
            else self.tr("There are no messages in it.")
        )

    def _do(self, act: BackupAct) -> None:
        path = self.chosen()
        if path is not None:
            self.accept()
            act.do(path)

    # -- layout -----------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        looked_at = QWidget()
        side = QVBoxLayout(looked_at)
        side.setContentsMargins(0, 0, 0, 0)
        side.setSpacing(6)
        side.addWidget(self.view, 1)
        side.addWidget(self.ending)
        both = QSplitter(Qt.Orientation.Horizontal)
        both.setObjectName("quietSplitter")
        both.setChildrenCollapsible(False)
        both.setHandleWidth(12)
        both.addWidget(self.list)
        both.addWidget(looked_at)
        both.setSizes([340, 600])
        both.setStretchFactor(1, 1)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addWidget(self.hint, 1)
        foot.addWidget(self._button(BackupAct(self.tr("Close"), lambda path: None, "plain"), self.reject))
        for act in self._acts:
            button = self._button(act, partial(self._do, act))
            button.setEnabled(False)
            self.buttons.append(button)
            foot.addWidget(button)
        self.buttons[-1].setDefault(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 16, 18, 14)
        column.setSpacing(12)
        column.addWidget(both, 1)
        column.addLayout(foot)
        self.resize(980, 600)

    def _button(self, act: BackupAct, on_click: Callable[[], object]) -> QPushButton:
        button = push_button(act.text, act.kind, on_click)
        button.setToolTip(act.tip or act.text)
        button.setAutoDefault(act.kind == "primary")
        return button
