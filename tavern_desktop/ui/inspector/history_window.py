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
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from tavern_desktop.chat import facts
from tavern_desktop.chat.differences import Kind, is_known
from tavern_desktop.chat.matching import NONE
from tavern_desktop.session.history import Comparison, Past
from tavern_desktop.ui.icons import icon
from tavern_desktop.ui.inspector import history_words as words
from tavern_desktop.ui.inspector.history_row_box import GUTTER, PADDING, SIDE_MARGIN, TICK_ROOM
from tavern_desktop.ui.inspector.history_rows import DifferenceModel
from tavern_desktop.ui.inspector.history_view import DifferenceView
from tavern_desktop.ui.widgets import ElidedLabel, horizontal_line, icon_button, label, push_button

FIRST_SIZE = (1060, 720)
SMALLEST = (480, 320)
NEWER, OLDER = "Alt+Up", "Alt+Down"
PATIENCE = 250
"""Milliseconds before a comparison that is not there yet is worth a word."""
ROOM_AROUND = 40
"""Pixels that the window leaves of the one it lies over."""


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
        self.view = DifferenceView(self.model)
        self.view.setObjectName("differenceView")
        self.view.setAccessibleName(self.tr("Messages that changed"))
        self.title = ElidedLabel(tone="strong")
        self.detail = ElidedLabel(tone="muted")
        self.this_change = self._tab(self.tr("This Change"))
        self.since = self._tab(self.tr("Compared with Now"))
        self.kind_tabs = {kind: self._tab("") for kind in (None, *Kind)}
        """What is shown: messages of one kind, or everything (None)."""
        self.kind_tabs[None].setChecked(True)
        self._groups = [self._exclusive(self.this_change, self.since), self._exclusive(*self.kind_tabs.values())]
        self.before_head, self.after_head = ElidedLabel(tone="section"), ElidedLabel(tone="section")
        self.metadata = label(tone="muted", wrap=True)
        self.message = label(tone="muted", wrap=True)
        self.message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.tick_all = push_button(self.tr("Choose All"), "quiet", self._tick_all)
        self.said = ElidedLabel(tone="muted")
        self.restore = push_button("", "plain", lambda: self._ask_for(self.model.ticked))
        self.restore_all = push_button(self.tr("Restore This Version"), "primary", self._restore_all)
        self._pages = QStackedWidget()
        self.is_waiting = True
        """What is shown is not yet of the version that the title names."""
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(PATIENCE)
        self._patience.timeout.connect(lambda: self.show_message(self.tr("Comparing…")))
        self._lay_out()
        self._connect()
        self._place(parent)

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
            self._pages.setCurrentIndex(0)
            if is_new:
                self.view.show_first_change()
                self.view.setFocus(Qt.FocusReason.OtherFocusReason)
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
        for head in (self.before_head, self.after_head):
            head.setText("")
        self.restore_all.setEnabled(False)
        self._say_instead(text)

    def say(self, text: str) -> None:
        """Say what came of restoring."""
        self.said.setText(text)

    def _say_instead(self, text: str) -> None:
        self.message.setText(text)
        self._pages.setCurrentIndex(1)
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
        for head, text, snapshot in (
            (self.before_head, before, comparison.before),
            (self.after_head, after, comparison.after),
        ):
            head.setText(f"{text} · {words.messages_text(len(snapshot.messages))}")

    def _show_kinds(self, comparison: Comparison | None) -> None:
        """Show how many messages there are of each kind; a filter of which there are none any more is given up."""
        counts = comparison.difference.counts if comparison is not None else dict.fromkeys(Kind, 0)
        for kind, button in self.kind_tabs.items():
            count = counts[kind] if kind is not None else sum(counts.values())
            name = words.kind_text(kind) if kind is not None else self.tr("All Changes")
            button.setText(f"{name} {self.locale().toString(count)}" if count else name)
            button.setEnabled(count > 0)
            if kind is not None and button.isChecked() and comparison is not None and not count:
                self.kind_tabs[None].click()

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

    def _tab(self, text: str) -> QPushButton:
        button = push_button(text, "tab")
        button.setCheckable(True)
        button.setAutoDefault(False)
        return button

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

    def _place(self, parent: QWidget) -> None:
        over = parent.window().size()
        width, height = FIRST_SIZE
        self.resize(
            max(SMALLEST[0], min(width, over.width() - ROOM_AROUND)),
            max(SMALLEST[1], min(height, over.height() - ROOM_AROUND)),
        )

    def _lay_out(self) -> None:
        self.metadata.setContentsMargins(22, 0, 18, 8)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._top())
        column.addLayout(self._filters())
        column.addWidget(self.metadata)
        column.addWidget(horizontal_line())
        column.addLayout(self._body(), 1)
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

    def _body(self) -> QVBoxLayout:
        """Return the comparison below the names of its columns."""
        heads = QHBoxLayout()
        heads.setContentsMargins(TICK_ROOM + PADDING, 0, SIDE_MARGIN + 10, 0)
        heads.setSpacing(GUTTER + PADDING)
        heads.addWidget(self.before_head, 1)
        heads.addWidget(self.after_head, 1)
        self._pages.addWidget(self.view)
        self._pages.addWidget(self.message)
        body = QVBoxLayout()
        body.setContentsMargins(0, 8, 0, 0)
        body.setSpacing(6)
        body.addLayout(heads)
        body.addWidget(self._pages, 1)
        return body

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
