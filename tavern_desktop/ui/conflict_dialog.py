"""All conflict copies of one chat, and what can be done with each."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QDateTime, QLocale, Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QHeaderView, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from tavern_desktop.session.runner import Outcome, Runner
from tavern_desktop.storage.conflict_copies import made_at_ms
from tavern_desktop.storage.directory import kind_of
from tavern_desktop.storage.errors import StorageError, from_os
from tavern_desktop.storage.summary import summarise
from tavern_desktop.ui.widgets import label, push_button

PATH_ROLE = Qt.ItemDataRole.UserRole
WHEN, MESSAGES, SIZE, WORDS = range(4)
LANE = "conflict copies"

Deeds = Mapping[str, Callable[[Path], object]]
"""What can be done with a copy: merge, compare, keep, remove."""


class CopyFacts(NamedTuple):
    """What there is to show of a copy; `messages` is None where it cannot be read."""

    made_ms: int
    size: int
    messages: int | None
    words: str


class ConflictDialog(QDialog):
    """Fills while it is shown: every copy is read, off the window's thread."""

    def __init__(self, parent: QWidget, runner: Runner, title: str, copies: Sequence[str], deeds: Deeds) -> None:
        super().__init__(parent)
        self.setObjectName("conflictDialog")
        self.setWindowTitle(self.tr("Conflict Copies of {title}").format(title=title))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._deeds = deeds
        self._is_closed = False
        self._items: list[QTreeWidgetItem] = []
        self.list = self._make_list(copies)
        told = self.tr("The same chat was changed in two places. Merging keeps the messages of both.")
        self.merge_button = push_button(self.tr("Merge"), "primary", partial(self._do, "merge"))
        self.merge_button.setDefault(True)
        foot = QHBoxLayout()
        foot.addWidget(push_button(self.tr("Delete Copy"), "plain", partial(self._do, "remove")))
        foot.addStretch(1)
        foot.addWidget(push_button(self.tr("Close"), "plain", self.reject))
        foot.addWidget(push_button(self.tr("Keep Both"), "plain", partial(self._do, "keep")))
        foot.addWidget(push_button(self.tr("Compare…"), "plain", partial(self._do, "compare")))
        foot.addWidget(self.merge_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 16, 18, 14)
        column.setSpacing(12)
        column.addWidget(label(told, "muted", wrap=True))
        column.addWidget(self.list, 1)
        column.addLayout(foot)
        self.resize(720, 380)
        self.finished.connect(self._close_up)
        for item in self._items:
            copy = Path(item.data(WHEN, PATH_ROLE))
            runner.submit(partial(self._facts, copy), partial(self._fill, item), lane=LANE)
        self.list.setFocus(Qt.FocusReason.OtherFocusReason)

    def _make_list(self, copies: Sequence[str]) -> QTreeWidget:
        made = QTreeWidget()
        made.setObjectName("conflictList")
        made.setAccessibleName(self.windowTitle())
        made.setHeaderLabels([self.tr("Made"), self.tr("Messages"), self.tr("Size"), self.tr("Last words")])
        made.setRootIsDecorated(False)
        made.setUniformRowHeights(True)
        made.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        made.header().setSectionResizeMode(WORDS, QHeaderView.ResizeMode.Stretch)
        for copy in copies:
            item = QTreeWidgetItem(["…", "", "", ""])
            item.setData(WHEN, PATH_ROLE, copy)
            item.setToolTip(WHEN, os.path.basename(copy))
            for column in (MESSAGES, SIZE):
                item.setTextAlignment(column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            self._items.append(item)
        made.addTopLevelItems(self._items)
        made.setCurrentItem(self._items[0])
        return made

    def _facts(self, copy: Path) -> CopyFacts | None:
        """Runs off the window's thread; a dialog that was closed wants nothing read any more."""
        if self._is_closed:
            return None
        try:
            found = os.stat(copy)
        except OSError as error:
            raise from_os(error, "open", copy) from None
        made = made_at_ms(copy.name)
        made = int(found.st_mtime * 1000) if made is None else made
        try:
            summary = summarise(copy, kind=kind_of(copy))
        except StorageError:
            return CopyFacts(made, found.st_size, None, "")
        return CopyFacts(made, found.st_size, summary.message_count, summary.preview)

    def _fill(self, item: QTreeWidgetItem, outcome: Outcome[CopyFacts | None]) -> None:
        if self._is_closed:
            return
        if isinstance(outcome.error, StorageError):
            item.setText(WHEN, self.tr("gone"))
            return
        facts = outcome.result()
        if facts is None:
            return
        moment = QDateTime.fromMSecsSinceEpoch(facts.made_ms)
        item.setText(WHEN, self.locale().toString(moment, QLocale.FormatType.ShortFormat))
        count = self.tr("damaged") if facts.messages is None else self.locale().toString(facts.messages)
        item.setText(MESSAGES, count)
        item.setText(SIZE, self.locale().formattedDataSize(facts.size))
        item.setText(WORDS, " ".join(facts.words.split()))

    def _do(self, deed: str) -> None:
        item = self.list.currentItem()
        if item is not None:
            self.accept()
            self._deeds[deed](Path(item.data(WHEN, PATH_ROLE)))

    def _close_up(self) -> None:
        self._is_closed = True
