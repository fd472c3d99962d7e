"""The pictures that will go with the message being written: small, above its text, each with a way to take it off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMimeData, QSize, Qt, Signal
from PySide6.QtGui import QImage, QPixmap
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from tavern_desktop.ui.widgets import icon_button

SIDE = 56
ENDINGS = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp")


@dataclass(frozen=True)
class Attached:
    """A picture: its bytes as they will be stored, and what it is called."""

    data: bytes
    name: str


def pictures_in(data: QMimeData) -> list[Path]:
    """Return the picture files that are dragged or on the clipboard."""
    paths = [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
    return [path for path in paths if path.suffix.lower() in ENDINGS]


def png_of(image: QImage) -> bytes:
    """Return a picture that has no file, such as one from the clipboard, as PNG."""
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(data.data())


class AttachmentStrip(QWidget):
    """Owner: the composer's area. Hidden while there is nothing."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("attachments")
        self._held: list[tuple[Attached, QImage]] = []
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(8)
        self._row.addStretch(1)
        self.hide()

    @property
    def items(self) -> list[Attached]:
        """The pictures, in the order in which they came."""
        return [attached for attached, _ in self._held]

    def add(self, attached: Attached, thumbnail: QImage) -> None:
        """Put one more picture."""
        self._held.append((attached, thumbnail))
        self._row.insertWidget(self._row.count() - 1, self._chip(attached, thumbnail))
        self.show()
        self.changed.emit()

    def put_on(self, held: Sequence[tuple[Attached, QImage]]) -> None:
        """Put back what was taken off."""
        for attached, thumbnail in held:
            self.add(attached, thumbnail)

    def take_off(self) -> list[tuple[Attached, QImage]]:
        """Take all off, for another chat comes into view; return them for `put_on`."""
        held = list(self._held)
        self.clear()
        return held

    def clear(self) -> None:
        """Take all off."""
        while self._held:
            self._remove(self._held[-1][0])

    def _chip(self, attached: Attached, thumbnail: QImage) -> QWidget:
        chip = QWidget()
        picture = QLabel()
        ratio = self.devicePixelRatioF()
        side = round(SIDE * ratio)
        shown = QPixmap.fromImage(
            thumbnail.scaled(
                QSize(side, side), Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
            )
        )
        shown.setDevicePixelRatio(ratio)
        picture.setPixmap(shown)
        picture.setAccessibleName(self.tr("Attached picture {name}").format(name=attached.name))
        remove = icon_button("close", self.tr("Remove {name}").format(name=attached.name))
        remove.clicked.connect(partial(self._remove, attached))
        column = QVBoxLayout(chip)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(picture, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(remove, 0, Qt.AlignmentFlag.AlignHCenter)
        return chip

    def _remove(self, attached: Attached, _checked: bool = False) -> None:
        at = next(number for number, (held, _) in enumerate(self._held) if held is attached)
        del self._held[at]
        item = self._row.takeAt(at)
        widget = item.widget() if item is not None else None
        if widget is not None:
            widget.hide()
            widget.deleteLater()
        self.setVisible(bool(self._held))
        self.changed.emit()
