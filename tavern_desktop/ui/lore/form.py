"""The fields of one entry of a lorebook, to be read and written in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QScrollArea,
    QSizePolicy,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from tavern_desktop.library.worlds import DEFAULTS
from tavern_desktop.prompt.js_regex import compiled, split_regex
from tavern_desktop.prompt.lore import AT_DEPTH, OUTLET
from tavern_desktop.ui.character.fields import GrowingField, Section
from tavern_desktop.ui.lore.data import keys_of
from tavern_desktop.ui.lore.words import LOGIC, PLACES, ROLES, tr
from tavern_desktop.ui.widgets import TextField, inset, label

MOST = 1_000_000
_THREE = {None: 0, True: 1, False: 2}
NONE = -1
"""A spin box's lowest value, shown as words: the file says null."""


class EntryForm(QScrollArea):
    """Says what is changed of the entry that it shows."""

    changed = Signal(dict)
    """Fields of the entry with their new values."""
    left = Signal()
    """The keyboard has gone elsewhere."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._is_showing = False
        self._put: list[Callable[[Mapping[str, Any]], object]] = []
        self.title = self._line("comment", self.tr("Title"))
        self.keys = self._words("key", self.tr("Keys, with commas between"))
        self.secondary = self._words("keysecondary", self.tr("Further keys"))
        self.logic = self._choice("selectiveLogic", self.tr("How further keys count"), LOGIC)
        self.wrong_key = label("", "danger", wrap=True)
        self.content = GrowingField(self.tr("Content"), self.tr("What the model is told when a key is found…"))
        self.is_on = QCheckBox(self.tr("On"))
        self.is_constant = self._switch("constant", self.tr("Always in"))
        self.probability = self._number("probability", self.tr("Chance in percent"), 0, 100)
        self.place = self._choice("position", self.tr("Place"), PLACES)
        self.chat_depth = self._number("depth", self.tr("Messages from the end"), 0, 10_000)
        self.role = self._choice("role", self.tr("Said by"), ROLES)
        self.outlet = self._line("outletName", self.tr("Name of the outlet"))
        self.order = self._number("order", self.tr("Order: higher stands nearer to the end"), -MOST, MOST)
        self._make_rest()
        self._lay_out()
        self.content.textChanged.connect(self._content_changed)
        self.content.left.connect(self.left)
        self.is_on.clicked.connect(lambda on: self._say(disable=not on))
        self.place.currentIndexChanged.connect(self._show_needed)
        self.keys.textChanged.connect(self._check_keys)
        self.secondary.textChanged.connect(self._check_keys)

    def show_entry(self, entry: Mapping[str, Any]) -> None:
        """Show an entry; a field that is being written in keeps its cursor where the text is the same."""
        self._is_showing = True
        try:
            content = entry.get("content")
            self.content.show_text(content if isinstance(content, str) else "")
            self.is_on.setChecked(not entry.get("disable"))
            for put in self._put:
                put(entry)
        finally:
            self._is_showing = False
        self._count()
        self._show_needed()
        self._check_keys()

    # -- how it is made ---------------------------------------------------------------------------------------

    def _make_rest(self) -> None:
        tri = (self.tr("as set for all books"), self.tr("yes"), self.tr("no"))
        self.rest: tuple[tuple[str, QWidget], ...] = (
            (self.tr("Looks back over messages"), self._maybe("scanDepth", self.tr("Looks back over messages"), 1000)),
            (self.tr("Capitals count"), self._three("caseSensitive", self.tr("Capitals count"), tri)),
            (self.tr("Whole words only"), self._three("matchWholeWords", self.tr("Whole words only"), tri)),
            (self.tr("Stays for messages"), self._maybe("sticky", self.tr("Stays for messages"))),
            (self.tr("Then rests for messages"), self._maybe("cooldown", self.tr("Then rests for messages"))),
            (self.tr("Not before message"), self._maybe("delay", self.tr("Not before message"))),
            (self.tr("Only one of the group"), self._line("group", self.tr("Only one of the group"))),
            (self.tr("Weight in the group"), self._number("groupWeight", self.tr("Weight in the group"), 1, MOST)),
            (
                self.tr("Found only by other entries, from round"),
                self._number("delayUntilRecursion", self.tr("Found only by other entries, from round"), 0, 1000),
            ),
        )
        self.switches = (
            self._switch("excludeRecursion", self.tr("Other entries do not bring it in")),
            self._switch("preventRecursion", self.tr("It brings in no other entries")),
            self._switch("groupOverride", self.tr("Wins in its group")),
            self._switch("ignoreBudget", self.tr("Comes in where the room is used up")),
        )

    def _lay_out(self) -> None:
        page = QWidget()
        page.setObjectName("scrolled")
        column = QVBoxLayout(page)
        column.setContentsMargins(10, 4, 10, 12)
        column.setSpacing(12)
        head = QHBoxLayout()
        head.setSpacing(16)
        head.addWidget(self.is_on)
        head.addWidget(self.is_constant)
        head.addStretch(1)
        self.content_section = Section(self.tr("Content"), self.content)
        further = QWidget()
        inner = QVBoxLayout(further)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(6)
        inner.addWidget(self.logic)
        inner.addWidget(self.secondary)
        column.addLayout(head)
        column.addWidget(Section(self.tr("Title"), self.title))
        column.addWidget(Section(self.tr("Keys: one of these must be said"), self.keys))
        column.addWidget(self.wrong_key)
        column.addWidget(Section(self.tr("Further keys"), further))
        column.addWidget(self.content_section)
        grid = QGridLayout()
        grid.setHorizontalSpacing(14)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(1, 1)
        self._depth_label = label(self.tr("Messages from the end"))
        self._role_label = label(self.tr("Said by"))
        self._outlet_label = label(self.tr("Outlet"))
        rows = (
            (label(self.tr("Place")), self.place),
            (self._depth_label, self.chat_depth),
            (self._role_label, self.role),
            (self._outlet_label, self.outlet),
            (label(self.tr("Order")), self.order),
            (label(self.tr("Chance in percent")), self.probability),
            *((label(text, wrap=True), widget) for text, widget in self.rest),
        )
        for row, (name, widget) in enumerate(rows):
            grid.addWidget(name, row, 0)
            grid.addWidget(widget, row, 1)
        column.addLayout(grid)
        for switch in self.switches:
            column.addWidget(switch)
        column.addStretch(1)
        self.setWidget(page)

    def _line(self, field: str, name: str) -> TextField:
        line = TextField("", name)
        line.textEdited.connect(lambda text: self._say(**{field: text}))
        line.editingFinished.connect(self.left)
        self._put.append(lambda entry: _show_line(line, _text(entry.get(field))))
        return line

    def _words(self, field: str, name: str) -> TextField:
        line = TextField("", name)
        line.textEdited.connect(lambda text: self._say(**{field: words_of(text)}))
        line.editingFinished.connect(self.left)

        def put(entry: Mapping[str, Any]) -> None:
            keys = keys_of(entry, field)
            if words_of(line.text()) != keys:
                line.setText(", ".join(keys))

        self._put.append(put)
        return line

    def _choice(self, field: str, name: str, texts: tuple[object, ...]) -> QComboBox:
        box = QComboBox()
        box.setAccessibleName(name)
        box.addItems([tr(text) for text in texts])
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setMinimumContentsLength(8)
        box.activated.connect(lambda index: self._say(**{field: index}))
        self._put.append(lambda entry: box.setCurrentIndex(_index(entry.get(field, DEFAULTS[field]), len(texts))))
        return box

    def _three(self, field: str, name: str, texts: tuple[str, str, str]) -> QComboBox:
        box = QComboBox()
        box.setAccessibleName(name)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setMinimumContentsLength(6)
        for text, value in zip(texts, (None, True, False), strict=True):
            box.addItem(text, value)
        box.activated.connect(lambda index: self._say(**{field: box.itemData(index)}))
        self._put.append(
            lambda entry: box.setCurrentIndex({None: 0, True: 1, False: 2}.get(_flag(entry.get(field)), 0))
        )
        return box

    def _number(self, field: str, name: str, least: int, most: int) -> QSpinBox:
        box = self._spin(name, least, most)
        box.valueChanged.connect(lambda value: self._say(**{field: value}))
        self._put.append(lambda entry: box.setValue(_whole(entry.get(field), DEFAULTS[field])))
        return box

    def _maybe(self, field: str, name: str, most: int = MOST) -> QSpinBox:
        box = self._spin(name, NONE, most)
        box.setSpecialValueText(self.tr("as set for all books") if field == "scanDepth" else self.tr("no"))
        box.valueChanged.connect(lambda value: self._say(**{field: None if value == NONE else value}))
        self._put.append(lambda entry: box.setValue(_whole(entry.get(field), NONE)))
        return box

    def _spin(self, name: str, least: int, most: int) -> QSpinBox:
        box = inset(QSpinBox())
        box.setRange(least, most)
        box.setMinimumWidth(90)
        box.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        box.setAccessibleName(name)
        box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # the wheel scrolls the form
        box.editingFinished.connect(self.left)
        return box

    def _switch(self, field: str, text: str) -> QCheckBox:
        box = QCheckBox(text)
        box.clicked.connect(lambda on: self._say(**{field: on}))
        self._put.append(lambda entry: box.setChecked(bool(entry.get(field, DEFAULTS[field]))))
        return box

    # -- what is shown and said -------------------------------------------------------------------------------

    def _content_changed(self) -> None:
        self._count()
        self._say(content=self.content.toPlainText())

    def _count(self) -> None:
        self.content_section.count(self.content.toPlainText())

    def _show_needed(self) -> None:
        place = self.place.currentIndex()
        needed: tuple[tuple[QWidget, int], ...] = (
            (self._depth_label, AT_DEPTH),
            (self.chat_depth, AT_DEPTH),
            (self._role_label, AT_DEPTH),
            (self.role, AT_DEPTH),
            (self._outlet_label, OUTLET),
            (self.outlet, OUTLET),
        )
        for widget, at in needed:
            widget.setVisible(place == at)

    def _check_keys(self) -> None:
        wrong = next(filter(_is_wrong, words_of(f"{self.keys.text()},{self.secondary.text()}")), None)
        self.wrong_key.setText(
            self.tr("{key} is no regular expression that can be used.").format(key=wrong) if wrong else ""
        )
        self.wrong_key.setVisible(wrong is not None)

    def _say(self, **changes: Any) -> None:
        if not self._is_showing:
            self.changed.emit(changes)


def words_of(text: str) -> list[str]:
    """Return the keys in a text: parted by commas, but not within a regular expression."""
    found: list[str] = []
    rest = text
    while rest:
        word, _, rest = rest.partition(",")
        while word.lstrip().startswith("/") and rest and split_regex(word.strip()) is None:
            more, _, later = rest.partition(",")
            if split_regex(f"{word},{more}".strip()) is None and not later:
                break
            word, rest = f"{word},{more}", later
        if word.strip():
            found.append(word.strip())
    return found


def _is_wrong(key: str) -> bool:
    regex = split_regex(key)
    return regex is not None and compiled(*regex) is None


def _show_line(line: TextField, text: str) -> None:
    if line.text() != text:
        line.setText(text)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _whole(value: Any, default: int) -> int:
    if isinstance(value, bool):
        return int(value)
    return int(value) if isinstance(value, int | float) and abs(value) <= MOST else default


def _index(value: Any, count: int) -> int:
    return value if type(value) is int and 0 <= value < count else 0


def _flag(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None
