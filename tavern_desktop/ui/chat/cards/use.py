"""The special message in use in a view: its real widget, where it stands, and when it goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QApplication

if TYPE_CHECKING:
    from tavern_desktop.cards.envelope import Card
    from tavern_desktop.ui.chat.cards.frame import CardFrame
    from tavern_desktop.ui.chat.view import ChatView


class CardUse:
    """At most one at a time, and never beside an editor. It follows its message by key. Owner: the view."""

    def __init__(self, view: ChatView) -> None:
        self._view = view
        self.key: int | None = None
        self.frame: CardFrame | None = None
        self._raw = b""
        self._agreed: set[int] = set()
        """Messages whose comments may be lost."""

    def act(self, key: int, spot: str) -> None:
        """Do what a spot of a painted message means: use it, or ask others for what it says."""
        what, _, name = spot.partition(":")
        if what == "use":
            self.begin(key, name)
        elif what == "submit":
            if self.begin(key) and self.frame is not None:
                self.frame.submit()
        else:
            self._view.special_requested.emit(spot, key)

    def agree(self, key: int) -> None:
        """The person does not mind that the comments of this message's source are lost."""
        self._agreed.add(key)

    def begin(self, key: int, name: str = "") -> bool:
        """Put the real widget in the message's place, with the keyboard in the field `name`; False where that makes
        no sense."""
        view = self._view
        if self.key == key and self.frame is not None:
            self.frame.focus_on(name)
            return True
        self.end()
        view.end_edit(save=True)
        row = view.row_of(key)
        card = view.record(row).special if row is not None and view.is_editable else None
        if row is None or card is None or not self._makes_sense(card):
            return False
        if card.has_comments and card.type != "Table" and key not in self._agreed:
            view.special_requested.emit(f"comments:{name}", key)
            return False
        view.set_current_key(key)
        self._open(key, card)
        view.ensure_visible(row)
        if self.frame is not None:
            self.frame.focus_on(name)
        return True

    def end(self, *, keep: bool = True) -> None:
        """Go back to the painted message; what is filled in is kept, or given up."""
        frame, key = self.frame, self.key
        if frame is None or key is None:
            return
        if keep:
            frame.finish()
        if self.frame is not frame:  # what was kept has ended it already
            return
        self.frame = self.key = None
        focus = QApplication.focusWidget()
        had_focus = focus is not None and frame.isAncestorOf(focus)
        # A field that loses the keyboard by being hidden has nothing more to say.
        frame.blockSignals(True)
        frame.hide()
        frame.deleteLater()
        self._view.set_editor_height(key, 0)
        if had_focus:
            self._view.setFocus(Qt.FocusReason.OtherFocusReason)

    def message_goes(self, key: int) -> None:
        """The message leaves the view."""
        if key == self.key:
            self.end(keep=False)

    def place(self) -> None:
        """Put the widget over its message, which may be off screen or another one by now."""
        if self.frame is None or self.key is None:
            return
        view = self._view
        row = view.row_of(self.key)
        if row is None:
            return
        if view.record(row).raw is not self._raw and not self._still_stands(row):
            return
        if row not in view.places.visible_rows():
            self.frame.move(self.frame.x(), -10_000)
            return
        area = view.row_view(row).layout.special
        self.frame.setGeometry(QRect(view.row_rect(row).topLeft() + area.topLeft(), area.size()))

    def look_again(self) -> None:
        """Show special messages as they are seen now: forms became known, or copies."""
        view = self._view
        view.rows.clear()
        view.places.forget_measures()
        view.settle()

    def _still_stands(self, row: int) -> bool:
        """See what became of the message: what we had kept ourselves, or something else, which is shown."""
        record, frame, key = self._view.record(row), self.frame, self.key
        self._raw = record.raw
        if frame is None or key is None:
            return False
        if record.special is not None and record.special.payload == frame.payload:
            return True
        self.end(keep=False)
        if record.special is not None and self._makes_sense(record.special) and record.special.status == "draft":
            self._open(key, record.special)
        return False

    def _makes_sense(self, card: Card) -> bool:
        from tavern_desktop.ui.chat.cards.faces import may_fill

        if card.type == "Form":
            return may_fill(card, self._view.context.form_of(card.payload))
        if card.type == "ColumnMatch":
            return card.state == "full" and card.status == "draft"
        return card.state == "full" and card.type in ("ParameterSet", "Table")

    def _open(self, key: int, card: Card) -> None:
        view = self._view
        row = view.row_of(key)
        assert row is not None
        self.key, self._raw = key, view.record(row).raw
        area = view.row_view(row).layout.special
        frame = self.frame = self._make(card, area.width())
        frame.filled.connect(lambda payload: view.special_filled.emit(key, payload))
        frame.submitted.connect(lambda values: view.special_submitted.emit(key, values))
        frame.requested.connect(lambda what: view.special_requested.emit(what, key))
        frame.left.connect(self.end)
        frame.height_changed.connect(self._take_height)
        frame.resize(area.width(), frame.sizeHint().height())
        frame.show()
        self._take_height()

    def _make(self, card: Card, width: int) -> CardFrame:
        view = self._view
        where = (view.look, width, view.viewport())
        if card.type == "Form":
            from tavern_desktop.ui.chat.cards.form_frame import FormFrame

            form = view.context.form_of(card.payload)
            assert form is not None
            return FormFrame(card, form, *where, view.context.folder)
        if card.type == "ParameterSet":
            from tavern_desktop.ui.chat.cards.form_frame import ParameterFrame

            return ParameterFrame(card, *where)
        if card.type == "ColumnMatch":
            from tavern_desktop.ui.chat.cards.match_frame import MatchFrame

            return MatchFrame(card, *where)
        from tavern_desktop.ui.chat.cards.table_frame import TableFrame

        return TableFrame(card, *where)

    def _take_height(self) -> None:
        if self.frame is not None and self.key is not None:
            self._view.set_editor_height(self.key, self.frame.wanted_height())
