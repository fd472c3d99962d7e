"""The mouse on the surface: pointing, clicking, selecting text by dragging, with the view scrolling along."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QClipboard, QContextMenuEvent, QHelpEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QToolTip

from tavern_desktop.ui.chat.document import FOLD_SCHEME
from tavern_desktop.ui.chat.hit_test import Hit, code_of
from tavern_desktop.ui.chat.rows import full_time, tr

if TYPE_CHECKING:
    from tavern_desktop.ui.chat.view import ChatView

AUTOSCROLL_MS = 30
AUTOSCROLL_SHARE = 0.35
"""How much of the distance beyond the edge is scrolled in each step."""
ACTIONS = {"edit": "edit", "copy": "copy_message", "bookmark": "open_bookmark"}
"""What a button of the strip asks for, by the names of the actions. "hide" depends on the message."""


class Mouse:
    """Owner: the view. Takes its mouse events."""

    def __init__(self, view: ChatView) -> None:
        self._view = view
        self.hovered: int | None = None
        """The key of the message under the pointer."""
        self.pointed_at = ""
        """The part of it under the pointer."""
        self._pressed: Hit | None = None
        self._is_selecting = False
        self._last_point = QPoint()
        self._last_word_click: QPoint | None = None
        self._scroll_timer = QTimer(view)
        self._scroll_timer.setInterval(AUTOSCROLL_MS)
        self._scroll_timer.timeout.connect(self._scroll_along)

    def press(self, event: QMouseEvent) -> None:
        view, point = self._view, event.position().toPoint()
        if event.button() != Qt.MouseButton.LeftButton:
            return
        hit = view.hit_test(point)
        self._pressed = hit
        self._last_point = point
        if hit is None:
            view.text.clear()
            view.leave_selection_mode()
            return
        if view.selection_mode.is_on and not hit.is_clickable:
            self._click_in_selection_mode(hit, event)
            return
        if hit.is_clickable:
            return
        view.set_current_key(hit.key)
        if self._is_third_click(point) and hit.part == "text":
            view.text.select_message(hit.key)
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier and not view.text.is_empty:
            self._extend_to(point)
        elif hit.character is not None:
            view.text.begin(hit.key, hit.character)
        else:
            view.text.clear()
        self._is_selecting = hit.character is not None

    def double_click(self, event: QMouseEvent) -> None:
        point = event.position().toPoint()
        hit = self._view.hit_test(point)
        self._pressed = hit
        if event.button() != Qt.MouseButton.LeftButton or hit is None or hit.is_clickable:
            return
        if hit.part in ("text", "link") and hit.character is not None:
            self._view.text.begin_word(hit.key, hit.character)
            self._is_selecting = True
            self._last_word_click = point
            # A third click soon enough selects the whole message.
            QTimer.singleShot(QApplication.doubleClickInterval(), self._view, self._forget_word_click)

    def move(self, event: QMouseEvent) -> None:
        point = event.position().toPoint()
        self._last_point = point
        if event.buttons() & Qt.MouseButton.LeftButton:
            if self._is_selecting:
                self._extend_to(point)
                self._scroll_timer.start() if self._beyond_edge() else self._scroll_timer.stop()
            return
        self.point_at(point)

    def release(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        self._scroll_timer.stop()
        if self._is_selecting:
            self._is_selecting = False
            self._offer_selection()
        pressed, self._pressed = self._pressed, None
        hit = self._view.hit_test(event.position().toPoint())
        if pressed is None or hit is None or (hit.key, hit.part) != (pressed.key, pressed.part):
            return
        if hit.is_clickable:
            self._activate(hit, event.position().toPoint())
        elif hit.part == "link" and hit.href == pressed.href and self._view.text.is_empty:
            self._follow(hit)

    def point_at(self, point: QPoint) -> None:
        """Light up what is under the pointer, and show by its shape what a click would do."""
        hit = self._view.hit_test(point)
        hovered, part = (hit.key, hit.part) if hit is not None else (None, "")
        shape = Qt.CursorShape.ArrowCursor
        if hit is not None and (hit.is_clickable or hit.part == "link"):
            shape = Qt.CursorShape.PointingHandCursor
        elif part == "text":
            shape = Qt.CursorShape.IBeamCursor
        if self._view.viewport().cursor().shape() != shape:
            self._view.viewport().setCursor(shape)
        if (hovered, part) != (self.hovered, self.pointed_at):
            former, self.hovered, self.pointed_at = self.hovered, hovered, part
            for key in (former, hovered):
                if key is not None:
                    self._view.repaint_message(key)

    def leave(self) -> None:
        former, self.hovered, self.pointed_at = self.hovered, None, ""
        if former is not None:
            self._view.repaint_message(former)

    def help(self, event: QHelpEvent) -> None:
        """Show the tooltip of what is under the pointer."""
        hit = self._view.hit_test(event.pos())
        text = self._tip(hit) if hit is not None else ""
        if text:
            QToolTip.showText(event.globalPos(), text, self._view.viewport())
        else:
            QToolTip.hideText()

    def context_menu(self, event: QContextMenuEvent) -> None:
        hit = None
        if event.reason() == QContextMenuEvent.Reason.Mouse:
            hit = self._view.hit_test(event.pos())
        key = hit.key if hit is not None else self._view.current_key
        if key is None:
            return
        if key not in self._view.selected_keys():
            self._view.set_current_key(key)
        self._view.show_menu(key, event.globalPos() if hit is not None else self._view.point_of_menu(key))

    def _click_in_selection_mode(self, hit: Hit, event: QMouseEvent) -> None:
        mode = self._view.selection_mode
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            mode.extend_to(hit.key)
        elif event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            mode.toggle(hit.key)
        else:
            self._view.leave_selection_mode()
            self._view.set_current_key(hit.key)
            if hit.character is not None:
                self._view.text.begin(hit.key, hit.character)
                self._is_selecting = True

    def _activate(self, hit: Hit, point: QPoint) -> None:
        view = self._view
        if hit.part in ("swipe_left", "swipe_right"):
            view.request_swipe(hit.key, -1 if hit.part == "swipe_left" else 1)
        elif hit.part.startswith("fold:"):
            view.toggle_fold(hit.key, hit.part.removeprefix("fold:"))
        elif hit.part.startswith("code:"):
            document = view.row_view(hit.row).document
            if document is not None:
                QApplication.clipboard().setText(code_of(document, int(hit.part.removeprefix("code:"))))
        elif hit.part == "continue":
            view.continue_requested.emit(hit.key)
        elif hit.part.startswith("special:"):
            view.set_current_key(hit.key)
            view.use.act(hit.key, hit.part.removeprefix("special:"))
        elif hit.part == "more":
            view.set_current_key(hit.key)
            view.show_menu(hit.key, view.viewport().mapToGlobal(point))
        elif hit.part == "hide":
            view.action_requested.emit("unhide" if view.record(hit.row).hidden else "hide", hit.key)
        else:
            view.action_requested.emit(ACTIONS[hit.part], hit.key)

    def _follow(self, hit: Hit) -> None:
        if hit.href.startswith(FOLD_SCHEME):
            self._view.toggle_details(hit.key, int(hit.href.removeprefix(FOLD_SCHEME)))
        else:
            self._view.link_activated.emit(hit.href)

    def _tip(self, hit: Hit) -> str:
        record = self._view.record(hit.row)
        if hit.part == "time":
            return full_time(record, self._view.context.locale)
        if hit.part == "link" and not hit.href.startswith(FOLD_SCHEME):
            return hit.href[:300]
        if hit.part.startswith("code:"):
            return tr("Copy code")
        if hit.part.startswith("special:"):
            return ""
        if hit.part == "bookmark":
            return tr("Open checkpoint “{name}”").format(name=record.bookmark)
        hide = tr("Show in prompt") if record.hidden else tr("Hide from prompt")
        names = {
            "edit": tr("Edit"),
            "copy": tr("Copy text"),
            "hide": hide,
            "more": tr("More…"),
            "swipe_left": tr("Previous alternative"),
            "swipe_right": tr("Next alternative"),
        }
        return names.get(hit.part, "")

    def _extend_to(self, point: QPoint) -> None:
        hit = self._view.nearest_text(point)
        if hit is not None and hit.character is not None:
            self._view.text.extend(hit.key, hit.character)

    def _beyond_edge(self) -> int:
        """Return how far the pointer is above (negative) or below the view."""
        y, height = self._last_point.y(), self._view.viewport().height()
        return y if y < 0 else max(0, y - height + 1)

    def _scroll_along(self) -> None:
        beyond = self._beyond_edge()
        if not beyond or not self._is_selecting:
            self._scroll_timer.stop()
            return
        bar = self._view.verticalScrollBar()
        step = max(4, abs(round(beyond * AUTOSCROLL_SHARE)))
        bar.setValue(bar.value() + (step if beyond > 0 else -step))
        self._extend_to(self._last_point)

    def _offer_selection(self) -> None:
        """Offer what is selected to the middle button, on systems that have that."""
        clipboard = QApplication.clipboard()
        if clipboard.supportsSelection() and not self._view.text.is_empty:
            clipboard.setText(self._view.text.text(), QClipboard.Mode.Selection)

    def _is_third_click(self, point: QPoint) -> bool:
        if self._last_word_click is None:
            return False
        distance = (point - self._last_word_click).manhattanLength()
        return distance <= QApplication.startDragDistance()

    def _forget_word_click(self) -> None:
        self._last_word_click = None
