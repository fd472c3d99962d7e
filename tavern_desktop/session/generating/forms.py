"""What the chosen presets make of a request: how the prompt is put together, and what the samplers begin with.

Read from the data folder for every request, so that what SillyTavern saves counts at once. Runs off the owner.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from tavern_desktop.backends.samplers import dynamic_temperature, samplers_of
from tavern_desktop.backends.settings import BY_MODEL, IN_USE, NO_PRESETS, OWN_WAY, Generation, PresetNames
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.presets import TITLES, Preset, PresetError, PresetKind, preset_names, read_preset
from tavern_desktop.library.presets_in_use import preset_in_use
from tavern_desktop.library.settings_file import power_user, read_settings
from tavern_desktop.prompt.chat_preset import ChatPreset
from tavern_desktop.prompt.messages import LeftOut
from tavern_desktop.prompt.reasoning import ReasoningForm
from tavern_desktop.prompt.scripts import Script, preset_scripts
from tavern_desktop.prompt.text_form import Context, Instruct, TextForm, custom_stops, is_for_model

NOTHING_SAID = Generation()


@dataclass(frozen=True, slots=True)
class Form:
    """What presets say. `notes` tell of those that could not be used."""

    chat: ChatPreset | None = None
    generation: Generation = NOTHING_SAID
    text: TextForm | None = None
    system: str | None = None
    post_history: str | None = None
    """A system prompt of the data folder, and its words behind the history, where no template makes one text."""
    scripts: tuple[Script, ...] = ()
    """Regex scripts of the preset, where the person allowed them."""
    reasoning: ReasoningForm | None = None
    """How the reasoning of earlier replies is sent, by SillyTavern's settings of it."""
    takes_prefill: bool = False
    notes: tuple[LeftOut, ...] = ()


OWN_FORM = Form()
"""Nothing is chosen: the program's own way."""


def form_of(
    root: DataRoot | None,
    names: PresetNames,
    *,
    takes_messages: bool,
    takes_prefill: bool = False,
    model: str = "",
) -> Form:
    """Return what the presets of these names make of a request. `takes_prefill`: see `Scene`.

    `model`: by whose name a template may be chosen.
    """
    if root is None or names == NO_PRESETS:
        return OWN_FORM
    settings = read_settings(root)
    reader, person = _Reader(root, settings), power_user(settings)
    if takes_messages:
        found = _for_messages(reader, names, person, takes_prefill=takes_prefill)
    else:
        found = _for_text(reader, names, person, model)
    thoughts = preset_in_use(settings, "reasoning") if found.chat or found.text else None
    return found if thoughts is None else replace(found, reasoning=ReasoningForm.of(thoughts.data))


def _for_messages(reader: _Reader, names: PresetNames, person: Mapping[str, Any], *, takes_prefill: bool) -> Form:
    """Return the form for a server that takes messages. `person`: `power_user`, where their own habits are."""
    preset = reader.preset("chat", names.chat)
    if preset is None:
        return Form(notes=tuple(reader.notes))
    return Form(
        ChatPreset.of(preset.name or "in use", preset.data, person),
        chat_generation(preset.data),
        scripts=tuple(reader.scripts("openai", preset)),
        takes_prefill=takes_prefill,
        notes=tuple(reader.notes),
    )


def _for_text(reader: _Reader, names: PresetNames, person: Mapping[str, Any], model: str) -> Form:
    """Return the form for a server that takes one text. `person`: see above; `model`: see `form_of`."""
    samplers = reader.preset("text", names.text)
    generation = text_generation(samplers.data) if samplers is not None else Generation()
    instruct = reader.instruct_for(model) if names.instruct == BY_MODEL else reader.preset("instruct", names.instruct)
    context = reader.preset("context", names.context)
    if names.instruct == BY_MODEL and instruct is not None and not names.context:
        context = reader.same_named("context", instruct.name)
    sysprompt = reader.preset("sysprompt", names.sysprompt)
    system = _words(sysprompt, "content") if sysprompt is not None else None
    if sysprompt is None and names.sysprompt == IN_USE:
        system = ""  # switched off there
    post_history = _words(sysprompt, "post_history") if sysprompt is not None else None
    scripts = tuple(reader.scripts("textgenerationwebui", samplers))
    if instruct is None and context is None:
        notes = tuple(reader.notes)
        return Form(generation=generation, system=system, post_history=post_history, scripts=scripts, notes=notes)
    form = TextForm(
        Instruct.of(instruct.name, instruct.data) if instruct is not None else None,
        Context.of(context.name, context.data) if context is not None else Context(),
        system,
        post_history or "",
        custom_stops(person),
        pins_examples=person.get("pin_examples") is True,
        strips_examples=person.get("strip_examples") is True,
        collapses_lines=person.get("collapse_newlines") is True,
        prefers_card_main=person.get("prefer_character_prompt") is not False,
        prefers_card_end=person.get("prefer_character_jailbreak") is not False,
    )
    return Form(generation=generation, text=form, scripts=scripts, notes=tuple(reader.notes))


def _words(preset: Preset, key: str) -> str:
    text = preset.data.get(key)
    return text.replace("\r", "") if isinstance(text, str) else ""


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

    def scripts(self, api: str, preset: Preset | None) -> list[Script]:
        """Return the regex scripts of a preset; they run where the person allowed it for this one."""
        if preset is None:
            return []
        return preset_scripts(self._settings, preset.data.get("extensions"), api, preset.name)

    def instruct_for(self, model: str) -> Preset | None:
        """Return the template that is for a model of this name; of several the first by name."""
        for name in preset_names(self._root, "instruct") if model else ():
            try:
                found = read_preset(self._root, "instruct", name)
            except PresetError:
                continue
            if is_for_model(_words(found, "activation_regex"), model):
                return found
        why = f"none of this data folder is for the model {model}" if model else "the server does not name its model"
        self.notes.append(LeftOut("instruct template", why))
        return None

    def same_named(self, kind: PresetKind, name: str) -> Preset | None:
        """Return the preset of another kind that belongs to one of this name; None where there is none."""
        return self.preset(kind, name) if name in preset_names(self._root, kind) else None


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
    found = _generation(data, _TEXT)
    middle = dynamic_temperature(data)
    return msgspec.structs.replace(
        found, temperature=found.temperature if middle is None else middle, samplers=samplers_of(data) or None
    )


def _generation(data: Mapping[str, Any], fields: Mapping[str, str]) -> Generation:
    """Return the settings; a value that cannot be one, such as a seed of -1, counts as not said."""
    said: dict[str, Any] = {}
    for name, key in fields.items():
        try:
            said[name] = getattr(msgspec.convert({name: data[key]}, Generation, strict=False), name)
        except (KeyError, msgspec.ValidationError):
            continue
    return Generation(**said)
