"""Pictures of characters and people at the size they are shown, decoded away from the window's thread.

Until a picture is there, and where there is none, an avatar is a coloured square with the name's initial.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection
from pathlib import Path

from PySide6.QtCore import QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QImage, QImageReader, QPainter, QPainterPath, QPixmap

from tavern_desktop.session.runner import Outcome, Runner
from tavern_desktop.ui.chat.context import Letter

KEPT = 256
"""Pictures held in memory: some 6 KB each at 40 px."""


def paint_avatar(painter: QPainter, rect: QRectF, name: str, picture: QPixmap | None) -> None:
    """Draw an avatar with round corners into the square `rect`."""
    painter.save()
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
    shape = QPainterPath()
    shape.addRoundedRect(rect, rect.width() / 4, rect.width() / 4)
    if picture is not None:
        painter.setClipPath(shape)
        painter.drawPixmap(rect, picture, QRectF(picture.rect()))
    else:
        letter = Letter.of_name(name)
        painter.fillPath(shape, letter.colour)
        font = painter.font()
        font.setPixelSize(max(1, round(rect.width() * 0.4)))
        font.setBold(True)
        painter.setFont(font)
        painter.setPen(Qt.GlobalColor.white)
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, letter.letter)
    painter.restore()


def read_square(path: Path, side: int) -> QImage | None:
    """Decode the middle of the upper part of a picture to `side` × `side` pixels; None if it is none.

    Portraits have their face in the upper part, so that is what is kept. Runs on any thread.
    """
    reader = QImageReader(str(path))
    reader.setAutoTransform(True)
    size = reader.size()
    if size.isValid():
        scale = side / max(1, min(size.width(), size.height()))
        if scale < 1:
            reader.setScaledSize(QSize(max(side, round(size.width() * scale)), max(side, round(size.height() * scale))))
    image = reader.read()
    if image.isNull():
        return None
    edge = min(image.width(), image.height())
    left, top = (image.width() - edge) // 2, (image.height() - edge) // 5
    image = image.copy(left, top, edge, edge)
    if edge != side:
        image = image.scaled(QSize(side, side), mode=Qt.TransformationMode.SmoothTransformation)
    return image


class Avatars(QObject):
    """The pictures that were asked for. Owner: the services; lives on the window's thread."""

    loaded = Signal()
    """Some picture has come: whoever shows avatars asks again."""

    def __init__(self, runner: Runner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runner = runner
        self._pictures: OrderedDict[tuple[str, int], QPixmap | None] = OrderedDict()

    def picture(self, path: Path | str | None, side: int, ratio: float = 1.0) -> QPixmap | None:
        """Return the picture at `side` logical pixels, None while it is not there (or never comes)."""
        if not path:
            return None
        key = (str(path), round(side * ratio))
        if key in self._pictures:
            self._pictures.move_to_end(key)
            return self._pictures[key]
        self._pictures[key] = None
        while len(self._pictures) > KEPT:
            self._pictures.popitem(last=False)
        self._read(key)
        return None

    def read_again(self, paths: Collection[str] | None) -> None:
        """Take notice that pictures changed, None: any may have; each stays as it is until the new one is there."""
        for key in self._pictures:
            if paths is None or key[0] in paths:
                self._read(key)

    def forget(self) -> None:
        """Read every picture again when it is next asked for."""
        self._pictures.clear()

    def _read(self, key: tuple[str, int]) -> None:
        self._runner.submit(lambda: read_square(Path(key[0]), key[1]), lambda outcome: self._keep(key, outcome))

    def _keep(self, key: tuple[str, int], outcome: Outcome[QImage | None]) -> None:
        image = outcome.result()
        if key not in self._pictures or (image is None and self._pictures[key] is None):
            return
        self._pictures[key] = None if image is None else QPixmap.fromImage(image)
        self.loaded.emit()
