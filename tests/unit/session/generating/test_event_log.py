"""The events of a generation: replay, trimming, rebuilding."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tavern_desktop.session.generating.event_log import EventLog, Replay
from tavern_desktop.session.generating.events import Event, EventType, Openness, Partial, needs_rebuild

REPLY: list[tuple[EventType, str, dict[str, object] | None]] = [
    ("message_start", "", None),
    ("thinking_chunk", "hm", None),
    ("thinking_end", "", None),
    ("text_chunk", "Good ", None),
    ("text_chunk", "morning", None),
    ("text_end", "", None),
    ("message_end", "", None),
    ("done", "", {"message_key": 7, "epoch": 1}),
]


def log_of(count: int, most_events: int = 10_000) -> EventLog:
    log = EventLog("t1", most_events)
    for item in REPLY[:count]:
        log.append([item])
    return log


def shown(partial: Partial | None, events: Sequence[Event]) -> tuple[str, str]:
    whole = Partial() if partial is None else partial.copy()
    whole.add(events)
    return whole.text, whole.reasoning


def test_a_log_numbers_its_events_and_tells_those_who_follow() -> None:
    log = EventLog("t1")
    seen: list[Event] = []
    log.added.connect(seen.extend)
    log.append(REPLY)
    assert [event.idx for event in seen] == list(range(len(REPLY)))
    assert log.is_ended
    assert log.so_far().text == "Good morning"


def test_nothing_comes_after_the_last_event() -> None:
    log = log_of(len(REPLY))
    log.append([("text_chunk", "late", None)])
    assert log.event_count == len(REPLY)


@pytest.mark.parametrize("most", [1, 2, 3, 100])
@pytest.mark.parametrize("entered", range(len(REPLY) + 1))
def test_a_view_that_comes_back_at_any_event_shows_the_same_reply(entered: int, most: int) -> None:
    log = log_of(entered, most)
    partial = log.partial
    events = log.since(log.first_event) or []
    view = Replay("t1", log.event_count)
    log.added.connect(events.extend)
    log.append(REPLY[entered:])
    fresh, view, gap = view.apply(events)
    assert not gap
    assert view.next_idx == len(REPLY)
    assert [event.idx for event in fresh] == list(range(entered, len(REPLY)))
    assert shown(partial, events) == ("Good morning", "hm")


def test_events_that_were_trimmed_are_not_given_out_as_if_they_were_all() -> None:
    log = log_of(5, most_events=2)
    assert log.since(0) is None
    assert log.first_event == 3
    assert log.partial == Partial("", "hm", [], 3)


@given(st.lists(st.integers(0, 6), max_size=30))
def test_applying_twice_is_the_same_as_once(indices: list[int]) -> None:
    events = [Event("t1", idx, "status") for idx in indices]
    once, state, _ = Replay("t1").apply(events)
    again, same, _ = state.apply(once)
    assert again == []
    assert same == state
    assert [event.idx for event in once] == list(range(len(once)))


def test_parallel_calls_count_singly() -> None:
    start_a, start_b, end_a = (
        Event("t", 0, "tool_start", "", {"call_id": "a"}),
        Event("t", 1, "tool_start", "", {"call_id": "b"}),
        Event("t", 2, "tool_end", "", {"call_id": "a"}),
    )
    said = {"is_user": False, "mes": "text"}
    assert needs_rebuild(said, Openness([start_a, start_b, end_a]))
    assert not needs_rebuild(said, Openness([start_a, start_b, end_a, end_a._replace(data={"call_id": "b"})]))


def test_a_new_message_begins_with_nothing() -> None:
    partial = Partial()
    partial.add(
        [Event("t", 0, "text_chunk", "call"), Event("t", 1, "message_start"), Event("t", 2, "text_chunk", "answer")]
    )
    assert partial.text == "answer"
    assert partial.upto == 3
