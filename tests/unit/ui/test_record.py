"""What a row shows of records of every kind and age."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tavern_desktop.ui.chat.record import Names, RowRecord, read_record

NAMES = Names("Mira", "Ada")


def read(index: int | None = 1, **fields: Any) -> RowRecord:
    return read_record(json.dumps({"name": "Ada", "mes": "", **fields}).encode(), 1, index, NAMES)


def test_macros_are_filled_in_at_the_greeting_only() -> None:
    text = "{{char}} greets {{ User }}, <BOT> and <USER>"
    assert read(0, mes=text).text == "Ada greets Mira, Ada and Mira"
    assert read(1, mes=text).text == text
    assert read(None, mes=text).text == text


def test_a_translation_is_shown_instead() -> None:
    assert read(mes="Hallo", extra={"display_text": "Hello"}).text == "Hello"


def test_a_tool_row_of_sillytavern() -> None:
    call = {"name": "roll", "displayName": "Roll", "parameters": '{"d":20}', "result": "17"}
    record = read(is_system=True, mes="<details>", extra={"isSmallSys": True, "tool_invocations": [call]})
    assert record.is_compact
    assert [(c.title, c.arguments, c.result) for c in record.calls] == [("Roll", '{"d":20}', "17")]


def test_a_result_row() -> None:
    record = read(name="roll", role="tool", is_system=True, mes="17")
    assert record.is_compact
    assert record.calls[0].result == "17"


def test_an_answer_that_only_calls_tools_is_compact() -> None:
    calls = [{"id": "1", "function": {"name": "roll", "arguments": "{}"}}]
    assert read(mes="", tool_calls=calls).is_compact
    assert not read(mes="I roll.", tool_calls=calls).is_compact


@pytest.mark.parametrize("date", [None, "", "nonsense", 1e300, -1e300, [], {}])
def test_odd_dates_have_no_time(date: Any) -> None:
    assert read(send_date=date).time is None


@pytest.mark.parametrize(
    "fields",
    [
        {"extra": []},
        {"extra": {"files": [1, {"name": 2}], "media": "x", "tool_invocations": [3]}},
        {"extra": {"reasoning_duration": "long"}},
        {"swipes": None, "swipe_id": "9"},
        {"tool_calls": [{"function": None}, 5]},
        {"mes": None, "name": None},
    ],
)
def test_fields_of_the_wrong_type_do_no_harm(fields: dict[str, Any]) -> None:
    read(**fields)


def test_media_may_stand_for_the_text() -> None:
    media = [{"type": "image", "url": "user/a.png"}]
    assert not read(mes="x", extra={"media": media, "inline_image": False}).shows_text
    assert read(mes="x", extra={"media": media}).shows_text
