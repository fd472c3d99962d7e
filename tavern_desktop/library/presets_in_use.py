"""What SillyTavern has in use: the live copies of presets in its settings, in the form of the presets' files.

They may differ from the file of the chosen preset until that is saved, and they are what counts (prompt §4, §6).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tavern_desktop.library.preset_migration import migrated
from tavern_desktop.library.presets import Preset, PresetKind
from tavern_desktop.library.settings_file import power_user

_CHAT_KEYS = {
    "temp_openai": "temperature",
    "freq_pen_openai": "frequency_penalty",
    "pres_pen_openai": "presence_penalty",
    "top_p_openai": "top_p",
    "top_k_openai": "top_k",
    "top_a_openai": "top_a",
    "min_p_openai": "min_p",
    "repetition_penalty_openai": "repetition_penalty",
}
"""Keys of `oai_settings` that are called otherwise in a preset's file."""


def preset_in_use(settings: Mapping[str, Any], kind: PresetKind) -> Preset | None:
    """Return what is in use of a kind, None where the settings have nothing of it or it is switched off."""
    found = _LIVE[kind](settings)
    if found is None:
        return None
    name, data = found
    data, notes = migrated(kind, data)
    return Preset(kind, name, data, None, notes)


Live = tuple[str, dict[str, Any]] | None


def _chat(settings: Mapping[str, Any]) -> Live:
    own = _object(settings.get("oai_settings"))
    if not own:
        return None
    data = {_CHAT_KEYS.get(key, key): value for key, value in own.items()}
    return _name(own.get("preset_settings_openai")), data


def _text(settings: Mapping[str, Any]) -> Live:
    own = _object(settings.get("textgenerationwebui_settings"))
    return (_name(own.get("preset")), _with_sizes(own, settings)) if own else None


def _kobold(settings: Mapping[str, Any]) -> Live:
    own = _object(settings.get("kai_settings"))
    return (_name(own.get("preset_settings")), _with_sizes(own, settings)) if own else None


def _novel(settings: Mapping[str, Any]) -> Live:
    own = _object(settings.get("nai_settings"))
    return (_name(own.get("preset_settings_novel")), _with_sizes(own, settings)) if own else None


def _with_sizes(own: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Add the sizes, which stand at the top of the settings and in a file with the rest."""
    sizes = {"genamt": settings.get("amount_gen"), "max_length": settings.get("max_context")}
    return {**own, **{key: value for key, value in sizes.items() if value is not None}}


def _instruct(settings: Mapping[str, Any]) -> Live:
    own = _object(power_user(settings).get("instruct"))
    return (_name(own.get("preset")), dict(own)) if own.get("enabled") is True else None


def _context(settings: Mapping[str, Any]) -> Live:
    user = power_user(settings)
    own = _object(user.get("context"))
    if not own:
        return None
    # These are kept beside the template once it is chosen.
    beside: dict[str, Any] = {
        key: user[key] for key in ("always_force_name2", "trim_sentences", "single_line") if key in user
    }
    return _name(own.get("preset")), {**own, **beside}


_BESIDE = ("always_force_name2", "trim_sentences", "single_line")


def _sysprompt(settings: Mapping[str, Any]) -> Live:
    own = _object(power_user(settings).get("sysprompt"))
    return (_name(own.get("name")), dict(own)) if own and own.get("enabled") is not False else None


def _reasoning(settings: Mapping[str, Any]) -> Live:
    own = _object(power_user(settings).get("reasoning"))
    return (_name(own.get("name")), dict(own)) if own else None


_LIVE = {
    "chat": _chat,
    "text": _text,
    "kobold": _kobold,
    "novel": _novel,
    "instruct": _instruct,
    "context": _context,
    "sysprompt": _sysprompt,
    "reasoning": _reasoning,
}


def _name(value: object) -> str:
    return value if isinstance(value, str) else ""


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
