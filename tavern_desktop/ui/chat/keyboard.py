"""The keyboard on the surface: scrolling, and the letters of selection mode. Nothing here destroys by one stray key:
outside selection mode typing goes to the composer (decision D24, known failure B-22)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

if TYPE_CHECKING:
    from tavern_desktop.ui.chat.view import ChatView

ACTIONS = {
    Qt.Key.Key_E: "edit",
    Qt.Key.Key_R: "regenerate",
    Qt.Key.Key_B: "branch",
    Qt.Key.Key_M: "bookmark",
    Qt.Key.Key_H: "hide",
    Qt.Key.Key_Delete: "delete",
}
_COPY_MARKDOWN = QKeySequence("Ctrl+Shift+C")


class Keyboard:
    """Owner: the view. Takes its key events."""

    def __init__(self, view: ChatView) -> None:
        self._view = view

    def press(self, event: QKeyEvent) -> bool:
        """Return whether the key was for the surface."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self._view.copy()
            return True
        if QKeySequence(event.keyCombination()) == _COPY_MARKDOWN:
            self._view.copy_markdown()
            return True
        modifiers = event.modifiers() & ~(Qt.KeyboardModifier.KeypadModifier | Qt.KeyboardModifier.GroupSwitchModifier)
        shift = bool(modifiers & Qt.KeyboardModifier.ShiftModifier)
        control = modifiers & ~Qt.KeyboardModifier.ShiftModifier == Qt.KeyboardModifier.ControlModifier
        if control and event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            step = -1 if event.key() == Qt.Key.Key_Up else 1
            self._view.enter_selection_mode(step)
            return True
        if self._view.selection_mode.is_on and self._in_selection_mode(event, modifiers):
            return True
        if control or not modifiers or shift:
            return self._scroll(event, control, shift) or self._type_through(event, modifiers)
        return False

    def _in_selection_mode(self, event: QKeyEvent, modifiers: Qt.KeyboardModifier) -> bool:
        view, mode, key = self._view, self._view.selection_mode, Qt.Key(event.key())
        current = view.current_key
        if key == Qt.Key.Key_Escape:
            view.leave_selection_mode()
            return True
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down) and not modifiers & ~Qt.KeyboardModifier.ShiftModifier:
            step = -1 if key == Qt.Key.Key_Up else 1
            view.selection_mode.step(step, extend=bool(modifiers & Qt.KeyboardModifier.ShiftModifier))
            return True
        if modifiers or current is None:
            return False
        if key == Qt.Key.Key_Space:
            view.toggle_folds(current)
            return True
        action = ACTIONS.get(key)
        if action is None:
            # A letter that means nothing here is no text for the composer either.
            return bool(event.text().strip())
        if action == "hide" and (row := view.row_of(current)) is not None and view.record(row).hidden:
            action = "unhide"
        if action == "edit":
            mode.choose(current)
        view.action_requested.emit(action, current)
        return True

    def _scroll(self, event: QKeyEvent, control: bool, shift: bool) -> bool:
        bar = self._view.verticalScrollBar()
        page, line = max(bar.pageStep() - bar.singleStep() * 2, bar.singleStep()), bar.singleStep()
        match event.key():
            case Qt.Key.Key_Home:
                bar.setValue(0)
            case Qt.Key.Key_End:
                self._view.go_to_end()
            case Qt.Key.Key_PageUp if not control:
                bar.setValue(bar.value() - page)
            case Qt.Key.Key_PageDown if not control:
                bar.setValue(bar.value() + page)
            case Qt.Key.Key_Space if not control:
                bar.setValue(bar.value() + (-page if shift else page))
            case Qt.Key.Key_Up if not control and not shift:
                bar.setValue(bar.value() - line)
            case Qt.Key.Key_Down if not control and not shift:
                bar.setValue(bar.value() + line)
            case _:
                return False
        return True

    def _type_through(self, event: QKeyEvent, modifiers: Qt.KeyboardModifier) -> bool:
        text = event.text()
        if self._view.selection_mode.is_on or not text.isprintable() or not text.strip():
            return False
        if modifiers & ~Qt.KeyboardModifier.ShiftModifier:
            return False
        self._view.type_through.emit(text)
        return True
