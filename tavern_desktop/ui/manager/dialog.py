"""The chat manager: all chats of one character or group, and everything that can be done to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QItemSelectionModel, QPoint, Qt, QTimer
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QMenu,
    QToolButton,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from tavern_desktop.ui.actions import Act
from tavern_desktop.ui.banner import Banner
from tavern_desktop.ui.chat_header import AvatarBox
from tavern_desktop.ui.dropping import dropped_chats
from tavern_desktop.ui.file_deeds import FileDeeds
from tavern_desktop.ui.icons import icon
from tavern_desktop.ui.manager.model import CHAT, MESSAGES, SIZE, USED, ManagerModel
from tavern_desktop.ui.manager.owner import Owner
from tavern_desktop.ui.manager.painter import SIDE, ManagerPainter
from tavern_desktop.ui.manager.rows import managed_chats
from tavern_desktop.ui.several_deeds import SeveralDeeds
from tavern_desktop.ui.tellers import BannerTeller, DialogTeller
from tavern_desktop.ui.widgets import TextField, icon_button, label, push_button

if TYPE_CHECKING:
    from tavern_desktop.ui.chat_part import ChatPart

FIRST_SIZE = (860, 580)
AVATAR = 40
BUTTONS = (Act.RENAME_CHAT, Act.DUPLICATE_CHAT, Act.BRANCH_CHAT, Act.BRANCHES, Act.EXPORT, Act.BACKUPS, Act.REMOVE_CHAT)
SEVERAL = (Act.EXPORT, Act.REMOVE_CHAT)
"""What is done to several chats at once; the rest to one at a time."""


class ChatManager(QDialog):
    """Owner: the window. Follows the library's lists, so what other programs do shows here too."""

    def __init__(self, parent: QWidget, part: ChatPart, owner: Owner) -> None:
        super().__init__(parent)
        self.setObjectName("chatManager")
        self.setWindowTitle(self.tr("Chats of {name}").format(name=owner.name))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAcceptDrops(True)
        self._part, self._owner, self._services = part, owner, part.services
        self._wanted = str(part.desk.path or "")
        """The chat that is to be the selected one once it is listed."""
        self.banner = Banner(inset=0)
        self._is_closed = False
        self._teller = DialogTeller(BannerTeller(self.banner), part.teller)
        self.deeds = FileDeeds(self, part, self._teller, self._arrived)
        self.several = SeveralDeeds(self.deeds)
        self.model = ManagerModel(self)
        self.table = self._make_table()
        self.search = TextField(self.tr("Search titles and last words"))
        self.search.setClearButtonEnabled(True)
        self.empty = label(tone="muted", wrap=True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.count = label(tone="muted")
        self.open_button = push_button(self.tr("Open"), "primary", self._open)
        self.buttons: dict[Act, QToolButton] = {}
        self._lay_out()
        self._connect()
        self.resize(*FIRST_SIZE)
        self._refresh()
        self.table.setFocus(Qt.FocusReason.PopupFocusReason)

    # -- what is chosen ---------------------------------------------------------------------------------

    def chosen(self) -> list[Path]:
        """Return the selected chats, as they stand."""
        rows = sorted(index.row() for index in self.table.selectionModel().selectedRows(CHAT))
        return [Path(self.model.index(row, CHAT).data(Qt.ItemDataRole.UserRole)) for row in rows]

    def choose(self, path: Path | str) -> bool:
        """Select one chat alone; return whether it is listed."""
        row = self.model.row_of(str(path))
        if row is None:
            return False
        self._choose_row(row)
        self.table.scrollTo(self.model.index(row, CHAT))
        return True

    def run(self, act: Act) -> None:
        """Do an act to what is selected; what is about one chat is done only to one."""
        chosen = self.chosen()
        if act in SEVERAL:
            {Act.REMOVE_CHAT: self.several.remove_all, Act.EXPORT: self.several.export_all}[act](chosen)
        elif len(chosen) == 1:
            if act is Act.RENAME_CHAT:
                self.table.edit(self.table.currentIndex().siblingAtColumn(CHAT))
            elif act is Act.BRANCHES:
                self._part.branching.show_tree(chosen[0], self, self._open_path)
            else:
                self.deeds.run(act, chosen[0])

    # -- what is done -----------------------------------------------------------------------------------

    def _open(self) -> None:
        chosen = self.chosen()
        if len(chosen) == 1:
            self._open_path(chosen[0])

    def _open_path(self, path: Path) -> None:
        self.accept()
        self._part.acts.open_chat(str(path))

    def _new(self) -> None:
        self.accept()
        self._part.owners.begin_chat(self._owner)

    def _import(self, files: Sequence[Path] = ()) -> None:
        self._part.owners.import_chats(self._owner, files, parent=self, arrived=self._arrived)

    def _show_deleted(self) -> None:
        from tavern_desktop.ui.backup_deeds import BackupDeeds

        BackupDeeds(self, self._part, self._teller, self._arrived).show_deleted(self._owner)

    def _rename(self, path: str, name: str) -> None:
        self._wanted = str(self.deeds.rename_to(Path(path), name) or path)

    def _arrived(self, path: Path) -> None:
        """A chat is there that was not: it is the one to look at."""
        if not self._is_closed:
            self._wanted = str(path)
            self._select_wanted()

    # -- what is shown ----------------------------------------------------------------------------------

    def _refresh(self) -> None:
        if self.table.state() == QAbstractItemView.State.EditingState:
            return  # the name that is being typed is not taken away; see `_connect`
        library = self._services.library
        rows = library.chats_of(character=self._owner.character, group=self._owner.group)
        kept, current = self.chosen(), self.table.currentIndex().data(Qt.ItemDataRole.UserRole)
        scrolled = self.table.verticalScrollBar().value()
        self.model.set_chats(managed_chats(rows, self._owner.current(library)))
        if not self.chosen():
            self._choose_again(kept, current)
        self.table.verticalScrollBar().setValue(scrolled)
        self._select_wanted()
        self._show_state()

    def _choose_again(self, paths: Sequence[Path], current: str | None) -> None:
        """Select the same chats in a list that was made anew; where none of them is left, the first."""
        rows = [row for path in paths if (row := self.model.row_of(str(path))) is not None]
        if not rows:
            rows = [0] if self.model.rowCount() else []
        flags, selection = QItemSelectionModel.SelectionFlag, self.table.selectionModel()
        here = self.model.row_of(current or "")
        if here is not None or rows:
            selection.setCurrentIndex(self.model.index(rows[0] if here is None else here, CHAT), flags.NoUpdate)
        for row in rows:
            selection.select(self.model.index(row, CHAT), flags.Select | flags.Rows)

    def _select_wanted(self) -> None:
        if self._wanted and self.choose(self._wanted):
            self._wanted = ""

    def _choose_row(self, row: int) -> None:
        flags = QItemSelectionModel.SelectionFlag
        self.table.selectionModel().setCurrentIndex(self.model.index(row, CHAT), flags.ClearAndSelect | flags.Rows)

    def _search(self, text: str) -> None:
        self.model.keep(text)
        if not self.chosen() and self.model.rowCount():
            self._choose_row(0)
        self._show_state()

    def _show_state(self) -> None:
        total, shown = self.model.total, self.model.rowCount()
        number = self.locale().toString
        chats = self.tr("1 chat") if total == 1 else self.tr("{n} chats").format(n=number(total))
        if shown != total:
            chats = self.tr("{shown} of {n} chats").format(shown=number(shown), n=number(total))
        self.count.setText(chats)
        self.empty.setText(
            self.tr("No title and no last words hold these letters.")
            if total
            else self.tr("No chats yet. Begin a new one, or import one: drop its file here.")
        )
        self.table.setVisible(shown > 0)
        self.empty.setVisible(not shown)
        self._show_available()

    def _show_available(self) -> None:
        count = len(self.chosen())
        for act, button in self.buttons.items():
            button.setEnabled(count > 0 if act in SEVERAL else count == 1)
        self.open_button.setEnabled(count == 1)

    def _ask_for_menu(self, place: QPoint) -> None:
        if not self.table.indexAt(place).isValid():
            return
        menu = QMenu(self)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.addAction(icon("chat"), self.tr("Open"), self._open).setEnabled(len(self.chosen()) == 1)
        menu.addSeparator()
        for act, button in self.buttons.items():
            if act is Act.REMOVE_CHAT:
                menu.addSeparator()
            menu.addAction(icon(act.value.icon), act.text, partial(self.run, act)).setEnabled(button.isEnabled())
        menu.popup(self.table.viewport().mapToGlobal(place))

    # -- layout -----------------------------------------------------------------------------------------

    def _make_table(self) -> QTreeView:
        table = QTreeView()
        table.setObjectName("chatTable")
        table.setAccessibleName(self.windowTitle())
        table.setModel(self.model)
        table.setItemDelegate(ManagerPainter(table))
        table.setRootIsDecorated(False)
        table.setUniformRowHeights(True)
        table.setMouseTracking(True)
        table.setSortingEnabled(True)
        table.sortByColumn(USED, Qt.SortOrder.DescendingOrder)
        table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        table.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        table.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        head = table.header()
        head.setAccessibleName(self.tr("Columns: click to sort"))
        head.setStretchLastSection(False)
        head.setSectionResizeMode(CHAT, QHeaderView.ResizeMode.Stretch)
        # Fixed: to fit them to their contents would mean asking every row.
        for column, widest in ((MESSAGES, "1,000,000"), (SIZE, "999.9 MB"), (USED, "30 Sep 2026")):
            wide = max(table.fontMetrics().horizontalAdvance(text) for text in (widest, self._title_of(column)))
            head.resizeSection(column, wide + 2 * SIDE)
        return table

    def _title_of(self, column: int) -> str:
        return str(self.model.headerData(column, Qt.Orientation.Horizontal))

    def _lay_out(self) -> None:
        self.avatar = AvatarBox(AVATAR)
        self._show_avatar()
        names = QVBoxLayout()
        names.setSpacing(0)
        names.addWidget(label(self._owner.name, "strong"))
        names.addWidget(self.count)
        head = QHBoxLayout()
        head.setSpacing(12)
        head.addWidget(self.avatar)
        head.addLayout(names, 1)
        self.search.setMinimumWidth(260)
        head.addWidget(self.search)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        for text, act in (
            (self.tr("New Chat"), self._new),
            (self.tr("Import…"), self._import),
            (self.tr("Deleted…"), self._show_deleted),
        ):
            foot.addWidget(_plain_button(text, act))
        foot.addSpacing(8)
        for each in BUTTONS:
            button = icon_button(each.value.icon, each.text, partial(self.run, each), key=each.keys_text)
            self.buttons[each] = button
            foot.addWidget(button)
        foot.addStretch(1)
        foot.addWidget(_plain_button(self.tr("Close"), self.reject))
        self.open_button.setDefault(True)
        foot.addWidget(self.open_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 16, 18, 14)
        column.setSpacing(12)
        column.addLayout(head)
        column.addWidget(self.banner)
        column.addWidget(self.table, 1)
        column.addWidget(self.empty, 1)
        column.addLayout(foot)

    def _close_up(self) -> None:
        """Be ready for what ends after the dialog: its parts are gone by then."""
        self._is_closed = True
        self._teller.close()

    def _connect(self) -> None:
        self.finished.connect(self._close_up)
        library = self._services.library
        for signal in (library.chats_changed, library.characters_changed, library.groups_changed):
            signal.connect(self._refresh)
        self._services.root_leaving.connect(self.reject)
        self._services.avatars.loaded.connect(self._show_avatar)
        self.model.rename_requested.connect(self._rename)
        self.search.textChanged.connect(self._search)
        self.search.down_pressed.connect(self.table.setFocus)
        self.table.doubleClicked.connect(lambda index: self._open())
        self.table.itemDelegate().closeEditor.connect(lambda editor, hint: QTimer.singleShot(0, self, self._refresh))
        self.table.customContextMenuRequested.connect(self._ask_for_menu)
        self.table.selectionModel().selectionChanged.connect(lambda now, before: self._show_available())
        for act in BUTTONS:
            for key in act.value.keys:
                self._on_key(QKeySequence(key), partial(self.run, act))
        self._on_key(QKeySequence(QKeySequence.StandardKey.Find), self.search.setFocus)
        delete = QShortcut(QKeySequence(QKeySequence.StandardKey.Delete), self.table)
        delete.setContext(Qt.ShortcutContext.WidgetShortcut)
        delete.activated.connect(partial(self.run, Act.REMOVE_CHAT))

    def _on_key(self, key: QKeySequence, act: Callable[[], object]) -> None:
        QShortcut(key, self).activated.connect(act)

    def _show_avatar(self) -> None:
        picture = self._services.avatars.picture(self._owner.avatar or None, AVATAR, self.devicePixelRatioF())
        self.avatar.show_avatar(self._owner.name, picture)

    # -- Qt ---------------------------------------------------------------------------------------------

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if dropped_chats(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        files = dropped_chats(event.mimeData())
        event.acceptProposedAction()
        # The drag has to be over before a dialog comes up.
        QTimer.singleShot(0, self, lambda: self._import(files))


def _plain_button(text: str, act: Callable[[], object]) -> QWidget:
    button = push_button(text, "plain", act)
    button.setAutoDefault(False)
    return button
