"""A dialog with one field and one list: type a few letters, press Enter. For jumping and for commands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QModelIndex, QObject, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QDialog,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from tavern_desktop.ui.avatars import Avatars, paint_avatar
from tavern_desktop.ui.fuzzy import best
from tavern_desktop.ui.icons import paint_icon
from tavern_desktop.ui.theme import themes
from tavern_desktop.ui.widgets import AnyIndex, TextField, label

LIMIT = 50
PICK_ROLE = Qt.ItemDataRole.UserRole + 1
ROW_HEIGHT = 40


@dataclass(frozen=True)
class Pick:
    """One thing to choose: a main text, a quiet one beside it, something at the right, a picture or an icon."""

    text: str
    detail: str
    right: str
    choose: Callable[[], object]
    icon: str = ""
    avatar: Path | str | None = None
    enabled: bool = True

    @property
    def searched(self) -> str:
        return f"{self.text} {self.detail}"


class QuickPick(QDialog):
    """Shows what fits the text typed so far; choosing closes it first and then acts."""

    chosen = Signal()

    def __init__(self, parent: QWidget, name: str, title: str, placeholder: str, picks: Sequence[Pick]) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowFlag(Qt.WindowType.FramelessWindowHint)
        self._picks = picks
        self.field = TextField(placeholder, title)
        self.list = QListView()
        self.list.setObjectName("pickList")
        self.list.setAccessibleName(title)
        self.list.setUniformItemSizes(True)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self._model = QStandardItemModel(self)
        self.list.setModel(self._model)
        self._nothing = label(self.tr("Nothing fits."), "muted")
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 12, 12, 12)
        column.addWidget(self.field)
        column.addWidget(self.list, 1)
        column.addWidget(self._nothing, 1)
        self.field.textChanged.connect(self._show_fitting)
        self.list.clicked.connect(self._choose)
        self._place(parent)
        self._show_fitting()

    def show_pictures(self, avatars: Avatars | None) -> None:
        """Paint rows, with pictures from `avatars` where there are some."""
        self.list.setItemDelegate(PickDelegate(avatars, self.list))
        if avatars is not None:
            avatars.loaded.connect(self.list.viewport().update)

    def set_picks(self, picks: Sequence[Pick]) -> None:
        """Offer other things, as when more have been read."""
        self._picks = picks
        self._show_fitting()

    def _place(self, parent: QWidget) -> None:
        window = parent.window()
        width = min(600, window.width() - 60)
        height = min(460, window.height() - 120)
        self.resize(width, height)
        corner = window.mapToGlobal(window.rect().topLeft())
        self.move(corner.x() + (window.width() - width) // 2, corner.y() + 70)

    def _show_fitting(self) -> None:
        self._model.clear()
        for pick in best(self.field.text(), self._picks, lambda pick: pick.searched, LIMIT):
            item = QStandardItem(pick.text)
            item.setData(pick, PICK_ROLE)
            item.setData(", ".join(filter(None, (pick.text, pick.detail, pick.right))), _SPOKEN)
            item.setEnabled(pick.enabled)
            self._model.appendRow(item)
        there = self._model.rowCount() > 0
        self.list.setVisible(there)
        self._nothing.setVisible(not there)
        if there:
            self.list.setCurrentIndex(self._model.index(0, 0))

    def _choose(self, index: QModelIndex) -> None:
        pick = index.data(PICK_ROLE)
        if pick is None or not pick.enabled:
            return
        self.accept()
        pick.choose()
        self.chosen.emit()

    def _step(self, by: int) -> None:
        rows = self._model.rowCount()
        if rows:
            row = max(0, min(rows - 1, self.list.currentIndex().row() + by))
            self.list.setCurrentIndex(self._model.index(row, 0))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 8, Qt.Key.Key_PageUp: -8}
        key = Qt.Key(event.key())
        if key in steps:
            self._step(steps[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._choose(self.list.currentIndex())
        else:
            super().keyPressEvent(event)


_SPOKEN = Qt.ItemDataRole.AccessibleTextRole


class PickDelegate(QStyledItemDelegate):
    """Paints one Pick in one line."""

    def __init__(self, avatars: Avatars | None, parent: QObject) -> None:
        super().__init__(parent)
        self._avatars = avatars

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(100, max(ROW_HEIGHT, option.fontMetrics.height() + 16))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        pick: Pick = index.data(PICK_ROLE)
        theme = themes().current
        box = option.rect.adjusted(2, 1, -2, -1)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.accent_soft)
            painter.drawRoundedRect(box, 8, 8)
        left = self._paint_sign(painter, box, pick)
        metrics = option.fontMetrics
        right_width = metrics.horizontalAdvance(pick.right)
        text_box = QRect(left, box.top(), box.right() - left - right_width - 22, box.height())
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setPen(theme.text if pick.enabled else theme.muted)
        shown = metrics.elidedText(pick.text, Qt.TextElideMode.ElideRight, text_box.width())
        painter.drawText(text_box, middle, shown)
        painter.setPen(theme.muted)
        painter.drawText(box.adjusted(0, 0, -12, 0), middle | Qt.AlignmentFlag.AlignRight, pick.right)
        text_box.setLeft(left + metrics.horizontalAdvance(shown) + 10)
        painter.drawText(
            text_box, middle, metrics.elidedText(pick.detail, Qt.TextElideMode.ElideRight, text_box.width())
        )
        painter.restore()

    def _paint_sign(self, painter: QPainter, box: QRect, pick: Pick) -> int:
        """Draw the picture or icon; return where the text begins."""
        theme = themes().current
        side = 26 if pick.icon == "" else 18
        sign = QRectF(box.left() + 10, box.center().y() - side / 2 + 0.5, side, side)
        if pick.icon:
            paint_icon(painter, sign, pick.icon, theme.muted)
        else:
            ratio = painter.device().devicePixelRatioF()
            picture = self._avatars.picture(pick.avatar, side, ratio) if self._avatars is not None else None
            paint_avatar(painter, sign, pick.text, picture)
        return round(sign.right()) + 12
