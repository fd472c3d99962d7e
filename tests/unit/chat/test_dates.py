"""Dates: what the vectors leave open."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tavern_desktop.chat.dates import parse_date


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-02-11T02:26:58.9319Z", 1770776818931),  # finer than a millisecond: cut, not rounded
        ("2026-02-11t02:26:58.9z", 1770776818900),
        ("2026-02-11 02:26:58+00:00", 1770776818000),
        ("OCTOBER 29, 2025 9:35PM", 1761773700000),
        ("+1700000000", 1700000000000),
        ("\t2025-10-29 21:35:00\n", 1761773700000),
    ],
)
def test_valid(text: str, expected: int) -> None:
    assert parse_date(text, UTC) == expected


@pytest.mark.parametrize(
    "value",
    [
        "2026-02-30T00:00:00Z",
        "2026-02-11T24:00:00Z",
        "2026-02-11T10:00:00+24:00",
        "Oct 29, 2025 9:35pm",
        "October 29, 2025 0:35am",
        "October 29, 2025 13:35pm",
        "2024-07-12@25h31m37s",
        "1969-12-31 23:59:59",
        "1970-01-01T00:00:00Z",
        "1e12",
        "9" * 5000,
        "١٧٠٠٠٠٠٠٠٠",
        {},
        float("nan"),
    ],
)
def test_not_valid(value: object) -> None:
    assert parse_date(value, UTC) is None


def test_forms_without_an_offset_are_local_time() -> None:
    zone = ZoneInfo("Europe/Berlin")
    assert parse_date("2025-07-01@12h00m00s", zone) == parse_date("2025-07-01T10:00:00Z")
    assert parse_date("2025-01-01@12h00m00s", zone) == parse_date("2025-01-01T11:00:00Z")
    here = datetime(2025, 7, 1, 12).astimezone()
    assert parse_date("2025-07-01 12:00:00") == int(here.timestamp() * 1000)


@given(st.datetimes(datetime(1970, 1, 2), datetime(9999, 12, 30)))
def test_what_sillytavern_writes_today_is_read_exactly(moment: datetime) -> None:
    moment = moment.replace(tzinfo=UTC, microsecond=moment.microsecond // 1000 * 1000)
    text = moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    assert parse_date(text) == (moment - datetime(1970, 1, 1, tzinfo=UTC)) // (moment.resolution * 1000)


@given(st.text() | st.integers() | st.floats() | st.none())
def test_never_raises_and_never_gives_a_date_before_1970(value: object) -> None:
    found = parse_date(value, UTC)
    assert found is None or found > 0
