"""The tree of branches that a chat stands in: what came out of what, and what is missing."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Event

from PySide6.QtCore import Qt
from PySide6.QtGui import QBrush
from PySide6.QtWidgets import QDialog, QHBoxLayout, QHeaderView, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from tavern_desktop.library.branch_tree import Node, Tree, tree_around
from tavern_desktop.session.runner import Outcome, Runner
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.storage.names import SUFFIX
from tavern_desktop.ui.icons import icon
from tavern_desktop.ui.theme import themes
from tavern_desktop.ui.widgets import label, push_button

PATH_ROLE = Qt.ItemDataRole.UserRole
CHAT, FROM, MESSAGES = range(3)
ICONS = {"chat": "chat", "branch": "branch", "checkpoint": "bookmark"}


class TreeDialog(QDialog):
    """Reads every chat of the folder, off the window's thread."""

    def __init__(self, parent: QWidget, runner: Runner, chat: Path, open_chat: Callable[[Path], object]) -> None:
        super().__init__(parent)
        self.setObjectName("branchTree")
        self.setWindowTitle(self.tr("Branches of {title}").format(title=chat.name.removesuffix(SUFFIX)))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._runner, self._chat, self._open_chat = runner, chat, open_chat
        self._stop = Event()
        self.list = QTreeWidget()
        self.list.setObjectName("branchList")
        self.list.setAccessibleName(self.windowTitle())
        self.list.setHeaderLabels([self.tr("Chat"), self.tr("Made from"), self.tr("Messages")])
        self.list.setUniformRowHeights(True)
        self.list.header().setStretchLastSection(False)
        self.list.header().setAccessibleName(self.tr("Columns"))
        self.list.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.list.header().setSectionResizeMode(CHAT, QHeaderView.ResizeMode.Stretch)
        self.hint = label(self.tr("Reading the chats of this folder…"), "muted", wrap=True)
        self.open_button = push_button(self.tr("Open"), "primary", self._open)
        self.open_button.setDefault(True)
        self.open_button.setEnabled(False)
        self._lay_out()
        self.list.currentItemChanged.connect(lambda now, before: self._show_available())
        self.list.itemActivated.connect(lambda item, column: self._open())
        self.finished.connect(lambda: self._stop.set())
        stop = self._stop

        def progress(done: int, total: int) -> None:
            if done % 10 == 0 or done == total:
                runner.post(partial(self._show_progress, done, total))

        runner.submit(lambda: tree_around(chat, cancelled=stop.is_set, progress=progress), self._show)

    def _lay_out(self) -> None:
        foot = QHBoxLayout()
        foot.addWidget(self.hint, 1)
        close = push_button(self.tr("Close"), "plain", self.reject)
        close.setAutoDefault(False)
        foot.addWidget(close)
        foot.addWidget(self.open_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 16, 18, 14)
        column.setSpacing(12)
        column.addWidget(self.list, 1)
        column.addLayout(foot)
        self.resize(640, 440)

    def _show_progress(self, done: int, total: int) -> None:
        if not self._stop.is_set():
            self.hint.setText(self.tr("Reading chat {done} of {total}…").format(done=done, total=total))

    def _show(self, outcome: Outcome[Tree]) -> None:
        if self._stop.is_set():
            return
        try:
            tree = outcome.result()
        except StorageError as error:
            self.hint.setText(sentence(error))
            return
        self.list.addTopLevelItem(self._item(tree.root))
        self.list.expandAll()
        self._choose_chat()
        self.hint.setText(self._told(tree))
        self.list.setFocus(Qt.FocusReason.OtherFocusReason)

    def _told(self, tree: Tree) -> str:
        if tree.failures:
            names = ", ".join(Path(failure.file).name for failure in tree.failures)
            return self.tr("These could not be read: {names}").format(names=names)
        if not tree.root.children:
            return self.tr("Nothing branched off this chat, and it branched off nothing.")
        return ""

    def _item(self, node: Node) -> QTreeWidgetItem:
        where = "" if node.index is None else f"#{node.index}"
        count = self.tr("missing") if node.messages is None else self.locale().toString(node.messages)
        item = QTreeWidgetItem([node.stem, where, count])
        item.setIcon(CHAT, icon(ICONS[node.kind]))
        item.setToolTip(CHAT, node.stem)
        item.setData(CHAT, PATH_ROLE, "" if node.path is None else str(node.path))
        for column in (FROM, MESSAGES):
            item.setTextAlignment(column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        kinds = {"chat": self.tr("chat"), "branch": self.tr("branch"), "checkpoint": self.tr("checkpoint")}
        spoken = ", ".join(filter(None, (node.stem, kinds[node.kind], where, count)))
        item.setData(CHAT, Qt.ItemDataRole.AccessibleTextRole, spoken)
        if node.path is None:
            for column in range(self.list.columnCount()):
                item.setForeground(column, QBrush(themes().current.muted))
        if node.path == self._chat:
            font = item.font(CHAT)
            font.setBold(True)
            item.setFont(CHAT, font)
        item.addChildren([self._item(child) for child in node.children])
        return item

    def _choose_chat(self) -> None:
        flags = Qt.MatchFlag.MatchExactly | Qt.MatchFlag.MatchRecursive
        stem = self._chat.name.removesuffix(SUFFIX)
        for item in self.list.findItems(stem, flags):
            if item.data(CHAT, PATH_ROLE) == str(self._chat):
                self.list.setCurrentItem(item)

    def _show_available(self) -> None:
        item = self.list.currentItem()
        self.open_button.setEnabled(item is not None and bool(item.data(CHAT, PATH_ROLE)))

    def _open(self) -> None:
        item = self.list.currentItem()
        if item is not None and item.data(CHAT, PATH_ROLE):
            self.accept()
            self._open_chat(Path(item.data(CHAT, PATH_ROLE)))
