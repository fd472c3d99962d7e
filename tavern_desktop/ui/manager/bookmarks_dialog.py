"""The bookmarks of the chat in view: go to a message, open its checkpoint, take the mark away."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QBrush
from PySide6.QtWidgets import QDialog, QHBoxLayout, QHeaderView, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from tavern_desktop.chat import facts, links
from tavern_desktop.chat.message import Message
from tavern_desktop.session.runner import Outcome
from tavern_desktop.storage.names import SUFFIX
from tavern_desktop.ui.theme import themes
from tavern_desktop.ui.widgets import label, push_button

if TYPE_CHECKING:
    from tavern_desktop.session.chat_session import ChatSession
    from tavern_desktop.ui.chat_part import ChatPart

KEY_ROLE = Qt.ItemDataRole.UserRole
LINK_ROLE = Qt.ItemDataRole.UserRole + 1
NUMBER, WORDS, CHECKPOINT = range(3)
SHOWN_WORDS = 120
"""Characters of a message that a row has room for."""


@dataclass(frozen=True)
class Bookmark:
    """A marked message, and the checkpoint it leads to."""

    key: int
    index: int
    words: str
    link: str
    is_gone: bool


def bookmarks_in(messages: Sequence[Message], chat: Path) -> list[Bookmark]:
    """Return the bookmarks of a chat in their order. For any thread."""
    found = []
    for index, message in enumerate(messages):
        data = message.seen_data() if links.may_link(message.seen) else {}
        stem = links.bookmark_of(data)
        if stem:
            words = " ".join(facts.shown_text(data)[: SHOWN_WORDS * 2].split())[:SHOWN_WORDS]
            gone = not os.path.lexists(chat.with_name(stem + SUFFIX))
            found.append(Bookmark(message.key, index, f"{facts.name(data)}: {words}", stem, gone))
    return found


class BookmarksDialog(QDialog):
    """Follows the chat while it is open."""

    def __init__(self, parent: QWidget, part: ChatPart, session: ChatSession) -> None:
        super().__init__(parent)
        self.setObjectName("bookmarksDialog")
        self.setWindowTitle(self.tr("Bookmarks in {title}").format(title=session.title))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._part, self._session = part, session
        self._token = 0
        self.list = QTreeWidget()
        self.list.setObjectName("bookmarkList")
        self.list.setAccessibleName(self.windowTitle())
        self.list.setHeaderLabels([self.tr("Message"), "", self.tr("Checkpoint")])
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        head = self.list.header()
        head.setAccessibleName(self.tr("Columns"))
        head.setStretchLastSection(False)
        head.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        head.setSectionResizeMode(WORDS, QHeaderView.ResizeMode.Stretch)
        self.hint = label(tone="muted", wrap=True)
        self.go_button = push_button(self.tr("Go to Message"), "primary", self._go)
        self.go_button.setDefault(True)
        self.open_button = push_button(self.tr("Open Checkpoint"), "plain", self._open)
        self.remove_button = push_button(self.tr("Remove Bookmark"), "plain", self._remove)
        self._lay_out()
        self.list.currentItemChanged.connect(lambda now, before: self._show_available())
        self.list.itemActivated.connect(lambda item, column: self._go())
        session.undo_changed.connect(self._fill)
        self.finished.connect(self._close_up)
        self._show_available()
        self._fill()
        self.list.setFocus(Qt.FocusReason.PopupFocusReason)

    def _lay_out(self) -> None:
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addWidget(self.remove_button)
        foot.addWidget(self.open_button)
        foot.addStretch(1)
        close = push_button(self.tr("Close"), "plain", self.reject)
        for button in (close, self.open_button, self.remove_button):
            button.setAutoDefault(False)
        foot.addWidget(close)
        foot.addWidget(self.go_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 16, 18, 14)
        column.setSpacing(12)
        column.addWidget(self.list, 1)
        column.addWidget(self.hint)
        column.addLayout(foot)
        self.resize(680, 400)

    def _fill(self) -> None:
        """Look for bookmarks, off the window's thread: a chat may have 100,000 messages."""
        self._token += 1
        messages = list(self._session.chat.messages) if self._session.chat is not None else []
        runner, path = self._part.services.runner, self._session.path
        runner.submit(lambda: bookmarks_in(messages, path), partial(self._show, self._token))

    def _show(self, token: int, outcome: Outcome[list[Bookmark]]) -> None:
        if token != self._token:
            return
        kept = self.list.currentItem()
        key = kept.data(NUMBER, KEY_ROLE) if kept is not None else None
        self.list.clear()
        for bookmark in outcome.result():
            item = self._item(bookmark)
            self.list.addTopLevelItem(item)
            if bookmark.key == key or self.list.currentItem() is None:
                self.list.setCurrentItem(item)
        there = self.list.topLevelItemCount() > 0
        self.hint.setText(
            self.tr("A bookmark marks a message and keeps the chat up to it as a chat of its own.")
            if there
            else self.tr("No bookmarks yet: choose “Bookmark This Message…” in the menu of a message.")
        )
        self._show_available()

    def _item(self, mark: Bookmark) -> QTreeWidgetItem:
        told = self.tr("{name} (missing)").format(name=mark.link) if mark.is_gone else mark.link
        item = QTreeWidgetItem([f"#{mark.index}", mark.words, told])
        item.setData(NUMBER, KEY_ROLE, mark.key)
        item.setData(NUMBER, LINK_ROLE, "" if mark.is_gone else mark.link)
        item.setToolTip(CHECKPOINT, mark.link)
        if mark.is_gone:
            item.setForeground(CHECKPOINT, QBrush(themes().current.muted))
        return item

    def _show_available(self) -> None:
        item = self.list.currentItem()
        self.go_button.setEnabled(item is not None)
        self.remove_button.setEnabled(item is not None and self._session.can_change)
        self.open_button.setEnabled(item is not None and bool(item.data(NUMBER, LINK_ROLE)))

    def _close_up(self) -> None:
        self._session.undo_changed.disconnect(self._fill)
        self._token += 1

    def _go(self) -> None:
        item, chat = self.list.currentItem(), self._session.chat
        index = chat.find(item.data(NUMBER, KEY_ROLE)) if item is not None and chat is not None else None
        if index is not None:
            self.accept()
            self._part.pane.view.scroll_to_index(index)

    def _open(self) -> None:
        item = self.list.currentItem()
        if item is not None and item.data(NUMBER, LINK_ROLE):
            self.accept()
            self._part.branching.open_beside(item.data(NUMBER, LINK_ROLE), self._session.path)

    def _remove(self) -> None:
        item = self.list.currentItem()
        if item is not None:
            self._part.branching.mark(self._session, item.data(NUMBER, KEY_ROLE), None)
