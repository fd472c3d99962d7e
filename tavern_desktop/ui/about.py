"""What this program is, and which versions it runs on: to be read and to be copied into a report."""

from __future__ import annotations

import platform

from PySide6.QtCore import QSize, Qt, qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from tavern_desktop import __version__
from tavern_desktop.ui.icons import application_icon
from tavern_desktop.ui.widgets import label, push_button


def versions() -> str:
    """Return what a report needs to know, on one line each."""
    return "\n".join(
        (
            f"Tavern Desktop {__version__}",
            f"Python {platform.python_version()}, Qt {qVersion()} ({QGuiApplication.platformName()})",
            f"{platform.system()} {platform.release()} {platform.machine()}",
        )
    )


class AboutDialog(QDialog):
    """Name, sentence, versions."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("aboutDialog")
        self.setWindowTitle(self.tr("About Tavern Desktop"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        sign = QLabel()
        sign.setPixmap(application_icon().pixmap(QSize(72, 72), self.devicePixelRatio()))
        words = QVBoxLayout()
        words.setSpacing(6)
        words.addWidget(label("Tavern Desktop", "title"))
        words.addWidget(label(self.tr("Read, edit and keep the chats of SillyTavern and TauriTavern."), wrap=True))
        words.addSpacing(8)
        shown = label(versions(), "muted")
        shown.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        words.addWidget(shown)
        words.addWidget(label(self.tr("MIT licence"), "muted"))
        top = QHBoxLayout()
        top.setSpacing(20)
        top.addWidget(sign, 0, Qt.AlignmentFlag.AlignTop)
        top.addLayout(words, 1)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(push_button(self.tr("Copy Versions"), "plain", self._copy))
        close = push_button(self.tr("Close"), "primary", self.accept)
        close.setDefault(True)
        foot.addWidget(close)
        close.setFocus()
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 22, 24, 16)
        column.setSpacing(20)
        column.addLayout(top)
        column.addLayout(foot)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(versions())
