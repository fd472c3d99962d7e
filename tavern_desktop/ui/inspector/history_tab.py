"""Every version of the chat in view, newest first; choosing one shows what changed."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QMenu, QStackedWidget, QVBoxLayout, QWidget

from tavern_desktop.session.history import Past
from tavern_desktop.ui.icons import icon
from tavern_desktop.ui.inspector.history_data import ChatHistory
from tavern_desktop.ui.inspector.history_versions import PAST_ROLE, VersionPainter, VersionsModel
from tavern_desktop.ui.widgets import label, push_button

LAID_OUT_AT_ONCE = 200


class HistoryTab(QWidget):
    """Owner: the inspector. Shows versions and asks for things; who compares and restores is somebody else."""

    chosen = Signal(object, bool)
    """What a Past changed shall be shown, or (True) what changed since it."""
    passed = Signal(object)
    """The keyboard's cursor came to a Past."""
    restore_requested = Signal(object)
    """The whole chat shall be as in a Past."""
    copy_requested = Signal(object)
    """A Past shall be a chat of its own."""

    def __init__(self, history: ChatHistory, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._history = history
        self.model = VersionsModel(self)
        self.list = QListView()
        self.list.setObjectName("historyList")
        self.list.setAccessibleName(self.tr("Versions of this chat"))
        self.list.setModel(self.model)
        self.list.setItemDelegate(VersionPainter(self.list))
        self.list.setMouseTracking(True)
        self.list.setResizeMode(QListView.ResizeMode.Adjust)
        self.list.setLayoutMode(QListView.LayoutMode.Batched)
        self.list.setBatchSize(LAID_OUT_AT_ONCE)
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.message = label(tone="muted", wrap=True)
        self.retry = push_button(self.tr("Try Again"), "plain", history.refresh)
        self._pages = QStackedWidget()
        self._lay_out()
        self.list.clicked.connect(self._choose)
        self.list.activated.connect(self._choose)
        self.list.selectionModel().currentChanged.connect(lambda now, before: self._pass(now))
        self.list.customContextMenuRequested.connect(self._pop_up)
        history.changed.connect(self.show_state)
        self.show_state()

    @property
    def current(self) -> Past | None:
        """The version under the keyboard's cursor."""
        row = self.list.currentIndex().data(PAST_ROLE)
        return row if isinstance(row, Past) else None

    def make_current(self, past: Past) -> None:
        """Bring a version into sight."""
        row = self.model.row_of(past.id)
        if row is not None:
            self.list.setCurrentIndex(self.model.index(row))

    def show_state(self) -> None:
        """Show what is known of the chat's versions; the current one stays current."""
        history, current = self._history, self.current
        text, is_problem = self._sentence()
        self._pages.setCurrentIndex(1 if text else 0)
        self.message.setText(text)
        self.retry.setVisible(is_problem)
        if not text:
            bar = self.list.verticalScrollBar()
            place = bar.value()
            self.model.show_versions(history.versions)
            bar.setValue(place)
            if current is not None:
                self.make_current(current)

    def _sentence(self) -> tuple[str, bool]:
        """Return what stands in place of the list, "" for nothing, and whether it is a problem."""
        history = self._history
        if history.problem:
            return history.problem, True
        if history.versions:
            return "", False
        if not history.is_there:
            return self.tr("The versions of a chat are listed here when it is open."), False
        if history.is_loading:
            return self.tr("Looking for earlier versions…"), False
        return self.tr("Nothing has been changed here yet."), False

    def _choose(self, index: QModelIndex) -> None:
        past = index.data(PAST_ROLE)
        if isinstance(past, Past):
            self.chosen.emit(past, not past.before)

    def _pass(self, index: QModelIndex) -> None:
        past = index.data(PAST_ROLE)
        if isinstance(past, Past):
            self.passed.emit(past)

    def _pop_up(self, place: QPoint) -> None:
        past = self.list.indexAt(place).data(PAST_ROLE)
        if isinstance(past, Past):
            self.menu_for(past).popup(self.list.viewport().mapToGlobal(place))

    def menu_for(self, past: Past) -> QMenu:
        """Return what can be done with a version."""
        menu = QMenu(self)
        menu.aboutToHide.connect(menu.deleteLater)
        if past.before:
            menu.addAction(icon("pencil"), self.tr("Show This Change"), lambda: self.chosen.emit(past, False))
        menu.addAction(icon("half"), self.tr("Compare with Now"), lambda: self.chosen.emit(past, True))
        menu.addSeparator()
        menu.addAction(icon("history"), self.tr("Restore This Version"), lambda: self.restore_requested.emit(past))
        menu.addAction(icon("duplicate"), self.tr("Open as New Chat"), lambda: self.copy_requested.emit(past))
        return menu

    def _lay_out(self) -> None:
        page = QWidget()
        inner = QVBoxLayout(page)
        inner.setContentsMargins(4, 10, 8, 8)
        inner.setSpacing(10)
        inner.addWidget(self.message)
        inner.addWidget(self.retry, 0, Qt.AlignmentFlag.AlignLeft)
        inner.addStretch(1)
        self._pages.addWidget(self.list)
        self._pages.addWidget(page)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 6)
        column.addWidget(self._pages)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._history.set_watched(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._history.set_watched(False)
