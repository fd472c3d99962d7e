"""When something of ours went wrong: say so with what a report needs, and let the person go on if they like."""

from __future__ import annotations

import logging
import sys
import traceback
from collections.abc import Callable
from types import TracebackType

from PySide6.QtCore import QMessageLogContext, Qt, QtMsgType, qInstallMessageHandler
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QApplication, QDialog, QHBoxLayout, QPlainTextEdit, QVBoxLayout

from tavern_desktop.ui.about import versions
from tavern_desktop.ui.messages import LastLines
from tavern_desktop.ui.widgets import label, push_button

log = logging.getLogger("tavern_desktop.crash")
qt_log = logging.getLogger("qt")

_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


class CrashDialog(QDialog):
    """The report, already on the clipboard, and two ways on."""

    def __init__(self, report: str) -> None:
        super().__init__(None)
        self.setObjectName("crashDialog")
        self.setWindowTitle(self.tr("Something went wrong"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        text = QPlainTextEdit(report)
        text.setReadOnly(True)
        text.setAccessibleName(self.tr("Report"))
        text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        sentence = self.tr(
            "Tavern Desktop met an error of its own. Your chat files are whole: they are only ever replaced at once. "
            "The report below holds no message text; it is on the clipboard already."
        )
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(push_button(self.tr("Save and Quit"), "plain", self._quit))
        foot.addWidget(push_button(self.tr("Go On"), "primary", self.accept))
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 14)
        column.setSpacing(12)
        column.addWidget(label(sentence, wrap=True))
        column.addWidget(text, 1)
        column.addLayout(foot)
        self.resize(760, 460)

    def _quit(self) -> None:
        self.accept()
        QApplication.quit()


class CrashHook:
    """Takes what nobody caught: logs it, shows one dialog at a time, never ends the program by itself."""

    def __init__(self, last_lines: LastLines, show: Callable[[str], None] | None = None) -> None:
        """`show` gets the report; by default a dialog is opened."""
        self._last_lines = last_lines
        self._show = show or self._open_dialog
        self._open: CrashDialog | None = None

    def install(self) -> None:
        """Catch everything from now on, and route Qt's own messages into the log."""
        sys.excepthook = self.handle
        qInstallMessageHandler(route_qt_message)

    def handle(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """Report an exception that nobody caught."""
        if issubclass(kind, KeyboardInterrupt):
            QApplication.quit()
            return
        text = "".join(traceback.format_exception(kind, error, trace))
        log.error("uncaught: %s", text)
        last = "\n".join(self._last_lines.lines)
        self._show(f"{versions()}\n\n{text}\n{last}\n")

    def _open_dialog(self, report: str) -> None:
        if QApplication.instance() is None or self._open is not None:
            return
        QGuiApplication.clipboard().setText(report)
        self._open = CrashDialog(report)
        self._open.destroyed.connect(self._forget)
        self._open.open()

    def _forget(self) -> None:
        self._open = None


def route_qt_message(kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
    """Give what Qt says to the log."""
    qt_log.log(_LEVELS.get(kind, logging.WARNING), "%s", text)
