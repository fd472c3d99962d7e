"""The records of a reply in OpenAI's protocol, chat and text, streamed or whole, as events."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tavern_desktop.backends.events import Event, Progress, Reasoning, Started, Text, ToolCallPart, Usage, finished
from tavern_desktop.backends.exchange import DONE
from tavern_desktop.backends.parsing import number, table, tables, text


class OpenAiReply:
    """Reads one reply."""

    def __init__(self) -> None:
        self._has_started = False
        self._ends: dict[int, str] = {}
        self._is_done = False
        self._usage: dict[str, Any] = {}
        self._timings: dict[str, Any] = {}
        self._signatures: set[str] = set()

    def take(self, record: dict[str, Any]) -> Iterator[Event]:
        """Yield the events of a record."""
        if record is DONE:
            self._is_done = True
            return
        if not self._has_started:
            self._has_started = True
            yield Started(text(record.get("model")))
        self._usage = table(record.get("usage")) or table(record.get("x_groq")).get("usage") or self._usage
        self._timings = table(record.get("timings")) or self._timings
        progress = table(record.get("prompt_progress"))
        if progress:
            yield Progress(number(progress.get("processed")) or 0, number(progress.get("total")) or 0)
        for choice in tables(record.get("choices")):
            yield from self._choice(choice)

    def end(self) -> Iterator[Event]:
        """Yield what is known only at the end; no `Finished` where the server never came to one."""
        if self._usage or self._timings:
            yield usage_of(self._usage, self._timings)
        if self._is_done and not self._ends:
            self._ends[0] = ""
        for choice, raw in sorted(self._ends.items()):
            yield finished(raw, choice)

    def _choice(self, choice: dict[str, Any]) -> Iterator[Event]:
        index = number(choice.get("index")) or 0
        delta = table(choice.get("delta")) or table(choice.get("message")) or choice
        yield from self._reasoning(delta, index)
        content = delta.get("content")
        if isinstance(content, list):
            yield from _parts(content, index)
        else:
            said = text(content) or text(delta.get("text")) or text(delta.get("refusal"))
            if said:
                yield Text(said, index)
        for place, call in enumerate(tables(delta.get("tool_calls"))):
            yield _call(call, place, index)
        raw = text(choice.get("finish_reason"))
        if raw and raw != "null":  # KoboldCpp writes the word
            self._ends[index] = raw

    def _reasoning(self, delta: dict[str, Any], index: int) -> Iterator[Event]:
        # Some send the same piece under both names.
        thought = text(delta.get("reasoning_content")) or text(delta.get("reasoning"))
        if thought:
            yield Reasoning(thought, index)
        for detail in tables(delta.get("reasoning_details")):
            signature = text(detail.get("data")) if detail.get("type") == "reasoning.encrypted" else ""
            if signature and signature not in self._signatures:
                self._signatures.add(signature)
                yield Reasoning("", index, signature)


def usage_of(usage: dict[str, Any], timings: dict[str, Any]) -> Usage:
    """Return the counts; llama.cpp's `timings` tell the speed."""
    of_prompt, of_reply = table(usage.get("prompt_tokens_details")), table(usage.get("completion_tokens_details"))
    cached = (of_prompt.get("cached_tokens"), usage.get("prompt_cache_hit_tokens"), timings.get("cache_n"))
    speed = timings.get("predicted_per_second")
    return Usage(
        prompt=number(usage.get("prompt_tokens")),
        reply=number(usage.get("completion_tokens", timings.get("predicted_n"))),
        cached=next((count for value in cached if (count := number(value)) is not None), None),
        reasoning=number(of_reply.get("reasoning_tokens")),
        tokens_per_second=float(speed) if isinstance(speed, int | float) else None,
    )


def _parts(content: list[Any], index: int) -> Iterator[Event]:
    """Mistral gives the content in parts, with what it thinks among them."""
    for part in tables(content):
        if part.get("type") == "thinking":
            for thought in tables(part.get("thinking")):
                if said := text(thought.get("text")):
                    yield Reasoning(said, index)
        elif said := text(part.get("text")):
            yield Text(said, index)


def _call(call: dict[str, Any], place: int, index: int) -> ToolCallPart:
    function = table(call.get("function"))
    told = number(call.get("index"))
    of_google = table(table(call.get("extra_content")).get("google"))
    return ToolCallPart(
        number=place if told is None else told,
        id=text(call.get("id")),
        name=text(function.get("name")),
        arguments=text(function.get("arguments")),
        choice=index,
        signature=text(of_google.get("thought_signature")),
    )
