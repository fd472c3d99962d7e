"""What the chosen presets make of a request: how the prompt is put together, and what the samplers begin with.

Read from the data folder for every request, so that what SillyTavern saves counts at once. Runs off the owner.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from tavern_desktop.backends.settings import IN_USE, NO_PRESETS, OWN_WAY, Generation, PresetNames
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.presets import TITLES, Preset, PresetError, PresetKind, read_preset
from tavern_desktop.library.presets_in_use import preset_in_use
from tavern_desktop.library.settings_file import power_user, read_settings
from tavern_desktop.prompt.chat_preset import ChatPreset
from tavern_desktop.prompt.messages import LeftOut

NOTHING_SAID = Generation()


@dataclass(frozen=True, slots=True)
class Form:
    """What presets say. `notes` tell of those that could not be used."""

    chat: ChatPreset | None = None
    generation: Generation = NOTHING_SAID
    takes_prefill: bool = False
    notes: tuple[LeftOut, ...] = ()


OWN_FORM = Form()
"""Nothing is chosen: the program's own way."""


def form_of(root: DataRoot | None, names: PresetNames, *, takes_messages: bool, takes_prefill: bool = False) -> Form:
    """Return what the presets of these names make of a request. `takes_prefill`: see `Scene`."""
    if root is None or names == NO_PRESETS:
        return OWN_FORM
    settings = read_settings(root)
    reader = _Reader(root, settings)
    if takes_messages:
        preset = reader.preset("chat", names.chat)
        chat = None
        if preset is not None:
            chat = ChatPreset.of(preset.name or "in use", preset.data, power_user(settings))
        generation = chat_generation(preset.data) if preset is not None else Generation()
        return Form(chat, generation, takes_prefill, tuple(reader.notes))
    samplers = reader.preset("text", names.text)
    generation = text_generation(samplers.data) if samplers is not None else Generation()
    return Form(None, generation, False, tuple(reader.notes))


class _Reader:
    """Reads presets by their names; what cannot be read is noted, and the prompt goes without it."""

    def __init__(self, root: DataRoot, settings: Mapping[str, Any]) -> None:
        self.notes: list[LeftOut] = []
        self._root, self._settings = root, settings

    def preset(self, kind: PresetKind, name: str) -> Preset | None:
        """Return the preset of this name, None for none."""
        if name in ("", OWN_WAY):
            return None
        if name == IN_USE:
            return preset_in_use(self._settings, kind)
        try:
            return read_preset(self._root, kind, name)
        except PresetError as error:
            self.notes.append(LeftOut(f"{TITLES[kind]} {name}", error.sentence.rstrip(".")))
            return None


_CHAT = {
    "reply_tokens": "openai_max_tokens",
    "context_tokens": "openai_max_context",
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "min_p": "min_p",
    "repetition_penalty": "repetition_penalty",
    "frequency_penalty": "frequency_penalty",
    "presence_penalty": "presence_penalty",
    "seed": "seed",
    "reasoning_effort": "reasoning_effort",
}
_CHAT_NEUTRAL = {"top_k": 0, "min_p": 0, "repetition_penalty": 1}
"""Values that change nothing: not sent, for OpenAI's own servers refuse these fields."""

_TEXT = {
    "reply_tokens": "genamt",
    "context_tokens": "max_length",
    "temperature": "temp",
    "top_p": "top_p",
    "top_k": "top_k",
    "min_p": "min_p",
    "repetition_penalty": "rep_pen",
    "repetition_range": "rep_pen_range",
    "frequency_penalty": "freq_pen",
    "presence_penalty": "presence_pen",
    "seed": "seed",
}
"""Our settings, and what they are called in a preset's file."""


def chat_generation(data: Mapping[str, Any]) -> Generation:
    """Return the settings that a chat-completion preset has."""
    found = _generation(data, _CHAT)
    return msgspec.structs.replace(
        found, **{name: None for name, neutral in _CHAT_NEUTRAL.items() if getattr(found, name) == neutral}
    )


def text_generation(data: Mapping[str, Any]) -> Generation:
    """Return the settings that a text-completion preset has."""
    return _generation(data, _TEXT)


def _generation(data: Mapping[str, Any], fields: Mapping[str, str]) -> Generation:
    """Return the settings; a value that cannot be one, such as a seed of -1, counts as not said."""
    said: dict[str, Any] = {}
    for name, key in fields.items():
        try:
            said[name] = getattr(msgspec.convert({name: data[key]}, Generation, strict=False), name)
        except (KeyError, msgspec.ValidationError):
            continue
    return Generation(**said)
