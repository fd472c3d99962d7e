"""The library pane: one field that filters, three lists to choose from."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QButtonGroup,
    QHBoxLayout,
    QListView,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from tavern_desktop.ui.avatars import Avatars
from tavern_desktop.ui.flow_layout import FlowLayout
from tavern_desktop.ui.icons import icon
from tavern_desktop.ui.library.data import LibraryData
from tavern_desktop.ui.library.entries import Entry, character_entries, chat_entries, group_entries
from tavern_desktop.ui.library.list_model import ENTRY_ROLE, EntryFilter
from tavern_desktop.ui.library.row_painter import RowPainter
from tavern_desktop.ui.widgets import TextField, label, push_button

RECENT, CHARACTERS, GROUPS, FOUND = range(4)
NARROWEST = 180


class EntryList(QWidget):
    """One list with what to say when it is empty."""

    chosen = Signal(object)
    """An Entry was clicked, or Enter pressed on it."""
    bin_requested = Signal(object)
    """Delete was pressed on an Entry."""
    menu_requested = Signal(object, QPoint)
    """The context menu of an Entry is wanted at a global position."""

    def __init__(self, name: str, title: str, empty: str, avatars: Avatars) -> None:
        super().__init__()
        self._empty_text = empty
        self.filter = EntryFilter(self)
        self.view = QListView()
        # Our own: asked for one of Qt's, PySide first makes the classes of all widgets there are (14 ms of a start).
        viewport = QWidget()
        self.view.setViewport(viewport)
        self.view.setObjectName(name)
        self.view.setAccessibleName(title)
        self.view.setModel(self.filter)
        self.view.setItemDelegate(RowPainter(avatars, self.view))
        self.view.setUniformItemSizes(True)
        self.view.setMouseTracking(True)
        self.view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.empty = label(tone="muted", wrap=True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        self.empty.setContentsMargins(16, 24, 16, 0)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.view, 1)
        column.addWidget(self.empty, 1)
        self.view.clicked.connect(self._choose)
        self.view.activated.connect(self._choose)
        self.view.customContextMenuRequested.connect(self._ask_for_menu)
        delete = QShortcut(QKeySequence(QKeySequence.StandardKey.Delete), self.view)
        delete.setContext(Qt.ShortcutContext.WidgetShortcut)
        delete.activated.connect(self._bin_current)
        avatars.loaded.connect(viewport.update)

    def show_entries(self, entries: list[Entry], problem: str, *, ready: bool) -> None:
        """Show these rows; an empty list says why, once it is known."""
        self.filter.entries.set_entries(entries)
        self._say_if_empty(problem, ready)

    def keep(self, text: str, problem: str, *, ready: bool) -> None:
        """Show only rows that hold `text`."""
        self.filter.setFilterFixedString(text)
        self._say_if_empty(problem, ready)

    def mark(self, path: str) -> None:
        """Select the row of the chat in view, without opening or scrolling anywhere else."""
        here = self.view.currentIndex()
        if here.isValid() and here.data(Qt.ItemDataRole.UserRole) == path:
            return
        selection, row = self.view.selectionModel(), self.filter.row_of(path)
        if row is not None:
            selection.setCurrentIndex(self.filter.index(row, 0), QItemSelectionModel.SelectionFlag.ClearAndSelect)
        elif selection.hasSelection() or here.isValid():
            selection.clear()

    def current_entry(self) -> Entry | None:
        """Return the row the person is on."""
        index = self.view.currentIndex()
        return index.data(ENTRY_ROLE) if index.isValid() else None

    def paths(self) -> list[str]:
        """Return the chats of the rows shown, in order, each once."""
        rows = range(self.filter.rowCount())
        found = (self.filter.index(row, 0).data(Qt.ItemDataRole.UserRole) for row in rows)
        return list(dict.fromkeys(filter(None, found)))

    def _say_if_empty(self, problem: str, ready: bool) -> None:
        shown = self.filter.rowCount() > 0
        filtered_out = self.filter.entries.rowCount() > 0
        nothing_fits = self.tr("No name holds these letters.")
        self.empty.setText(problem or (nothing_fits if filtered_out else self._empty_text if ready else ""))
        self.view.setVisible(shown)
        self.empty.setVisible(not shown)

    def _choose(self, index: QModelIndex) -> None:
        self.chosen.emit(index.data(ENTRY_ROLE))

    def _bin_current(self) -> None:
        entry = self.current_entry()
        if entry is not None:
            self.bin_requested.emit(entry)

    def _ask_for_menu(self, place: QPoint) -> None:
        index = self.view.indexAt(place)
        if index.isValid():
            self.menu_requested.emit(index.data(ENTRY_ROLE), self.view.viewport().mapToGlobal(place))


class LibraryPane(QWidget):
    """Owner: the main window. Asks for chats to be opened; opens nothing itself."""

    chat_requested = Signal(str)
    """The chat at this path shall be opened."""
    new_chat_requested = Signal(str)
    """A character (stem) without a chat was chosen."""
    bin_requested = Signal(str)
    """The chat at this path, chosen among the recent ones, shall go into the bin."""
    menu_requested = Signal(object, QPoint)
    search_requested = Signal(str)
    """Enter was pressed: all chats shall be searched for this text."""
    tab_changed = Signal(int)
    """One of the lists is shown."""
    current_changed = Signal()

    def __init__(self, avatars: Avatars, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("libraryPane")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setMinimumWidth(NARROWEST)
        self._data: LibraryData | None = None
        self._path = ""
        self.search = TextField(self.tr("Search names · Enter: texts"), self.tr("Search the library"))
        self.search.setObjectName("searchField")
        self.search.setClearButtonEnabled(True)
        self.recent = EntryList(
            "recentList", self.tr("Recent chats"), self.tr("No chats yet. Choose a character to start one."), avatars
        )
        self.characters = EntryList(
            "characterList", self.tr("Characters"), self.tr("No characters in this folder yet."), avatars
        )
        self.groups = EntryList("groupList", self.tr("Groups"), self.tr("No groups in this folder yet."), avatars)
        self._lists = (self.recent, self.characters, self.groups)
        self._list_tab = RECENT
        self._pages = QStackedWidget()
        self._tabs = QButtonGroup(self)
        self._lay_out()
        self.search.textChanged.connect(self._filter)
        self.search.returnPressed.connect(self._ask_for_search)
        self.search.down_pressed.connect(self._enter_list)
        for each in self._lists:
            each.chosen.connect(self._choose)
            each.menu_requested.connect(self.menu_requested)
            each.view.selectionModel().currentChanged.connect(self.current_changed)
        # Only there a row is one chat: a character's or a group's stands for all of theirs.
        self.recent.bin_requested.connect(lambda entry: self.bin_requested.emit(entry.path))
        self._tabs.idClicked.connect(self.show_tab)

    def show_data(self, data: LibraryData) -> None:
        """Show another root's lists."""
        if self._data is not None:
            for signal in (self._data.chats_changed, self._data.characters_changed, self._data.groups_changed):
                signal.disconnect(self._show_lists)
            self._data.loaded.disconnect(self._show_lists)
        self._data = data
        for signal in (data.chats_changed, data.characters_changed, data.groups_changed, data.loaded):
            signal.connect(self._show_lists)
        self._show_lists()

    def show_tab(self, tab: int) -> None:
        """Show Recent, Characters, Groups, or what a search has found."""
        self._pages.setCurrentIndex(tab)
        self._tabs.button(tab).setChecked(True)
        if tab != FOUND:
            self._list_tab = tab
            self.tab_changed.emit(tab)
        self.current_changed.emit()

    def add_found_page(self, page: QWidget) -> None:
        """Take in the page for what a search finds; its tab is there once something has been searched for."""
        self._pages.insertWidget(FOUND, page)

    def show_found(self) -> None:
        """Show what the search has found."""
        self._tabs.button(FOUND).show()
        self.show_tab(FOUND)

    @property
    def has_found(self) -> bool:
        """Whether something has been searched for."""
        return not self._tabs.button(FOUND).isHidden()

    def hide_found(self) -> None:
        """Take the tab of the search away."""
        self._tabs.button(FOUND).hide()
        if self._pages.currentIndex() == FOUND:
            self.show_tab(self._list_tab)

    def mark_chat(self, path: str) -> None:
        """Show which chat is in view."""
        self._path = path
        for each in self._lists:
            each.mark(path)

    def focus_search(self) -> None:
        """Put the cursor into the field."""
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def neighbour(self, step: int) -> str:
        """Return the chat `step` rows from the one in view in the list shown, "" if there is none."""
        paths = self._lists[self._list_tab].paths() or self.recent.paths()
        if not paths:
            return ""
        if self._path not in paths:
            return paths[0]
        return paths[(paths.index(self._path) + step) % len(paths)]

    def chosen_character(self) -> str:
        """Return the stem of the character the person is on in the characters' list, else ""."""
        kind, key = self.chosen_person()
        return key if kind == "character" else ""

    def chosen_person(self) -> tuple[str, str]:
        """Return ("character", stem) or ("group", id) of whom the person is on in those lists, else ("", "")."""
        kind, held = self.person_kind, self._lists[self._list_tab].current_entry()
        return (kind, held.key) if kind and held is not None else ("", "")

    @property
    def person_kind(self) -> str:
        """What the rows of the list shown stand for: "character", "group", or "" where each is a chat."""
        return {CHARACTERS: "character", GROUPS: "group"}.get(self._pages.currentIndex(), "")

    @property
    def has_focus(self) -> bool:
        """Whether the keyboard is in the library."""
        focus = QApplication.focusWidget()
        return focus is not None and self.isAncestorOf(focus)

    def _lay_out(self) -> None:
        tabs = FlowLayout(1)  # in two rows where the pane is narrow
        holder = QWidget()
        holder.setObjectName("libraryTabs")
        holder.setLayout(tabs)
        for number, (text, page) in enumerate(
            (
                (self.tr("Recent"), self.recent),
                (self.tr("Characters"), self.characters),
                (self.tr("Groups"), self.groups),
                (self.tr("Found in all chats"), None),
            )
        ):
            button = push_button(text, "tab")
            if page is None:  # as small as can be: the others take the room there is
                button.setText("")
                button.setIcon(icon("search"))
                button.setIconSize(QSize(14, 20))
                button.setAccessibleName(text)
            button.setCheckable(True)
            self._tabs.addButton(button, number)
            tabs.addWidget(button)
            if page is not None:
                self._pages.addWidget(page)
        self._tabs.button(FOUND).hide()
        self._tabs.button(RECENT).setChecked(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 12, 8, 4)
        column.setSpacing(8)
        field = QHBoxLayout()
        field.setContentsMargins(4, 0, 4, 2)
        field.addWidget(self.search)
        column.addLayout(field)
        around = QHBoxLayout()
        around.setContentsMargins(4, 0, 4, 0)
        around.addWidget(holder)
        column.addLayout(around)
        column.addWidget(self._pages, 1)

    def _show_lists(self) -> None:
        data = self._data
        if data is None:
            return
        makers: tuple[Callable[[], list[Entry]], ...] = (
            lambda: chat_entries(data.chats, data.marks),
            lambda: character_entries(data.characters, data.chats),
            lambda: group_entries(data.groups, data.chats),
        )
        for each, make in zip(self._lists, makers, strict=True):
            each.show_entries(make(), data.problem, ready=data.is_loaded)
            each.mark(self._path)

    def _filter(self, text: str) -> None:
        data = self._data
        if self._pages.currentIndex() == FOUND:
            self.show_tab(self._list_tab)
        for each in self._lists:
            each.keep(text.strip(), data.problem if data else "", ready=bool(data and data.is_loaded))

    def _ask_for_search(self) -> None:
        if self.search.text().strip():
            self.search_requested.emit(self.search.text())

    def _enter_list(self) -> None:
        """Go down from the field to the rows that fit, or to what was found."""
        page = self._pages.currentWidget()
        view = page.findChild(QListView) if page is not None else None
        if view is None or not view.model().rowCount():
            return
        if not view.currentIndex().isValid():
            view.setCurrentIndex(view.model().index(0, 0))
        view.setFocus(Qt.FocusReason.OtherFocusReason)

    def _choose(self, entry: Entry) -> None:
        if entry.path:
            self.chat_requested.emit(entry.path)
        elif self._pages.currentIndex() == CHARACTERS:
            self.new_chat_requested.emit(entry.key)
