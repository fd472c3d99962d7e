"""What the chosen presets make of a request, read from a data folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.backends.samplers import fields_for
from tavern_desktop.backends.settings import BY_MODEL, IN_USE, OWN_WAY, Generation, PresetNames
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.session.generating.forms import OWN_FORM, chat_generation, form_of, text_generation
from tests.unit.prompt.scenarios import data


@pytest.fixture
def root(tmp_path: Path) -> DataRoot:
    root = DataRoot(tmp_path)
    chat = root.user_folder / "OpenAI Settings"
    chat.mkdir(parents=True)
    (chat / "Mine.json").write_text(json.dumps(data(temperature=0.8, openai_max_tokens=300)))
    text = root.user_folder / "TextGen Settings"
    text.mkdir()
    (text / "Warm.json").write_text(json.dumps({"temp": 1.2, "rep_pen": 1.1}))
    live = {"oai_settings": {"temp_openai": 0.3, "main_prompt": "Live."}, "power_user": {"pin_examples": True}}
    root.settings.write_text(json.dumps(live))
    return root


def form(root: DataRoot, *, takes_messages: bool = True, **names: str) -> Any:
    return form_of(root, PresetNames(**names), takes_messages=takes_messages)


def test_nothing_chosen_is_the_program_s_own_way(root: DataRoot) -> None:
    assert form(root) is OWN_FORM
    assert form(root, chat=OWN_WAY) == OWN_FORM
    assert form_of(None, PresetNames(chat="Mine"), takes_messages=True) is OWN_FORM


def test_a_preset_says_how_and_with_what_samplers(root: DataRoot) -> None:
    found = form(root, chat="Mine", text="Warm")
    assert found.chat.name == "Mine"
    assert found.chat.pins_examples
    assert found.generation == Generation(temperature=0.8, reply_tokens=300)


def test_servers_that_take_text_go_by_the_other_presets(root: DataRoot) -> None:
    found = form(root, takes_messages=False, chat="Mine", text="Warm")
    assert (found.chat, found.generation) == (None, Generation(temperature=1.2, repetition_penalty=1.1))


def test_what_sillytavern_has_in_use_can_be_chosen(root: DataRoot) -> None:
    found = form(root, chat=IN_USE)
    assert [prompt.text for prompt in found.chat.prompts if prompt.identifier == "main"] == ["Live."]
    assert found.generation.temperature == 0.3


def test_a_preset_that_is_gone_is_told_and_the_reply_goes_on(root: DataRoot) -> None:
    found = form(root, chat="Gone")
    assert found.chat is None
    assert [(left.source, left.reason) for left in found.notes] == [
        ("chat preset Gone", "There is no chat preset “Gone” in this data folder")
    ]


def test_values_that_cannot_be_are_not_said() -> None:
    odd = {"temperature": "0.5", "top_p": 7, "top_k": 0, "min_p": None, "seed": -1, "reasoning_effort": "auto"}
    assert chat_generation(odd) == Generation(temperature=0.5)
    assert chat_generation({"top_k": 40, "repetition_penalty": 1, "reasoning_effort": "low"}) == Generation(
        top_k=40, reasoning_effort="low"
    )
    assert text_generation({"top_k": 0, "genamt": 200, "max_length": 4096, "rep_pen_range": -1}) == Generation(
        top_k=0, reply_tokens=200, context_tokens=4096, repetition_range=-1
    )


def templates(root: DataRoot) -> None:
    for folder, name, content in (
        ("instruct", "Marked", {"input_sequence": "<|u|>", "activation_regex": "/marked-\\d+b/i"}),
        ("instruct", "Other", {"activation_regex": "("}),
        ("context", "Marked", {"story_string": "{{system}}!", "chat_start": "go"}),
        ("sysprompt", "Short", {"content": "Be brief.", "post_history": "Briefer."}),
    ):
        path = root.user_folder / folder
        path.mkdir(exist_ok=True)
        (path / f"{name}.json").write_text(json.dumps(content | {"name": name}))


def test_templates_make_one_text(root: DataRoot) -> None:
    templates(root)
    found = form(root, takes_messages=False, instruct="Marked", context="Marked", sysprompt="Short").text
    assert (found.instruct.input, found.context.chat_start, found.system) == ("<|u|>", "go", "Be brief.")
    assert (found.post_history, found.pins_examples, found.name) == ("Briefer.", True, "Marked")
    assert form(root, takes_messages=True, instruct="Marked").text is None


def test_a_system_prompt_alone_goes_with_the_server_s_own_template(root: DataRoot) -> None:
    templates(root)
    found = form(root, takes_messages=False, sysprompt="Short")
    assert (found.text, found.system, found.post_history) == (None, "Be brief.", "Briefer.")


def test_a_template_is_chosen_by_the_name_of_the_model(root: DataRoot) -> None:
    templates(root)
    names = PresetNames(instruct=BY_MODEL)
    found = form_of(root, names, takes_messages=False, model="My-MARKED-7b.gguf").text
    assert found is not None
    assert (found.name, found.context.chat_start) == ("Marked", "go")
    none = form_of(root, names, takes_messages=False, model="other")
    assert (none.text, none.notes[0].reason) == (None, "none of this data folder is for the model other")
    unnamed = form_of(root, names, takes_messages=False)
    assert unnamed.notes[0].reason == "the server does not name its model"


def test_what_sillytavern_has_switched_off_is_not_used(root: DataRoot) -> None:
    templates(root)
    live = {"power_user": {"instruct": {"enabled": False}, "context": {"story_string": "x"}, "sysprompt": {}}}
    root.settings.write_text(json.dumps(live))
    found = form(root, takes_messages=False, instruct=IN_USE, context=IN_USE, sysprompt=IN_USE).text
    assert (found.instruct, found.system, found.context.story) == (None, "", "x")


def test_a_preset_s_scripts_run_where_they_are_allowed(root: DataRoot) -> None:
    script = {
        "scriptName": "Calm",
        "findRegex": "/storm/g",
        "replaceString": "calm",
        "placement": [1],
        "promptOnly": True,
    }
    path = root.user_folder / "OpenAI Settings" / "Mine.json"
    path.write_text(json.dumps(data(extensions={"regex_scripts": [script, {"odd": 1}, 3]})))
    assert form(root, chat="Mine").scripts == ()
    allowed = {"extension_settings": {"preset_allowed_regex": {"openai": ["Mine"]}}}
    root.settings.write_text(json.dumps(allowed))
    assert [script.name for script in form(root, chat="Mine").scripts] == ["Calm"]


def test_samplers_that_only_text_servers_know_come_along(root: DataRoot) -> None:
    preset = {
        "temp": 1,
        "dry_multiplier": 0.8,
        "dry_base": 1.75,
        "dry_sequence_breakers": '["\\n", ":"]',
        "xtc_probability": 0,
        "xtc_threshold": 0.1,
        "mirostat_mode": 0,
        "typical_p": 1,
        "dynatemp": True,
        "min_temp": 0.5,
        "max_temp": 1.5,
        "tfs": 0.9,
        "nsigma": [],
    }
    found = text_generation(preset)
    assert found.temperature == 1.0
    assert found.samplers == {
        "tfs": 0.9,
        "dry_multiplier": 0.8,
        "dry_base": 1.75,
        "dry_sequence_breakers": ["\n", ":"],
        "dynatemp_range": 0.5,
        "dynatemp_exponent": 1,
    }
    assert fields_for("llamacpp", found.samplers, ("dry_base",)) == {
        "dry_multiplier": 0.8,
        "dry_sequence_breakers": ["\n", ":"],
        "dynatemp_range": 0.5,
        "dynatemp_exponent": 1,
    }
    assert fields_for("koboldcpp", found.samplers)["tfs"] == 0.9
    assert fields_for("openai", found.samplers) == fields_for("koboldcpp", None) == {}
    assert text_generation({"temp": 1}).samplers is None
