"""JSON records: exact, and checked in bulk no less strictly than one by one."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tavern_desktop.chat import jsontext
from tavern_desktop.chat.jsontext import MAX_DEPTH, JsonTextError
from tests.unit.strategies import OBJECTS, VALUES, json_texts


def _nested(levels: int, opening: bytes = b"[", closing: bytes = b"]") -> bytes:
    """Return an object of that many levels, its own included."""
    return b'{"d":' + opening * (levels - 1) + b"0" + closing * (levels - 1) + b"}"


@given(OBJECTS)
def test_what_is_encoded_is_decoded_again(data: dict[str, object]) -> None:
    assert jsontext.same(jsontext.decode(jsontext.encode(data)), data)


@given(json_texts())
def test_decoding_agrees_with_the_standard_module(raw: bytes) -> None:
    assert jsontext.same(jsontext.decode(raw), json.loads(raw))
    jsontext.check(raw)


@pytest.mark.parametrize("opening", [b"[", b'{"k":'])
def test_a_thousand_levels_are_read_and_one_more_is_not(opening: bytes) -> None:
    closing = b"]" if opening == b"[" else b"}"
    deepest = _nested(MAX_DEPTH, opening, closing)
    jsontext.check(deepest)
    assert jsontext.decode(deepest)
    assert jsontext.are_sound([deepest])
    for levels in (MAX_DEPTH + 1, MAX_DEPTH + 24, MAX_DEPTH + 25, 100_000):
        for look in (jsontext.check, jsontext.decode):
            with pytest.raises(JsonTextError) as caught:
                look(_nested(levels, opening, closing))
            assert caught.value.detail == "depth"
        assert not jsontext.are_sound([_nested(levels, opening, closing)])


def test_brackets_in_a_text_are_no_levels() -> None:
    raw = b'{"mes":"' + b"[{" * 2000 + b'\\""}'
    jsontext.check(raw)
    assert len(jsontext.decode(raw)["mes"]) == 4001


def test_an_object_nested_deeper_than_orjson_writes_is_written_all_the_same() -> None:
    data = jsontext.decode(_nested(500))
    assert jsontext.encode(data) == _nested(500)


@pytest.mark.parametrize(
    "records",
    [
        [b"{}", b"[]"],
        [b"{}", b"1"],
        [b"{},{}"],
        [b"{}],[{}"],
        [b"{}]", b"[{}"],
        [b'{"a":1', b'"b":2}'],
        [b'{"a":[{}', b"{}]}", b"{},{}"],
        [b'{"a":[[{}', b"{}]]},[{}"],
        [b'{"a":"', b'"}'],
        [b"{}", b""],
        [b"{} {}"],
        [b"\xef\xbb\xbf{}"],
        [b'{"a":1e400}'],
        [b'{"a":"\xff"}'],
        [b'{"a":"\\ud83d"}'],
    ],
)
def test_in_bulk_no_record_reaches_into_another(records: list[bytes]) -> None:
    assert not jsontext.are_sound(records)


@given(st.lists(json_texts() | st.sampled_from([b"{", b"}", b"{},{}", b"null", b'"x"']), max_size=40))
def test_in_bulk_nothing_passes_that_would_not_pass_alone(records: list[bytes]) -> None:
    def passes(raw: bytes) -> bool:
        try:
            jsontext.check(raw)
        except JsonTextError:
            return False
        return True

    if jsontext.are_sound(records):
        assert all(map(passes, records))


@given(VALUES, VALUES)
def test_same_is_strict_about_types(one: object, other: object) -> None:
    assert jsontext.same(one, one)
    if jsontext.same(one, other):
        assert json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    assert not jsontext.same(1, True)
    assert not jsontext.same(1, 1.0)


def test_errors_say_where() -> None:
    for raw, detail, offset in (
        (b'{"a":"\xc3\xa4\xff"}', "utf8", 8),
        ('{"ä":tru}'.encode(), "json", 6),
        (b"[1]", "not_object", None),
        (b'{"a":NaN}', "json", None),
        (b'{"a":-1e999}', "number_range", None),
        (b'{"a":' + b"1" * 5000 + b"}", "number_range", None),
    ):
        with pytest.raises(JsonTextError) as caught:
            jsontext.decode(raw)
        assert (caught.value.detail, caught.value.offset) == (detail, offset)


def test_a_long_integer_stays_exact_and_a_float_stays_a_float() -> None:
    data = jsontext.decode(b'{"i":12345678901234567890123,"f":1.0,"e":1e300}')
    assert data["i"] == 12345678901234567890123
    assert isinstance(data["f"], float)
    assert math.isclose(data["e"], 1e300)
    assert jsontext.encode(data).startswith(b'{"i":12345678901234567890123,"f":1.0,')
