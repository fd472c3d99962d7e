"""Macros of all kinds: nested, with arguments, with blocks, with chance, clock and variables."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tavern_desktop.prompt.macro_values import MacroValues
from tavern_desktop.prompt.macros import Macros

NOW = datetime(2026, 3, 4, 15, 5, 9, tzinfo=UTC)


def fill(text: str, **variables: object) -> str:
    values = MacroValues(NOW, 7, {"mood": "glad", "list": [1], "count": 2} | variables)
    return Macros("Ana", "Mira", more={"description": "{{char}} the tall"}, others=values).fill(text)


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("{{description}}", "Mira the tall"),
        ("{{newline}}|{{newline::2}}|{{space::3}}|", "\n|\n\n|   |"),
        ("a\n\n{{trim}}\n\nb", "ab"),
        ("a{{// a note}}b{{noop}}c", "abc"),
        ("{{reverse:abc}}{{reverse::{{user}}}}", "cbaanA"),
        ("{{time}} {{date}} {{weekday}} {{isotime}} {{isodate}}", "3:05 PM March 4, 2026 Wednesday 15:05 2026-03-04"),
        ("{{time_UTC+2}} {{time::UTC-5}}", "5:05 PM 10:05 AM"),
        ("{{datetimeformat YYYY-MM-DD HH:mm:ss [at] D MMM}}", "2026-03-04 15:05:09 at 4 Mar"),
        ("{{getvar::mood}} {{hasvar::mood}} {{hasvar::none}} {{getvar::none}}|", "glad true false |"),
        ("{{setvar::a::{{user}}}}{{getvar::a}}", "Ana"),
        ("{{incvar::count}}{{incvar::count}}{{decvar::count}} {{getvar::count}}", "343 3"),
        ("{{addvar::count::3}}{{getvar::count}} {{addvar::mood::!}}{{getvar::mood}}", "5 glad!"),
        ("{{addvar::list::2}}{{getvar::list}}", '[1, "2"]'),
        ("{{deletevar::mood}}{{getvar::mood}}|", "|"),
        ("{{if {{getvar::mood}}}}yes{{else}}no{{/if}}", "yes"),
        ("{{if !{{getvar::mood}}}}yes{{else}}no{{/if}}", "no"),
        ("{{if off}}yes{{/if}}|", "|"),
        ("{{if user}}{{if none}}a{{else}}b{{/if}}{{/if}}", "a"),
        ("{{if 0}}{{if 1}}a{{/if}}{{else}}c{{/if}}", "c"),
        ("{{if open", "{{if open"),
        ("{{roll:1d1}} {{roll:1d1+4}} {{roll 3d1}} {{roll:nonsense}}|", "1 5 3 |"),
        ("{{unknown {{user}}}} {{x::{{char}}}}", "{{unknown Ana}} {{x::Mira}}"),
        ("{{user", "{{user"),
        ("}} {{ {{user}} }}", "}} {{ Ana }}"),
        ("{{getvar::m\ud83d}}|", "|"),
    ],
)
def test_what_macros_stand_for(text: str, filled: str) -> None:
    assert fill(text) == filled


def test_chance_is_the_same_each_time_and_another_at_each_place() -> None:
    text = "{{random::a::b::c::d}}{{random:a,b,c\\,d}}{{roll:20}}"
    assert fill(text) == fill(text)
    rolls = fill(" ".join(["{{roll:1d1000}}"] * 20)).split()
    assert len(set(rolls)) > 10
    assert all(1 <= int(roll) <= 1000 for roll in rolls)
    assert fill("{{random:x\\,y}}") == "x,y"


def test_a_pick_stays() -> None:
    assert len({fill("{{pick::a::b::c}}") for _ in range(5)}) == 1


@given(st.text(st.sampled_from("{}:/ifelsuru\n|!. "), max_size=60))
def test_no_text_is_too_odd(text: str) -> None:
    assert isinstance(fill(text), str)


def test_deep_nests_end() -> None:
    assert isinstance(fill("{{" * 500 + "user" + "}}" * 500), str)
    assert isinstance(fill("{{if 1}}" * 300), str)
