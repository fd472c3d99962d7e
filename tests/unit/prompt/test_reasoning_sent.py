"""The reasoning of earlier replies in the next prompt: of the newest only, in the marks of the person's template."""

from __future__ import annotations

from typing import Any

import pytest

from tavern_desktop.prompt.build import build_prompt
from tavern_desktop.prompt.reasoning import ReasoningForm
from tavern_desktop.prompt.scripts import REASONING, Script
from tavern_desktop.prompt.tokens import Estimate
from tests.unit.prompt.scenarios import said, scene

FORM = ReasoningForm("<t>", "</t>", "\n", most=1)


def thought(name: str, text: str, reasoning: str) -> dict[str, Any]:
    return said(name, text, extra={"reasoning": reasoning})


TALK = (
    thought("Mira", "One.", "first"),
    said("Ana", "Go on."),
    thought("Mira", "Two.", "second"),
    said("Ana", "More."),
)


def texts(*records: dict[str, Any], **more: Any) -> list[str]:
    prompt = build_prompt(scene(*(records or TALK), **({"reasoning": FORM} | more)), Estimate())
    return [part.message.text for part in prompt.parts if part.source == "history"]


def test_only_the_newest_reasoning_is_sent() -> None:
    assert texts() == ["One.", "Go on.", "<t>second</t>\nTwo.", "More."]
    assert texts(reasoning=ReasoningForm("<t>", "</t>", "", 5))[0] == "<t>first</t>One."
    assert texts(reasoning=None) == ["One.", "Go on.", "Two.", "More."]
    assert texts(reasoning=ReasoningForm("<t>", "</t>")) == ["One.", "Go on.", "Two.", "More."]


def test_of_a_message_that_goes_on_it_is_always_sent() -> None:
    never = ReasoningForm("<t>", "</t>")
    assert texts(*TALK[:3], reasoning=never, action="continue", can_prefill=True)[-1] == "<t>second</t>Two."


def test_in_groups_only_the_speaker_s_own_is_sent() -> None:
    found = texts(thought("Mira", "One.", "mine"), thought("Tomas", "Ho.", "his"), is_group=True)
    assert found == ["Mira: <t>mine</t>\nOne.", "Tomas: Ho."]


def test_scripts_for_reasoning_work_on_it() -> None:
    script = Script("s", "/second/", "2nd", frozenset({REASONING}))
    assert texts(scripts=[script])[2] == "<t>2nd</t>\nTwo."


@pytest.mark.parametrize("reasoning", ["", "  ", "\u200b", "\u200b\u200b"])
def test_nothing_is_no_reasoning(reasoning: str) -> None:
    assert texts(thought("Mira", "One.", reasoning)) == ["One."]


@pytest.mark.parametrize(
    ("settings", "wanted"),
    [
        ({}, None),
        ({"prefix": "<t>"}, None),
        ({"prefix": "<t>", "suffix": "</t>"}, ReasoningForm("<t>", "</t>")),
        ({"prefix": "<t>", "suffix": "</t>", "add_to_prompts": True}, ReasoningForm("<t>", "</t>", "", 1)),
        (
            {"prefix": "<t>\r\n", "suffix": "</t>", "separator": " ", "add_to_prompts": True, "max_additions": "3"},
            ReasoningForm("<t>\n", "</t>", " ", 3),
        ),
        ({"prefix": 1, "suffix": "</t>", "add_to_prompts": True, "max_additions": -2}, None),
    ],
)
def test_settings_of_any_kind_are_read(settings: dict[str, Any], wanted: ReasoningForm | None) -> None:
    assert ReasoningForm.of(settings) == wanted
