"""The messages of a chat as messages of a prompt: which are sent, as whom, with what names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from tavern_desktop.cards.envelope import read_card
from tavern_desktop.chat import facts
from tavern_desktop.chat.facts import Record
from tavern_desktop.chat.tool_pairs import tool_calls
from tavern_desktop.library.pictures import resolve_picture
from tavern_desktop.prompt.chat_preset import NAMES_IN_FIELD, NAMES_NEVER, NAMES_WHERE_NEEDED
from tavern_desktop.prompt.macros import Macros
from tavern_desktop.prompt.messages import PromptMessage, PromptRole, Thought
from tavern_desktop.prompt.scene import Scene
from tavern_desktop.prompt.scripts import MODEL_OUTPUT, REASONING, USER_INPUT, scripted
from tavern_desktop.prompt.tool_rounds import Results, ToolRounds, invocations

_NOT_IN_NAMES = re.compile(r"[^a-zA-Z0-9_]")
LONGEST_NAME = 64
"""Characters that a name may have which is sent in a field of its own."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A message of the chat, and as what it is sent; `message` is None for one that is left out as hidden."""

    index: int
    message: PromptMessage | None
    reason: str
    name: str = ""
    """Who says it."""
    results: Results = ()
    """What tools answered to its calls: sent right behind it, or not at all."""


def turns_from_end(scene: Scene) -> Iterator[Turn]:
    """Yield the history from its newest message on, decoding no more than is asked for.

    Raises PromptError for calls of tools that cannot be sent again.
    """
    macros = scene.macros
    rounds = ToolRounds(scene.messages, scene.end)
    # Depth counts what can be seen of the chat from its end; what is continued is not counted.
    depth = -1 if scene.action == "continue" else 0
    sends_tools = scene.tools != "none"
    reasoning = _Reasoning(scene, macros)
    for index in range(scene.end - 1, -1, -1):
        data = scene.messages[index].seen_data()
        kind = facts.kind(data)
        if kind == "tool" and sends_tools:
            yield from _tool_row(index, data, rounds)
            continue
        goes_on = scene.action == "continue" and index == scene.end - 1
        before = reasoning.of(data, depth, goes_on=goes_on)
        message, reason = _turn(data, scene, macros, depth, before, is_greeting=index == 0)
        results: Results = ()
        if tool_calls(data):
            if sends_tools and not goes_on and not facts.is_hidden(data):
                calls, results = rounds.take_calls(data)
                message, reason = replace(message or PromptMessage("assistant", ""), tool_calls=calls), ""
                message = replace(message, thought=_thought(data, signed=any(call.signature for call in calls)))
            else:
                rounds.leave_out(data)
        yield Turn(index, message, reason, facts.name(data), results)
        depth += message is not None
        # What was asked of tools before the person spoke last is old.
        sends_tools = sends_tools and not (scene.tools == "newest" and kind == "user")
    if sends_tools:
        rounds.end()


def _tool_row(index: int, data: Record, rounds: ToolRounds) -> Iterator[Turn]:
    """Yield nothing for a result, which goes with its call; SillyTavern's rows have both."""
    if data.get("role") == "tool":
        rounds.take_result(index, data)
        return
    message, results = invocations(index, data)
    yield Turn(index, message, "" if message is not None else "tool result", "", results)


class _Reasoning:
    """The reasoning that is sent with replies, newest first."""

    def __init__(self, scene: Scene, macros: Macros) -> None:
        self._scene, self._macros, self._form = scene, macros, scene.reasoning
        self._left = self._form.most if self._form is not None else 0

    def of(self, data: Record, depth: int, *, goes_on: bool) -> str:
        """Return what goes in front of a message's text, "" for nothing. Of one that goes on it is always sent."""
        form, scene = self._form, self._scene
        if form is None or not (self._left or goes_on) or facts.is_hidden(data) or facts.kind(data) != "character":
            return ""
        reasoning = facts.reasoning(data).strip(_NO_REASONING)
        is_own = not scene.is_group or facts.name(data) == scene.character.name
        if not reasoning.strip() or not is_own or not facts.text(data).strip():
            return ""
        self._left = max(0, self._left - 1)
        return form.written(scripted(reasoning, scene.scripts, REASONING, depth, self._macros))


_NO_REASONING = "\u200b"
"""Stands in old chats where a reply has none."""


def _turn(
    data: Record, scene: Scene, macros: Macros, depth: int, before: str, *, is_greeting: bool
) -> tuple[PromptMessage | None, str]:
    """Return a message as it is sent, None with the reason for one that is not. `before` goes in front of its text."""
    kind = facts.kind(data)
    if kind == "special":
        return _special(data, scene)
    if kind == "tool":
        return None, "tool result"
    if facts.is_hidden(data):
        return None, "hidden"
    text = facts.text(data).replace("\r", "")
    if is_greeting:
        text = macros.fill(text)
    placement = USER_INPUT if kind == "user" else MODEL_OUTPUT
    text = before + macros.fill(scripted(text, scene.scripts, placement, depth, macros))
    images = _images(data, scene)
    if not text.strip() and not images:
        return None, "empty"
    thought = _thought(data) if kind == "character" else None
    return _said(PromptMessage(_role(kind), text, images=images, thought=thought), data, scene), ""


def _thought(data: Record, *, signed: bool = False) -> Thought | None:
    """Return what was thought before a reply, where its provider wants it back; `signed`: a call of it is signed."""
    more = facts.extra(data)
    names = ("reasoning", "reasoning_signature", "api", "model")
    text, signature, api, model = (found if isinstance(found := more.get(name), str) else "" for name in names)
    return Thought(text, signature, api, model) if signature or signed else None


def _special(data: Record, scene: Scene) -> tuple[PromptMessage | None, str]:
    """Put a phrase in the place of a special message: nothing of its payload but its title ever reaches a model."""
    card = read_card(data)
    if card is None or not scene.tells_cards:
        return None, "special message"
    return PromptMessage("system", card.phrase), ""


def _images(data: Record, scene: Scene) -> tuple[Path, ...]:
    """Return the pictures of a message that are in the data folder; of a gallery only the one it shows."""
    if scene.root is None:
        return ()
    urls = [item.url for item in facts.media(data) if item.type == "image"]
    more = facts.extra(data)
    if more.get("media_display") == "gallery" and urls:
        shown = facts.index_of(more.get("media_index")) or 0
        urls = [urls[min(max(shown, 0), len(urls) - 1)]]
    found = (resolve_picture(scene.root, url) for url in urls)
    return tuple(path for path in found if path is not None)


def _role(kind: str) -> PromptRole:
    if kind == "user":
        return "user"
    return "system" if kind == "narrator" else "assistant"


def _said(message: PromptMessage, data: Record, scene: Scene) -> PromptMessage:
    """Return the message as it tells who speaks: in its text, in a field of its own, or not at all (prompt §3.3)."""
    name = facts.name(data)
    if scene.text_form is not None:  # templates have their own way
        return message
    behavior = scene.preset.names if scene.preset is not None else NAMES_WHERE_NEEDED
    if not name or behavior == NAMES_NEVER:
        return message
    if behavior == NAMES_IN_FIELD:
        return replace(message, name=_NOT_IN_NAMES.sub("_", name)[:LONGEST_NAME])
    if facts.kind(data) == "narrator":
        return message
    if behavior == NAMES_WHERE_NEEDED:
        is_other = name != scene.user
        forced = bool(data.get("force_avatar")) and name != scene.character.name
        if not is_other or not (scene.is_group or forced):
            return message
    return replace(message, text=f"{name}: {message.text}")
