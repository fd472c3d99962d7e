"""One prompt of a preset as fields: what it is called, who says it, where it stands, when, and its text."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QGridLayout,
    QLabel,
    QPlainTextEdit,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from tavern_desktop.prompt.chat_preset import DEFAULT_DEPTH, DEFAULT_INJECTION_ORDER
from tavern_desktop.prompt.injections import DEEPEST
from tavern_desktop.prompt.preset_editing import Item
from tavern_desktop.ui.widgets import TextField, inset, label, never_scroll_sideways

TRIGGERS = ("normal", "continue", "impersonate", "swipe", "regenerate", "quiet")
MOST_ORDER = 1_000_000
CARD_MAY_REPLACE = ("main", "jailbreak")
"""Prompts in whose place a card may have its own text."""


class PromptEditor(QWidget):
    """Shows an item; `changed` tells that `data` has to be asked for."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._item: Item | None = None
        self._is_showing = False
        self.name = TextField("", self.tr("Name"))
        self.role = QComboBox()
        for role, text in (("system", self.tr("System")), ("user", self.tr("You")), ("assistant", self.tr("Model"))):
            self.role.addItem(text, role)
        self.place = QComboBox()
        self.place.addItem(self.tr("Where it is in the list"), 0)
        self.place.addItem(self.tr("In the chat, at a depth"), 1)
        for combo in (self.role, self.place):
            combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            combo.setMinimumContentsLength(8)
        self.depth_box = _number(DEEPEST)
        self.order_box = _number(MOST_ORDER)
        self.triggers = {name: QCheckBox(text) for name, text in self._trigger_names().items()}
        self.may_replace = QCheckBox(self.tr("Cards may have their own text here"))
        self.text = QPlainTextEdit()
        self.text.setTabChangesFocus(True)
        self.text.setMinimumHeight(120)
        never_scroll_sideways(self.text)
        self.about = label("", "muted", wrap=True)
        self._lay_out()
        self._connect()
        self.show_item(None)

    def show_item(self, item: Item | None) -> None:
        """Show another prompt, None for none."""
        self._is_showing = True
        self._item = item
        self.fields.setVisible(item is not None and not item.is_marker)
        self.about.setVisible(item is None or item.is_marker)
        self.about.setText(
            self.tr("Choose a prompt.") if item is None else self.tr("The program fills this in; it has no text here.")
        )
        if item is not None and not item.is_marker:
            self._show_fields(item)
        self._is_showing = False

    def data(self) -> dict[str, Any]:
        """Return the entry of the prompt as it is typed; what there is no field for stays."""
        item = self._item
        assert item is not None
        prompt = item.prompt()
        kept = dict(item.data) or {"identifier": item.identifier, "system_prompt": not item.can_be_removed}
        kept |= {"name": self.name.text().strip() or item.name, "role": self.role.currentData()}
        kept["content"] = self.text.toPlainText()
        triggers = [name for name, box in self.triggers.items() if box.isChecked()]
        unknown = sorted(prompt.triggers - set(TRIGGERS))
        # Only what is said is written: a file of an older SillyTavern stays one.
        for key, value, usual in (
            ("injection_position", self.place.currentData(), 0),
            ("injection_depth", self.depth_box.value(), DEFAULT_DEPTH),
            ("injection_order", self.order_box.value(), DEFAULT_INJECTION_ORDER),
            ("injection_trigger", [*triggers, *unknown], []),
            ("forbid_overrides", not self.may_replace.isChecked(), False),
        ):
            if key in kept or value != usual:
                kept[key] = value
        return kept

    def _show_fields(self, item: Item) -> None:
        prompt = item.prompt()
        self.name.setText(item.name)
        self.role.setCurrentIndex(max(0, self.role.findData(prompt.role)))
        self.place.setCurrentIndex(int(prompt.is_absolute))
        self.depth_box.setValue(min(prompt.depth, DEEPEST))
        self.order_box.setValue(prompt.order)
        for name, box in self.triggers.items():
            box.setChecked(name in prompt.triggers)
        self.may_replace.setChecked(not prompt.keeps_own)
        self.may_replace.setVisible(item.identifier in CARD_MAY_REPLACE)
        if self.text.toPlainText() != prompt.text:
            self.text.setPlainText(prompt.text)
        self._show_place()

    def _show_place(self) -> None:
        is_absolute = self.place.currentData() == 1
        for row in (self.depth_box, self.order_box):
            self.form.setRowVisible(row, is_absolute)

    def _change(self) -> None:
        if not self._is_showing and self._item is not None:
            self._show_place()
            self.changed.emit()

    def _connect(self) -> None:
        self.name.textEdited.connect(self._change)
        self.text.textChanged.connect(self._change)
        for combo in (self.role, self.place):
            combo.activated.connect(self._change)
        for box in (self.depth_box, self.order_box):
            box.valueChanged.connect(self._change)
        for check in (*self.triggers.values(), self.may_replace):
            check.toggled.connect(self._change)

    def _trigger_names(self) -> dict[str, str]:
        names = (
            self.tr("A reply"),
            self.tr("Going on"),
            self.tr("Your part"),
            self.tr("An alternative"),
            self.tr("Another try"),
            self.tr("In the background"),
        )
        return dict(zip(TRIGGERS, names, strict=True))

    def _lay_out(self) -> None:
        self.fields = QWidget()
        self.form = QFormLayout(self.fields)
        self.form.setContentsMargins(0, 0, 0, 0)
        self.form.setHorizontalSpacing(18)
        self.form.setVerticalSpacing(9)
        self.form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        times = QWidget()
        grid = QGridLayout(times)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setVerticalSpacing(6)
        for at, box in enumerate(self.triggers.values()):
            grid.addWidget(box, at // 2, at % 2)
        grid.setColumnStretch(2, 1)
        times.setToolTip(self.tr("With none of them: always"))
        rows: tuple[tuple[str, QWidget], ...] = (
            (self.tr("Name"), self.name),
            (self.tr("Said by"), self.role),
            (self.tr("Stands"), self.place),
            (self.tr("Depth"), self.depth_box),
            (self.tr("Order"), self.order_box),
            (self.tr("Only for"), times),
        )
        for text, field in rows:
            heading: QLabel = label(text)
            heading.setBuddy(field)
            field.setAccessibleName(text)
            self.form.addRow(heading, field)
        self.depth_box.setToolTip(self.tr("0 stands behind the last message, 1 before it"))
        self.order_box.setToolTip(self.tr("Among those of one depth: higher is nearer to the end"))
        self.form.addRow("", self.may_replace)
        self.text.setAccessibleName(self.tr("Text"))
        self.text.setPlaceholderText(self.tr("Text. {{char}} and {{user}} stand for the names."))
        self.form.addRow(self.text)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 0, 0, 0)
        column.addWidget(self.about)
        column.addWidget(self.fields, 1)
        column.addStretch(0)


def _number(most: int) -> QSpinBox:
    box = inset(QSpinBox())
    box.setRange(0, most)
    box.setMaximumWidth(140)
    return box
