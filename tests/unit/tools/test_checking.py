"""What models pass to tools, checked before anything runs."""

from __future__ import annotations

from typing import Any

import pytest

from tavern_desktop.tools.checking import BadArguments, read_arguments

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "n": {"type": "integer"},
        "who": {"type": ["string", "null"]},
        "kind": {"enum": ["a", "b"]},
        "list": {
            "type": "array",
            "items": {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]},
        },
    },
    "required": ["n"],
}


def test_good_arguments_are_read() -> None:
    assert read_arguments('{"n": 2.0, "who": null, "list": [{"x": 1}], "more": 1}', SCHEMA)["n"] == 2
    assert read_arguments("", {"type": "object"}) == {}
    assert read_arguments("{}", {"properties": 7, "required": 3}) == {}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "The arguments are not valid JSON."),
        ("[" * 100_000, "The arguments are not valid JSON."),
        ("[]", "The arguments are not a JSON object."),
        ("{}", "n is missing."),
        ('{"n": true}', "n must be integer."),
        ('{"n": 1.5}', "n must be integer."),
        ('{"n": 1, "who": 7}', "who must be string or null."),
        ('{"n": 1, "kind": "c"}', "kind must be one of a, b."),
        ('{"n": 1, "list": [{"x": 1}, {}]}', "list[1].x is missing."),
        ('{"n": 1, "list": [{"x": "1"}]}', "list[0].x must be number."),
    ],
)
def test_bad_arguments_are_told_in_a_sentence(text: str, says: str) -> None:
    with pytest.raises(BadArguments) as caught:
        read_arguments(text, SCHEMA)
    assert str(caught.value) == says


def test_unknown_ones_are_refused_only_where_the_tool_says_so() -> None:
    with pytest.raises(BadArguments, match="x is not known"):
        read_arguments('{"x": 1}', {"type": "object", "additionalProperties": False})
