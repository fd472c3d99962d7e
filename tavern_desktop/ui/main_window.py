"""The main window: a layout and a list of connections. What things do is said elsewhere."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QByteArray, QEvent, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeyEvent
from PySide6.QtWidgets import QMainWindow, QSplitter, QVBoxLayout, QWidget

from tavern_desktop.chat.chat import Chat
from tavern_desktop.ui.actions import Act, ActionSet, Need
from tavern_desktop.ui.banner import Notice
from tavern_desktop.ui.chat_pane import ChatPane
from tavern_desktop.ui.desk import ChatDesk
from tavern_desktop.ui.dropping import dropped_path
from tavern_desktop.ui.finding import Finding
from tavern_desktop.ui.inspector.pane import Inspector
from tavern_desktop.ui.library.pane import LibraryPane
from tavern_desktop.ui.menus import HEADER_MENU, MESSAGE_CONTEXT, build_menu_bar, pop_up_menu
from tavern_desktop.ui.messages import Said
from tavern_desktop.ui.save_status import save_status
from tavern_desktop.ui.services import Services
from tavern_desktop.ui.status_bar import StatusBar
from tavern_desktop.ui.window_acts import WindowActs

FIRST_SIZE = (1360, 860)
LIBRARY_WIDTH, INSPECTOR_WIDTH = 280, 300

_TONES = {"info": "info", "warning": "warning", "error": "danger"}


class MainWindow(QMainWindow):
    """One window. Several share one Services, and with it every open chat."""

    def __init__(self, services: Services) -> None:
        super().__init__()
        self.setObjectName("mainWindow")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAcceptDrops(True)
        self.resize(*FIRST_SIZE)
        self.setMinimumSize(560, 400)
        self.services = services
        self.actions_ = ActionSet(self)
        self.library = LibraryPane(services.avatars)
        self.pane = ChatPane()
        self.inspector = Inspector(services)
        self.status = StatusBar()
        self.desk = ChatDesk(services, self.pane, self)
        self.finding = Finding(services, self.pane.find_bar, self.pane.view, self._chat, self)
        self.acts = WindowActs(self)
        self._lay_out()
        self._connect()
        build_menu_bar(self.menuBar(), self.actions_)
        self._restore_state()
        self.library.show_data(services.library)
        self.pane.composer.text.setFocus()
        self._show_chat()
        self._show_available()

    # -- what others ask of a window --------------------------------------------------------------------

    def open_path(self, path: Path) -> None:
        """Open a chat file, or take a folder for the data folder."""
        if path.is_dir():
            self.acts.choose_root(path)
        else:
            self.acts.open_chat(str(path))

    def open_last(self) -> None:
        """Open the chat that was in view when the program ended, if it is still there."""
        last = self.services.root_state.last_chat
        if last is not None:
            path = self.services.root.user_folder / last
            if path.is_file():
                self.acts.open_chat(str(path))

    def bring_forward(self) -> None:
        """Show the window in front of others."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()

    def keep_state(self) -> None:
        """Remember how the window is left, for the next start."""
        self.desk.keep_place()
        path = self.desk.path
        if path is not None:
            self.services.keep_root_state(last_chat=self.services.root.relative(path))
        self.services.keep_window_state(
            geometry=bytes(self.saveGeometry().data()),
            splitter=bytes(self._splitter.saveState().data()),
            library_shown=self.library.isVisibleTo(self),
            inspector_shown=self.inspector.isVisibleTo(self),
        )

    # -- layout and connections -------------------------------------------------------------------------

    def _lay_out(self) -> None:
        self._splitter = QSplitter(Qt.Orientation.Horizontal)
        self._splitter.setHandleWidth(1)
        self._splitter.setChildrenCollapsible(False)
        for widget in (self.library, self.pane, self.inspector):
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

    def _connect(self) -> None:
        services, desk, acts = self.services, self.desk, self.acts
        self.actions_.requested.connect(acts.run)
        self.library.chat_requested.connect(acts.open_chat)
        self.library.new_chat_requested.connect(acts.start_chat)
        self.library.current_changed.connect(self._show_available)
        self.library.tab_changed.connect(lambda tab: services.keep_root_state(library_tab=tab))
        desk.chat_changed.connect(self._show_chat)
        desk.state_changed.connect(self._show_available)
        desk.save_changed.connect(self._show_save)
        self.finding.changed.connect(self._show_available)
        self.status.retry_requested.connect(acts.save)
        self.pane.header.menu_requested.connect(
            lambda place: pop_up_menu(self, HEADER_MENU, self.actions_).popup(place)
        )
        self.pane.view.menu_requested.connect(
            lambda place: pop_up_menu(self, MESSAGE_CONTEXT, self.actions_).popup(place)
        )
        self.pane.view.link_activated.connect(acts.open_link)
        self.pane.failed.show_file_requested.connect(acts.show_file)
        self.pane.failed.repair_requested.connect(acts.repair)
        self.pane.welcome.folder_chosen.connect(acts.choose_root)
        self.pane.welcome.sample_chosen.connect(acts.stay_with_own)
        self.pane.welcome.other_requested.connect(acts.ask_for_folder)
        services.root_changed.connect(self._show_root)
        services.settings_changed.connect(self.show_choices)
        services.messages.said.connect(self._say)
        for said in services.messages.attend():
            QTimer.singleShot(0, self, lambda said=said: self._say(said))

    def _restore_state(self) -> None:
        state = self.services.window_state
        if state.geometry:
            self.restoreGeometry(QByteArray(state.geometry))
        if state.splitter:
            self._splitter.restoreState(QByteArray(state.splitter))
        self._splitter.setHandleWidth(1)
        self.library.setVisible(state.library_shown)
        self.inspector.setVisible(state.inspector_shown)
        self.library.show_tab(min(max(self.services.root_state.library_tab, 0), 2))
        self.show_choices()

    # -- what is shown ----------------------------------------------------------------------------------

    def _chat(self) -> Chat | None:
        return self.desk.session.chat if self.desk.session is not None else None

    def _show_chat(self) -> None:
        session = self.desk.session
        self.library.mark_chat(str(session.path) if session is not None else "")
        self.inspector.character.show_character(self.desk.character)
        title = session.title if session is not None else ""
        self.setWindowTitle(f"{title} – Tavern Desktop" if title else "Tavern Desktop")
        self._show_save()
        self._show_available()

    def _show_available(self) -> None:
        there = self.desk.available()
        if self.library.chosen_character():
            there |= Need.CHARACTER
        if self.finding.is_active:
            there |= Need.SEARCH
        self.actions_.set_available(there)
        session = self.desk.session
        for act, label in (
            (Act.UNDO, session.undo_label if session is not None else None),
            (Act.REDO, session.redo_label if session is not None else None),
        ):
            self.actions_[act].setText(f"{act.text}: {label}" if label else act.text)

    def _show_save(self) -> None:
        session = self.desk.session
        if session is None or session.chat is None or session.read_only is not None:
            self.status.show_save("")
            return
        status = save_status(session.save_state)
        self.status.show_save(status.text, status.tone, retry=status.retry)

    def _show_root(self) -> None:
        self.library.show_data(self.services.library)
        self.library.show_tab(min(max(self.services.root_state.library_tab, 0), 2))

    def show_choices(self) -> None:
        """Tick what is switched on."""
        theme = self.services.settings.theme
        for act, on in (
            (Act.LIBRARY, self.library.isVisibleTo(self)),
            (Act.INSPECTOR, self.inspector.isVisibleTo(self)),
            (Act.THEME_SYSTEM, theme == "system"),
            (Act.THEME_LIGHT, theme == "light"),
            (Act.THEME_DARK, theme == "dark"),
        ):
            self.actions_[act].setChecked(on)

    def _say(self, said: Said) -> None:
        self.pane.banner.show_notice(Notice(said.text, (), _TONES[said.level], said.text))  # type: ignore[arg-type]

    # -- Qt ---------------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.acts.escape()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and self.isActiveWindow():
            self.services.library.refresh()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if dropped_path(event.mimeData()) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        path = dropped_path(event.mimeData())
        if path is not None:
            event.acceptProposedAction()
            self.open_path(path)

    def closeEvent(self, event: QCloseEvent) -> None:
        self.keep_state()
        if self.acts.may_close():
            self.desk.leave()
            event.accept()
        else:
            event.ignore()
