"""The map of keys: every action that has one, and the keys of the modes, on one page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QDialog, QGridLayout, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from tavern_desktop.ui.menus import MENU_BAR, title
from tavern_desktop.ui.widgets import label, push_button

COMPOSER: Sequence[tuple[object, object]] = (
    (QT_TRANSLATE_NOOP("Keys", "Enter"), QT_TRANSLATE_NOOP("Keys", "Send")),
    (QT_TRANSLATE_NOOP("Keys", "Shift+Enter"), QT_TRANSLATE_NOOP("Keys", "New line (a setting swaps the two)")),
    (QT_TRANSLATE_NOOP("Keys", "↑ when empty"), QT_TRANSLATE_NOOP("Keys", "Edit my last message")),
    (QT_TRANSLATE_NOOP("Keys", "← → when empty"), QT_TRANSLATE_NOOP("Keys", "Swipe the newest reply")),
    (
        QT_TRANSLATE_NOOP("Keys", "Esc"),
        QT_TRANSLATE_NOOP("Keys", "Stop the reply; leave the mode; go to the composer"),
    ),
)
EDITOR: Sequence[tuple[object, object]] = (
    (QT_TRANSLATE_NOOP("Keys", "Ctrl+Enter"), QT_TRANSLATE_NOOP("Keys", "Keep the edited text")),
    (QT_TRANSLATE_NOOP("Keys", "Esc"), QT_TRANSLATE_NOOP("Keys", "Leave the editor")),
)
SELECTION: Sequence[tuple[object, object]] = (
    (QT_TRANSLATE_NOOP("Keys", "Ctrl+↑ Ctrl+↓"), QT_TRANSLATE_NOOP("Keys", "Select the previous or next message")),
    (QT_TRANSLATE_NOOP("Keys", "E"), QT_TRANSLATE_NOOP("Keys", "Edit")),
    (QT_TRANSLATE_NOOP("Keys", "H"), QT_TRANSLATE_NOOP("Keys", "Hide from the prompt, or show again")),
    (QT_TRANSLATE_NOOP("Keys", "Del"), QT_TRANSLATE_NOOP("Keys", "Delete, with Undo")),
    (QT_TRANSLATE_NOOP("Keys", "Space"), QT_TRANSLATE_NOOP("Keys", "Fold or unfold")),
    (QT_TRANSLATE_NOOP("Keys", "Esc"), QT_TRANSLATE_NOOP("Keys", "Leave the selection")),
)

COLUMNS = 2


def sections() -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yield each part of the page: its title, and pairs of what is done and by which key."""
    for text, items in MENU_BAR:
        lines = [(act.text, _all_keys(act.value.shown_keys)) for act in items if act is not None and act.keys_text]
        if lines:
            yield title(str(text)).replace("&", ""), lines
    for name, lines_of in (
        (QT_TRANSLATE_NOOP("Keys", "Writing"), COMPOSER),
        (QT_TRANSLATE_NOOP("Keys", "Editing a message"), EDITOR),
        (QT_TRANSLATE_NOOP("Keys", "Selection mode"), SELECTION),
    ):
        yield _tr(name), [(_tr(does), _tr(key)) for key, does in lines_of]


class KeyMap(QDialog):
    """The page. Nothing on it acts."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("keyMap")
        self.setWindowTitle(self.tr("Map of Keys"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        parts = [self._section(name, lines) for name, lines in sections()]
        page = QWidget()
        page.setObjectName("scrolled")
        columns = QHBoxLayout(page)
        columns.setContentsMargins(24, 16, 24, 16)
        columns.setSpacing(40)
        for part_list in _balanced(parts):
            column = QVBoxLayout()
            column.setSpacing(18)
            for part, _ in part_list:
                column.addWidget(part)
            column.addStretch(1)
            columns.addLayout(column, 1)
        scroll = QScrollArea()
        scroll.setWidget(page)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        close = push_button(self.tr("Close"), "primary", self.accept)
        foot = QHBoxLayout()
        foot.setContentsMargins(24, 8, 24, 14)
        foot.addStretch(1)
        foot.addWidget(close)
        close.setFocus()
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(scroll, 1)
        whole.addLayout(foot)
        self.resize(min(860, parent.width()), min(680, parent.height()))

    def _section(self, name: str, lines: list[tuple[str, str]]) -> tuple[QWidget, int]:
        part = QWidget()
        grid = QGridLayout(part)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(18)
        grid.setVerticalSpacing(5)
        grid.addWidget(label(name, "section"), 0, 0, 1, 2)
        for row, (does, key) in enumerate(lines, 1):
            key_label: QLabel = label(key, "muted")
            key_label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            grid.addWidget(label(does), row, 0)
            grid.addWidget(key_label, row, 1)
        grid.setColumnStretch(0, 1)
        return part, len(lines) + 2


def _balanced(parts: list[tuple[QWidget, int]]) -> list[list[tuple[QWidget, int]]]:
    """Deal the parts into columns of about the same length, in reading order."""
    whole = sum(length for _, length in parts)
    columns: list[list[tuple[QWidget, int]]] = [[]]
    filled = 0
    for part in parts:
        if filled >= whole / COLUMNS and len(columns) < COLUMNS:
            columns.append([])
            filled = 0
        columns[-1].append(part)
        filled += part[1]
    return columns


def _all_keys(keys: Sequence[str]) -> str:
    return "  ".join(QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText) for key in keys)


def _tr(text: object) -> str:
    return QCoreApplication.translate("Keys", str(text))
