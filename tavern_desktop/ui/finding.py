"""Find in the open chat: all of it, mounted or not, searched off the window's thread."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from tavern_desktop.chat.chat import Chat
from tavern_desktop.session.runner import Outcome
from tavern_desktop.ui.chat.find import find_messages, next_hit
from tavern_desktop.ui.chat.view import ChatView
from tavern_desktop.ui.find_bar import FindBar
from tavern_desktop.ui.services import Services


class Finding(QObject):
    """Connects the find bar with the surface. Owner: the main window."""

    changed = Signal()
    """There is something to search for, or no longer."""

    def __init__(
        self, services: Services, bar: FindBar, view: ChatView, chat: Callable[[], Chat | None], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._services = services
        self._bar = bar
        self._view = view
        self._chat = chat
        self._token = 0
        self._hits: list[int] = []
        self._found_in: tuple[Chat, int] | None = None
        self._here: int | None = None
        self._from: int | None = None
        bar.search_requested.connect(self._search)
        bar.step_requested.connect(self.step)
        bar.closed.connect(self._close)

    @property
    def is_active(self) -> bool:
        return self._bar.isVisible() and bool(self._bar.field.text())

    def step(self, step: int) -> None:
        """Go to the next (1) or previous (-1) message with a hit."""
        chat = self._chat()
        if chat is None:
            return
        if self._is_stale(chat):
            self._search(self._bar.field.text(), self._bar.match_case.isChecked())
            return
        start = self._here if self._here is not None else self._first_in_sight(chat)
        hit = next_hit(self._hits, start, step)
        if hit is not None:
            self._go(hit)

    def look_from(self, text: str, index: int) -> None:
        """Go to message `index`, and find `text` in the chat from there; "" for nothing."""
        if text:
            self._from = index
            self._bar.show_text(text)
        else:
            self._bar.close_bar()
        self._view.scroll_to_index(index)

    def _search(self, text: str, exact_case: bool) -> None:
        self._token += 1
        token, chat = self._token, self._chat()
        self._view.set_search_hits(text, exact_case=exact_case)
        self.changed.emit()
        if chat is None or not text:
            self._take(token, [])
            return
        _, messages = chat.snapshot()
        self._found_in = (chat, len(messages))

        def work() -> list[int]:
            raws = (message.seen for message in messages)
            return find_messages(raws, text, cancelled=lambda: token != self._token, exact_case=exact_case)

        def done(outcome: Outcome[list[int]]) -> None:
            self._take(token, outcome.result())

        self._services.runner.submit(work, done)

    def _take(self, token: int, hits: list[int]) -> None:
        """Show what was found; the nearest hit upwards from what is in sight comes first."""
        if token != self._token:
            return
        self._hits = hits
        begin, self._from = self._from, None
        self._here = begin
        chat = self._chat()
        if begin in hits:
            self._bar.show_count(hits.index(begin) + 1, len(hits))
        elif hits and chat is not None:
            near = begin if begin is not None else self._first_in_sight(chat)
            at_or_after = next((hit for hit in hits if hit >= near), hits[-1])
            self._go(at_or_after)
        else:
            self._bar.show_count(None, len(hits))

    def _go(self, hit: int) -> None:
        self._here = hit
        self._view.scroll_to_index(hit)
        self._bar.show_count(self._hits.index(hit) + 1, len(self._hits))

    def _is_stale(self, chat: Chat) -> bool:
        """Messages may have come or gone since the search; then their numbers mean others."""
        return self._found_in is None or self._found_in != (chat, len(chat))

    def _first_in_sight(self, chat: Chat) -> int:
        anchor = self._view.anchor()
        index = chat.find(anchor.key) if anchor is not None else None
        return index if index is not None else max(0, len(chat) - 1)

    def _close(self) -> None:
        self._token += 1
        self._hits = []
        self._view.set_search_hits("", exact_case=False)
        self._view.setFocus()
        self.changed.emit()
