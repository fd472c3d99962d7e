"""What each action does in a window. Actions on messages go on to the desk's commands."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QMessageBox, QPlainTextEdit, QTextEdit

from tavern_desktop.library.card_file import CardError
from tavern_desktop.library.data_root import recognise
from tavern_desktop.library.found_roots import FoundRoot, found_roots
from tavern_desktop.session.new_chat import create_chat
from tavern_desktop.session.runner import Outcome
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.ui.actions import Act
from tavern_desktop.ui.banner import Notice

if TYPE_CHECKING:
    from tavern_desktop.ui.chat_part import ChatPart
    from tavern_desktop.ui.main_window import MainWindow

FLUSH_SECONDS = 10.0


class WindowActs(QObject):
    """Owner: the chat's part of the window."""

    def __init__(self, window: MainWindow, part: ChatPart) -> None:
        super().__init__(part)
        self._window = window
        self._part = part
        self._services = window.services
        self._closes_anyway = False
        zoom, setting = self._services.zoom, self._services.change_setting
        self._acts: dict[Act, Callable[[], object]] = {
            Act.NEW_CHAT: self.new_chat,
            Act.NEW_WINDOW: self.new_window,
            Act.OPEN_FILE: self.ask_for_file,
            Act.OPEN_FOLDER: self.ask_for_folder,
            Act.WELCOME: self.show_welcome,
            Act.SAVE: self.save,
            Act.SHOW_FILE: self.show_file,
            Act.SETTINGS: self.show_settings,
            Act.CONNECT: lambda: self._part.models.show_connections(),
            Act.TOOLS: lambda: self._part.models.show_tools(),
            Act.PROMPTS: lambda: self._part.models.show_prompts(),
            Act.GENERATION: lambda: self._part.models.show_generation(),
            Act.CLOSE_WINDOW: window.close,
            Act.QUIT: QApplication.closeAllWindows,
            Act.UNDO: lambda: self._part.desk.commands.undo(),
            Act.REDO: lambda: self._part.desk.commands.redo(),
            Act.COPY: self.copy,
            Act.COPY_MARKDOWN: lambda: self._part.pane.view.copy_markdown(),
            Act.FIND: lambda: self._part.pane.find_bar.open_bar(self._part.pane.view.selected_text()),
            Act.FIND_NEXT: lambda: self._part.finding.step(1),
            Act.FIND_PREVIOUS: lambda: self._part.finding.step(-1),
            Act.FIND_ALL: self.find_in_all,
            Act.SELECT_PREVIOUS: lambda: self._part.pane.view.enter_selection_mode(-1),
            Act.SELECT_NEXT: lambda: self._part.pane.view.enter_selection_mode(1),
            Act.JUMP: self.jump,
            Act.GO_TO: self.go_to,
            Act.GO_TO_END: lambda: self._part.pane.view.go_to_end(),
            Act.SHOW_MORE: lambda: self._part.pane.view.show_more(),
            Act.PREVIOUS_CHAT: partial(self.go_to_neighbour, -1),
            Act.NEXT_CHAT: partial(self.go_to_neighbour, 1),
            Act.RELOAD: self.reload,
            Act.CONFLICT_COPIES: self.show_copies,
            Act.CONTINUE_LINKED: lambda: self._part.long_chats.ask(),
            Act.INSERT_SPECIAL: lambda: self._part.desk.specials.insert(),
            Act.TELL_SPECIAL: lambda: self._part.desk.specials.toggle_telling(),
            Act.USE_SPECIAL: lambda: self._part.desk.specials.use_current(),
            Act.SPECIAL_SOURCE: lambda: self._part.desk.specials.show_source(),
            Act.LIBRARY: partial(self._show_pane, "library"),
            Act.INSPECTOR: partial(self._show_pane, "inspector"),
            Act.HISTORY: lambda: self._part.show_history(),
            Act.MESSAGE_HISTORY: lambda: self._part.history.show_message(self._part.pane.view.current_key),
            Act.ZOOM_IN: partial(zoom, 1),
            Act.ZOOM_OUT: partial(zoom, -1),
            Act.ZOOM_RESET: partial(zoom, 0),
            Act.THEME_SYSTEM: partial(setting, "theme", "system"),
            Act.THEME_LIGHT: partial(setting, "theme", "light"),
            Act.THEME_DARK: partial(setting, "theme", "dark"),
            Act.SEARCH_LIBRARY: self.search_library,
            Act.COMMAND_PALETTE: self.show_commands,
            Act.KEY_MAP: self.show_keys,
            Act.RECOVERED: self.show_recovered,
            Act.SAVE_LOG: self.show_save_log,
            Act.ABOUT: self.show_about,
        }

    def run(self, act: Act) -> None:
        """Do what an action stands for."""
        commands, files = self._part.desk.commands, self._part.files
        if files.handles(act):
            files.run(act, self._part.desk.path)
        elif self._part.owners.handles(act):
            self._part.owners.run(act)
        elif self._part.branching.handles(act):
            self._part.branching.run(act)
        elif self._part.arriving.handles(act):
            self._part.arriving.run(act)
        elif commands.handles(act):
            commands.act(act)
        elif self._part.desk.replying.handles(act):
            self._part.desk.replying.run(act)
        else:
            self._acts[act]()

    # -- chats ------------------------------------------------------------------------------------------

    def new_chat(self) -> None:
        """Begin a chat with the character chosen in the library, else with the one in view."""
        library = self._window.library
        chosen = library.chosen_character()
        stem = (chosen if library.has_focus else "") or self._part.desk.character or chosen
        if stem:
            self.start_chat(stem)

    def start_chat(self, stem: str, then: Callable[[], object] | None = None) -> None:
        """Write a new chat with a character, then open it; `then` is called once it is in view."""
        root = self._services.root

        def opened(outcome: Outcome[Path]) -> None:
            try:
                path = outcome.result()
            except StorageError as error:
                self._services.messages.error(sentence(error))
            except CardError as error:
                self._services.messages.error(str(error))
            except OSError as error:
                reason = error.strerror or str(error)
                self._services.messages.error(self.tr("The chat could not be made: {reason}.").format(reason=reason))
            else:
                self._services.library.refresh_chat(path)
                self._part.desk.open(path)
                self._part.pane.composer.text.setFocus()
                if then is not None:
                    then()

        self._services.runner.submit(lambda: create_chat(root, stem), opened)

    def open_chat(self, path: str) -> None:
        """Open a chat and go on writing there."""
        self._part.desk.open(Path(path))
        self._part.pane.composer.text.setFocus(Qt.FocusReason.OtherFocusReason)

    def ask_for_file(self) -> None:
        """Let the person choose a chat file."""
        dialog = QFileDialog(self._window, self.tr("Open Chat File"), str(self._services.root.chats))
        dialog.setNameFilters([self.tr("Chat files (*.jsonl)"), self.tr("All files (*)")])
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda path: self._part.desk.open(Path(path)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def save(self) -> None:
        """Save without waiting."""
        if self._part.desk.session is not None:
            self._part.desk.session.save_now()

    def reload(self) -> None:
        """Read the chat again from disk."""
        session = self._part.desk.session
        if session is not None:
            if session.state == "failed":
                session.load()
            else:
                session.reload()

    def show_copies(self) -> None:
        """Show the conflict copies of the chat in view."""
        path = self._part.desk.path
        if path is not None:
            self._part.copies.show(path)

    def show_file(self) -> None:
        """Show the chat's file in the file manager."""
        path = self._part.desk.path
        if path is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(path.parent)))

    def repair(self) -> None:
        """Write what can be read of a damaged chat into a new file and open that."""
        from tavern_desktop.session.repair_copy import write_repaired_copy

        session = self._part.desk.session
        rest = session.rest if session is not None else None
        if session is None or rest is None:
            return
        path = session.path

        def written(outcome: Outcome[Path]) -> None:
            try:
                copy = outcome.result()
            except StorageError as error:
                self._services.messages.error(sentence(error))
            else:
                self._services.library.refresh_chat(copy)
                self._part.desk.open(copy)

        self._services.runner.submit(lambda: write_repaired_copy(path, rest), written)

    def go_to_neighbour(self, step: int) -> None:
        """Open the chat above or below the one in view, as the library lists them."""
        path = self._window.library.neighbour(step)
        if path:
            self._part.desk.open(Path(path))

    def jump(self) -> None:
        """Open the jump dialog."""
        from tavern_desktop.ui.jump_dialog import jump_dialog

        jump_dialog(
            self._window, self._services.library, self._services.avatars, self.open_chat, self.start_chat
        ).open()

    def go_to(self) -> None:
        """Ask for a message number or a date, and go there."""
        from tavern_desktop.ui.going import find_place
        from tavern_desktop.ui.goto_dialog import GotoDialog

        session = self._part.desk.session
        chat = session.chat if session is not None else None
        if chat is not None:
            view = self._part.pane.view
            GotoDialog(self._window, len(chat) - 1, lambda text: find_place(text, chat), view.scroll_to_index).open()

    # -- text -------------------------------------------------------------------------------------------

    def copy(self) -> None:
        """Copy what is selected: in the field being written in, else in the chat."""
        field = QApplication.focusWidget()
        if isinstance(field, QLineEdit | QPlainTextEdit | QTextEdit):
            field.copy()
        else:
            self._part.pane.view.copy()

    def open_link(self, url: str) -> None:
        """Show where a link leads, and open it only when the person agrees (B-62)."""
        box = QMessageBox(self._window)
        box.setIcon(QMessageBox.Icon.NoIcon)
        box.setWindowTitle(self.tr("Open Link"))
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(self.tr("Open this address in the browser?"))
        box.setInformativeText(url)
        go = box.addButton(self.tr("Open"), QMessageBox.ButtonRole.AcceptRole)
        copy = box.addButton(self.tr("Copy Address"), QMessageBox.ButtonRole.ActionRole)
        box.addButton(self.tr("Cancel"), QMessageBox.ButtonRole.RejectRole)
        go.clicked.connect(lambda: QDesktopServices.openUrl(QUrl(url)))
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(url))
        box.finished.connect(box.deleteLater)
        box.open()

    def escape(self) -> None:
        """Leave the current mode; where there is none, go to the composer."""
        window = self._window
        if self._part.pane.view.leave_mode():
            return
        if self._part.desk.replying.task is not None:
            self._part.desk.replying.stop()
        elif self._part.pane.find_bar.isVisible():
            self._part.pane.find_bar.close_bar()
        elif window.library.search.text() and window.library.search.hasFocus():
            window.library.search.clear()
        elif self._part.pane.composer.isVisible():
            self._part.pane.composer.text.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _is_not_last(self) -> bool:
        others = (widget for widget in QApplication.topLevelWidgets() if widget is not self._window)
        return any(isinstance(widget, type(self._window)) and widget.isVisible() for widget in others)

    # -- data folder ------------------------------------------------------------------------------------

    def show_welcome(self) -> None:
        """Show the welcome page, with the folders found on this computer."""
        self._part.desk.leave()
        self._part.pane.show_page("welcome")

        self._part.pane.welcome.focus_first()

        def show(outcome: Outcome[list[FoundRoot]]) -> None:
            self._part.pane.welcome.show_found(outcome.result())
            if self._part.pane.welcome.isVisible():
                self._part.pane.welcome.focus_first()

        self._services.runner.submit(found_roots, show)

    def stay_with_own(self) -> None:
        """Go on with our own folder and its sample, and remember that."""
        self._services.remember_root()
        self._part.pane.show_page("nothing")
        newest = self._window.library.neighbour(0)
        if newest:
            self._part.desk.open(Path(newest))

    def ask_for_folder(self) -> None:
        """Let the person choose a data folder."""
        dialog = QFileDialog(self._window, self.tr("Choose a SillyTavern or TauriTavern Folder"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(lambda path: self.choose_root(Path(path)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def choose_root(self, path: Path) -> None:
        """Work on the data folder that `path` means, or say that it is none."""
        root = recognise(path)
        if root is None:
            text = self.tr("{path} is no SillyTavern or TauriTavern folder: no characters and chats are in it.")
            self._part.pane.banner.show_notice(Notice(text.format(path=path), tone="warning", key="root"))
            return
        self._part.pane.banner.take_away("root")
        self._part.desk.keep_edit()
        self._services.stop_replies()
        unsaved = self._services.open_chats.flush_all(FLUSH_SECONDS)
        if unsaved:  # behind another data folder nobody would see them any more
            text = self.tr("Not changed to another data folder, because these chats could not be saved: {titles}.")
            notice = Notice(text.format(titles=", ".join(unsaved)), tone="danger", key="root")
            self._part.pane.banner.show_notice(notice)
            return
        self._services.change_root(root)
        self._part.pane.show_page("nothing")

    # -- the window -------------------------------------------------------------------------------------

    def new_window(self) -> None:
        """Open one more window on the same chat."""
        self._services.window_requested.emit(self._part.desk.path)

    def may_close(self) -> bool:
        """Save everything if this is the last window; where that fails, stay open and let the person decide."""
        if self._closes_anyway or self._is_not_last():
            return True
        self._part.desk.keep_edit()
        self._services.stop_replies()
        unsaved = self._services.open_chats.flush_all(FLUSH_SECONDS)
        if unsaved:
            self._ask_whether_to_close(unsaved)
        return not unsaved

    def _ask_whether_to_close(self, unsaved: list[str]) -> None:
        box = QMessageBox(self._window)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setWindowTitle(self.tr("Not Saved"))
        box.setText(self.tr("These chats could not be saved: {titles}.").format(titles=", ".join(unsaved)))
        box.setInformativeText(self.tr("Closing now loses what was changed in them since they were last saved."))
        leave = box.addButton(self.tr("Close All the Same"), QMessageBox.ButtonRole.DestructiveRole)
        box.setDefaultButton(box.addButton(self.tr("Stay"), QMessageBox.ButtonRole.RejectRole))
        leave.clicked.connect(self._close_anyway)
        box.finished.connect(box.deleteLater)
        box.open()

    def _close_anyway(self) -> None:
        self._closes_anyway = True
        # The box has to be gone before its window is.
        QTimer.singleShot(0, self._window, self._window.close)

    def search_library(self) -> None:
        """Show the library and put the cursor into its field."""
        if not self._window.library.isVisible():
            self._show_pane("library")
        self._window.library.focus_search()

    def find_in_all(self) -> None:
        """Search all chats for what is selected; with nothing selected, go back to what was found, ready to type."""
        selected = self._part.pane.view.selected_text().strip()
        self.search_library()
        if selected and "\n" not in selected:
            self._window.library.search.setText(f'"{selected}"' if " " in selected else selected)
            self._part.searching.start(self._window.library.search.text())
        elif self._window.library.has_found:
            self._window.library.show_found()

    def show_commands(self) -> None:
        """Open the command palette."""
        from tavern_desktop.ui.command_palette import command_palette

        command_palette(self._window, self._part.actions).open()

    def show_keys(self) -> None:
        """Open the map of keys."""
        from tavern_desktop.ui.key_map import KeyMap

        KeyMap(self._window).open()

    def show_recovered(self) -> None:
        """Show what was put aside in our own folder instead of being lost."""
        from tavern_desktop.session.orphan_drafts import TEXT_SUFFIX
        from tavern_desktop.session.recovered import FOLDER
        from tavern_desktop.ui.recovered_dialog import RecoveredDialog

        def open_copy(path: Path) -> None:
            if path.suffix == TEXT_SUFFIX:
                QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))
            else:
                self._part.desk.open(path)

        def show_in_folder(path: Path) -> None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(path.parent)))

        folder = self._services.own_data / FOLDER
        RecoveredDialog(self._window, self._services.runner, folder, open_copy, show_in_folder).open()

    def show_save_log(self) -> None:
        """Show what became of the last saves."""
        from tavern_desktop.storage.savelog import FOLDER
        from tavern_desktop.ui.save_log_dialog import SaveLogDialog

        SaveLogDialog(self._window, self._services.runner, self._services.own_data / FOLDER).open()

    def show_about(self) -> None:
        """Say what this program is."""
        from tavern_desktop.ui.about import AboutDialog

        AboutDialog(self._window).open()

    def show_settings(self) -> None:
        """Open the settings."""
        from tavern_desktop.session.spelling import dictionaries
        from tavern_desktop.ui.settings_dialog import SettingsDialog

        dialog = SettingsDialog(self._window, self._services.settings, str(self._services.root.path))
        dialog.setting_changed.connect(self._services.change_setting)
        dialog.folder_requested.connect(self.ask_for_folder)
        self._services.root_changed.connect(dialog.accept)
        dialog.open()
        open_ones = [dialog]
        dialog.finished.connect(open_ones.clear)

        def offer(outcome: Outcome[dict[str, Path]]) -> None:
            for one in open_ones:  # none where it is closed again
                one.show_languages(sorted(outcome.result()))

        self._services.runner.submit(dictionaries, offer)

    def _show_pane(self, name: str) -> None:
        window = self._window
        if name == "library":
            window.show_library(not window.is_library_shown)
        else:
            window.show_inspector(not window.is_inspector_shown)
        self._part.show_choices()
