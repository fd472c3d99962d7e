"""How pictures come to the message being written: chosen, pasted or dropped; and where they go when it is sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QMimeData, QObject, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFileDialog

from tavern_desktop.library.attachments import read_picture, store_picture
from tavern_desktop.library.card_file import CardError, read_card
from tavern_desktop.session.runner import Outcome
from tavern_desktop.storage.errors import StorageError, from_os, sentence
from tavern_desktop.ui.attachments import ENDINGS, Attached, pictures_in, png_of
from tavern_desktop.ui.composer import ComposerArea
from tavern_desktop.ui.services import Services

Media = list[dict[str, Any]]
Found = tuple[Attached, QImage] | Path
"""A picture, or where a character's card is."""


class Attaching(QObject):
    """Owner: the desk's writing."""

    refused = Signal(str)
    """A sentence why a picture was not attached or stored."""
    card_offered = Signal(object)
    """The picture that was dropped or pasted (its Path) is a character's card."""

    def __init__(self, services: Services, area: ComposerArea, parent: QObject) -> None:
        super().__init__(parent)
        self._services = services
        self._area = area
        area.attach_requested.connect(self.choose)
        area.text.pictures_offered.connect(self.take)

    def choose(self) -> None:
        """Let the person choose picture files."""
        dialog = QFileDialog(self._area, self.tr("Attach Pictures"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.setNameFilter(self.tr("Pictures ({endings})").format(endings=" ".join(f"*{end}" for end in ENDINGS)))
        dialog.filesSelected.connect(lambda paths: self._read([Path(path) for path in paths]))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def take(self, data: QMimeData) -> None:
        """Take pictures that are pasted or dropped."""
        paths = pictures_in(data)
        if len(paths) == 1:
            self._submit(partial(_read_unless_card, paths[0]))
        elif paths:
            self._read(paths)
        elif data.hasImage():
            image = QImage(data.imageData())
            self._submit(lambda: (Attached(png_of(image), self.tr("pasted picture")), image))

    def store(self, owner: str, stored: Callable[[Media], object]) -> None:
        """Put the attached pictures into the data folder, then call `stored` with what a message says of them.

        Where that fails nothing is called, and the pictures stay attached.
        """
        items, root = tuple(self._area.attachments.items), self._services.root

        def work() -> Media:
            urls = [store_picture(root, owner, item.data) for item in items]
            return [{"url": url, "type": "image", "source": "upload"} for url in urls]

        def done(outcome: Outcome[Media]) -> None:
            try:
                stored(outcome.result())
            except StorageError as error:
                self.refused.emit(self.tr("The picture could not be stored. {reason}").format(reason=sentence(error)))

        self._services.runner.submit(work, done)

    def _read(self, paths: Sequence[Path]) -> None:
        for path in paths:
            self._submit(partial(_read, path))

    def _submit(self, work: Callable[[], Found]) -> None:
        self._services.runner.submit(work, self._attach)

    def _attach(self, outcome: Outcome[Found]) -> None:
        try:
            found = outcome.result()
        except StorageError as error:
            self.refused.emit(error.message or sentence(error))
        else:
            if isinstance(found, Path):
                self.card_offered.emit(found)
            else:
                self._area.attachments.add(*found)


def _read_unless_card(path: Path) -> Found:
    try:
        read_card(path)
    except CardError:
        return _read(path)
    except OSError as error:
        raise from_os(error, "read", path) from None
    return path


def _read(path: Path) -> tuple[Attached, QImage]:
    data = read_picture(path)
    image = QImage()
    if not image.loadFromData(data):
        raise StorageError("validation", "argument", f"{path.name} is damaged or no picture that can be shown.")
    return Attached(data, path.name), image
