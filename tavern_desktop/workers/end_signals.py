"""The system's wish that the program ends, from a log-out, a service manager or Ctrl+C in a terminal.

Left alone, these signals would end the process in the middle of whatever it does. Here they become a Qt signal, and
the program closes as if by its menu: what is unsaved is saved.
"""

from __future__ import annotations

import signal
import socket

from PySide6.QtCore import QObject, QSocketNotifier, Signal

ENDING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name)]


class EndSignals(QObject):
    """Owner: the application. Make it on the main thread, once."""

    asked = Signal()
    """The program shall end; emitted on the main thread, again for each signal."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        # Python runs a handler only between two bytecodes, and an idle event loop executes none: the wake-up
        # descriptor is what Qt notices.
        self._ear, self._mouth = socket.socketpair()
        self._ear.setblocking(False)
        self._mouth.setblocking(False)
        self._notifier = QSocketNotifier(self._ear.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._hear)
        self._former_descriptor = signal.set_wakeup_fd(self._mouth.fileno(), warn_on_full_buffer=False)
        self._former = {number: signal.signal(number, _ignore) for number in ENDING}

    def close(self) -> None:
        """Give the signals back to whoever had them."""
        for number, handler in self._former.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._former_descriptor)
        self._notifier.setEnabled(False)
        self._ear.close()
        self._mouth.close()

    def _hear(self) -> None:
        if set(self._ear.recv(64)) & set(ENDING):
            self.asked.emit()


def _ignore(number: int, frame: object) -> None:
    """The wake-up descriptor has told it already."""
