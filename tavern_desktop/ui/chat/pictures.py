"""Pictures in messages: their size from the file's header at once, their pixels later and no larger than shown.

Only files that the data folder holds and data: URLs are ever read. What lies elsewhere is described in a line of text;
fetching is nobody's job here (known failure B-62).
"""

from __future__ import annotations

import base64
import binascii
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QImageIOHandler, QImageReader, QPixmap

from tavern_desktop.ui.chat.blocks import Picture

MAX_SOURCE_PIXELS = 64_000_000
"""Pictures of more pixels are not decoded: 20,000 × 20,000 would take 1.6 GB."""
MAX_DATA_URL = 32 << 20
SHELF_SIZE = 48
"""Pictures kept decoded."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A picture that can be shown: where it comes from and the size reserved for it."""

    url: str
    size: QSize


@dataclass(frozen=True, slots=True)
class Unshown:
    """A picture that is not shown, and the line that says so. `url` is "" when there is nothing to open."""

    sentence: str
    url: str = ""


class PictureShelf(QObject):
    """Sizes and pixels of pictures for one surface. Lives on the GUI thread."""

    arrived = Signal(str)
    """A picture's pixels are there now: repaint. Nothing changes its size."""

    def __init__(self, resolve: Callable[[str], Path | None], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._resolve = resolve
        self._headers: dict[str, QSize] = {}
        self._pixmaps: OrderedDict[tuple[str, int, int, float], QPixmap] = OrderedDict()
        self._wanted: list[tuple[str, int, int, float]] = []
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._load_next)

    def place(self, picture: Picture, max_width: int, max_height: int) -> Spot | Unshown:
        """Return the size to reserve for a picture, or the sentence to show instead."""
        if where := _remote_host(picture.url):
            return Unshown(self.tr("Picture on {0}: not loaded").format(where), picture.url)
        source = self._header(picture.url)
        if not source.isValid():
            return Unshown(self.tr("Picture not found: {0}").format(_short_name(picture)))
        if source.width() * source.height() > MAX_SOURCE_PIXELS:
            too_large = self.tr("Picture too large to show: {0} × {1} pixels")
            return Unshown(too_large.format(source.width(), source.height()))
        return Spot(picture.url, _shown_size(source, picture, max_width, max_height))

    def pixmap(self, spot: Spot, device_ratio: float) -> QPixmap | None:
        """Return the pixels, or None and `arrived` later."""
        key = (spot.url, spot.size.width(), spot.size.height(), device_ratio)
        if (found := self._pixmaps.get(key)) is not None:
            self._pixmaps.move_to_end(key)
            return found
        if key not in self._wanted:
            self._wanted.append(key)
            self._timer.start(0)
        return None

    def _header(self, url: str) -> QSize:
        if url not in self._headers:
            source = self._open(url)
            self._headers[url] = QSize() if source is None else _upright_size(source.reader)
        return self._headers[url]

    def _load_next(self) -> None:
        """Load one and let the window breathe; the last wanted first, it is what is looked at now."""
        if not self._wanted:
            return
        key = self._wanted.pop()
        url, width, height, ratio = key
        self._pixmaps[key] = self._load(url, QSize(width, height) * ratio, ratio)
        while len(self._pixmaps) > SHELF_SIZE:
            self._pixmaps.popitem(last=False)
        del self._wanted[:-SHELF_SIZE]
        self.arrived.emit(url)
        if self._wanted:
            self._timer.start(0)

    def _load(self, url: str, size: QSize, ratio: float) -> QPixmap:
        """Decode at the size that is shown. A picture that turns out broken is a null pixmap."""
        source = self._open(url)
        if source is None:
            return QPixmap()
        reader = source.reader
        reader.setAutoTransform(True)
        reader.setScaledSize(size.transposed() if _is_turned(reader) else size)
        image = reader.read()
        if image.isNull():
            return QPixmap()
        if image.size() != size:
            image = image.scaled(size, Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation)
        pixmap = QPixmap.fromImage(image, Qt.ImageConversionFlag.AutoColor)
        pixmap.setDevicePixelRatio(ratio)
        return pixmap

    def _open(self, url: str) -> _Source | None:
        if url.startswith("data:image/"):
            data = _data_of(url)
            return None if data is None else _Source.of_bytes(data)
        path = self._resolve(url)
        return None if path is None else _Source(QImageReader(str(path)))


class _Source:
    """A reader and what it reads from, kept alive together."""

    def __init__(self, reader: QImageReader, buffer: QBuffer | None = None) -> None:
        self.reader = reader
        self._buffer = buffer
        # What a file contains counts, not what it is called (known failure B-35).
        reader.setDecideFormatFromContent(True)

    @classmethod
    def of_bytes(cls, data: bytes) -> _Source:
        buffer = QBuffer()
        buffer.setData(QByteArray(data))
        buffer.open(QIODevice.OpenModeFlag.ReadOnly)
        return cls(QImageReader(buffer), buffer)


def _upright_size(reader: QImageReader) -> QSize:
    size = reader.size()
    if not size.isValid() or size.isEmpty():
        return QSize()
    return size.transposed() if _is_turned(reader) else size


def _is_turned(reader: QImageReader) -> bool:
    """Say whether a photograph lies on its side, so that width and height change places."""
    return bool(reader.transformation() & QImageIOHandler.Transformation.TransformationRotate90)


def _shown_size(source: QSize, picture: Picture, max_width: int, max_height: int) -> QSize:
    """Honour the author's wish as far as there is room, never enlarging beyond it, and keep the proportions."""
    wish = QSize(source)
    if picture.width and picture.height:
        wish = QSize(picture.width, picture.height)
    elif picture.width:
        wish = source.scaled(picture.width, 1 << 20, Qt.AspectRatioMode.KeepAspectRatio)
    elif picture.height:
        wish = source.scaled(1 << 20, picture.height, Qt.AspectRatioMode.KeepAspectRatio)
    if wish.width() > max_width or wish.height() > max_height:
        wish = wish.scaled(max_width, max_height, Qt.AspectRatioMode.KeepAspectRatio)
    return wish.expandedTo(QSize(1, 1))


def _remote_host(url: str) -> str:
    """Return the host of an address that a network would be needed for, else ""."""
    if url.startswith("//"):
        url = "https:" + url
    try:
        parts = urlsplit(url)
    except ValueError:
        return url[:60]
    if len(parts.scheme) > 1 and parts.scheme.lower() not in ("data", "file"):
        return parts.netloc or parts.scheme
    return ""


def _short_name(picture: Picture) -> str:
    if picture.url.startswith("data:"):
        return picture.alt or "data:"
    return unquote(picture.url.rsplit("/", 1)[-1])[:80] or picture.alt


def _data_of(url: str) -> bytes | None:
    head, _, body = url.partition(",")
    if not head.endswith(";base64") or len(body) > MAX_DATA_URL:
        return None
    try:
        return base64.b64decode(body, validate=False)
    except (binascii.Error, ValueError):
        return None
