"""What a person does with the versions of the chat in view: look at one, step through them, bring back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt

from tavern_desktop.session.commands import Command
from tavern_desktop.session.history import Comparison, Past, Snapshot
from tavern_desktop.session.history_copy import write_beside
from tavern_desktop.session.message_history import EarlierText
from tavern_desktop.session.refusals import Refused
from tavern_desktop.session.restoring import RestoreMessages, RestoreVersion, Wanted
from tavern_desktop.ui.actions import Act
from tavern_desktop.ui.inspector import history_words as words
from tavern_desktop.ui.inspector.history_data import ChatHistory
from tavern_desktop.ui.inspector.history_tab import HistoryTab
from tavern_desktop.ui.inspector.history_window import HistoryWindow

if TYPE_CHECKING:
    from tavern_desktop.ui.desk import ChatDesk
    from tavern_desktop.ui.inspector.history_of_message import MessageHistory
    from tavern_desktop.ui.main_window import MainWindow

FROM_ELSEWHERE = frozenset({"outside", "merge", "found"})
"""Kinds of versions that another program had a part in."""


class HistoryDeeds(QObject):
    """Owner: the chat's part of the window; made when the history is first looked at."""

    def __init__(self, window: MainWindow, desk: ChatDesk) -> None:
        super().__init__(desk)
        self._main = window
        self._desk = desk
        self._history = ChatHistory(window.services.runner, self)
        self.tab = HistoryTab(self._history)
        self._window: HistoryWindow | None = None
        self._with_present = False
        """The person rather compares with the chat as it is."""
        self._token = 0
        self.tab.chosen.connect(self.show)
        self.tab.passed.connect(self._pass)
        self.tab.restore_requested.connect(self.restore_past)
        self.tab.copy_requested.connect(self.copy)
        self._history.changed.connect(self._follow)
        window.services.settings_changed.connect(self._apply_settings)
        desk.commands.refused.connect(self._say)
        desk.chat_changed.connect(self._show_chat)
        self._show_chat()

    @property
    def window(self) -> HistoryWindow | None:
        """The window with a comparison, None while there is none."""
        return self._window

    @property
    def versions(self) -> list[Past]:
        """What is known of the chat in view, newest first."""
        return self._history.versions

    def focus(self) -> None:
        """Let the keyboard go through the versions."""
        self.tab.list.setFocus(Qt.FocusReason.OtherFocusReason)

    def show(self, past: Past, with_present: bool = False) -> None:
        """Show what a version changed, or what changed since."""
        if past.before:
            self._with_present = with_present
        if self._window is None:
            self._window = self._make_window()
        self._fill(self._window, past, with_present=with_present)
        self._window.show()
        self._window.raise_()
        self._window.activateWindow()

    def show_what_came(self) -> None:
        """Show the newest version that another program had a part in beside the one before it."""
        self._history.newest(FROM_ELSEWHERE, self._show_newest)

    def _show_newest(self, past: Past | None, problem: str) -> None:
        if past is None:
            self._desk.commands.refused.emit(problem or self.tr("The history of this chat does not have this change."))
        else:
            self.show(past)

    def step(self, step: int) -> None:
        """Show the next older (1) or newer (-1) version."""
        window, versions = self._window, self.versions
        if window is None or window.past is None:
            return
        names = [past.id for past in versions]
        if window.past.id in names:
            place = names.index(window.past.id) + step
            if 0 <= place < len(versions):
                past = versions[place]
                self._fill(window, past, with_present=self._with_present or not past.before)
                self.tab.make_current(past)

    def _pass(self, past: Past) -> None:
        """Let the window, where it is open, go along with the list."""
        window = self._window
        if window is not None and window.isVisible() and past != window.past:
            self._fill(window, past, with_present=self._with_present or not past.before)

    def restore_past(self, past: Past) -> None:
        """Make the whole chat what it was in a version."""

        def restore(comparison: Comparison | None, problem: str) -> None:
            if comparison is None:
                self._desk.commands.refused.emit(problem)
            else:
                self.restore_all(comparison.before)

        self._compare(past, True, restore)

    def copy(self, past: Past) -> None:
        """Make a chat of its own of a version, and open it."""
        path = self._desk.path

        def write(comparison: Comparison | None, problem: str) -> None:
            if comparison is None or path is None:
                self._desk.commands.refused.emit(problem)
            else:
                self._main.part.files.make(path, partial(write_beside, path, comparison.before, past.at_ms))

        self._compare(past, True, write)

    def restore_all(self, version: Snapshot) -> None:
        """Make the whole chat what it was."""
        self._desk.keep_edit()
        self._run(RestoreVersion(version.header, version.messages), self.tr("The chat is as it was then"))

    def restore(self, wanted: Sequence[Wanted]) -> None:
        """Bring messages back."""
        count = sum(len(one.texts) for one in wanted)
        text = self.tr("1 message restored") if count == 1 else self.tr("{count} messages restored")
        self._run(RestoreMessages(*wanted), text.format(count=self._main.locale().toString(count)))

    def show_message(self, key: int | None) -> None:
        """Show what a message of the chat said before."""
        from tavern_desktop.ui.inspector.history_of_message import MessageHistory

        session = self._desk.session
        index = session.chat.find(key) if session is not None and session.chat is not None and key is not None else None
        if index is None:
            return
        title = self.tr("History of message {number}").format(number=words.locale_text(index))
        dialog = MessageHistory(self._main, title)
        dialog.restore_requested.connect(self._restore_text)
        self._history.texts_of(index, partial(_fill, dialog))
        dialog.open()

    def _restore_text(self, earlier: EarlierText) -> None:
        wanted = Wanted([earlier.message], frozenset([0]))
        self._run(RestoreMessages(wanted), self.tr("The earlier text is back"))

    def _run(self, command: Command, done: str) -> None:
        session = self._desk.session
        if session is None:
            return
        try:
            changed = session.do(command)
        except Refused as refusal:
            self._desk.commands.refused.emit(refusal.sentence)
            return
        if changed:
            self._desk.commands.undo_offered.emit(done)
            self._say(self.tr("{done}. {key} takes it back.").format(done=done, key=Act.UNDO.keys_text))
        else:
            self._desk.commands.refused.emit(self.tr("The chat is like that already."))

    def _say(self, text: str) -> None:
        if self._window is not None:
            self._window.say(text)

    def _fill(self, window: HistoryWindow, past: Past, *, with_present: bool) -> None:
        window.show_past(past, with_present=with_present)
        self._compare(past, with_present, self._show_comparison)

    def _compare(self, past: Past, with_present: bool, then: Callable[[Comparison | None, str], object]) -> None:
        self._token += 1
        token = self._token

        def done(comparison: Comparison | None, problem: str) -> None:
            if token == self._token:
                then(comparison, problem)

        self._history.compare(past, done, with_present=with_present)

    def _show_comparison(self, comparison: Comparison | None, problem: str) -> None:
        window = self._window
        if window is None:
            return
        if comparison is None:
            window.show_message(problem)
        else:
            window.show_comparison(comparison)

    def _follow(self) -> None:
        """The chat or its versions changed: what is shown is compared with the chat as it is now."""
        window = self._window
        if window is not None and window.isVisible() and window.past is not None and not self._history.is_loading:
            self._compare(window.past, window.with_present, self._show_comparison)

    def _show_chat(self) -> None:
        """Follow the chat in view. A window about another one could not change it, so it goes."""
        if self._window is not None and self._desk.session is not self._history.session:
            self._window.close()
        self._history.show_session(self._desk.session)

    def _make_window(self) -> HistoryWindow:
        window = HistoryWindow(self._main)
        # What was brought back can be taken away again, and saved, without going elsewhere first.
        window.addActions([self._main.actions_[act] for act in (Act.UNDO, Act.REDO, Act.SAVE)])
        window.view.set_text_scale(self._main.services.settings.text_size)
        window.version_requested.connect(self.show)
        window.step_requested.connect(self.step)
        window.restore_requested.connect(self.restore)
        window.restore_all_requested.connect(self.restore_all)
        window.show_requested.connect(self._show_message)
        return window

    def _apply_settings(self) -> None:
        if self._window is not None:
            self._window.view.set_text_scale(self._main.services.settings.text_size)

    def _show_message(self, key: int) -> None:
        self._desk.show_message(key)
        self._main.activateWindow()


def _fill(dialog: MessageHistory, texts: list[EarlierText] | None, told: str) -> None:
    """Show texts, `told` being what the message says now, or the sentence `told` where there are none to be had."""
    if dialog.is_closed:
        return
    if texts is None:
        dialog.show_message(told)
    else:
        dialog.show_texts(texts, told)
