"""The templates by which a prompt becomes one text: instruct, context and system prompt (prompt §5, §6).

Read tolerantly from SillyTavern's files. Where nothing of a kind is chosen the program's own plain form stands in.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tavern_desktop.chat.facts import index_of
from tavern_desktop.prompt.injections import DEEPEST, role_of
from tavern_desktop.prompt.js_regex import compiled, split_regex
from tavern_desktop.prompt.messages import PromptRole

TellsNames = Literal["none", "force", "always"]
"""force: in groups, and for whoever speaks in another's place."""

OWN_STORY = """\
{{#if wiBefore}}{{wiBefore}}
{{/if}}{{#if system}}{{system}}
{{/if}}{{#if description}}{{description}}
{{/if}}{{#if personality}}{{char}} is like this: {{personality}}
{{/if}}{{#if scenario}}What is happening: {{scenario}}
{{/if}}{{#if wiAfter}}{{wiAfter}}
{{/if}}{{#if persona}}{{persona}}
{{/if}}"""
"""Where no context template is chosen."""


@dataclass(frozen=True, slots=True)
class Instruct:
    """What stands around the turns of a conversation, as a family of models was trained with. All may have macros."""

    name: str = ""
    input: str = ""
    input_end: str = ""
    output: str = ""
    output_end: str = ""
    system: str = ""
    system_end: str = ""
    first_input: str = ""
    last_input: str = ""
    first_output: str = ""
    last_output: str = ""
    last_system: str = ""
    story_start: str = ""
    story_end: str = ""
    stop: str = ""
    wraps: bool = True
    """Whether sequences stand on lines of their own."""
    fills_macros: bool = True
    names: TellsNames = "force"
    activation: str = ""
    """A pattern for the names of the models it is for."""
    alignment: str = ""
    """Said by the user where the history shown does not begin with them."""
    system_as_user: bool = False
    skips_examples: bool = False
    sequences_stop: bool = True

    @property
    def separator(self) -> str:
        """What stands between a sequence and a text."""
        return "\n" if self.wraps else ""

    @classmethod
    def of(cls, name: str, data: Mapping[str, Any]) -> Instruct:
        """Return the template of a file's data."""
        names = data.get("names_behavior")
        return cls(
            name,
            **{ours: _text(data.get(theirs)) for ours, theirs in _SEQUENCES.items()},
            wraps=data.get("wrap") is not False,
            fills_macros=data.get("macro") is not False,
            names=names if names in ("none", "force", "always") else "force",
            system_as_user=data.get("system_same_as_user") is True,
            skips_examples=data.get("skip_examples") is True,
            sequences_stop=data.get("sequences_as_stop_strings") is not False,
        )


_SEQUENCES = {
    "input": "input_sequence",
    "input_end": "input_suffix",
    "output": "output_sequence",
    "output_end": "output_suffix",
    "system": "system_sequence",
    "system_end": "system_suffix",
    "first_input": "first_input_sequence",
    "last_input": "last_input_sequence",
    "first_output": "first_output_sequence",
    "last_output": "last_output_sequence",
    "last_system": "last_system_sequence",
    "story_start": "story_string_prefix",
    "story_end": "story_string_suffix",
    "stop": "stop_sequence",
    "activation": "activation_regex",
    "alignment": "user_alignment_message",
}


@dataclass(frozen=True, slots=True)
class Context:
    """How the story is told before the conversation."""

    name: str = ""
    story: str = OWN_STORY
    example_separator: str = ""
    chat_start: str = ""
    stops_at_marks: bool = False
    """Whether a reply ends at the chat start and the example separator."""
    stops_at_names: bool = True
    in_chat: bool = False
    """Whether the story stands in the chat, at `depth` and as `role`."""
    depth: int = 1
    role: PromptRole = "system"
    always_names_char: bool = True
    """Without instruct: whether the prompt ends with the character's name."""
    single_line: bool = False

    @classmethod
    def of(cls, name: str, data: Mapping[str, Any]) -> Context:
        """Return the template of a file's data."""
        depth = index_of(data.get("story_string_depth"))
        return cls(
            name,
            _text(data.get("story_string"), OWN_STORY).replace("\r", ""),
            _text(data.get("example_separator")),
            _text(data.get("chat_start")),
            data.get("use_stop_strings") is True,
            data.get("names_as_stop_strings") is not False,
            index_of(data.get("story_string_position")) == 1,
            1 if depth is None else min(max(depth, 0), DEEPEST),
            role_of(data.get("story_string_role")),
            data.get("always_force_name2") is not False,
            data.get("single_line") is True,
        )


@dataclass(frozen=True, slots=True)
class TextForm:
    """Everything that makes a prompt one text. `instruct` None writes names and texts, without sequences."""

    instruct: Instruct | None = None
    context: Context = field(default_factory=Context)
    system: str | None = None
    """The system prompt; None for the program's own, "" for none."""
    post_history: str = ""
    custom_stops: tuple[str, ...] = ()
    pins_examples: bool = False
    strips_examples: bool = False
    collapses_lines: bool = False
    prefers_card_main: bool = True
    prefers_card_end: bool = True

    @property
    def name(self) -> str:
        """What it is called: the names of its templates."""
        names = dict.fromkeys(filter(None, (self.instruct.name if self.instruct else "", self.context.name)))
        return " + ".join(names) or "plain text"


def is_for_model(activation: str, model: str) -> bool:
    """Say whether a template's pattern is for a model of this name."""
    if not activation or not model:
        return False
    pattern = compiled(*(split_regex(activation) or (activation, "")))
    return pattern is not None and pattern.search(model) is not None


def custom_stops(person: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the person's own stop strings, which SillyTavern keeps as the text of a JSON list."""
    try:
        listed = json.loads(_text(person.get("custom_stopping_strings")) or "[]")
    except (ValueError, RecursionError):
        return ()
    return tuple(text for text in listed if isinstance(text, str) and text) if isinstance(listed, list) else ()


def _text(value: object, default: str = "") -> str:
    return value if isinstance(value, str) else default
