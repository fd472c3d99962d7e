"""Search in all chats: starts it, shows what is found beside the library's lists, goes to the place that is chosen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject

from tavern_desktop.chat import facts
from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.searched import REASONING, SWIPE, TEXT
from tavern_desktop.session.commands import SelectSwipe
from tavern_desktop.storage.directory import FileFailure
from tavern_desktop.storage.search import Hit, Query
from tavern_desktop.ui.banner import Notice
from tavern_desktop.ui.chat_pane import ChatPane
from tavern_desktop.ui.desk import ChatDesk
from tavern_desktop.ui.finding import Finding
from tavern_desktop.ui.library.pane import LibraryPane
from tavern_desktop.ui.search.page import SearchPage
from tavern_desktop.ui.search.run import SearchRun
from tavern_desktop.ui.services import Services

NOTICE = "search"


class Searching(QObject):
    """Owner: the chat's part of the window."""

    def __init__(
        self,
        services: Services,
        library: LibraryPane,
        desk: ChatDesk,
        pane: ChatPane,
        finding: Finding,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._services = services
        self._library = library
        self._desk = desk
        self._pane = pane
        self._finding = finding
        self._text = ""
        self._wanted: Hit | None = None
        self.page = SearchPage(services.avatars)
        self.run = SearchRun(services.runner, self)
        library.add_found_page(self.page)
        library.search_requested.connect(self.start)
        services.root_leaving.connect(self._forget)
        desk.state_changed.connect(self._go_if_there)
        self.run.found.connect(self._add)
        self.run.advanced.connect(self.page.show_progress)
        self.run.ended.connect(lambda more, problem: self.page.end(more=more, problem=problem))
        self.page.stop_requested.connect(self.stop)
        self.page.case_toggled.connect(self._again)
        self.page.hit_chosen.connect(self.go_to)
        self.page.chat_chosen.connect(self._open)

    def start(self, text: str) -> None:
        """Look for `text` in all chats; the search before is given up."""
        query = Query(text, exact_case=self.page.match_case.isChecked())
        if not query.fragments:
            return
        self._text = text
        self.page.begin(text)
        self._library.show_found()
        self.run.start(self._services.root, query)

    def stop(self) -> None:
        """Give up the search; what was found stays."""
        if self.run.is_running:
            self.run.stop()
            self.page.end(stopped=True)

    def go_to(self, hit: Hit) -> None:
        """Open the chat of a hit, if it is not in view, and go to the message as soon as it is there."""
        self._open(hit.file)
        self._wanted = hit
        self._go_if_there()

    # -- the search -------------------------------------------------------------------------------------

    def _add(self, found: list[Hit | FileFailure]) -> None:
        self.page.add(found, self._services.library.row)

    def _again(self) -> None:
        if self.page.model.rowCount() or self.run.is_running:
            self.start(self._text)

    def _forget(self) -> None:
        self.run.stop()
        self._wanted = None
        self.page.model.clear()
        self._library.hide_found()

    # -- going to a place -------------------------------------------------------------------------------

    def _open(self, path: str) -> None:
        self._wanted = None
        self._desk.open(Path(path))

    def _go_if_there(self) -> None:
        hit, session = self._wanted, self._desk.session
        if hit is None or session is None:
            return
        if self._services.open_chats.session_for(Path(hit.file)) is not session:
            self._wanted = None  # the person has gone elsewhere
        elif session.state == "failed" and session.rest is not None:
            self._wanted = None
            before = 1 if session.rest.header is None and session.kind == "character" else 0
            self._pane.failed.choose_line((hit.index or 0) + before)
        elif session.chat is not None and self._pane.view.is_editable:
            self._wanted = None
            self._show(session.chat, hit)

    def _show(self, chat: Chat, hit: Hit) -> None:
        self._pane.banner.take_away(NOTICE)
        if hit.index is None or not len(chat):
            return
        focused = self.page.view.hasFocus()
        index = min(hit.index, len(chat) - 1)
        key, view = chat.messages[index].key, self._pane.view
        self._finding.look_from(hit.found if hit.field == TEXT else "", index)
        if hit.field == REASONING and hit.swipe == facts.swipes(chat.messages[index].seen_data()).current + 1:
            if (key, REASONING) not in view.rows.unfolded.folds:
                view.toggle_fold(key, REASONING)
        elif hit.field != TEXT:
            self._pane.banner.show_notice(Notice(self._where(hit), self._offers(hit, key), key=NOTICE))
        if focused:  # so that the next place is one key away
            self.page.view.setFocus()

    def _where(self, hit: Hit) -> str:
        if hit.field in (SWIPE, REASONING):
            text = self.tr("“{found}” stands in alternative {number} of {total} of this message.")
            return text.format(found=hit.found, number=hit.swipe, total=hit.swipes)
        return self.tr("“{found}” stands in this message's {field}.").format(found=hit.found, field=hit.field)

    def _offers(self, hit: Hit, key: int) -> tuple[tuple[str, Callable[[], object]], ...]:
        if hit.field not in (SWIPE, REASONING):
            return ()

        def show_it() -> None:
            if self._desk.commands.run(SelectSwipe(key, hit.swipe - 1)) and hit.field == SWIPE:
                self._finding.look_from(hit.found, hit.index or 0)

        return ((self.tr("Show It"), show_it),)
