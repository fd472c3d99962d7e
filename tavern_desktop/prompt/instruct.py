"""Turns of a conversation as text: with the sequences of an instruct template, or as plain lines (§5.2, §5.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tavern_desktop.prompt.macros import Macros
from tavern_desktop.prompt.messages import PromptRole
from tavern_desktop.prompt.text_form import Instruct, TextForm

NOBODY = "System"
"""Stands for a speaker's name in a sequence where there is none."""

Place = Literal["", "first", "last"]
"""Some sequences are others for the first turn of the chat and for the last one."""


@dataclass(frozen=True, slots=True)
class Voice:
    """Who says something. `is_forced`: in another's place, so that the name is told also where it is not usual."""

    role: PromptRole
    name: str = ""
    is_forced: bool = False


class TurnWriter:
    """Writes the turns of one prompt."""

    def __init__(self, form: TextForm, macros: Macros, user: str, char: str, *, is_group: bool) -> None:
        self._form, self._macros = form, macros
        self._user, self._char, self._is_group = user, char, is_group

    def turn(self, voice: Voice, text: str, place: Place = "", *, ends: bool = True) -> str:
        """Return one turn; without its end where the model goes on from it."""
        instruct = self._form.instruct
        if instruct is None:
            is_named = bool(voice.name) and voice.role != "system"
            return (f"{voice.name}: " if is_named else "") + text + ("\n" if ends else "")
        before, after = self._sequences(instruct, voice.role, place)
        after = self._filled(after, voice.name) or ("\n" if instruct.wraps else "")
        said = f"{voice.name}: {text}" if self._tells_name(instruct, voice) else text
        parts = [part for part in (self._filled(before, voice.name), said + (after if ends else "")) if part]
        return instruct.separator.join(parts)

    def example(self, is_user: bool, text: str) -> str:
        """Return one turn of the example dialogue. In groups the text has the name already."""
        instruct = self._form.instruct
        name = self._user if is_user else self._char
        if instruct is None:
            return text if self._is_group else f"{name}: {text}"
        before = instruct.input if is_user else instruct.output
        after = instruct.input_end if is_user else instruct.output_end
        after = self._filled(after, name) or ("\n" if instruct.wraps else "")
        # Where names are told only where they have to be, that is what the person says in an example.
        told = not self._is_group and (instruct.names == "always" or (instruct.names == "force" and is_user))
        parts = [part for part in (self._filled(before, name), f"{name}: {text}" if told else text) if part]
        return instruct.separator.join(parts) + after

    def opening(self, before: str, *, is_user: bool) -> str:
        """Return what the prompt ends with, so that the character speaks next, or the user.

        `before`: the text that it stands behind; a line that is ended there is not ended once more.
        """
        instruct, context = self._form.instruct, self._form.context
        name = self._user if is_user else self._char
        if instruct is None:
            return f"{name}:" if is_user or context.always_names_char else ""
        usual = instruct.input if is_user else instruct.output
        sequence = self._filled((instruct.last_input if is_user else instruct.last_output) or usual, name)
        tells = instruct.names == "always" or (self._is_group and instruct.names == "force")
        start = "" if before.endswith("\n") else instruct.separator
        text = start + sequence + (f"{instruct.separator}{name}:" if tells else "")
        return (text.rstrip() if instruct.wraps else text) + ("" if tells else instruct.separator)

    def story(self, text: str) -> tuple[str, str]:
        """Return what stands before and behind the story; nothing where there is none."""
        instruct = self._form.instruct
        if instruct is None or not text:
            return "", ""
        start = self._filled(instruct.story_start, NOBODY)
        return start + (instruct.separator if start else ""), self._filled(instruct.story_end, NOBODY)

    def _sequences(self, instruct: Instruct, role: PromptRole, place: Place) -> tuple[str, str]:
        if role == "system" and not instruct.system_as_user:
            return instruct.system, instruct.system_end
        if role == "assistant":
            special = {"first": instruct.first_output, "last": instruct.last_output}.get(place)
            return special or instruct.output, instruct.output_end
        special = {"first": instruct.first_input, "last": instruct.last_input}.get(place)
        return (special if role == "user" and special else instruct.input), instruct.input_end

    def _tells_name(self, instruct: Instruct, voice: Voice) -> bool:
        if voice.role == "system" or not voice.name or instruct.names == "none":
            return False
        return instruct.names == "always" or (voice.name != self._user and (self._is_group or voice.is_forced))

    def _filled(self, sequence: str, name: str) -> str:
        instruct = self._form.instruct
        if instruct is None or not instruct.fills_macros:
            return sequence
        return self._macros.fill(sequence.replace("{{name}}", name or NOBODY))


def stop_strings(form: TextForm, macros: Macros, user: str, char: str, others: Sequence[str]) -> tuple[str, ...]:
    """Return where a reply ends (prompt §5.5). `others`: everybody who may not speak in it, as they are called."""
    instruct, context = form.instruct, form.context
    found = ["\n"] if context.single_line else []
    if context.stops_at_names:
        found += [f"\n{name}:" for name in others]
    if instruct is not None:
        found += _of_sequences(instruct, macros, user, char)
    if context.stops_at_marks:
        marks = (macros.fill(mark) for mark in (context.chat_start, context.example_separator))
        found += [f"\n{mark}" for mark in marks if mark.strip()]
    found += [macros.fill(text) for text in form.custom_stops]
    return tuple(dict.fromkeys(text for text in found if text.strip() or text == "\n"))


def _of_sequences(instruct: Instruct, macros: Macros, user: str, char: str) -> list[str]:
    """Return each line of the sequences: where one of them comes, somebody else would speak."""
    sequences = [(instruct.stop, "")]
    if instruct.sequences_stop:
        sequences.append((instruct.input, user))
        sequences += [(text, char) for text in (instruct.output, instruct.first_output, instruct.last_output)]
        sequences += [(text, NOBODY) for text in (instruct.system, instruct.last_system)]
    lines = dict.fromkeys(line for text, name in sequences for line in text.replace("{{name}}", name).split("\n"))
    filled = [macros.fill(line) if instruct.fills_macros else line for line in lines]
    return [instruct.separator + line for line in filled if line.strip()]
