"""Presets of older versions of SillyTavern, read as the current one has them (prompt §4, §6)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Data = dict[str, Any]
Migrate = Callable[[Data], list[str]]
"""Changes the data and returns what was done, a phrase each."""

_PROMPTS = {
    "main_prompt": ("main", "Main Prompt"),
    "nsfw_prompt": ("nsfw", "Auxiliary Prompt"),
    "jailbreak_prompt": ("jailbreak", "Post-History Instructions"),
}
"""Texts that became prompts of their own."""

_RENAMED = {
    "claude_use_sysprompt": "use_sysprompt",
    "use_makersuite_sysprompt": "use_sysprompt",
    "image_inlining": "media_inlining",
    "video_inlining": "media_inlining",
    "audio_inlining": "media_inlining",
    "openrouter_sort_models": "sort_models",
    "openrouter_group_models": "group_models",
}


def migrated(kind: str, data: Data) -> tuple[Data, tuple[str, ...]]:
    """Return the data in the current form, and what was done for it; the data given stays as it is."""
    migrate = _BY_KIND.get(kind)
    if migrate is None:
        return data, ()
    changed = dict(data)
    return changed, tuple(migrate(changed))


def _chat(data: Data) -> list[str]:
    notes = _prompts(data)
    if "names_in_completion" in data:
        was_on = data.pop("names_in_completion") is True
        if was_on and "names_behavior" not in data:
            data["names_behavior"] = 1
        notes.append("names_in_completion became names_behavior")
    if data.get("chat_completion_source") == "palm":
        data["chat_completion_source"] = "makersuite"
        notes.append("the source palm is called makersuite now")
    for old, new in _RENAMED.items():
        if old in data:
            value = data.pop(old)
            data[new] = bool(data.get(new)) or value if isinstance(value, bool) else data.get(new, value)
            notes.append(f"{old} became {new}")
    return notes


def _prompts(data: Data) -> list[str]:
    """Turn the texts of the oldest form into prompts; a prompt that is there already is left alone."""
    notes: list[str] = []
    listed = data.get("prompts")
    prompts = list(listed) if isinstance(listed, list) else []
    known = {prompt.get("identifier") for prompt in prompts if isinstance(prompt, dict)}
    for old, (identifier, name) in _PROMPTS.items():
        text = data.get(old)
        if isinstance(text, str) and identifier not in known:
            del data[old]
            notes.append(f"{old} became a prompt")
            prompts.append(
                {"identifier": identifier, "name": name, "role": "system", "content": text, "system_prompt": True}
            )
    if notes:
        data["prompts"] = prompts
    return notes


def _instruct(data: Data) -> list[str]:
    notes: list[str] = []
    separator = data.pop("separator_sequence", None)
    if isinstance(separator, str):
        data.setdefault("output_suffix", separator)
        notes.append("separator_sequence became output_suffix")
    names, in_groups = data.pop("names", None), data.pop("names_force_groups", None)
    if names is not None or in_groups is not None:
        data.setdefault("names_behavior", "always" if names is True else "force" if in_groups is not False else "none")
        notes.append("names became names_behavior")
    for end in ("prefix", "suffix"):
        old = data.pop(f"system_sequence_{end}", None)
        if isinstance(old, str):
            data.setdefault(f"story_string_{end}", old)
            notes.append(f"system_sequence_{end} became story_string_{end}")
    return notes


_BY_KIND: dict[str, Migrate] = {"chat": _chat, "instruct": _instruct}
