"""Where the whole records of an open chat are whose unseen alternatives are not in memory (contract §9).

A private copy in a file without a name, made while the chat is read: whatever becomes of the chat's own file, by us or
by others, the alternatives can be read back, and nobody is kept from replacing it. It lives as long as a message that
needs it.
"""

from __future__ import annotations

import logging
import threading
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tavern_desktop.chat import cold, jsontext
from tavern_desktop.chat.cold import ColdSwipeError
from tavern_desktop.chat.cold_message import ColdMessage
from tavern_desktop.chat.message import Message
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.spool import SpoolFile

_HINT = b'"swipes"'

_log = logging.getLogger(__name__)


class ColdSource:
    """Whole records of one load of one chat, by number. Any thread may read."""

    def __init__(self, folder: Path) -> None:
        """`folder`: one of our own for files that live no longer than the process."""
        self._spool = SpoolFile(folder)
        self._count = 0
        self._is_usable = True
        self._lock = threading.Lock()
        weakref.finalize(self, self._spool.close)

    def read(self, records: Sequence[bytes]) -> list[Message]:
        """Return messages for checked records as `Message.read` does, with unseen alternatives left here.

        Where the file here cannot be written the messages are whole. The last one of a chat should be made so (C1).
        """
        messages = Message.read(records)
        for index, raw in enumerate(records):
            if _HINT in raw and self._is_usable:
                messages[index] = self._left_here(messages[index])
        return messages

    def record(self, number: int) -> bytes:
        """Return a record. Raises cold_swipe/record_range, cold_swipe/source_gone."""
        if not 0 <= number < self._count:
            raise StorageError("cold_swipe", "record_range")
        try:
            with self._lock:
                return self._spool.get(number)
        except (StorageError, LookupError, ValueError) as error:  # unreadable, or closed
            raise StorageError("cold_swipe", "source_gone", message=str(error)) from None

    def completed(self, number: int, live: dict[str, Any]) -> bytes:
        """Return a record with what is live of it. Raises cold_swipe."""
        record = self.record(number)
        try:
            return jsontext.encode(cold.completed(live, jsontext.decode(record)))
        except ColdSwipeError as error:
            raise StorageError("cold_swipe", error.detail) from None

    def put(self, raw: bytes) -> int:
        """Keep a record, and return its number. Raises StorageError."""
        with self._lock:
            number = self._spool.put(raw)
        self._count = number + 1
        return number

    def close(self) -> None:
        """Give up the records: what is not in memory cannot be read any more."""
        with self._lock:
            self._spool.close()

    def _left_here(self, message: Message) -> Message:
        data = jsontext.decode(message.raw)
        if not cold.is_eligible(data):
            return message
        try:
            return ColdMessage.projected(message, data, self, self.put(message.raw))
        except StorageError as error:
            _log.warning("alternatives stay in memory: %s", error)
            self._is_usable = False
            return message
