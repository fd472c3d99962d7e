"""The chat in view in one window with all that acts on it: its parts, and the list of their connections."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, QTimer

from tavern_desktop.chat.chat import Chat
from tavern_desktop.ui.actions import Act, ActionSet, Need
from tavern_desktop.ui.arriving import Arriving
from tavern_desktop.ui.banner import Notice
from tavern_desktop.ui.branching import Branching
from tavern_desktop.ui.chat_pane import ChatPane
from tavern_desktop.ui.conflict_copies import ConflictCopies
from tavern_desktop.ui.connecting.in_window import ModelsInWindow
from tavern_desktop.ui.context_line import ContextLine
from tavern_desktop.ui.desk import ChatDesk
from tavern_desktop.ui.file_deeds import FileDeeds
from tavern_desktop.ui.finding import Finding
from tavern_desktop.ui.inspector.pane import Inspector
from tavern_desktop.ui.library.entries import Entry
from tavern_desktop.ui.long_chats import LongChats
from tavern_desktop.ui.manager.owner import owner_of_character, owner_of_group
from tavern_desktop.ui.menus import (
    CHARACTER_CONTEXT,
    GROUP_CONTEXT,
    HEADER_MENU,
    LIBRARY_CONTEXT,
    LIBRARY_CONTEXT_WITH_COPIES,
    MESSAGE_CONTEXT,
    Items,
    build_menu_bar,
    menu_for,
    pop_up_menu,
)
from tavern_desktop.ui.messages import Said
from tavern_desktop.ui.missing_header import MissingHeader
from tavern_desktop.ui.owner_acts import OwnerActs
from tavern_desktop.ui.save_status import save_status
from tavern_desktop.ui.searching import Searching
from tavern_desktop.ui.services import Services
from tavern_desktop.ui.tellers import BannerTeller
from tavern_desktop.ui.window_acts import WindowActs

if TYPE_CHECKING:
    from tavern_desktop.ui.inspector.history_deeds import HistoryDeeds
    from tavern_desktop.ui.inspector.prompt_data import PromptData
    from tavern_desktop.ui.inspector.prompt_tab import PromptTab
    from tavern_desktop.ui.lore.tab import LoreTab
    from tavern_desktop.ui.main_window import MainWindow
    from tavern_desktop.ui.persona.tab import PersonaTab

_TONES = {"info": "info", "warning": "warning", "error": "danger"}


class ChatPart(QObject):
    """Owner: the main window, which lends its library, status bar and menu bar."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._services = window.services
        self.actions = ActionSet(window)
        self.pane = ChatPane()
        self.inspector = Inspector(window.services)
        self.desk = ChatDesk(window.services, self.pane, self)
        self.finding = Finding(window.services, self.pane.find_bar, self.pane.view, self._chat, self)
        self.searching = Searching(window.services, window.library, self.desk, self.pane, self.finding, self)
        self.teller = BannerTeller(self.pane.banner, self.pane.undo_bar, lambda: self.pane.page == "surface")
        self.files = FileDeeds(window, self, self.teller, self.desk.open)
        self.owners = OwnerActs(window, self, self.teller)
        self.branching = Branching(window, self, self.teller)
        self.arriving = Arriving(window, self)
        self.copies = ConflictCopies(window, self)
        self.long_chats = LongChats(window, self)
        self.missing_header = MissingHeader(self)
        self.context_line = ContextLine(self.desk, self.pane, self)
        self.models = ModelsInWindow(window, self)
        self._prompt: PromptData | None = None
        self.inspector.add_tab(self.tr("Persona"), self._make_persona_tab)
        self.inspector.add_tab(self.tr("Lore"), self._make_lore_tab)
        self.inspector.add_tab(self.tr("Prompt"), self._make_prompt_tab)
        self._history: HistoryDeeds | None = None
        self._history_tab = self.inspector.add_tab(self.tr("History"), lambda: self.history.tab)
        self.acts = WindowActs(window, self)
        self._connect_window()
        self._connect_chat()
        build_menu_bar(window.menuBar(), self.actions)
        window.library.search.setToolTip(Act.SEARCH_LIBRARY.tip)
        self.show_choices()
        self._show_chat()

    def _make_prompt_tab(self) -> PromptTab:
        from tavern_desktop.ui.inspector.prompt_tab import PromptTab

        return PromptTab(self._prompt_data())

    def _make_persona_tab(self) -> PersonaTab:
        from tavern_desktop.ui.persona.tab import PersonaTab

        return PersonaTab(self._services, self.desk, self._prompt_data())

    def _make_lore_tab(self) -> LoreTab:
        from tavern_desktop.ui.lore.tab import LoreTab

        return LoreTab(self._services, self.desk, self._prompt_data())

    def _prompt_data(self) -> PromptData:
        """Return what is known of the next request, made with the first tab that shows some of it."""
        if self._prompt is None:
            from tavern_desktop.ui.inspector.prompt_data import PromptData

            self._prompt = PromptData(self._services, self.desk.asked, self)
            self._prompt.changed.connect(self._prompt_built)
            self._prompt.show_session(self.desk.session)
            self._services.connecting.changed.connect(self._prompt.build_soon)
            self.desk.chat_changed.connect(self._show_prompt)
            self.desk.state_changed.connect(self._show_prompt)
        return self._prompt

    def _prompt_built(self) -> None:
        if self._prompt is not None and self._prompt.prompt is not None and not self._prompt.is_building:
            self.context_line.show_prompt(self._prompt.prompt)

    def _show_prompt(self) -> None:
        if self._prompt is not None:
            self._prompt.show_session(self.desk.session)

    @property
    def history(self) -> HistoryDeeds:
        """The versions of the chat in view, and what is done with them; made when first asked for."""
        if self._history is None:
            from tavern_desktop.ui.inspector.history_deeds import HistoryDeeds

            self._history = HistoryDeeds(self._window, self.desk)
        return self._history

    def show_history(self) -> None:
        """Bring the versions of the chat in view to the front."""
        self._window.show_inspector(True)
        self.inspector.show_tab(self._history_tab)
        self.history.focus()
        self.show_choices()

    @property
    def services(self) -> Services:
        return self._services

    def show_choices(self) -> None:
        """Tick what is switched on."""
        theme = self._services.settings.theme
        for act, on in (
            (Act.LIBRARY, self._window.is_library_shown),
            (Act.INSPECTOR, self._window.is_inspector_shown),
            (Act.THEME_SYSTEM, theme == "system"),
            (Act.THEME_LIGHT, theme == "light"),
            (Act.THEME_DARK, theme == "dark"),
        ):
            self.actions[act].setChecked(on)

    # -- connections ------------------------------------------------------------------------------------

    def _connect_window(self) -> None:
        services, window, acts = self._services, self._window, self.acts
        self.actions.requested.connect(acts.run)
        window.library.menu_requested.connect(self._pop_up_for_entry)
        window.library.bin_requested.connect(lambda path: self.files.run(Act.REMOVE_CHAT, Path(path)))
        window.library.current_changed.connect(self._show_available)
        window.status.retry_requested.connect(acts.save)
        services.settings_changed.connect(self.show_choices)
        services.messages.said.connect(self._say)
        for said in services.messages.attend():
            QTimer.singleShot(0, self, lambda said=said: self._say(said))

    def _connect_chat(self) -> None:
        acts, pane = self.acts, self.pane
        self.inspector.character_made.connect(self._connect_character)
        self.desk.chat_changed.connect(self._show_chat)
        self.desk.state_changed.connect(self._show_available)
        self.desk.save_changed.connect(self._show_save)
        self.desk.comparison_requested.connect(lambda: self.history.show_what_came())
        self.finding.changed.connect(self._show_available)
        self.desk.replying.changed.connect(self._show_available)
        self.copies.changed.connect(self._show_available)
        pane.header.menu_requested.connect(lambda place: self._pop_up(HEADER_MENU, place))
        pane.view.menu_requested.connect(lambda place: self._pop_up(MESSAGE_CONTEXT, place))
        pane.view.link_activated.connect(acts.open_link)
        pane.failed.show_file_requested.connect(acts.show_file)
        pane.failed.backups_requested.connect(lambda: acts.run(Act.BACKUPS))
        pane.empty.backups_requested.connect(lambda: acts.run(Act.BACKUPS))
        pane.failed.repair_requested.connect(acts.repair)
        pane.welcome.folder_chosen.connect(acts.choose_root)
        pane.welcome.sample_chosen.connect(acts.stay_with_own)
        pane.welcome.other_requested.connect(acts.ask_for_folder)
        pane.welcome.model_requested.connect(self.models.show_connections)

    def _connect_character(self) -> None:
        page = self.inspector.character
        page.menu_requested.connect(self._pop_up_for_character)
        page.rename_requested.connect(
            lambda stem: self.owners.run(Act.RENAME_CHARACTER, owner_of_character(self._services.library, stem))
        )
        page.written.connect(lambda: self._prompt.build_soon() if self._prompt is not None else None)

    # -- what is shown ----------------------------------------------------------------------------------

    def _chat(self) -> Chat | None:
        return self.desk.session.chat if self.desk.session is not None else None

    def _pop_up(self, items: Items, place: QPoint) -> None:
        pop_up_menu(self._window, items, self.actions).popup(place)

    def _pop_up_for_entry(self, entry: Entry, place: QPoint) -> None:
        """Offer what can be done to the chat of a row in the library, or for the person that it stands for."""
        kind = self._window.library.person_kind
        if kind:
            self._pop_up_for_person(kind, entry.key, place)
        elif entry.path:
            path = Path(entry.path)
            items = LIBRARY_CONTEXT if entry.versions < 2 else LIBRARY_CONTEXT_WITH_COPIES
            menu_for(self._window, items, lambda act: self._run_for(act, path)).popup(place)

    def _run_for(self, act: Act, path: Path) -> None:
        if act is Act.CONFLICT_COPIES:
            self.copies.show(path)
        else:
            self.files.run(act, path)

    def _pop_up_for_character(self, stem: str, place: QPoint) -> None:
        self._pop_up_for_person("character", stem, place)

    def _pop_up_for_person(self, kind: str, key: str, place: QPoint) -> None:
        library = self._services.library
        owner = owner_of_group(library, key) if kind == "group" else owner_of_character(library, key)

        def run(act: Act) -> None:
            if act is Act.NEW_CHAT:
                self.owners.begin_chat(owner)
            else:
                self.owners.run(act, owner)

        menu_for(self._window, GROUP_CONTEXT if owner.group else CHARACTER_CONTEXT, run).popup(place)

    def _show_chat(self) -> None:
        session = self.desk.session
        self._window.library.mark_chat(str(session.path) if session is not None else "")
        self.inspector.show_character(self.desk.character)
        heading = self.desk.heading
        self._window.setWindowTitle(f"{heading} – Tavern Desktop" if heading else "Tavern Desktop")
        self._show_save()
        self._show_available()

    def _show_available(self) -> None:
        there = self.desk.available()
        if self._services.may_write:
            there |= Need.WRITABLE
        if self._window.library.chosen_character():
            there |= Need.CHARACTER
        if self.owners.has_one_at_hand:
            there |= Need.OWNER
        if self.desk.replying.task is not None:
            there |= Need.REPLY
        if self.finding.is_active:
            there |= Need.SEARCH
        if self.copies.are_there:
            there |= Need.COPIES
        self.actions.set_available(there)
        self.actions[Act.TELL_SPECIAL].setChecked(self.desk.specials.tells_model)
        session = self.desk.session
        for act, label in (
            (Act.UNDO, session.undo_label if session is not None else None),
            (Act.REDO, session.redo_label if session is not None else None),
        ):
            self.actions[act].setText(f"{act.text}: {label}" if label else act.text)

    def _show_save(self) -> None:
        session = self.desk.session
        if session is None or session.chat is None or session.read_only is not None:
            self._window.status.show_save("")
            return
        status = save_status(session.save_state)
        self._window.status.show_save(status.text, status.tone, retry=status.retry)

    def _say(self, said: Said) -> None:
        self.pane.banner.show_notice(Notice(said.text, (), _TONES[said.level], said.text))  # type: ignore[arg-type]
