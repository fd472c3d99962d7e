"""The edit under way in a view: which message, its editor, and where both are as the chat changes around them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, Qt

from tavern_desktop.chat import facts
from tavern_desktop.ui.chat.editor import EditorFrame

if TYPE_CHECKING:
    from tavern_desktop.ui.chat.view import ChatView


class Editing:
    """At most one edit at a time. It follows its message by key; no text is ever dropped silently. Owner: the view."""

    def __init__(self, view: ChatView) -> None:
        self._view = view
        self.key: int | None = None
        self.frame: EditorFrame | None = None

    def begin(self, key: int, text: str | None = None) -> bool:
        """Open the editor on a message, with `text` in it if there is one; return False where none may be edited."""
        view = self._view
        if self.key == key:
            assert self.frame is not None
            self.frame.field.setFocus()
            return True
        self.end(save=True)
        row = view.row_of(key)
        if row is None or not view.is_editable or (view.records is not None and view.records.is_live(row)):
            return False
        view.set_current_key(key)
        self.key = key
        self.frame = EditorFrame(facts.text(view.record(row).data), view.look, view.viewport())
        self.frame.saved.connect(self._save)
        self.frame.left.connect(self._leave)
        self.frame.height_changed.connect(self._take_height)
        self.frame.field.textChanged.connect(view.edit_typed)
        # The width decides how the text wraps, and that the height.
        self.frame.resize(self._width(), self.frame.sizeHint().height())
        self.frame.show()
        self._take_height()
        view.ensure_visible(row)
        self.frame.field.setFocus(Qt.FocusReason.OtherFocusReason)
        view.editing_changed.emit(True)
        if text is not None:
            self.frame.show_text(text)
        return True

    def end(self, *, save: bool = True) -> None:
        """Close the editor, keeping the text or giving it up."""
        if self.frame is None or self.key is None:
            return
        self.frame.commit_composition()
        key, text, original = self.key, self.frame.text, self.frame.original
        self._close()
        if save and text != original:
            self._view.edit_committed.emit(key, text, original)

    def message_goes(self, key: int) -> None:
        """The message is being deleted: the edit ends, and a changed text is handed to whoever can keep it."""
        if self.frame is None or key != self.key:
            return
        self.frame.commit_composition()
        text, is_changed = self.frame.text, self.frame.is_changed
        self._close()
        if is_changed:
            self._view.edit_orphaned.emit(text)

    def place(self) -> None:
        """Put the editor over its message, which may be off screen."""
        if self.frame is None or self.key is None:
            return
        row = self._view.row_of(self.key)
        if row is None:
            return
        if row not in self._view.places.visible_rows():
            # Out of sight, but alive: it keeps the focus and takes typing.
            self.frame.move(self.frame.x(), -10_000)
            return
        area = self._view.row_view(row).layout.editor
        corner = self._view.row_rect(row).topLeft()
        self.frame.place(QRect(corner + area.topLeft(), area.size()), self._view.viewport().height())

    def _save(self) -> None:
        self.end(save=True)

    def _leave(self) -> None:
        self.end(save=False)

    def _width(self) -> int:
        look = self._view.look
        return max(80, self._view.row_width() - look.px(66) - look.px(12) + look.px(8))

    def _take_height(self) -> None:
        if self.frame is not None and self.key is not None:
            self._view.set_editor_height(self.key, self.frame.wanted_height())

    def _close(self) -> None:
        assert self.frame is not None
        assert self.key is not None
        frame, key = self.frame, self.key
        self.frame = self.key = None
        had_focus = frame.field.hasFocus()
        frame.hide()
        frame.deleteLater()
        self._view.set_editor_height(key, 0)
        if had_focus:
            self._view.setFocus(Qt.FocusReason.OtherFocusReason)
        self._view.editing_changed.emit(False)
