"""Exactly what would be sent for the next reply: part by part, with tokens, why it is there, and what is left out."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QGuiApplication, QHideEvent, QShowEvent
from PySide6.QtWidgets import QListView, QPlainTextEdit, QSplitter, QVBoxLayout, QWidget

from tavern_desktop.ui.flow_layout import FlowLayout
from tavern_desktop.ui.inspector.budget_bar import BudgetBar
from tavern_desktop.ui.inspector.prompt_data import PromptData
from tavern_desktop.ui.inspector.prompt_parts import ENTRY_ROLE, PartPainter, PartsModel
from tavern_desktop.ui.widgets import label, push_button

if TYPE_CHECKING:
    from tavern_desktop.prompt.messages import Prompt


class PromptTab(QWidget):
    """Owner: the inspector."""

    def __init__(self, data: PromptData, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._data = data
        self.model = PartsModel(self)
        self.head = label(tone="muted", wrap=True)
        self.budget = BudgetBar()
        self.list = QListView()
        self.list.setObjectName("promptView")
        self.list.setAccessibleName(self.tr("Parts of the prompt"))
        self.list.setModel(self.model)
        self.list.setItemDelegate(PartPainter(self.list))
        self.list.setMouseTracking(True)
        self.list.setUniformItemSizes(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.detail = QPlainTextEdit()
        self.detail.setReadOnly(True)
        self.detail.setAccessibleName(self.tr("The chosen part, whole"))
        self.copy_text = push_button(self.tr("Copy as Text"), "plain", partial(self._copy, as_json=False))
        self.copy_json = push_button(self.tr("Copy as JSON"), "plain", partial(self._copy, as_json=True))
        self._lay_out()
        self.list.selectionModel().currentChanged.connect(lambda now, before: self._show_part(now))
        data.changed.connect(self._show)
        self._show()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._data.watch(self, True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._data.watch(self, False)

    def _lay_out(self) -> None:
        split = QSplitter(Qt.Orientation.Vertical)
        split.addWidget(self.list)
        split.addWidget(self.detail)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 2)
        split.setChildrenCollapsible(False)
        self.detail.hide()
        foot = FlowLayout()
        foot.addWidget(self.copy_text)
        foot.addWidget(self.copy_json)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 6, 10)
        column.setSpacing(8)
        column.addWidget(self.head)
        column.addWidget(self.budget)
        column.addWidget(split, 1)
        column.addLayout(foot)

    def _show(self) -> None:
        data = self._data
        self.head.setText(self._sentence(data.prompt))
        if data.prompt is not None or not data.is_building:
            self.budget.show_prompt(data.prompt)
        if data.prompt is not None or not data.is_building:
            bar = self.list.verticalScrollBar()
            place, row = bar.value(), self.list.currentIndex().row()
            self.model.show_prompt(data.prompt)
            bar.setValue(place)
            if 0 <= row < self.model.rowCount():
                self.list.setCurrentIndex(self.model.index(row))
        for button in (self.copy_text, self.copy_json):
            button.setEnabled(data.prompt is not None)

    def _sentence(self, prompt: Prompt | None) -> str:
        data = self._data
        if data.problem:
            return data.problem
        if prompt is None:
            return self.tr("Building the prompt…") if data.is_building else self.tr("Open a chat to see its prompt.")
        number = self.locale().toString
        text = self.tr("The next request has about {tokens} of {context} tokens; {reply} are kept free for the reply.")
        if not prompt.is_estimate:
            text = self.tr("The next request has {tokens} of {context} tokens; {reply} are kept free for the reply.")
        told = text.format(tokens=number(prompt.tokens), context=number(prompt.context), reply=number(prompt.reply))
        return told + (" " + self.tr("Put together by {name}.").format(name=prompt.preset) if prompt.preset else "")

    def _show_part(self, index: QModelIndex) -> None:
        entry = index.data(ENTRY_ROLE)
        self.detail.setVisible(entry is not None)
        if entry is not None:
            self.detail.setPlainText(f"{entry.title} — {entry.reason}\n\n{entry.text}".rstrip())

    def _copy(self, *, as_json: bool) -> None:
        prompt = self._data.prompt
        if prompt is None:
            return
        from tavern_desktop.session.generating.told_prompt import as_text, told_prompt

        text = self._data.text
        told = json.dumps(told_prompt(prompt, text), ensure_ascii=False, indent=2) if as_json else as_text(prompt, text)
        QGuiApplication.clipboard().setText(told)
