"""The editor of a lorebook: its entries on the left, the chosen one on the right."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QSortFilterProxyModel, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QSplitter,
    QStackedWidget,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from tavern_desktop.library.worlds import DEFAULTS
from tavern_desktop.ui.lore.data import BookData
from tavern_desktop.ui.lore.form import EntryForm
from tavern_desktop.ui.lore.model import ON, ORDER, PLACE, SEARCH_ROLE, SORT_ROLE, TITLE, TOKENS, EntriesModel
from tavern_desktop.ui.services import Services
from tavern_desktop.ui.widgets import TextField, label, push_button, set_tone

NARROW = 900
"""Pixels of width below which the list shows no more than titles and orders."""
LIST_WIDTH = 480


class LoreEditor(QDialog):
    """Everything typed is written a moment later; there is nothing to confirm."""

    written = Signal()
    """The book says something else now."""

    def __init__(self, parent: QWidget, services: Services, name: str) -> None:
        super().__init__(parent)
        self.setObjectName("loreEditor")
        self.setWindowTitle(self.tr("Lorebook: {name}").format(name=name))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.data = BookData(services, name, self)
        self.model = EntriesModel(self)
        self.rows = QSortFilterProxyModel(self)
        self.rows.setSourceModel(self.model)
        self.rows.setSortRole(SORT_ROLE)
        self.rows.setFilterRole(SEARCH_ROLE)
        self.rows.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.rows.setFilterKeyColumn(TITLE)
        self.search = TextField(self.tr("Search titles, keys and texts"))
        self.table = self._make_table()
        self.form = EntryForm()
        self.said = label("", "muted")
        self.undo = push_button(self.tr("Undo"), "plain", self._put_back)
        self.undo.hide()
        self.add_button = push_button(self.tr("Add"), "plain", lambda: self.data.add(DEFAULTS))
        self.duplicate_button = push_button(self.tr("Duplicate"), "plain", self._duplicate)
        self.remove_button = push_button(self.tr("Remove"), "plain", self._remove)
        self._taken_out: int | None = None
        self._chosen: int | None = None
        self._lay_out()
        self._connect()
        self.resize(min(1040, parent.width() - 40), min(720, parent.height() - 40))
        is_narrow = self.width() < NARROW
        self._split.setSizes([LIST_WIDTH // 2, LIST_WIDTH] if is_narrow else [LIST_WIDTH, LIST_WIDTH])

    def _make_table(self) -> QTableView:
        table = QTableView()
        table.setObjectName("loreEntries")
        table.setAccessibleName(self.tr("Entries"))
        table.setModel(self.rows)
        table.setSortingEnabled(True)
        table.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setShowGrid(False)
        table.setTabKeyNavigation(False)
        table.verticalHeader().hide()
        table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(TITLE, QHeaderView.ResizeMode.Stretch)
        for column, width in ((ON, 34), (PLACE, 140), (ORDER, 58), (TOKENS, 62)):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            table.setColumnWidth(column, width)
        return table

    def _lay_out(self) -> None:
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 10, 0)
        column.setSpacing(8)
        column.addWidget(self.search)
        column.addWidget(self.table, 1)
        buttons = QHBoxLayout()
        buttons.setSpacing(6)
        for button in (self.add_button, self.duplicate_button, self.remove_button):
            button.setAutoDefault(False)
            buttons.addWidget(button)
        buttons.addStretch(1)
        column.addLayout(buttons)
        nothing = label(self.tr("Choose an entry, or add one."), "muted")
        nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.right = QStackedWidget()
        self.right.addWidget(nothing)
        self.right.addWidget(self.form)
        split = QSplitter()
        split.addWidget(left)
        split.addWidget(self.right)
        split.setChildrenCollapsible(False)
        self._split = split
        left.setMinimumWidth(LIST_WIDTH // 2)
        foot = QHBoxLayout()
        foot.addWidget(self.said)
        foot.addWidget(self.undo)
        foot.addStretch(1)
        close = push_button(self.tr("Close"), "primary", self.accept)
        close.setAutoDefault(False)
        foot.addWidget(close)
        self.undo.setAutoDefault(False)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(20, 18, 20, 14)
        whole.setSpacing(12)
        whole.addWidget(split, 1)
        whole.addLayout(foot)

    def _connect(self) -> None:
        data = self.data
        data.changed.connect(self._show)
        data.entry_changed.connect(lambda uid: self.model.show_entry(uid, data.entries[uid]))
        data.writer.state_changed.connect(self._show_state)
        data.added.connect(self._choose)
        data.removed.connect(self._tell_removed)
        data.written.connect(self.written)
        self.model.switched.connect(self._switch)
        self.search.textChanged.connect(self.rows.setFilterFixedString)
        self.table.selectionModel().currentRowChanged.connect(lambda now, before: self._show_entry(now))
        self.form.changed.connect(self._edit)
        self.form.left.connect(data.writer.flush)
        self.finished.connect(lambda: data.writer.flush())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        for column in (PLACE, TOKENS):
            self.table.setColumnHidden(column, self.width() < NARROW)

    # -- what is shown ----------------------------------------------------------------------------------------

    def _show(self) -> None:
        chosen = self._chosen
        self.model.show_entries(dict(self.data.entries))
        if chosen is not None and chosen in self.data.entries:
            self._choose(chosen)
            self.form.show_entry(self.data.entries[chosen])
        else:
            self._show_entry(self.table.currentIndex())
        self._show_state()

    def _choose(self, uid: int) -> None:
        row = self.model.row_of(uid)
        if row is None:
            return
        if not self.rows.mapFromSource(self.model.index(row, TITLE)).isValid():
            self.search.clear()
        self.table.setCurrentIndex(self.rows.mapFromSource(self.model.index(row, TITLE)))

    def _show_entry(self, index: QModelIndex) -> None:
        uid = index.data(Qt.ItemDataRole.UserRole) if index.isValid() else None
        if uid != self._chosen:
            self.data.writer.flush()
        self._chosen = uid if uid in self.data.entries else None
        for button in (self.duplicate_button, self.remove_button):
            button.setEnabled(self._chosen is not None)
        self.right.setCurrentIndex(0 if self._chosen is None else 1)
        if self._chosen is not None:
            self.form.show_entry(self.data.entries[self._chosen])

    def _show_state(self) -> None:
        data = self.data
        count = len(data.entries)
        there = self.tr("1 entry") if count == 1 else self.tr("{count} entries").format(count=count)
        texts = {
            "": there,
            "changed": self.tr("Saving…"),
            "saved": self.tr("{entries} · Saved").format(entries=there),
            "failed": self.tr("Not saved. {reason}").format(reason=data.writer.failure),
        }
        self.said.setText(data.problem or texts[data.writer.state])
        set_tone(self.said, "danger" if data.problem or data.writer.state == "failed" else "muted")
        self.add_button.setEnabled(not data.problem)

    # -- what is done -----------------------------------------------------------------------------------------

    def _edit(self, changes: dict[str, object]) -> None:
        if self._chosen is not None:
            self.data.edit(self._chosen, changes)

    def _switch(self, uid: int, on: bool) -> None:
        self.data.edit(uid, {"disable": not on})
        if uid == self._chosen:
            self.form.show_entry(self.data.entries[uid])

    def _duplicate(self) -> None:
        if self._chosen is not None:
            self.data.writer.flush()
            self.data.add(self.data.entries[self._chosen])

    def _remove(self) -> None:
        if self._chosen is not None:
            self.data.remove(self._chosen)

    def _tell_removed(self, uid: int, title: str) -> None:
        self._taken_out = uid
        self.undo.setText(self.tr("Bring back “{title}”").format(title=title or self.tr("the entry")))
        self.undo.show()

    def _put_back(self) -> None:
        if self._taken_out is not None:
            self.data.put_back(self._taken_out)
            self._taken_out = None
            self.undo.hide()
