"""The prompts of a chat preset: their order, which are on, their texts. Kept in the preset's own file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QFileDialog, QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.presets import PresetError
from tavern_desktop.prompt.preset_editing import Item, imported, items_of, new_item
from tavern_desktop.session import preset_acts
from tavern_desktop.session.runner import Outcome, Runner
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.ui.name_dialog import NameDialog
from tavern_desktop.ui.prompts.editor import PromptEditor
from tavern_desktop.ui.prompts.list_model import ITEM_ROLE, PromptsList, PromptsModel
from tavern_desktop.ui.widgets import icon_button, label, push_button, set_tone

T = TypeVar("T")

LANE = "presets"
FIRST_SIZE = (900, 640)


class PromptsDialog(QDialog):
    """`name`: the preset, what SillyTavern has in use, or "" for the program's own way; the last two can only be kept
    as a new preset. `chosen` is called with the name of a new one."""

    def __init__(
        self, parent: QWidget, runner: Runner, root: DataRoot, name: str, chosen: Callable[[str], object]
    ) -> None:
        super().__init__(parent)
        self.setObjectName("promptsDialog")
        self.setWindowTitle(self.tr("Prompts"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._runner, self._root, self._name, self._chosen = runner, root, name, chosen
        self._data: dict[str, Any] = {}
        self._before: list[Item] = []
        self._is_closed = False
        self.heading = label(preset_acts.title_of(name) or self.tr("The program’s own way"), "section")
        self.model = PromptsModel(self)
        self.list = PromptsList(self.model, self.remove)
        self.editor = PromptEditor()
        self.said = label("", "muted", wrap=True)
        self.said.setAccessibleDescription(self.tr("What became of it"))
        self.add_button = icon_button("plus", self.tr("New prompt"), self.add)
        self.remove_button = icon_button("trash", self.tr("Delete this prompt"), self.remove, key="Del")
        self.up_button = icon_button("arrow-up", self.tr("Move up"), partial(self.list.move_current, -1), key="Alt+↑")
        self.down_button = icon_button(
            "arrow-down", self.tr("Move down"), partial(self.list.move_current, 1), key="Alt+↓"
        )
        self.import_button = icon_button("import", self.tr("Import prompts…"), self._ask_import)
        self.export_button = icon_button("save", self.tr("Export prompts…"), self._ask_export)
        self.new_button = push_button(self.tr("Save as New Preset…"), "plain", self.ask_name)
        self.save_button = push_button(self.tr("Save"), "primary", self.save)
        self._lay_out()
        self._connect()
        self._load()

    @property
    def _is_file(self) -> bool:
        return preset_acts.is_file(self._name)

    # -- what is done -----------------------------------------------------------------------------------------

    def add(self) -> None:
        """Add a prompt below the current one."""
        row = self.list.currentIndex().row() + 1
        self.model.insert(row, new_item(self.tr("New prompt")))
        self.list.setCurrentIndex(self.model.index(row))
        self.editor.name.setFocus(Qt.FocusReason.OtherFocusReason)
        self.editor.name.selectAll()
        self._show_state()

    def remove(self) -> None:
        """Take the current prompt out, if it is one's own."""
        item = self._current()
        if item is not None and item.can_be_removed:
            self.model.remove(self.list.currentIndex().row())
            self._show_state()

    def save(self) -> None:
        """Write what was changed into the preset's file, and close."""
        work = partial(preset_acts.save_items, self._root, self._name, self._before, list(self.model.items))
        self._do(work, lambda _: self.accept())

    def ask_name(self) -> None:
        """Have the person name a new preset with these prompts."""
        NameDialog(
            self, self.tr("New Preset"), preset_acts.title_of(self._name), self.tr("Save"), self._judge, self.save_as
        ).open()

    def save_as(self, name: str) -> None:
        """Write a new preset with these prompts, choose it and close."""
        work = partial(preset_acts.save_new, self._root, name, self._data, self._before, list(self.model.items))

        def kept(found: str) -> None:
            self._chosen(found)
            self.accept()

        self._do(work, kept)

    def take_in(self, path: Path) -> None:
        """Add the prompts of an exported file or another preset."""
        self._do(partial(preset_acts.read_export, path), self._take_in)

    def write_out(self, path: Path) -> None:
        """Write the prompts into a file."""
        text = self.tr("Written to {name}.").format(name=path.name)
        self._do(partial(preset_acts.write_export, path, list(self.model.items)), lambda _: self._say(text, "ok"))

    # -- how --------------------------------------------------------------------------------------------------

    def _load(self) -> None:
        self._do(partial(preset_acts.data_of, self._root, self._name), self._loaded)

    def _loaded(self, data: dict[str, Any]) -> None:
        self._data, self._before = data, items_of(data)
        self.model.show_items(self._before)
        self.list.setCurrentIndex(self.model.index(0))
        self._show_state()

    def _take_in(self, data: dict[str, Any]) -> None:
        try:
            items = imported(self.model.items, data)
        except ValueError as error:
            self._say(str(error), "danger")
            return
        count = len(items) - len(self.model.items)
        self.model.show_items(items)
        self.list.setCurrentIndex(self.model.index(0))
        text = self.tr("1 new prompt; those that are there already have the texts of the file.")
        if count != 1:
            text = self.tr("{count} new prompts; those that are there already have the texts of the file.")
        self._say(text.format(count=count), "ok")
        self._show_state()

    def _do(self, work: Callable[[], T], done: Callable[[T], object]) -> None:
        """Do something to the files away from the window; say why if it cannot be done."""

        def finished(outcome: Outcome[T]) -> None:
            if self._is_closed:
                return
            problem = _problem(outcome)
            if problem:
                self._say(problem, "danger")
            else:
                done(outcome.result())

        self._runner.submit(work, finished, lane=LANE)

    def _judge(self, name: str) -> tuple[bool, str]:
        return preset_acts.judged(name)

    def _ask_import(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, self.tr("Import Prompts"), "", self.tr("JSON files (*.json)"))
        if name:
            self.take_in(Path(name))

    def _ask_export(self) -> None:
        name, _ = QFileDialog.getSaveFileName(
            self, self.tr("Export Prompts"), "prompts.json", self.tr("JSON files (*.json)")
        )
        if name:
            self.write_out(Path(name))

    # -- what is shown ----------------------------------------------------------------------------------------

    def _current(self) -> Item | None:
        item = self.list.currentIndex().data(ITEM_ROLE)
        return item if isinstance(item, Item) else None

    def _edited(self) -> None:
        item = self._current()
        if item is not None:
            self.model.change(self.list.currentIndex().row(), replace(item, data=self.editor.data()))
            self._show_state()

    def _show_current(self) -> None:
        self.editor.show_item(self._current())
        self._show_state()

    def _show_state(self) -> None:
        item, row = self._current(), self.list.currentIndex().row()
        self.remove_button.setEnabled(item is not None and item.can_be_removed)
        self.up_button.setEnabled(row > 0)
        self.down_button.setEnabled(0 <= row < self.model.rowCount() - 1)
        self.save_button.setVisible(self._is_file)
        self.save_button.setEnabled(self._before != self.model.items)

    def _say(self, text: str, tone: str) -> None:
        self.said.setText(text)
        set_tone(self.said, tone)

    def _closed(self) -> None:
        self._is_closed = True

    def _connect(self) -> None:
        self.finished.connect(self._closed)
        self.list.selectionModel().currentChanged.connect(lambda now, before: self._show_current())
        self.model.arranged.connect(self._show_state)
        self.editor.changed.connect(self._edited)

    def _lay_out(self) -> None:
        tools = QHBoxLayout()
        tools.setSpacing(4)
        for button in (self.add_button, self.remove_button, self.up_button, self.down_button):
            tools.addWidget(button)
        tools.addStretch(1)
        tools.addWidget(self.import_button)
        tools.addWidget(self.export_button)
        left = QVBoxLayout()
        left.setSpacing(8)
        left.addWidget(self.list, 1)
        left.addLayout(tools)
        sides = QSplitter(Qt.Orientation.Horizontal)
        left.setContentsMargins(0, 0, 14, 0)
        holder = QWidget()
        holder.setLayout(left)
        sides.addWidget(holder)
        sides.addWidget(self.editor)
        sides.setStretchFactor(0, 2)
        sides.setStretchFactor(1, 3)
        sides.setChildrenCollapsible(False)
        sides.setSizes([340, 520])
        sides.setHandleWidth(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(22, 18, 22, 16)
        column.setSpacing(12)
        column.addWidget(self.heading)
        column.addWidget(sides, 1)
        column.addWidget(self.said)
        column.addLayout(self._foot())
        self.resize(*FIRST_SIZE)

    def _foot(self) -> QHBoxLayout:
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addWidget(self.new_button)
        foot.addStretch(1)
        cancel = push_button(self.tr("Cancel"), "plain", self.reject)
        foot.addWidget(cancel)
        foot.addWidget(self.save_button)
        for each in (self.new_button, cancel):
            each.setAutoDefault(False)
        self.save_button.setDefault(True)
        return foot


def _problem(outcome: Outcome[Any]) -> str:
    """Return why something was not done, "" if it was; a fault of ours is raised."""
    error = outcome.error
    if error is None:
        return ""
    if isinstance(error, PresetError):
        return error.sentence
    if isinstance(error, StorageError):
        return sentence(error)
    raise error
