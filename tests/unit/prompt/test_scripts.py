"""Regex scripts on what is sent."""

from __future__ import annotations

from typing import Any

import pytest

from tavern_desktop.chat.message import Message
from tavern_desktop.prompt.build import build_prompt
from tavern_desktop.prompt.macros import Macros
from tavern_desktop.prompt.scene import Character, Scene, Wording
from tavern_desktop.prompt.scripts import Script, prompt_scripts
from tavern_desktop.prompt.tokens import Estimate

MACROS = Macros("Ana", "Mira")


def script(find: str, replace: str = "", **more: Any) -> Script:
    data = {"findRegex": find, "replaceString": replace, "placement": [1, 2], "promptOnly": True} | more
    made = Script.of(data)
    assert made is not None
    return made


@pytest.mark.parametrize(
    ("made", "text", "result"),
    [
        (script("/\\(ooc:.*?\\)/gis"), "a (OOC: x\ny) b (ooc: z)", "a  b "),
        (script("/a/"), "banana", "bnana"),
        (script("a", "<$0{{match}}>"), "banana", "b<aa>nana"),
        (script("/(?<first>\\w+) (\\w+)/", "$2 $<first>$9"), "one two", "two one"),
        (script("/x(y)?/g", "[$1]"), "x xy", "[] [y]"),
        (script("/<b>(.*?)<\\/b>/g", "$1", trimStrings=["*", "{{char}}"]), "<b>*Mira* sits</b>", " sits"),
        (script("/{{user}}/g", "I", substituteRegex=1), "Ana and Ana", "I and I"),
        (script("{{char}}", "she", substituteRegex=2), "Mira", "she"),
        (script("{{char}}", "she"), "Mira", "Mira"),
        (script("/[/", "x"), "[", "["),
        (script("/a/g", "{{user}}"), "a", "Ana"),
    ],
)
def test_what_a_script_replaces(made: Script, text: str, result: str) -> None:
    assert made.apply(text, MACROS) == result


@pytest.mark.parametrize(
    "data", [{}, {"findRegex": "a"}, {"findRegex": "a", "promptOnly": True, "disabled": True}, {"promptOnly": True}]
)
def test_what_is_not_for_prompts_is_left_out(data: dict[str, Any]) -> None:
    assert Script.of(data) is None


def test_a_card_s_scripts_run_only_where_that_is_allowed() -> None:
    one = {"scriptName": "g", "findRegex": "a", "promptOnly": True, "placement": [1]}
    card = {"extensions": {"regex_scripts": [one | {"scriptName": "c"}]}}
    settings: dict[str, Any] = {"extension_settings": {"regex": [one, "odd"]}}
    assert [each.name for each in prompt_scripts(settings, card, "Mira.png")] == ["g"]
    settings["extension_settings"]["character_allowed_regex"] = ["Mira.png"]
    assert [each.name for each in prompt_scripts(settings, card, "Mira.png")] == ["g", "c"]
    assert prompt_scripts({}, {}, "") == []


def test_scripts_work_by_who_speaks_and_how_far_back() -> None:
    talk = [("Ana", "x0"), ("Mira", "x1"), ("Ana", "x2")]
    messages = [Message.new({"name": name, "is_user": name == "Ana", "mes": text}) for name, text in talk]
    scripts = [script("x", "user ", placement=[1], minDepth=1), script("x", "model ", placement=[2])]
    scene = Scene(
        Character("Mira"),
        "Ana",
        messages,
        3,
        scripts=scripts,
        wording=Wording(main="", chat_heading="", reply_nudge=""),
    )
    assert [message.text for message in build_prompt(scene, Estimate()).messages] == ["user 0", "model 1", "x2"]
