"""Presets and templates in a data folder: listed, read in every age's form, changed without losing anything."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.presets import (
    FOLDERS,
    KINDS,
    PresetError,
    PresetKind,
    change_preset,
    folder_of,
    new_preset,
    preset_names,
    read_preset,
)
from tavern_desktop.library.presets_in_use import preset_in_use


@pytest.fixture
def root(tmp_path: Path) -> DataRoot:
    return DataRoot(tmp_path)


def write(root: DataRoot, kind: PresetKind, name: str, data: Any) -> Path:
    path = folder_of(root, kind) / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else json.dumps(data, indent=4).encode())
    return path


def test_every_kind_has_its_folder_and_is_listed_by_name(root: DataRoot) -> None:
    for kind in KINDS:
        assert preset_names(root, kind) == []
        for name in ("beta", "Alpha", "日本"):
            write(root, kind, name, {"kind": kind})
        (folder_of(root, kind) / "notes.txt").write_text("no preset")
        assert preset_names(root, kind) == ["Alpha", "beta", "日本"]
        assert read_preset(root, kind, "beta").data == {"kind": kind}
    assert len(set(FOLDERS.values())) == len(KINDS)


@pytest.mark.parametrize(
    "raw", [b"", b"[]", b"{", b"\xff\xfe{}", b'{"a":1}{', b"null"], ids=["empty", "list", "cut", "utf16", "two", "null"]
)
def test_what_is_no_preset_is_refused_in_a_sentence(root: DataRoot, raw: bytes) -> None:
    write(root, "chat", "odd", raw)
    with pytest.raises(PresetError) as caught:
        read_preset(root, "chat", "odd")
    assert caught.value.sentence.endswith(".")
    with pytest.raises(PresetError):
        change_preset(root, "chat", "odd", lambda data: data)
    assert (folder_of(root, "chat") / "odd.json").read_bytes() == raw


@pytest.mark.parametrize("name", ["", "..", "../settings", "a/b", "gone", "a\x00b", "*", "/"])
def test_no_name_leads_out_of_the_folder(root: DataRoot, name: str) -> None:
    write(root, "chat", "one", {})
    (root.user_folder / "settings.json").write_text("{}")
    with pytest.raises(PresetError):
        read_preset(root, "chat", name)
    with pytest.raises(PresetError):
        change_preset(root, "chat", name, lambda data: {})


def test_a_byte_order_mark_and_windows_line_ends_are_read(root: DataRoot) -> None:
    write(root, "chat", "windows", b'\xef\xbb\xbf{\r\n  "temperature": 0.9\r\n}\r\n')
    assert read_preset(root, "chat", "windows").data == {"temperature": 0.9}


def test_the_texts_of_the_oldest_chat_presets_become_prompts(root: DataRoot) -> None:
    old = {
        "main_prompt": "Be {{char}}.",
        "nsfw_prompt": "",
        "jailbreak_prompt": "Stay in role.",
        "names_in_completion": True,
        "chat_completion_source": "palm",
        "claude_use_sysprompt": True,
        "use_makersuite_sysprompt": False,
        "image_inlining": False,
        "video_inlining": True,
        "openrouter_sort_models": "price",
        "my_extension": {"a": 1},
    }
    preset = read_preset(root, "chat", write(root, "chat", "old", old).stem)
    data = preset.data
    texts = {prompt["identifier"]: prompt["content"] for prompt in data.pop("prompts")}
    assert texts == {"main": "Be {{char}}.", "nsfw": "", "jailbreak": "Stay in role."}
    assert data == {
        "names_behavior": 1,
        "chat_completion_source": "makersuite",
        "use_sysprompt": True,
        "media_inlining": True,
        "sort_models": "price",
        "my_extension": {"a": 1},
    }
    assert len(preset.notes) == 10


def test_a_prompt_that_is_there_is_not_replaced_by_an_old_text(root: DataRoot) -> None:
    prompts = [{"identifier": "main", "content": "new"}]
    write(root, "chat", "both", {"main_prompt": "old", "prompts": prompts})
    preset = read_preset(root, "chat", "both")
    assert preset.data == {"main_prompt": "old", "prompts": prompts}
    assert preset.notes == ()


@pytest.mark.parametrize(
    ("old", "names"),
    [
        ({"names": True}, "always"),
        ({"names": False, "names_force_groups": True}, "force"),
        ({"names": False}, "force"),
        ({"names": False, "names_force_groups": False}, "none"),
        ({}, None),
    ],
)
def test_old_instruct_templates_say_how_names_are_told(root: DataRoot, old: dict[str, Any], names: str | None) -> None:
    write(root, "instruct", "old", old | {"separator_sequence": "</s>", "system_sequence_prefix": "[", "x": 1})
    data = read_preset(root, "instruct", "old").data
    assert data.pop("names_behavior", None) == names
    assert data == {"output_suffix": "</s>", "story_string_prefix": "[", "x": 1}


def test_a_template_is_found_by_the_name_within_its_file_too(root: DataRoot) -> None:
    write(root, "context", "file", {"name": "Shown", "story_string": "x"})
    assert read_preset(root, "context", "Shown").name == "file"
    with pytest.raises(PresetError):
        read_preset(root, "text", "Shown")


def test_a_change_keeps_what_is_not_known_and_the_order_of_keys(root: DataRoot) -> None:
    path = write(root, "chat", "mine", {"z": 1, "temperature": 1, "big": 2**70, "half": 0.5, "odd": "\ud800"})
    assert change_preset(root, "chat", "mine", lambda data: data | {"temperature": 0.5})
    text = path.read_text("utf-8")
    assert text.startswith('{\n    "z": 1,\n    "temperature": 0.5,')
    assert json.loads(text) == {"z": 1, "temperature": 0.5, "big": 2**70, "half": 0.5, "odd": "\ud800"}
    assert not change_preset(root, "chat", "mine", lambda data: None)
    assert path.read_text("utf-8") == text


def test_a_new_preset_never_takes_a_taken_name(root: DataRoot) -> None:
    names = [new_preset(root, "instruct", "My: form?", {"wrap": True}) for _ in range(3)]
    assert names == ["My form", "My form 2", "My form 3"]
    assert read_preset(root, "instruct", "My form 3").data == {"wrap": True, "name": "My form 3"}
    with pytest.raises(PresetError):
        new_preset(root, "chat", "///", {})


def test_what_is_in_use_has_the_form_of_a_file() -> None:
    settings: dict[str, Any] = {
        "amount_gen": 300,
        "max_context": 8192,
        "oai_settings": {"temp_openai": 0.7, "top_p_openai": 0.9, "preset_settings_openai": "Mine", "prompts": []},
        "textgenerationwebui_settings": {"temp": 1.1, "preset": "Warm"},
        "power_user": {
            "single_line": True,
            "instruct": {"enabled": True, "preset": "ChatML", "wrap": True, "names": True},
            "context": {"preset": "Default", "story_string": "{{system}}"},
            "sysprompt": {"enabled": True, "name": "Short", "content": "Be brief."},
            "reasoning": {"name": "Think", "prefix": "<think>"},
        },
    }
    chat = preset_in_use(settings, "chat")
    assert chat is not None
    assert (chat.name, chat.data["temperature"], chat.data["top_p"]) == ("Mine", 0.7, 0.9)
    text = preset_in_use(settings, "text")
    assert text is not None
    assert (text.name, text.data["genamt"], text.data["max_length"]) == ("Warm", 300, 8192)
    instruct = preset_in_use(settings, "instruct")
    assert instruct is not None
    assert instruct.data["names_behavior"] == "always"
    context = preset_in_use(settings, "context")
    assert context is not None
    assert context.data["single_line"] is True
    sysprompt, reasoning = preset_in_use(settings, "sysprompt"), preset_in_use(settings, "reasoning")
    assert sysprompt is not None
    assert reasoning is not None
    assert (sysprompt.name, reasoning.data["prefix"]) == ("Short", "<think>")


def test_what_is_switched_off_or_missing_is_not_in_use() -> None:
    assert all(preset_in_use({}, kind) is None for kind in KINDS)
    off = {"power_user": {"instruct": {"enabled": False}, "sysprompt": {"enabled": False, "content": "x"}}}
    assert preset_in_use(off, "instruct") is None
    assert preset_in_use(off, "sysprompt") is None
    odd: dict[str, Any] = {"oai_settings": [], "textgenerationwebui_settings": 3, "power_user": "x"}
    assert all(preset_in_use(odd, kind) is None for kind in KINDS)
