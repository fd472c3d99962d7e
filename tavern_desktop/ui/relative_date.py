"""Dates as lists show them: the time for today, the weekday for this week, else day and month, or month and year."""

from __future__ import annotations

from PySide6.QtCore import QDateTime, QLocale

_DAYS_WITH_NAMES = 6


def day_in_words(ms: int, now: QDateTime | None = None, locale: QLocale | None = None) -> str:
    """Return a day as a sentence has it, with the year unless it is this one; milliseconds since 1970, local time."""
    moment = QDateTime.fromMSecsSinceEpoch(ms)
    is_this_year = moment.date().year() == (now or QDateTime.currentDateTime()).date().year()
    return (locale or QLocale()).toString(moment, "d MMMM" if is_this_year else "d MMMM yyyy")


def relative_date(ms: int, now: QDateTime | None = None, locale: QLocale | None = None) -> str:
    """Return a short date for milliseconds since 1970, local time."""
    locale = locale or QLocale()
    now = now or QDateTime.currentDateTime()
    moment = QDateTime.fromMSecsSinceEpoch(ms)
    days = moment.daysTo(now)
    if days == 0:
        return locale.toString(moment.time(), QLocale.FormatType.ShortFormat)
    if 0 < days <= _DAYS_WITH_NAMES:
        return locale.toString(moment, "ddd")
    if moment.date().year() == now.date().year():
        return locale.toString(moment, "d MMM")
    return locale.toString(moment, "MMM yyyy")
