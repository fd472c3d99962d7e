"""The dates that chats carry: read every form that SillyTavern ever wrote (storage contract §10.3)."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone, tzinfo

_MILLISECONDS_FROM = 10**12
"""An integer below this many counts seconds, else milliseconds."""

_MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)

_INTEGER = re.compile(r"[+-]?[0-9]+")
_RFC_3339 = re.compile(
    r"(?P<year>[0-9]{4})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})[Tt ]"
    r"(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2}):(?P<second>[0-9]{2})(?:\.(?P<fraction>[0-9]+))?"
    r"(?P<zone>[Zz]|[+-][0-9]{2}:[0-9]{2})"
)
_MONTH_NAME = re.compile(
    r"(?P<month_name>[A-Za-z]+)\s+(?P<day>[0-9]{1,2}),\s+(?P<year>[0-9]{4})\s+"
    r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})\s*(?P<half>[AaPp])[Mm]"
)
_PLAIN = re.compile(
    r"(?P<year>[0-9]{4})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2}) "
    r"(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2}):(?P<second>[0-9]{2})"
)
_STAMP = re.compile(
    r"(?P<year>[0-9]{4})-(?P<month>[0-9]{1,2})-(?P<day>[0-9]{1,2})@"
    r"(?P<hour>[0-9]{1,2})h(?P<minute>[0-9]{1,2})m(?P<second>[0-9]{1,2})s(?:(?P<millis>[0-9]{1,3})ms)?"
)
_SPACED_STAMP = re.compile(
    r"(?P<year>[0-9]{4})-(?P<month>[0-9]{1,2})-(?P<day>[0-9]{1,2}) @"
    r"(?P<hour>[0-9]{1,2})h (?P<minute>[0-9]{1,2})m (?P<second>[0-9]{1,2})s(?: (?P<millis>[0-9]{1,3})ms)?"
)


def parse_date(value: object, tz: tzinfo | None = None) -> int | None:
    """Return milliseconds since 1970 for a `send_date`, None for what is no valid date.

    `tz` is the local zone for the forms without an offset; None means this computer's.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return _of_integer(value)
    if isinstance(value, str):
        return _of_text(value.strip(), tz)
    return None


def _of_integer(number: int) -> int | None:
    if number <= 0:
        return None
    return number * 1000 if number < _MILLISECONDS_FROM else number


def _of_text(text: str, tz: tzinfo | None) -> int | None:
    if _INTEGER.fullmatch(text):
        try:
            return _of_integer(int(text))
        except ValueError:  # more digits than Python turns into a number
            return None
    for form, read in _FORMS:
        if match := form.fullmatch(text):
            try:
                return _positive(read(match, tz))
            except (ValueError, OverflowError, OSError):  # an impossible date, or one the platform cannot place
                return None
    return None


def _positive(moment: datetime) -> int | None:
    """Return the milliseconds of a date, finer fractions cut off."""
    if moment.tzinfo is None:
        moment = moment.astimezone()
    millis = (moment - _EPOCH) // timedelta(milliseconds=1)
    return millis if millis > 0 else None


def _of_rfc_3339(match: re.Match[str], tz: tzinfo | None) -> datetime:
    zone = match["zone"]
    offset = timedelta()
    if zone not in "Zz":
        hours, minutes = int(zone[1:3]), int(zone[4:6])
        if hours > 23 or minutes > 59:
            raise ValueError("no such offset")
        offset = timedelta(hours=hours, minutes=minutes) * (-1 if zone[0] == "-" else 1)
    millis = int(f"{match['fraction'] or '0':0<3}"[:3])
    return _built(match, int(match["hour"]), timezone(offset), millis)


def _of_month_name(match: re.Match[str], tz: tzinfo | None) -> datetime:
    month = _MONTHS.index(match["month_name"].lower()) + 1
    hour = int(match["hour"])
    if not 1 <= hour <= 12:
        raise ValueError("a twelve-hour clock has no such hour")
    hour = hour % 12 + (12 if match["half"] in "Pp" else 0)
    return datetime(int(match["year"]), month, int(match["day"]), hour, int(match["minute"]), tzinfo=tz)


def _of_plain(match: re.Match[str], tz: tzinfo | None) -> datetime:
    return _built(match, int(match["hour"]), tz, 0)


def _of_stamp(match: re.Match[str], tz: tzinfo | None) -> datetime:
    return _built(match, int(match["hour"]), tz, int(match["millis"] or 0))


def _built(match: re.Match[str], hour: int, tz: tzinfo | None, millis: int) -> datetime:
    year, month, day = int(match["year"]), int(match["month"]), int(match["day"])
    return datetime(year, month, day, hour, int(match["minute"]), int(match["second"]), millis * 1000, tz)


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_Reader = Callable[[re.Match[str], tzinfo | None], datetime]
_FORMS: tuple[tuple[re.Pattern[str], _Reader], ...] = (
    (_RFC_3339, _of_rfc_3339),
    (_MONTH_NAME, _of_month_name),
    (_PLAIN, _of_plain),
    (_STAMP, _of_stamp),
    (_SPACED_STAMP, _of_stamp),
)
