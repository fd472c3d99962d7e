"""Records from bytes, however they are cut."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tavern_desktop.backends.framing import EventStream, Framing, JsonLines, RecordTooLong, WholeBody

CUTS = st.lists(st.integers(0, 400), max_size=30)
LINES = st.text(st.characters(blacklist_characters="\r\n", blacklist_categories=("Cs",)), max_size=20)


def read(framing: Framing, whole: bytes, cuts: list[int]) -> list[tuple[str, bytes]]:
    """Feed a body in pieces that end at `cuts`."""
    places = [0, *sorted(cut for cut in cuts if cut < len(whole)), len(whole)]
    found = []
    for start, end in itertools.pairwise(places):
        found += framing.feed(whole[start:end])
    return [tuple(event) for event in [*found, *framing.end()]]


@given(st.lists(st.lists(LINES, min_size=1, max_size=3), max_size=6), st.sampled_from(["\n", "\r\n", "\r"]), CUTS)
def test_events_come_out_as_they_were_put_in(events: list[list[str]], line_end: str, cuts: list[int]) -> None:
    whole = "".join("".join(f"data: {line}{line_end}" for line in event) + line_end for event in events)
    expected = [("", "\n".join(event).encode()) for event in events]
    assert read(EventStream(), whole.encode(), cuts) == expected


@given(st.lists(LINES.filter(str.strip), max_size=8), st.sampled_from(["\n", "\r\n"]), CUTS)
def test_lines_come_out_as_they_were_put_in(lines: list[str], line_end: str, cuts: list[int]) -> None:
    whole = line_end.join(lines).encode()
    assert read(JsonLines(), whole, cuts) == [("", line.encode()) for line in lines]


@given(st.binary(max_size=300), CUTS)
def test_any_bytes_are_read_alike_whole_and_in_pieces(whole: bytes, cuts: list[int]) -> None:
    for kind in (EventStream, JsonLines, WholeBody):
        assert read(kind(), whole, cuts) == read(kind(), whole, [])


@pytest.mark.parametrize(
    ("whole", "events"),
    [
        (b": ping\n\ndata: a\n\n: ping\n\n", [("", b"a")]),
        (b"event: ping\ndata: {}\n\n", [("ping", b"{}")]),
        (b"event: nothing\n\ndata: a\n\n", [("", b"a")]),
        (b"\xef\xbb\xbfdata: a\n\n", [("", b"a")]),
        (b"data:a\ndata\nid: 3\nretry: 1\nfoo: bar\ndata:  b\n\n", [("", b"a\n\n b")]),
        (b"data: no empty line", [("", b"no empty line")]),
        (b'error: {"message":"x"}\n\n', [("error", b'{"message":"x"}')]),
    ],
)
def test_what_else_stands_in_a_stream(whole: bytes, events: list[tuple[str, bytes]]) -> None:
    assert read(EventStream(), whole, list(range(len(whole)))) == events


def test_an_event_comes_at_once_though_a_line_feed_may_follow_its_carriage_return() -> None:
    stream = EventStream()
    assert stream.feed(b"data: a\r\r") == [("", b"a")]
    assert stream.feed(b"\ndata: b\r\n\r") == [("", b"b")]
    assert stream.end() == []


@pytest.mark.parametrize("kind", [EventStream, JsonLines, WholeBody])
def test_a_record_without_end_is_refused(kind: type[Framing]) -> None:
    framing = kind(limit=1000)
    for _ in range(90):
        framing.feed(b"data: word ")
    with pytest.raises(RecordTooLong):
        framing.feed(b"data: word ")


def test_an_event_of_endless_lines_is_refused() -> None:
    stream = EventStream(limit=1000)
    for _ in range(250):
        stream.feed(b"data: word\n")
    with pytest.raises(RecordTooLong):
        stream.feed(b"data: word\n")
