"""Prompts as one text, for servers that complete text: the marks that each family of models was trained with."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import msgspec

from tavern_desktop.prompt.messages import PromptMessage, PromptRole
from tavern_desktop.resources import resource_path


class Turn(msgspec.Struct, frozen=True):
    """What stands around the text of one role. `{{name}}` is the speaker."""

    before: str = ""
    after: str = ""


class TextTemplate(msgspec.Struct, frozen=True):
    """How messages become one text.

    `begin` opens the text. `system_into_user`: the family knows no system turns, so leading ones go in front of the
    first user turn. `names`: write "Name: " before what is said. `stop`: texts at which the reply ends.
    """

    name: str
    system: Turn
    user: Turn
    assistant: Turn
    begin: str = ""
    system_into_user: bool = False
    names: bool = False
    stop: tuple[str, ...] = ()

    def render(self, messages: Sequence[PromptMessage], *, char: str, user: str) -> str:
        """Return the text up to where the model goes on: an open turn of its own, or the message it continues."""
        if self.system_into_user:
            messages = _without_system(messages)
        texts = [self.begin]
        for message in messages:
            turn = self._turn(message.role)
            speaker = char if message.role == "assistant" else user
            name = f"{speaker}: " if self._shows_name(message, speaker) else ""
            before = turn.before.replace("{{name}}", speaker)
            texts.append(before + name + message.text + ("" if message.is_prefill else turn.after))
        if not (messages and messages[-1].is_prefill):
            opening = self.assistant.before.replace("{{name}}", char) + (f"{char}:" if self.names else "")
            texts.append(opening.rstrip(" ") if self.names else opening)
        return "".join(texts)

    def stop_texts(self, user: str) -> tuple[str, ...]:
        """Return where the reply ends: at the family's marks, and where the user would speak."""
        own = (f"\n{user}:",) if self.names else ()
        return (*self.stop, *own)

    def _turn(self, role: PromptRole) -> Turn:
        if role == "system":
            return self.system
        return self.assistant if role == "assistant" else self.user

    def _shows_name(self, message: PromptMessage, speaker: str) -> bool:
        is_said = message.role in ("user", "assistant")
        return self.names and is_said and not message.text.startswith(f"{speaker}:")


def _without_system(messages: Iterable[PromptMessage]) -> list[PromptMessage]:
    """Put what system turns say in front of the next turn of the user."""
    result: list[PromptMessage] = []
    waiting: list[str] = []
    for message in messages:
        if message.role == "system":
            waiting.append(message.text)
        elif message.role == "user" and waiting:
            text = "\n\n".join([*waiting, message.text])
            waiting = []
            result.append(replace(message, text=text))
        else:
            if waiting:
                result.append(PromptMessage("user", "\n\n".join(waiting)))
                waiting = []
            result.append(message)
    if waiting:
        result.append(PromptMessage("user", "\n\n".join(waiting)))
    return result


@lru_cache(maxsize=1)
def known_templates() -> dict[str, TextTemplate]:
    """Return the templates that come with the program, by their ids."""
    folder = Path(resource_path("templates"))
    return {path.stem: read_template(path.read_text("utf-8")) for path in sorted(folder.glob("*.toml"))}


def read_template(text: str) -> TextTemplate:
    """Return the template that a TOML text describes. Raises ValueError with what is wrong."""
    try:
        return msgspec.convert(tomllib.loads(text), TextTemplate)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise ValueError(f"This is no template: {error}") from None
