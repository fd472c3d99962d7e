"""A picture file for a character or a persona: asked for, and read as PNG."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFileDialog, QWidget

from tavern_desktop.library.attachments import read_picture
from tavern_desktop.library.card_fields import change_picture
from tavern_desktop.library.card_file import PNG
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.ui.attachments import ENDINGS, png_of


def png_in(path: Path) -> tuple[bytes, QImage]:
    """Return a picture as PNG, its own bytes where it is one, and decoded. Raises StorageError."""
    data = read_picture(path)
    image = QImage()
    if not image.loadFromData(data):
        raise StorageError("validation", "argument", f"{path.name} is damaged or no picture that can be shown.")
    return (data if data.startswith(PNG) else png_of(image)), image


def ask_for_picture(parent: QWidget, take: Callable[[Path], object]) -> None:
    """Let the person choose a picture file."""
    dialog = QFileDialog(parent, QCoreApplication.translate("Picture", "Choose a Picture"))
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    told = QCoreApplication.translate("Picture", "Pictures ({endings})")
    dialog.setNameFilter(told.format(endings=" ".join(f"*{end}" for end in ENDINGS)))
    dialog.fileSelected.connect(lambda path: take(Path(path)))
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()


def with_picture(source: Path, card: Path) -> None:
    """Give the card at `card` the picture in the file `source`. Raises CardError, OSError, StorageError."""
    change_picture(card, png_in(source)[0])
