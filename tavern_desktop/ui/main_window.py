"""The main window: the library, room for the chat and the inspector, the status bar.

Everything about the chat in view is in `ChatPart`, which is made after the first frame: the library is there, and can
be used, before the surface has been loaded (budget P14).
"""

from __future__ import annotations

from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QEvent, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeyEvent
from PySide6.QtWidgets import QMainWindow, QSplitter, QVBoxLayout, QWidget

from tavern_desktop.ui.dropping import dropped_card, dropped_chats, dropped_path, dropped_table
from tavern_desktop.ui.library.pane import LibraryPane
from tavern_desktop.ui.services import Services
from tavern_desktop.ui.status_bar import StatusBar

if TYPE_CHECKING:
    from tavern_desktop.ui.actions import ActionSet
    from tavern_desktop.ui.chat_pane import ChatPane
    from tavern_desktop.ui.chat_part import ChatPart
    from tavern_desktop.ui.desk import ChatDesk
    from tavern_desktop.ui.finding import Finding
    from tavern_desktop.ui.inspector.pane import Inspector
    from tavern_desktop.ui.window_acts import WindowActs

FIRST_SIZE = (1360, 860)
SMALLEST_SIZE = (560, 400)
LIBRARY_WIDTH, INSPECTOR_WIDTH = 280, 300


class MainWindow(QMainWindow):
    """One window. Several share one Services, and with it every open chat."""

    def __init__(self, services: Services) -> None:
        super().__init__()
        self.setObjectName("mainWindow")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAcceptDrops(True)
        self.setWindowTitle("Tavern Desktop")
        self.resize(*FIRST_SIZE)
        self.setMinimumSize(*SMALLEST_SIZE)
        self.services = services
        self.library = LibraryPane(services.avatars)
        self.status = StatusBar()
        self._middle = self._room("chatPane")
        self._right = self._room("inspector")
        self._lay_out()
        self._restore_state()
        self.show_root()
        self.library.tab_changed.connect(lambda tab: services.keep_root_state(library_tab=tab))
        # Here and not by the part: a click that comes before it is there makes it.
        self.library.chat_requested.connect(lambda path: self.acts.open_chat(path))
        self.library.new_chat_requested.connect(lambda stem: self.acts.start_chat(stem))
        services.root_changed.connect(self.show_root)

    # -- its parts --------------------------------------------------------------------------------------

    @cached_property
    def part(self) -> ChatPart:
        """The chat in view and all that acts on it, made when first needed."""
        from tavern_desktop.ui.chat_part import ChatPart

        made = ChatPart(self)
        for room, widget in ((self._middle, made.pane), (self._right, made.inspector)):
            layout = room.layout()
            if layout is not None:
                layout.addWidget(widget)
                widget.show()
        return made

    @property
    def pane(self) -> ChatPane:
        return self.part.pane

    @property
    def inspector(self) -> Inspector:
        return self.part.inspector

    @property
    def desk(self) -> ChatDesk:
        return self.part.desk

    @property
    def finding(self) -> Finding:
        return self.part.finding

    @property
    def acts(self) -> WindowActs:
        return self.part.acts

    @property
    def actions_(self) -> ActionSet:
        return self.part.actions

    # -- what others ask of a window --------------------------------------------------------------------

    def open_path(self, path: Path) -> None:
        """Open a chat file, or take a folder for the data folder."""
        if path.is_dir():
            self.acts.choose_root(path)
        else:
            self.acts.open_chat(str(path))

    def complete(self) -> None:
        """Make what is not there yet, as when there is time for it."""
        self.part.show_choices()

    def open_last(self) -> None:
        """Open the chat that was in view when the program ended, if it is still there and nobody was quicker."""
        last = self.services.root_state.last_chat
        if last is not None and self.desk.session is None:
            path = self.services.root.user_folder / last
            if path.is_file():
                self.acts.open_chat(str(path))

    def bring_forward(self) -> None:
        """Show the window in front of others."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()

    def show_library(self, shown: bool) -> None:
        self.library.setVisible(shown)

    def show_inspector(self, shown: bool) -> None:
        self._right.setVisible(shown)

    @property
    def is_library_shown(self) -> bool:
        return self.library.isVisibleTo(self)

    @property
    def is_inspector_shown(self) -> bool:
        return self._right.isVisibleTo(self)

    def show_root(self) -> None:
        """Show the lists of the data root in use, on the tab that was left open."""
        self.library.show_data(self.services.library)
        self.library.show_tab(min(max(self.services.root_state.library_tab, 0), 2))

    def keep_state(self) -> None:
        """Remember how the window is left, for the next start."""
        self.desk.keep_place()
        path = self.desk.path
        if path is not None:
            self.services.keep_root_state(last_chat=self.services.root.relative(path))
        self.services.keep_window_state(
            geometry=bytes(self.saveGeometry().data()),
            splitter=bytes(self._splitter.saveState().data()),
            library_shown=self.is_library_shown,
            inspector_shown=self.is_inspector_shown,
        )

    # -- layout -----------------------------------------------------------------------------------------

    def _room(self, name: str) -> QWidget:
        """Return the place of a part that comes later, in its colour."""
        room = QWidget()
        room.setProperty("room", name)
        room.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        column = QVBoxLayout(room)
        column.setContentsMargins(0, 0, 0, 0)
        return room

    def _lay_out(self) -> None:
        self._splitter = QSplitter(Qt.Orientation.Horizontal)
        self._splitter.setChildrenCollapsible(False)
        for widget in (self.library, self._middle, self._right):
            self._splitter.addWidget(widget)
        self._splitter.setStretchFactor(1, 1)
        self._splitter.setSizes([LIBRARY_WIDTH, FIRST_SIZE[0] - LIBRARY_WIDTH, INSPECTOR_WIDTH])
        whole = QWidget()
        column = QVBoxLayout(whole)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._splitter, 1)
        column.addWidget(self.status)
        self.setCentralWidget(whole)
        # The menus come with the chat's part; their room is kept, so that nothing moves when they do.
        bar = self.menuBar()
        bar.addAction("M")
        bar.ensurePolished()
        bar.setFixedHeight(bar.sizeHint().height())  # one pixel less, and it shows no menu at all
        bar.clear()

    def _restore_state(self) -> None:
        state = self.services.window_state
        if state.geometry:
            self.restoreGeometry(QByteArray(state.geometry))
        if state.splitter:
            self._splitter.restoreState(QByteArray(state.splitter))
        self._splitter.setHandleWidth(1)
        self.show_library(state.library_shown)
        self.show_inspector(state.inspector_shown)

    # -- Qt ---------------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.acts.escape()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        # The first time it is read anyway, after the first frame.
        if event.type() == QEvent.Type.ActivationChange and self.isActiveWindow() and self.services.library.is_loaded:
            self.services.window_activated.emit()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        data = event.mimeData()
        if any((dropped_path(data), dropped_card(data), dropped_table(data), dropped_chats(data))):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        path, card = dropped_path(event.mimeData()), dropped_card(event.mimeData())
        chats, table = dropped_chats(event.mimeData()), dropped_table(event.mimeData())
        if table is not None:
            event.acceptProposedAction()
            self.desk.specials.take_csv(table)
        elif path is not None:
            event.acceptProposedAction()
            self.open_path(path)
        elif card is not None:
            event.acceptProposedAction()
            self.part.arriving.take(card, partial(self._import, chats) if chats else None)
        elif chats:
            event.acceptProposedAction()
            self._import(chats)

    def _import(self, chats: list[Path]) -> None:
        # The drag has to be over before a dialog comes up.
        QTimer.singleShot(0, self, lambda: self.part.owners.import_chats(self.part.owners.at_hand(), chats))

    def closeEvent(self, event: QCloseEvent) -> None:
        self.keep_state()
        if self.acts.may_close():
            self.desk.leave()
            event.accept()
        else:
            event.ignore()
