"""The page of the library that shows a search in all chats: how far it is, what was found, what could not be read."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QListView, QProgressBar, QToolButton, QVBoxLayout, QWidget

from tavern_desktop.storage.directory import FileFailure
from tavern_desktop.storage.search import Hit
from tavern_desktop.ui.avatars import Avatars
from tavern_desktop.ui.search.results import ROW_ROLE, ChatHead, Describe, ResultsModel
from tavern_desktop.ui.search.row_painter import ResultPainter
from tavern_desktop.ui.search.run import MOST_OF_A_CHAT
from tavern_desktop.ui.widgets import label, push_button

STEPS = 1000
LAID_OUT_AT_ONCE = 100
"""Rows between two moments at which the window can do something else."""


class SearchPage(QWidget):
    """Shows results and asks for things; who searches and opens is somebody else's business."""

    hit_chosen = Signal(object)
    """A Hit shall be shown."""
    chat_chosen = Signal(str)
    """The chat at this path shall be opened: its own row was chosen, or one that says why it cannot be read."""
    stop_requested = Signal()
    case_toggled = Signal()

    def __init__(self, avatars: Avatars) -> None:
        super().__init__()
        self.model = ResultsModel(self)
        self.summary = label(tone="muted", wrap=True)
        self.cancel = push_button(self.tr("Cancel"), "quiet", self.stop_requested.emit)
        self.cancel.setObjectName("searchCancel")
        self.match_case = QToolButton()
        self.match_case.setText("Aa")
        self.match_case.setCheckable(True)
        self.match_case.setAccessibleName(self.tr("Match case"))
        self.match_case.setToolTip(self.tr("Match case"))
        self.progress = QProgressBar()
        self.progress.setRange(0, STEPS)
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName(self.tr("Searching all chats"))
        self.view = QListView()
        self.view.setObjectName("searchResults")
        self.view.setAccessibleName(self.tr("Places found in all chats"))
        self.view.setModel(self.model)
        self.view.setItemDelegate(ResultPainter(avatars, self.view))
        self.view.setMouseTracking(True)
        self.view.setResizeMode(QListView.ResizeMode.Adjust)
        self.view.setLayoutMode(QListView.LayoutMode.Batched)
        self.view.setBatchSize(LAID_OUT_AT_ONCE)
        self.view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._text = ""
        self._lay_out()
        self.view.clicked.connect(self._choose)
        self.view.activated.connect(self._choose)
        self.match_case.toggled.connect(lambda: self.case_toggled.emit())
        avatars.loaded.connect(self.view.viewport().update)

    def begin(self, text: str) -> None:
        """Show that a search has begun, with nothing found yet."""
        self._text = text
        self.model.clear()
        self.progress.setValue(0)
        self._set_busy(True)
        self.summary.setText(self.tr("Searching…"))

    def add(self, found: Sequence[Hit | FileFailure], describe: Describe) -> None:
        """Show what was found next; what is in sight stays where it is."""
        self.model.add(found, describe, MOST_OF_A_CHAT)
        self.summary.setText(self.tr("{found}, searching…").format(found=self._found()))

    def show_progress(self, done: int, total: int) -> None:
        """Show how many bytes of how many have been read."""
        self.progress.setValue(STEPS * done // total if total else 0)

    def end(self, *, more: bool = False, stopped: bool = False, problem: str = "") -> None:
        """Say how the search ended: `more` is there than is listed, it was stopped, or the folder has a problem."""
        self._set_busy(False)
        if problem:
            text = problem
        elif more:
            text = self.tr("The first {found}. More words find less.").format(found=self._found())
        elif stopped:
            text = self.tr("Stopped: {found} so far.").format(found=self._found())
        elif self.model.hits:
            text = self._found()
        else:
            text = self.tr("Nothing found for {text}.").format(text=f"“{self._text}”")
        failures = self.model.failures
        if failures:
            unread = (
                self.tr("1 file could not be read") if failures == 1 else self.tr("{count} files could not be read")
            )
            text = f"{text.rstrip('.')}; {unread.format(count=self.locale().toString(failures))}."
        self.summary.setText(text)

    def _found(self) -> str:
        hits, chats, locale = self.model.hits, self.model.chats, self.locale()
        places = self.tr("1 place") if hits == 1 else self.tr("{count} places")
        where = self.tr("in 1 chat") if chats == 1 else self.tr("in {count} chats")
        return f"{places.format(count=locale.toString(hits))} {where.format(count=locale.toString(chats))}"

    def _set_busy(self, busy: bool) -> None:
        self.cancel.setVisible(busy)
        # Its room is kept, so that nothing moves when a search ends.
        self.progress.setStyleSheet("" if busy else "QProgressBar::chunk { background: transparent; }")

    def _choose(self, index: QModelIndex) -> None:
        row = index.data(ROW_ROLE)
        if isinstance(row, Hit):
            self.hit_chosen.emit(row)
        elif isinstance(row, ChatHead):
            self.chat_chosen.emit(row.path)
        elif isinstance(row, FileFailure):
            self.chat_chosen.emit(row.file)

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setContentsMargins(6, 0, 4, 0)
        top.setSpacing(4)
        top.addWidget(self.summary, 1)
        top.addWidget(self.cancel)
        top.addWidget(self.match_case)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(top)
        column.addWidget(self.progress)
        column.addWidget(self.view, 1)
