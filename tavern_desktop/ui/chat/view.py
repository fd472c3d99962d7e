"""The chat view: the surface with everything that can be done on it.

`mouse`, `keyboard`, `text` (selected text), `selection_mode`, `editing`, `overlays` and `painting` do what their names
say and call back here; the shell uses the signals and the methods of the first half. Lives on the GUI thread.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QItemSelectionModel, QMimeData, QModelIndex, QPoint, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from tavern_desktop.chat import facts
from tavern_desktop.chat.chat import Chat
from tavern_desktop.ui.chat.cards.use import CardUse
from tavern_desktop.ui.chat.context import ChatContext
from tavern_desktop.ui.chat.editing import Editing
from tavern_desktop.ui.chat.geometry import Anchor
from tavern_desktop.ui.chat.hit_test import Hit, hit_row, nearest_in_row
from tavern_desktop.ui.chat.keyboard import Keyboard
from tavern_desktop.ui.chat.list_model import MOUNTED, ChatListModel
from tavern_desktop.ui.chat.mouse import Mouse
from tavern_desktop.ui.chat.overlays import HEADER_HEIGHT, Overlays
from tavern_desktop.ui.chat.preview_model import PreviewModel, place_in_chat
from tavern_desktop.ui.chat.record import Names
from tavern_desktop.ui.chat.search_marks import SearchMarks
from tavern_desktop.ui.chat.selection_mode import SelectionMode
from tavern_desktop.ui.chat.surface import Surface
from tavern_desktop.ui.chat.text_selector import TextSelector
from tavern_desktop.ui.chat.view_painter import ViewPainter

__all__ = ["Anchor", "ChatView"]


class ChatView(Surface):
    """Shows a chat, or a preview of one. Changes nothing itself: it says what is wanted."""

    edit_committed = Signal(int, str, str)
    """(key, text, what the editor was opened on): the message is to have this text."""
    edit_orphaned = Signal(str)
    """A message went away while it was being edited; this is the text that must not be lost."""
    editing_changed = Signal(bool)
    edit_typed = Signal()
    """What stands in the open editor changed."""
    swipe_requested = Signal(int, int)
    """(key, step): step -1 or 1."""
    continue_requested = Signal(int)
    """(key): a message that is only a part is to go on."""
    action_requested = Signal(str, int)
    """(name, key) as the actions are called: edit, copy_message, hide, unhide, delete, regenerate, branch, bookmark."""
    menu_requested = Signal(QPoint)
    """(global position): the menu of the current message."""
    link_activated = Signal(str)
    """Somebody clicked a link. Nothing is opened before they have seen where it leads."""
    current_changed = Signal()
    special_filled = Signal(int, object)
    """(key, payload): what is filled in at a special message is to be kept."""
    special_submitted = Signal(int, object)
    """(key, values): a form, or a matching of columns, is submitted."""
    special_requested = Signal(str, int)
    """(what, key): something else is wanted at a special message: "cancel", "values", "csv", "source", "caption",
    "comments:…" (whether its comments may be lost)."""
    type_through = Signal(str)
    """A letter typed here that is meant for the composer."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("chatView")
        self.setAccessibleName(self.tr("Messages"))
        self.mounted_count = MOUNTED
        self._current: int | None = None
        self._was_scrolled = False
        self.mouse = Mouse(self)
        self.keyboard = Keyboard(self)
        self.text = TextSelector(self)
        self.marks = SearchMarks(self)
        self.selection_mode = SelectionMode(self)
        self.editing = Editing(self)
        self.use = CardUse(self)
        self.painting = ViewPainter(self)
        self.overlays = Overlays(self)
        self.overlays.restyle()

    # What is shown

    def set_chat(self, chat: Chat | None, context: ChatContext) -> None:
        """Show a chat at its end, or nothing. A preview of it that was in view keeps its reading position."""
        preview = self.records if isinstance(self.records, PreviewModel) else None
        anchor, at_end = self.places.anchor, self.places.at_end
        self._let_go()
        self.set_context(context)
        if chat is None:
            self.show_records(None, None, at_end=True)
            return
        model = ChatListModel(chat, _names(context), self.mounted_count, self)
        model.is_working = context.is_working
        place = place_in_chat(anchor, chat) if preview is not None and not at_end else None
        if place is not None:
            model.mount_from(chat.find(place.key) or 0)
        self.show_records(model, place, at_end=place is None)

    def set_preview(self, model: PreviewModel, context: ChatContext) -> None:
        """Show the newest records of a chat that is still being read."""
        self._let_go()
        self.set_context(context)
        model.setParent(self)
        self.show_records(model, None, at_end=True)

    def set_context(self, context: ChatContext) -> None:
        """Take other names, pictures or colours."""
        if context != self.context:
            self.apply_look(context, self._percent)
            self.painting.restyle()
            self.overlays.restyle()
        if self.records is not None:
            self.records.set_names(_names(context))
            self.records.is_working = context.is_working

    def set_text_scale(self, percent: int) -> None:
        """Show text at this size, 100 being normal."""
        if percent != self._percent:
            self.apply_look(self.context, percent)
            self.painting.restyle()

    def set_mounted_count(self, count: int) -> None:
        """Mount so many messages of the next chat, 0 for all of them (SillyTavern's chat_truncation)."""
        self.mounted_count = count if count > 0 else 1 << 30

    @property
    def has_preview(self) -> bool:
        return isinstance(self.records, PreviewModel)

    @property
    def is_editable(self) -> bool:
        return isinstance(self.records, ChatListModel)

    @property
    def was_scrolled(self) -> bool:
        """Whether the person has scrolled since this chat or preview came into view."""
        return self._was_scrolled

    @property
    def earlier(self) -> int:
        """How many messages stand before the mounted ones."""
        return self.records.earlier if isinstance(self.records, ChatListModel) else 0

    def show_more(self) -> None:
        """Mount as many earlier messages again; what is read stays where it is."""
        if isinstance(self.records, ChatListModel):
            self.records.show_more()

    # Where the reader is

    @property
    def at_end(self) -> bool:
        return self.places.at_end

    def anchor(self) -> Anchor | None:
        """Return the uppermost visible message and where its top is on screen."""
        return self.places.anchor

    def restore_anchor(self, anchor: Anchor) -> None:
        """Put a message back at its place, mounting it if need be; one that is gone changes nothing."""
        if self._mount(anchor.key):
            self.places.hold(anchor)
            self.settle()
            self.look_whether_at_end()

    def go_to_end(self) -> None:
        self.places.hold(None, at_end=True)
        self.settle()

    def scroll_to_index(self, index: int) -> None:
        """Bring a message to the top by its absolute index, or its first search hit into sight; it becomes current."""
        model = self.records
        if not isinstance(model, ChatListModel) or not 0 <= index < len(model.chat):
            return
        model.mount_from(index)
        key = model.chat.messages[index].key
        self.set_current_key(key)
        self.places.hold(Anchor(key, 0 if index else self.header_height()))
        self.marks.show_first(key)
        self.settle()
        self.look_whether_at_end()

    @property
    def current_key(self) -> int | None:
        """The message that actions act on."""
        return self._current

    def set_current_key(self, key: int | None) -> None:
        if key == self._current:
            return
        former, self._current = self._current, key
        row = self.row_of(key) if key is not None else None
        index = self.records.index(row) if self.records is not None and row is not None else QModelIndex()
        self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.NoUpdate)
        for changed in (former, key):
            if changed is not None:
                self.repaint_message(changed)
        self.current_changed.emit()

    # Editing and choosing

    def begin_edit(self, key: int, text: str | None = None) -> bool:
        """Open the editor on a message, mounting it if need be; `text` is what somebody had typed into it before."""
        self.use.end()
        return self._mount(key) and self.editing.begin(key, text)

    def use_special(self, key: int, what: str = "use:") -> None:
        """Put the keyboard into a special message, mounting it if need be, or do what one of its buttons does."""
        if self._mount(key):
            self.use.act(key, what)

    def end_edit(self, *, save: bool = True) -> None:
        """Close the editor if one is open; `save` keeps a changed text."""
        self.editing.end(save=save)

    @property
    def is_editing(self) -> bool:
        return self.editing.key is not None

    def enter_selection_mode(self, step: int = -1) -> None:
        """Go into selection mode at the current message, or the last one in sight; in it, go a message on."""
        self.selection_mode.walk(step)

    def leave_selection_mode(self) -> None:
        self.selection_mode.leave()

    def leave_mode(self) -> bool:
        """Leave what can be left by Esc: selection mode, or selected text. Return whether there was something."""
        if self.selection_mode.is_on:
            self.leave_selection_mode()
            return True
        if not self.text.is_empty:
            self.text.clear()
            return True
        return False

    def selected_keys(self) -> list[int]:
        """Return the messages chosen in selection mode, in the order of the chat."""
        return self.selection_mode.keys() if self.selection_mode.is_on else []

    # Text

    def selected_text(self) -> str:
        """Return the selected text as it reads."""
        return self.text.text()

    def selected_markdown(self) -> str:
        """Return the selected text, or the chosen messages, as Markdown source."""
        if self.text.is_empty and self.selection_mode.is_on:
            return "\n\n".join(self._source(key) for key in self.selected_keys())
        return self.text.markdown()

    def copy(self) -> None:
        """Copy what is selected: Markdown as text, and HTML for who takes rich text."""
        if self.text.is_empty:
            self.copy_markdown()
        else:
            QGuiApplication.clipboard().setMimeData(self.text.mime())

    def copy_markdown(self) -> None:
        """Copy the Markdown source of what is selected, as plain text only."""
        source = self.selected_markdown()
        if source:
            data = QMimeData()
            data.setText(source)
            data.setData("text/markdown", source.encode("utf-8", "replace"))
            QGuiApplication.clipboard().setMimeData(data)

    def set_search_hits(self, needle: str, *, exact_case: bool = False) -> None:
        """Mark every occurrence of `needle` in the shown texts; "" for none."""
        self.marks.look_for(needle, exact_case=exact_case)

    # For the surface's own modules

    def hit_test(self, point: QPoint) -> Hit | None:
        """Return what lies at a point of the viewport."""
        row = self.places.row_at(point.y())
        if row is None:
            return None
        place = self.row_rect(row)
        if not place.contains(point):
            return None
        return hit_row(self.row_view(row), row, point - place.topLeft(), max(0, -place.top()), self.look)

    def nearest_text(self, point: QPoint) -> Hit | None:
        """Return the nearest place in a text, for a selection being dragged, beyond the edges too."""
        y = min(max(point.y(), 0), self.viewport().height() - 1)
        row = self.places.nearest_row(y)
        if row is None:
            return None
        return nearest_in_row(self.row_view(row), row, QPoint(point.x(), y) - self.row_rect(row).topLeft())

    def repaint_message(self, key: int) -> None:
        row = self.row_of(key)
        if row is not None and row < self.places.row_count:
            self.viewport().update(self.row_rect(row).adjusted(-4, -4, 4, 4))

    def look_again_at(self, kind: str) -> None:
        """Show the special messages of a type as they are seen now; the view stays where it is."""
        keys = self.rows.specials(kind)
        for key in keys:
            self.rows.forget(key)
            row = self.row_of(key)
            if row is not None and row < self.places.row_count:
                self.places.row_changed(row)
        if keys:
            self.settle()

    def request_swipe(self, key: int, step: int) -> None:
        self.set_current_key(key)
        self.swipe_requested.emit(key, step)

    def show_menu(self, key: int, place: QPoint) -> None:
        self.set_current_key(key)
        self.menu_requested.emit(place)

    def point_of_menu(self, key: int) -> QPoint:
        """Return where a menu asked for by the keyboard belongs."""
        row = self.row_of(key)
        corner = self.row_rect(row).topLeft() if row is not None else QPoint()
        return self.viewport().mapToGlobal(QPoint(corner.x() + self.look.px(66), max(0, corner.y()) + self.look.px(34)))

    def toggle_fold(self, key: int, name: str) -> None:
        """Open or close the reasoning or the tool calls of a message."""
        self.rows.unfolded.toggle(key, name)
        self.change_row(key)

    def toggle_folds(self, key: int) -> None:
        """Open or close everything that folds in a message."""
        row = self.row_of(key)
        if row is not None:
            for fold in self.row_view(row).layout.folds:
                self.rows.unfolded.toggle(key, fold.name)
            self.change_row(key)

    def toggle_details(self, key: int, number: int) -> None:
        """Open or close a <details> of a message's text."""
        self.rows.unfolded.toggle_details(key, number)
        self.change_row(key)

    def set_editor_height(self, key: int, height: int) -> None:
        """Make room for the editor in a row, 0 for none."""
        if self.rows.editor_heights.get(key, 0) != height:
            self.rows.editor_heights = {key: height} if height else {}
            self.change_row(key)

    def choice_changed(self) -> None:
        """Other messages are chosen, or selection mode was left."""
        self.viewport().update()
        self.overlays.place()
        self.current_changed.emit()

    # Inside

    def _let_go(self) -> None:
        """Take leave of the model in view; a text being edited is not lost with it, nor what is filled in."""
        self.use.end()
        if self.editing.key is not None:
            self.editing.message_goes(self.editing.key)
        self.leave_selection_mode()
        self.text.clear()
        self.set_current_key(None)
        self.mouse.leave()
        self.overlays.unread = 0
        self._was_scrolled = False
        former = self.records
        self.show_records(None, None, at_end=True)
        if isinstance(former, ChatListModel):
            former.detach()
        if former is not None:
            former.deleteLater()

    def _mount(self, key: int) -> bool:
        """Make sure a message is mounted; return False if there is none."""
        if isinstance(self.records, ChatListModel) and (index := self.records.chat.find(key)) is not None:
            self.records.mount_from(index)
        return self.row_of(key) is not None

    def _source(self, key: int) -> str:
        row = self.row_of(key)
        return facts.text(self.record(row).data) if row is not None else ""

    # What the surface tells

    @override
    def header_height(self) -> int:
        return HEADER_HEIGHT if self.earlier else self.look.px(10)

    @override
    def settled(self) -> None:
        self.overlays.place()
        self.editing.place()
        self.use.place()

    @override
    def going(self, keys: list[int]) -> None:
        for key in keys:
            self.editing.message_goes(key)
            self.use.message_goes(key)
            self.selection_mode.forget(key)
        if self._current in keys:
            self.set_current_key(self._neighbour_of(keys))

    def _neighbour_of(self, keys: list[int]) -> int | None:
        """Return the message that becomes current when these go: the next one, else the one before."""
        first, last = self.row_of(keys[0]), self.row_of(keys[-1])
        if last is not None and last + 1 < self.places.row_count:
            return self.key(last + 1)
        return self.key(first - 1) if first else None

    @override
    def arrived(self, count: int) -> None:
        self.overlays.unread += count

    # Events

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        self.painting.paint(painter, event.rect())
        painter.end()

    @override
    def scrollContentsBy(self, dx: int, dy: int) -> None:
        if not self._is_settling:
            self._was_scrolled = True
        super().scrollContentsBy(dx, dy)

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.mouse.press(event)

    @override
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.mouse.move(event)

    @override
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.mouse.release(event)

    @override
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.mouse.double_click(event)

    @override
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.mouse.context_menu(event)

    @override
    def wheelEvent(self, event: QWheelEvent) -> None:
        super().wheelEvent(event)
        self.mouse.point_at(event.position().toPoint())

    @override
    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            self.mouse.help(event)
            return True
        if event.type() == QEvent.Type.Leave:
            self.mouse.leave()
        return super().viewportEvent(event)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self.keyboard.press(event):
            event.ignore()


def _names(context: ChatContext) -> Names:
    return Names(context.user_name, context.char_name)
