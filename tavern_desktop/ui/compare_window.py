"""A chat beside a conflict copy of it: what only one of them has, what differs, and what shall become of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QButtonGroup, QDialog, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from tavern_desktop.chat.differences import Kind
from tavern_desktop.session.history import Comparison
from tavern_desktop.session.restoring import Wanted
from tavern_desktop.ui.inspector.difference_columns import DifferenceColumns, kind_tab, lie_over, show_counts
from tavern_desktop.ui.inspector.history_rows import DifferenceModel
from tavern_desktop.ui.widgets import ElidedLabel, horizontal_line, label, push_button

Deeds = Mapping[str, Callable[[], object]]
"""What can be done with the copy: merge, keep, remove."""


class CompareWindow(QDialog):
    """The chat stands on the left as it is now, the copy on the right. `take` is called with the messages chosen."""

    def __init__(
        self, parent: QWidget, title: str, copy_title: str, deeds: Deeds, take: Callable[[list[Wanted]], object]
    ) -> None:
        super().__init__(parent)
        self.setObjectName("compareWindow")
        self.setWindowFlag(Qt.WindowType.WindowMaximizeButtonHint)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Compare: {title}").format(title=title))
        self.is_closed = False
        self._copy_title = copy_title
        self._deeds = deeds
        self._take_messages = take
        self.model = DifferenceModel(self)
        self.columns = DifferenceColumns(self.model, self.tr("Messages that differ"))
        self.view, self.message = self.columns.view, self.columns.message
        self.columns.say(self.tr("Comparing…"))
        self.remove = push_button(self.tr("Delete Copy"), "plain", lambda: self._do("remove"))
        self.take = push_button(self.tr("Take Messages"), "plain", self._take)
        self.keep = push_button(self.tr("Keep Both"), "plain", lambda: self._do("keep"))
        self.merge = push_button(self.tr("Merge"), "primary", lambda: self._do("merge"))
        self._kinds = QButtonGroup(self)
        self._tabs: dict[Kind | None, QPushButton] = {}
        self._lay_out(title)
        self.model.ticked_changed.connect(self._show_chosen)
        self.finished.connect(self._close_up)
        self._show_chosen()
        lie_over(self, parent)

    def show_comparison(self, comparison: Comparison) -> None:
        """Show what differs."""
        self.model.show_comparison(comparison)
        counts = comparison.difference.counts
        self.columns.name(self.tr("This chat"), self._copy_title, comparison)
        show_counts(self._tabs, {kind: self._kind_text(kind) for kind in self._tabs}, counts)
        if any(counts.values()):
            self.columns.show_rows()
        else:
            self.say(self.tr("All messages are the same in both."))

    def say(self, text: str) -> None:
        """Show a sentence in place of a comparison."""
        self.columns.say(text)

    def _close_up(self) -> None:
        self.is_closed = True

    def _kind_text(self, kind: Kind | None) -> str:
        return {
            None: self.tr("All"),
            Kind.ADDED: self.tr("Only in the Copy"),
            Kind.REMOVED: self.tr("Only Here"),
            Kind.EDITED: self.tr("Different"),
            Kind.MOVED: self.tr("Moved"),
        }[kind]

    def _do(self, deed: str) -> None:
        self.accept()
        self._deeds[deed]()

    def _take(self) -> None:
        wanted = self.model.wanted(self.model.ticked)
        if wanted:
            self.accept()
            self._take_messages(wanted)

    def _show_chosen(self) -> None:
        chosen = len(self.model.ticked)
        many = self.tr("Take {count} Messages").format(count=self.locale().toString(chosen))
        self.take.setText(many if chosen > 1 else self.tr("Take Message"))
        self.take.setEnabled(chosen > 0)

    def _filter(self, kind: Kind | None, _: bool = True) -> None:
        self.model.show_kinds(() if kind is None else (kind,))
        self.view.show_first_change()

    # -- layout -----------------------------------------------------------------------------------------

    def _lay_out(self, title: str) -> None:
        names = QVBoxLayout()
        names.setContentsMargins(18, 12, 12, 6)
        names.setSpacing(1)
        names.addWidget(ElidedLabel(title, "strong"))
        names.addWidget(
            label(self.tr("The same chat was changed in two places. Merging keeps the messages of both."), "muted")
        )
        filters = QHBoxLayout()
        filters.setContentsMargins(12, 0, 12, 8)
        filters.setSpacing(4)
        for kind in (None, *Kind):
            button = kind_tab(self._kind_text(kind))
            button.clicked.connect(partial(self._filter, kind))
            self._kinds.addButton(button)
            filters.addWidget(button)
            self._tabs[kind] = button
        self._tabs[None].setChecked(True)
        filters.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(names)
        column.addLayout(filters)
        column.addWidget(horizontal_line())
        column.addWidget(self.columns, 1)
        column.addWidget(horizontal_line())
        foot = QHBoxLayout()
        foot.setContentsMargins(12, 10, 14, 10)
        foot.setSpacing(10)
        foot.addWidget(self.remove)
        foot.addStretch(1)
        for button in (self.take, self.keep, self.merge):
            button.setAutoDefault(False)
            foot.addWidget(button)
        column.addLayout(foot)
