"""Reading and searching inside one chat, as scripts ask for it."""

from __future__ import annotations

from typing import Any

import pytest

from tavern_desktop.chat.message import Message
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.inside_chat import MessageText, find_last, read, search_messages, words


def chat(*records: dict[str, Any]) -> list[Message]:
    return [Message.new({"name": "Ada", "send_date": "2026", **record}) for record in records]


TALK = chat(
    {"mes": "The lighthouse keeper waits.", "extra": {"model": "m"}},
    {"mes": "I walk to the lighthouse.", "is_user": True},
    {"mes": "The keeper waits for the boat.", "is_system": True},
    {"mes": "42", "role": "tool", "is_system": True, "send_date": 17},
)


def test_messages_are_read_in_the_order_asked_for() -> None:
    assert read(TALK, [3, 1]) == [
        MessageText(3, "tool", "Ada", "17", "42"),
        MessageText(1, "user", "Ada", "2026", "I walk to the lighthouse."),
    ]
    assert [found.role for found in read(TALK, range(4))] == ["assistant", "user", "system", "tool"]


@pytest.mark.parametrize("index", [-1, 4, True, "1"])
def test_an_index_that_is_none_is_refused(index: Any) -> None:
    with pytest.raises(StorageError, match="validation/argument"):
        read(TALK, [0, index])


def test_the_newest_that_fits_is_found() -> None:
    def index(**what: Any) -> int | None:
        found = find_last(TALK, **what)
        return None if found is None else found.index

    assert index() == 3
    assert index(role="assistant") == 0
    assert index(has_keys=["is_system"], role="system") == 2
    assert index(has_extra_keys=["model"]) == 0
    assert index(has_extra_keys=["model"], scan_limit=3) is None
    assert index(has_keys=["nothing"]) is None
    with pytest.raises(StorageError, match="validation/limit"):
        find_last(TALK, scan_limit=0)


def test_who_holds_most_of_the_words_comes_first_and_of_equals_the_later() -> None:
    found = search_messages(TALK, "keeper, lighthouse!", 9)
    assert [match.index for match in found] == [0, 1, 2]
    assert [match.score for match in found] == [1.0, 8 / 14, 6 / 14]
    assert [match.index for match in search_messages(TALK, "WAITS", 9)] == [2, 0]
    assert found[1].snippet == "I walk to the lighthouse."


def test_a_search_is_kept_to_a_role_a_range_and_a_number() -> None:
    assert [match.index for match in search_messages(TALK, "lighthouse", 9, role="user")] == [1]
    assert [match.index for match in search_messages(TALK, "the", 9, start=1, end=2)] == [1]
    assert [match.index for match in search_messages(TALK, "the", 9, scan_limit=2)] == [2]
    assert [match.index for match in search_messages(TALK, "the", 2)] == [2, 1]


@pytest.mark.parametrize(
    ("arguments", "detail"),
    [
        ({"query": " . ", "limit": 1}, "argument"),
        ({"query": "a", "limit": 0}, "limit"),
        ({"query": "a", "limit": 1, "scan_limit": 0}, "limit"),
    ],
)
def test_nothing_to_look_for_and_nowhere_to_look_are_refused(arguments: dict[str, Any], detail: str) -> None:
    with pytest.raises(StorageError) as caught:
        search_messages(TALK, **arguments)
    assert (caught.value.kind, caught.value.detail) == ("validation", detail)


def test_words_of_every_script() -> None:
    assert words("Hello, (old) world! hello") == ["Hello", "old", "world", "hello"]
    assert words("東京 東京駅で 日") == ["東京", "京駅", "駅で", "日"]
    assert words("cafe\u0301 don't 😀") == ["café", "don't", "😀"]
    assert words("vim東京") == ["vim", "東京"]


def test_forms_and_cases_are_folded() -> None:
    messages = chat({"mes": "STRASSE"}, {"mes": "cafe\u0301"}, {"mes": "夜の東京タワー"})
    assert [match.index for match in search_messages(messages, "Straße", 1)] == [0]
    assert [match.index for match in search_messages(messages, "café", 1)] == [1]
    assert [match.index for match in search_messages(messages, "東京タワー", 1)] == [2]


def test_a_snippet_begins_shortly_before_what_was_found() -> None:
    (found,) = search_messages(chat({"mes": "far " * 100 + "needle" + " away" * 100}), "needle", 1)
    assert found.snippet.startswith("…")
    assert found.snippet.index("needle") <= 41
    assert len(found.snippet) <= 202
