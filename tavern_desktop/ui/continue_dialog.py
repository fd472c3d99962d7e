"""Asks how a chat shall go on in a new one: its name, and how many messages it begins with."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QHBoxLayout, QSpinBox, QVBoxLayout, QWidget

from tavern_desktop.ui.name_dialog import Judge, NameDialog
from tavern_desktop.ui.widgets import inset, label


class ContinueDialog(NameDialog):
    """`go_on` is called with the name and the number of messages."""

    def __init__(
        self, parent: QWidget, name: str, carried: int, count: int, judge: Judge, go_on: Callable[[str, int], object]
    ) -> None:
        self.carried = inset(QSpinBox())
        super().__init__(
            parent,
            self.tr("Continue in a New Chat"),
            name,
            self.tr("Continue"),
            judge,
            lambda name: go_on(name, self.carried.value()),
        )
        self.setObjectName("continueDialog")
        told = self.tr(
            "The new chat is linked to this one, which stays as it is. It has the same settings, and begins with the "
            "newest messages, so that the story goes on where it was."
        )
        self.carried.setRange(1, max(1, count))
        self.carried.setValue(carried)
        self.carried.setGroupSeparatorShown(True)
        words = label(self.tr("Messages to begin with"))
        words.setBuddy(self.carried)
        self.carried.setAccessibleName(words.text())
        row = QHBoxLayout()
        row.addWidget(words)
        row.addStretch(1)
        row.addWidget(self.carried)
        column = self.layout()
        if isinstance(column, QVBoxLayout):
            column.insertWidget(0, label(told, "muted", wrap=True))
            column.insertLayout(column.count() - 1, row)
            self.resize(self.minimumWidth(), column.totalHeightForWidth(self.minimumWidth()))
