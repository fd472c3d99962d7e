"""One version of a chat beside another: what changed message by message, and what of it shall be brought back."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QButtonGroup,
    QDialog,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from tavern_desktop.chat import facts
from tavern_desktop.chat.differences import Kind, is_known
from tavern_desktop.chat.matching import NONE
from tavern_desktop.session.history import Comparison, Past
from tavern_desktop.ui.icons import icon
from tavern_desktop.ui.inspector import history_words as words
from tavern_desktop.ui.inspector.difference_columns import DifferenceColumns, kind_tab, lie_over, show_counts
from tavern_desktop.ui.inspector.history_rows import DifferenceModel
from tavern_desktop.ui.widgets import ElidedLabel, horizontal_line, icon_button, label, push_button

NEWER, OLDER = "Alt+Up", "Alt+Down"
PATIENCE = 250
"""Milliseconds before a comparison that is not there yet is worth a word."""


class HistoryWindow(QDialog):
    """Shows one comparison at a time and asks for things. It stays open while the person goes on writing."""

    version_requested = Signal(object, bool)
    """Another Past shall be shown, or the same one compared with the chat as it is now (True)."""
    step_requested = Signal(int)
    """The version below (1) or above (-1) in the list shall be shown."""
    restore_requested = Signal(object)
    """Messages shall be brought back: a list of Wanted."""
    restore_all_requested = Signal(object)
    """The whole chat shall be as in a Snapshot."""
    show_requested = Signal(int)
    """The message with this key shall be shown in the chat."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("historyWindow")
        self.setWindowFlag(Qt.WindowType.WindowMaximizeButtonHint)
        self.past: Past | None = None
        self.with_present = False
        self.model = DifferenceModel(self)
        self.columns = DifferenceColumns(self.model, self.tr("Messages that changed"))
        self.view, self.message = self.columns.view, self.columns.message
        self.title = ElidedLabel(tone="strong")
        self.detail = ElidedLabel(tone="muted")
        self.this_change = kind_tab(self.tr("This Change"))
        self.since = kind_tab(self.tr("Compared with Now"))
        self.kind_tabs = {kind: kind_tab("") for kind in (None, *Kind)}
        """What is shown: messages of one kind, or everything (None)."""
        self.kind_tabs[None].setChecked(True)
        self._groups = [self._exclusive(self.this_change, self.since), self._exclusive(*self.kind_tabs.values())]
        self.metadata = label(tone="muted", wrap=True)
        self.tick_all = push_button(self.tr("Choose All"), "quiet", self._tick_all)
        self.said = ElidedLabel(tone="muted")
        self.restore = push_button("", "plain", lambda: self._ask_for(self.model.ticked))
        self.restore_all = push_button(self.tr("Restore This Version"), "primary", self._restore_all)
        self.is_waiting = True
        """What is shown is not yet of the version that the title names."""
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(PATIENCE)
        self._patience.timeout.connect(lambda: self.show_message(self.tr("Comparing…")))
        self._lay_out()
        self._connect()
        lie_over(self, parent)

    # -- what is shown ----------------------------------------------------------------------------------

    def show_past(self, past: Past, *, with_present: bool) -> None:
        """Say which version is about to be shown; its comparison follows."""
        is_other = past != self.past or with_present != self.with_present
        self.past, self.with_present = past, with_present
        title = words.title_of(past)
        self.setWindowTitle(self.tr("History: {title}").format(title=title))
        self.title.setText(title)
        self.detail.setText(" · ".join(filter(None, (words.moment_text(past.at_ms), words.size_of(past)))))
        self.this_change.setVisible(bool(past.before))
        self.since.setVisible(bool(past.before))
        (self.since if with_present else self.this_change).setChecked(True)
        if is_other:
            self.is_waiting = True
            self.said.setText("")
            for button in (self.tick_all, self.restore, self.restore_all):
                button.setEnabled(False)
            self._patience.start()

    def show_comparison(self, comparison: Comparison) -> None:
        """Show what differs; a comparison of the same versions with a newer chat keeps place and choice."""
        self._patience.stop()
        is_new, self.is_waiting = self.is_waiting, False
        if is_new:
            self.model.show_comparison(None)  # what was chosen belongs to another version
        self.model.show_comparison(comparison)
        self._show_heads(comparison)
        self._show_kinds(comparison)
        names = ", ".join(comparison.metadata)
        self.metadata.setText(self.tr("The chat's own settings changed too: {names}").format(names=names))
        self.metadata.setVisible(bool(names))
        if any(comparison.difference.counts.values()):
            self.columns.show_rows(from_first=is_new)
        else:
            self._say_instead(self.tr("All messages are the same in both versions."))
        self.restore_all.setEnabled(comparison.would_change)
        self._show_chosen()

    def show_message(self, text: str) -> None:
        """Show a sentence in place of a comparison."""
        self._patience.stop()
        self.model.show_comparison(None)
        self.metadata.hide()
        self._show_kinds(None)
        self.columns.clear_names()
        self.restore_all.setEnabled(False)
        self._say_instead(text)

    def say(self, text: str) -> None:
        """Say what came of restoring."""
        self.said.setText(text)

    def _say_instead(self, text: str) -> None:
        self.columns.say(text)
        self._show_chosen()

    def _show_heads(self, comparison: Comparison) -> None:
        past = self.past
        if past is None:
            return
        before, after = self.tr("Before"), self.tr("After")
        if self.with_present:
            before, after = words.moment_text(past.at_ms), self.tr("Now")
            if past.kind == "start":
                before = self.tr("Oldest known version")
        self.columns.name(before, after, comparison)

    def _show_kinds(self, comparison: Comparison | None) -> None:
        """Show how many messages there are of each kind."""
        names = {kind: words.kind_text(kind) if kind is not None else self.tr("All Changes") for kind in self.kind_tabs}
        if comparison is not None:
            show_counts(self.kind_tabs, names, comparison.difference.counts)
            return
        for kind, button in self.kind_tabs.items():  # a filter that was chosen stays for what is compared next
            button.setText(names[kind])
            button.setEnabled(False)

    def _show_chosen(self) -> None:
        chosen, (here, possible) = len(self.model.ticked), self.model.tickable()
        self.tick_all.setVisible(possible > 0)
        self.tick_all.setEnabled(True)
        self.tick_all.setText(self.tr("Choose None") if here == possible else self.tr("Choose All"))
        if chosen > 1:
            text = self.tr("Restore {count} Messages").format(count=self.locale().toString(chosen))
        else:
            text = self.tr("Restore Message")
        self.restore.setText(text)
        self.restore.setEnabled(chosen > 0)
        self.restore.setVisible(possible > 0 or chosen > 0)
        before = not self.with_present and self.past is not None and bool(self.past.before)
        text = self.tr("Restore as Before This Change") if before else self.tr("Restore This Version")
        self.restore_all.setText(text)

    # -- what is asked for ------------------------------------------------------------------------------

    def _tick_all(self) -> None:
        chosen, possible = self.model.tickable()
        self.model.tick_all(chosen < possible)

    def _ask_for(self, keys: set[int]) -> None:
        wanted = self.model.wanted(keys)
        if wanted:
            self.restore_requested.emit(wanted)

    def _restore_all(self) -> None:
        if self.model.comparison is not None:
            self.restore_all_requested.emit(self.model.comparison.before)

    def _change_mode(self) -> None:
        if self.past is not None and self.since.isChecked() != self.with_present:
            self.version_requested.emit(self.past, self.since.isChecked())

    def _pop_up(self, key: int, place: QPoint) -> None:
        self.menu_for(key).popup(place)

    def menu_for(self, key: int) -> QMenu:
        """Return what can be done with the row of this key."""
        menu = QMenu(self)
        menu.aboutToHide.connect(menu.deleteLater)
        number, comparison = self.model.row_of(key), self.model.comparison
        if number is None or comparison is None:
            return menu
        row = self.model.row(number)
        if self.model.can_tick(row):
            restore = self.tr("Restore This Message")
            menu.addAction(icon("history"), restore, lambda: self._ask_for({key}))
        before, after = comparison.difference.sides(row)
        there = next((one for one in (after, before) if one and one.key in comparison.present_keys), None)
        if there is not None:
            menu.addAction(icon("jump"), self.tr("Show in Chat"), lambda: self.show_requested.emit(there.key))
        menu.addSeparator()
        for message, text in ((before, self.tr("Copy Earlier Text")), (after, self.tr("Copy Later Text"))):
            if message is not None and is_known(message):
                shown = text if row.before != NONE and row.after != NONE else self.tr("Copy Text")
                menu.addAction(icon("copy"), shown, lambda message=message: _copy(facts.text(message.seen_data())))
        return menu

    def _copy(self, key: int) -> None:
        number, comparison = self.model.row_of(key), self.model.comparison
        if number is not None and comparison is not None and self.model.row(number).length == 1:
            before, after = comparison.difference.sides(self.model.row(number))
            message = before if before is not None else after
            if message is not None and is_known(message):
                _copy(facts.text(message.seen_data()))

    # -- layout -----------------------------------------------------------------------------------------

    def _exclusive(self, *buttons: QPushButton) -> QButtonGroup:
        group = QButtonGroup(self)
        for button in buttons:
            group.addButton(button)
        return group

    def _connect(self) -> None:
        for button in (self.this_change, self.since):
            button.clicked.connect(self._change_mode)
        self.view.menu_requested.connect(self._pop_up)
        self.view.copy_requested.connect(self._copy)
        self.model.ticked_changed.connect(self._show_chosen)
        for kind, button in self.kind_tabs.items():
            button.clicked.connect(partial(self._filter, () if kind is None else (kind,)))

    def _filter(self, kinds: tuple[Kind, ...], _: bool = True) -> None:
        self.model.show_kinds(kinds)
        self.view.show_first_change()
        self._show_chosen()

    def _lay_out(self) -> None:
        self.metadata.setContentsMargins(22, 0, 18, 8)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._top())
        column.addLayout(self._filters())
        column.addWidget(self.metadata)
        column.addWidget(horizontal_line())
        column.addWidget(self.columns, 1)
        column.addWidget(horizontal_line())
        column.addLayout(self._foot())

    def _top(self) -> QHBoxLayout:
        """Return the line that says which version it is, and leads to others."""
        names = QVBoxLayout()
        names.setSpacing(1)
        names.addWidget(self.title)
        names.addWidget(self.detail)
        top = QHBoxLayout()
        top.setContentsMargins(18, 12, 12, 6)
        top.setSpacing(10)
        top.addLayout(names, 1)
        top.addWidget(self.this_change)
        top.addWidget(self.since)
        for name, text, step, key in (
            ("chevron-up", self.tr("Newer version"), -1, NEWER),
            ("chevron-down", self.tr("Older version"), 1, OLDER),
        ):
            top.addWidget(icon_button(name, text, partial(self.step_requested.emit, step), key=key))
            QShortcut(QKeySequence(key), self).activated.connect(partial(self.step_requested.emit, step))
        return top

    def _filters(self) -> QHBoxLayout:
        filters = QHBoxLayout()
        filters.setContentsMargins(12, 0, 12, 8)
        filters.setSpacing(4)
        for button in self.kind_tabs.values():
            filters.addWidget(button)
        filters.addStretch(1)
        return filters

    def _foot(self) -> QHBoxLayout:
        foot = QHBoxLayout()
        foot.setContentsMargins(12, 10, 14, 10)
        foot.setSpacing(10)
        foot.addWidget(self.tick_all)
        foot.addWidget(self.said, 1)
        for button in (self.restore, self.restore_all):
            foot.addWidget(button)
        for button in (self.tick_all, self.restore, self.restore_all):
            button.setAutoDefault(False)
        return foot


def _copy(text: str) -> None:
    QGuiApplication.clipboard().setText(text)
