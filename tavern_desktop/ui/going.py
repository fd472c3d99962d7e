"""From what a person types in "Go to message" to a message index. Pure but for the locale."""

from __future__ import annotations

import bisect
import re

from PySide6.QtCore import QCoreApplication, QDate, QLocale

from tavern_desktop.chat import facts
from tavern_desktop.chat.chat import Chat

_NUMBER = re.compile(r"#?\s*(\d[\d\s.,'’\u00a0\u202f]*)")
_ISO_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}")
DATELESS_STEPS = 50
"""Neighbours asked for a date where a message has none."""


def find_place(text: str, chat: Chat, locale: QLocale | None = None) -> int | str:
    """Return the index of the message that `text` (a 0-based number or a date) means, or a sentence why not."""
    locale = locale or QLocale()
    last = len(chat) - 1
    if last < 0:
        return _tr("This chat has no messages yet.")
    day = parse_day(text, locale)
    if day is not None:
        return first_on(chat, day)
    number = _NUMBER.fullmatch(text)
    if number is None:
        return _tr("Type a message number, or a date such as {date}.").format(
            date=locale.toString(QDate.currentDate(), QLocale.FormatType.ShortFormat)
        )
    index = int(re.sub(r"\D", "", number[1]))
    if index > last:
        return _tr("The last message is {number}.").format(number=locale.toString(last))
    return index


def parse_day(text: str, locale: QLocale) -> QDate | None:
    """Read a date as 2026-03-03 or as the locale writes it."""
    if _ISO_DATE.fullmatch(text):
        year, month, day = map(int, text.split("-"))
        made = QDate(year, month, day)
        return made if made.isValid() else None
    for form in (QLocale.FormatType.ShortFormat, QLocale.FormatType.LongFormat):
        made = locale.toDate(text, form)
        if made.isValid():
            # Short forms have two-digit years, which Qt takes for those of the last century.
            return made.addYears(100) if made.year() < 1970 else made
    for pattern in ("d MMMM yyyy", "d MMM yyyy", "MMMM d yyyy", "yyyy/M/d", "d.M.yyyy"):
        made = locale.toDate(text, pattern)
        if made.isValid():
            return made
    return None


def first_on(chat: Chat, day: QDate) -> int:
    """Return the first message of `day` or after it, the last one if all are older.

    Messages stand in the order of their dates, so this looks at a few only.
    """
    start = day.startOfDay().toMSecsSinceEpoch()
    index = bisect.bisect_left(range(len(chat)), start, key=lambda at: _date_near(chat, at))
    return min(index, len(chat) - 1)


def _date_near(chat: Chat, index: int) -> int:
    """Return the date of a message, or of the nearest one before it that has one."""
    for at in range(index, max(-1, index - DATELESS_STEPS), -1):
        found = facts.send_date_ms(chat.messages[at].seen_data())
        if found is not None:
            return found
    return 0


def _tr(text: str) -> str:
    return QCoreApplication.translate("GoTo", text)
