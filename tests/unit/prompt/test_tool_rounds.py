"""Calls of tools and their results in a prompt: together and in order, or a sentence that names the message."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tavern_desktop.chat.message import Message
from tavern_desktop.prompt.build import build_prompt
from tavern_desktop.prompt.injections import Injection
from tavern_desktop.prompt.messages import PromptError, PromptMessage
from tavern_desktop.prompt.scene import Character, Scene
from tavern_desktop.prompt.tokens import Estimate


def said(text: str, *, user: bool = False, hidden: bool = False, calls: Any = None) -> dict[str, Any]:
    data: dict[str, Any] = {"name": "A", "is_user": user, "is_system": hidden, "mes": text, "extra": {}}
    return data if calls is None else data | {"tool_calls": calls}


def call(identity: str, arguments: Any = '{"n": 1}') -> dict[str, Any]:
    return {"id": identity, "type": "function", "function": {"name": "dice", "arguments": arguments}}


def result(identity: Any, text: str = "4") -> dict[str, Any]:
    return said(text, hidden=True) | {"role": "tool", "tool_call_id": identity}


def history(*records: dict[str, Any], **more: Any) -> list[PromptMessage]:
    """What of a chat is sent, without what stands around it."""
    messages = Message.read([json.dumps(record).encode() for record in records])
    scene = Scene(Character("Mira"), "Ana", messages, len(messages), **({"tools": "all"} | more))
    prompt = build_prompt(scene, Estimate())
    return [part.message for part in prompt.parts if part.source in ("history", "note")]


def shape(messages: list[PromptMessage]) -> list[str]:
    return [f"{each.role}:{each.text}" + "".join(f"+{made.id}" for made in each.tool_calls) for each in messages]


ROUND = (said("roll", user=True), said("Let me.", calls=[call("a")]), result("a"), said("A four."))


def test_results_follow_their_calls_wherever_they_stand() -> None:
    assert shape(history(*ROUND)) == ["user:roll", "assistant:Let me.+a", "tool:4", "assistant:A four."]
    far = (
        said("", calls=[call("a"), call("b")]),
        said("meanwhile"),
        result("b", "B"),
        result("a", "A"),
        said("u", user=True),
    )
    assert shape(history(*far)) == ["assistant:+a+b", "tool:A", "tool:B", "assistant:meanwhile", "user:u"]


def test_the_same_id_may_come_again_later() -> None:
    twice = (said("", calls=[call("a")]), result("a", "1"), said("", calls=[call("a")]), result("a", "2"))
    assert shape(history(*twice)) == ["assistant:+a", "tool:1", "assistant:+a", "tool:2"]


def test_old_ones_are_left_out_before_anything_is_counted() -> None:
    later = (said("again", user=True), said("", calls=[call("b")]), result("b", "6"))
    sent = ["user:roll", "assistant:Let me.", "assistant:A four.", "user:again", "assistant:+b", "tool:6"]
    assert shape(history(*ROUND, *later, tools="newest")) == sent
    # What is old need not fit together either.
    assert shape(history(said("", calls=[call("x")]), *ROUND, *later, tools="newest")) == sent


def test_without_tools_only_texts_are_sent() -> None:
    assert shape(history(*ROUND, tools="none")) == ["user:roll", "assistant:Let me.", "assistant:A four."]


def test_a_hidden_call_takes_its_results_along() -> None:
    hidden = (said("x", user=True), said("", hidden=True, calls=[call("a", "{broken")]), result("a"), said("y"))
    assert shape(history(*hidden)) == ["user:x", "assistant:y"]


def test_rows_of_sillytavern_are_sent_as_calls_and_results() -> None:
    entries = [
        {"id": "a", "name": "dice", "parameters": '{"n": 2}', "result": "5"},
        {"name": "x", "parameters": "{"},
        7,
    ]
    row = said("", hidden=True) | {"extra": {"tool_invocations": entries}}
    sent = history(said("u", user=True), row, said("five"))
    assert shape(sent) == ["user:u", "assistant:+a+call_1_1", "tool:5", "tool:", "assistant:five"]
    assert [made.arguments for made in sent[1].tool_calls] == ['{"n": 2}', "{}"]


def test_what_stands_at_a_depth_never_parts_a_call_from_its_result() -> None:
    note = Injection(1, "system", "note", "note", "")
    sent = history(said("u", user=True), said("", calls=[call("a")]), result("a"), injections=[note])
    assert shape(sent) == ["user:u", "system:note", "assistant:+a", "tool:4"]


@pytest.mark.parametrize(
    ("records", "index", "detail"),
    [
        ((said("", calls=[call("a")]), said("x")), 0, "missing"),
        ((said("u", user=True), result("a")), 1, "orphan"),
        ((said("", calls=[call("a")]), result("a"), result("a")), 2, "duplicate"),
        ((said("", calls=[call("")]), said("x")), 0, "bad_id"),
        ((said("", calls=[call("a")]), result(7)), 1, "bad_id"),
        ((said("", calls=[call("a", "{broken")]), result("a")), 0, "bad_arguments"),
    ],
)
def test_what_does_not_fit_together_names_the_message(records: Any, index: int, detail: str) -> None:
    with pytest.raises(PromptError) as caught:
        history(*records)
    assert (caught.value.kind, caught.value.facts) == ("tool_pairing", {"detail": detail, "index": index})
    assert f"Message #{index} " in caught.value.sentence


def test_a_round_that_does_not_fit_is_left_out_as_a_whole() -> None:
    long = (said("", calls=[call("a")]), result("a", "word " * 3_000), said("u", user=True))
    assert shape(history(*long, context=2_000)) == ["user:u"]
