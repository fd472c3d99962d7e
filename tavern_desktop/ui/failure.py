"""A chat that could not be read, in words: what is wrong, what became of the data, and its lines."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QLocale

from tavern_desktop.chat import facts, jsontext
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.storage.recovery import RecoveredRow, RecoveryView

NUL_LOOKED_AT = 65_536
"""Bytes at each end of a line that are looked at: such a line can be as long as the chat was."""


@dataclass(frozen=True)
class Line:
    """One line of the file: a message with its number, speaker and text, or what is left of one."""

    place: str
    speaker: str
    text: str
    damaged: bool = False


class Lines:
    """The lines of a damaged file, decoded when they are looked at."""

    def __init__(self, rest: RecoveryView | None = None) -> None:
        self._rows: tuple[RecoveredRow, ...] = rest.rows if rest is not None else ()
        self.first_damaged = next((n for n, row in enumerate(self._rows) if row.error is not None), 0)

    @property
    def readable(self) -> int:
        """How many of them are messages."""
        return sum(row.error is None for row in self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def line(self, number: int) -> Line:
        """Return line `number` of what can be shown, from 0."""
        row = self._rows[number]
        place = _tr("line {number}").format(number=count(row.line))
        if row.error is not None:
            return Line(place, _tr("damaged"), row.raw.decode("utf-8", "replace"), damaged=True)
        data = jsontext.decode(row.raw)
        return Line(place, facts.name(data), facts.text(data))


def summary(rest: RecoveryView) -> str:
    """Return how much of the chat can be read."""
    readable = _tr("1 message can be read") if rest.readable == 1 else _tr("{count} messages can be read")
    damaged = _tr("1 line is damaged") if rest.damaged == 1 else _tr("{count} lines are damaged")
    return f"{readable.format(count=count(rest.readable))}, {damaged.format(count=count(rest.damaged))}"


def what_is_wrong(error: StorageError, rest: RecoveryView | None = None) -> str:
    """Return the one sentence that says what is wrong; `rest`, once it is there, may know it better."""
    if error.kind == "cancelled":
        return _tr("Reading this chat was stopped.")
    if rest is not None and rest.rows and not any(map(_is_more_than_nul, rest.rows)):
        return _tr("This file holds nothing but NUL bytes, as after a power cut: its text is lost.")
    if rest is not None and rest.damage == "utf16":
        return _tr("This file is UTF-16 text, as some editors save it; Import Chats… makes a readable chat of it.")
    return " ".join(filter(None, (sentence(error), _what_happened(rest))))


def _what_happened(rest: RecoveryView | None) -> str:
    if rest is None or rest.damage is None:
        return ""
    if rest.damage == "glued":
        return _tr("Several messages are on one line.")
    return _tr("It has NUL bytes, as after a power cut.")


def what_became_of_it(error: StorageError, rest: RecoveryView | None = None) -> str:
    """Return what happened to the data, and what it means for now."""
    if error.kind == "cancelled":
        return _tr("Nothing was changed. Press Retry to read it.")
    if error.kind == "not_found":
        return _tr("If it was moved or renamed, choose it again in the library.")
    if error.kind in ("bad_header", "bad_record", "bad_encoding"):
        if rest is not None and rest.damage == "utf16":
            return _tr("The file has not been touched and nothing will be saved over it.")
        return _tr(
            "The file has not been touched and nothing will be saved over it. "
            "Below is everything that can still be read; a repaired copy holds exactly that."
        )
    return _tr("The file has not been touched and nothing will be saved over it.")


def _is_more_than_nul(row: RecoveredRow) -> bool:
    return bool(row.raw[:NUL_LOOKED_AT].strip(b"\0") or row.raw[-NUL_LOOKED_AT:].strip(b"\0"))


def count(number: int) -> str:
    """Return a number as people write it."""
    return QLocale().toString(number)


def _tr(text: str) -> str:
    return QCoreApplication.translate("Failure", text)
