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
from PySide6.QtGui import QImage, QImageIOHandler, QImageReader, QPixmap

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


Run = Callable[[Callable[[], QImage], Callable[[QImage], None]], None]

_Key = tuple[str, int, int, float]
"""(address, width, height, device pixel ratio)."""


class PictureShelf(QObject):
    """Sizes and pixels of pictures for one surface. Lives on the GUI thread."""

    arrived = Signal(str)
    """A picture's pixels are there now: repaint. Nothing changes its size."""

    def __init__(self, resolve: Callable[[str], Path | None], run: Run) -> None:
        """`resolve` names the file an address means, `run` decodes away from the window's thread.

        It has no parent: a picture may still be on its way when the view has taken another shelf.
        """
        super().__init__()
        self._resolve = resolve
        self._run = run
        self._headers: dict[str, QSize] = {}
        self._pixmaps: OrderedDict[_Key, QPixmap] = OrderedDict()
        self._wanted: list[_Key] = []
        self._loading: set[_Key] = set()
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
        if key not in self._wanted and key not in self._loading:
            self._wanted.append(key)
            self._timer.start(0)
        return None

    def _header(self, url: str) -> QSize:
        if url not in self._headers:
            source = _open(url, self._file(url))
            self._headers[url] = QSize() if source is None else _upright_size(source.reader)
        return self._headers[url]

    def _load_next(self) -> None:
        """Load one and let the window breathe; the last wanted first, it is what is looked at now."""
        if not self._wanted:
            return
        key = self._wanted.pop()
        url, width, height, ratio = key
        path = self._file(url)
        self._loading.add(key)
        self._run(lambda: _decode(url, path, QSize(width, height) * ratio), lambda image: self._keep(key, image))

    def _keep(self, key: _Key, image: QImage) -> None:
        self._loading.discard(key)
        pixmap = QPixmap.fromImage(image)
        pixmap.setDevicePixelRatio(key[3])
        self._pixmaps[key] = pixmap
        while len(self._pixmaps) > SHELF_SIZE:
            self._pixmaps.popitem(last=False)
        del self._wanted[:-SHELF_SIZE]
        self.arrived.emit(key[0])
        if self._wanted:
            self._timer.start(0)

    def _file(self, url: str) -> Path | None:
        return None if url.startswith("data:") else self._resolve(url)


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


def _open(url: str, path: Path | None) -> _Source | None:
    if url.startswith("data:image/"):
        data = _data_of(url)
        return None if data is None else _Source.of_bytes(data)
    return None if path is None else _Source(QImageReader(str(path)))


def _decode(url: str, path: Path | None, size: QSize) -> QImage:
    """Decode at the size that is shown; a picture that turns out broken is a null image. Runs on any thread."""
    source = _open(url, path)
    if source is None:
        return QImage()
    reader = source.reader
    reader.setAutoTransform(True)
    reader.setScaledSize(size.transposed() if _is_turned(reader) else size)
    image = reader.read()
    if image.isNull() or image.size() == size:
        return image
    return image.scaled(size, Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation)


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
