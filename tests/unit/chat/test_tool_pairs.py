"""Tool calls and their results: what the contract's vectors leave open."""

from __future__ import annotations

from typing import Any

import pytest

from tavern_desktop.chat.tool_pairs import ToolPairingError, arguments, tool_pairs

Record = dict[str, Any]


def call(*identities: object, **fields: Any) -> Record:
    return {"mes": "", "tool_calls": [{"id": identity} for identity in identities], **fields}


def result(identity: object) -> Record:
    return {"role": "tool", "tool_call_id": identity, "mes": "r", "is_system": True}


def problem(*messages: Record) -> tuple[str, int]:
    with pytest.raises(ToolPairingError) as caught:
        tool_pairs(messages)
    return caught.value.detail, caught.value.index


@pytest.mark.parametrize("identity", [None, 7, "", {}])
def test_ids_are_words(identity: object) -> None:
    assert problem(call("a"), result(identity)) == ("bad_id", 1)
    assert problem({"mes": "hi"}, call(identity)) == ("bad_id", 1)
    assert problem(call("a"), {"mes": "", "tool_calls": [identity]}) == ("bad_id", 1)


def test_one_message_issues_an_id_once() -> None:
    assert problem(call("a", "a")) == ("duplicate", 0)


def test_other_problems_come_before_a_missing_result() -> None:
    assert problem(call("a"), call("b"), result("c")) == ("orphan", 2)
    assert problem(call("a"), call("b"), result("b")) == ("missing", 0)


def test_an_id_issued_again_leaves_the_earlier_call_without_its_result() -> None:
    assert problem(call("a"), call("a"), result("a")) == ("missing", 0)


def test_only_assistants_issue_calls() -> None:
    assert tool_pairs([call("a", is_user=True), {"mes": "", "tool_calls": "none"}]) == []
    assert problem(call("a", is_user=True), result("a")) == ("orphan", 1)


def test_a_hidden_caller_is_asked_for_nothing() -> None:
    hidden = call("a", is_system=True)
    hidden["tool_calls"][0]["function"] = {"arguments": 7}
    assert tool_pairs([hidden]) == []


@pytest.mark.parametrize(
    ("function", "found"),
    [
        ({"name": "f"}, {}),
        ({"arguments": ""}, {}),
        ({"arguments": {"a": 1}}, {"a": 1}),
        ({"arguments": '{"a": "\ud83d"}'}, {"a": "\ud83d"}),
        (None, {}),
    ],
)
def test_arguments_are_an_object_or_its_text(function: Any, found: Record) -> None:
    assert arguments({"function": function}) == found


@pytest.mark.parametrize("given", ["{", "[]", "1", 1, None, [], True])
def test_anything_else_is_no_argument(given: Any) -> None:
    with pytest.raises(ValueError, match=r"."):
        arguments({"function": {"arguments": given}})
