"""Searching a chat file: what is a hit and where it stands, numbers, words apart, damage, and no false negatives."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tavern_desktop.storage import search
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.fragments import Fragment
from tavern_desktop.storage.search import Hit, Query, search_file, snippet_of

HEADER: dict[str, Any] = {"chat_metadata": {"note_prompt": "Keep it stormy."}, "character_name": "Aria"}
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(*records: dict[str, Any] | bytes, name: str = "The harbour", header: Any = HEADER) -> Path:
        path = tmp_path / f"{name}.jsonl"
        lines = [header, *records] if header is not None else list(records)
        path.write_bytes(b"\n".join(line if isinstance(line, bytes) else _line(line) for line in lines))
        return path

    return write


def _line(record: dict[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False).encode()


def message(text: str, **more: Any) -> dict[str, Any]:
    return {"name": "Aria", "is_user": False, "mes": text} | more


def found(path: Path, query: str, **options: Any) -> list[tuple[int | None, str, int]]:
    return [(hit.index, hit.field, hit.swipe) for hit in search_file(path, Query(query, **options))]


def test_every_place_of_a_message_is_told(write: Write) -> None:
    path = write(
        message("nothing"),
        message("a fox", swipes=["a fox", "no", "The FOX!"], swipe_id=0, swipe_info=[{}, {}, {}]),
        message("no", extra={"reasoning": "think of the fox", "display_text": "ein fox"}),
        message("x", swipes=["y", "x"], swipe_id=1, swipe_info=[{"extra": {"reasoning": "fox"}}, {}]),
        message("one fox", is_system=True),
        header=HEADER | {"chat_metadata": {"note_prompt": "a fox"}},
    )
    assert found(path, "fox") == [
        (None, "note", 0),
        (1, "text", 1),
        (1, "swipe", 3),
        (2, "reasoning", 1),
        (2, "translation", 1),
        (3, "reasoning", 1),
        (4, "text", 1),
    ]
    hits = list(search_file(path, Query("fox")))
    assert [hit.hidden for hit in hits] == [False] * 6 + [True]
    assert (hits[2].swipes, hits[2].found, hits[2].name) == (3, "FOX", "Aria")


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("STRASSE", "in der Straße"),
        ("straße", "IN DER STRASSE"),
        ("café", "at the cafe\u0301"),
        ("cafe\u0301", "at the CAFÉ"),
        ("東京", "今夜の東京タワーは"),
        ("ox", "the ox went"),
        ("🦊", "a 🦊 again"),
        ("👩‍🚀", "an astronaut 👩‍🚀 waves"),
    ],
)
@pytest.mark.parametrize("ascii_only", [False, True])
def test_words_of_every_script_are_found_wherever_they_stand(
    write: Write, query: str, text: str, ascii_only: bool
) -> None:
    """The places and terms of known failure B-64."""
    records = (
        message("nothing", swipes=["nothing", text, "no"], swipe_id=0),
        message(text, is_system=True),
        message("nothing", extra={"reasoning": text}),
    )
    path = write(*(json.dumps(record, ensure_ascii=ascii_only).encode() for record in records))
    hits = [(hit.index, hit.field, hit.swipe, hit.swipes, hit.hidden) for hit in search_file(path, Query(query))]
    assert hits == [(0, "swipe", 2, 3, False), (1, "text", 1, 1, True), (2, "reasoning", 1, 1, False)]
    assert found(path, f'"{query}"') == [(0, "swipe", 2), (1, "text", 1), (2, "reasoning", 1)]


def test_names_and_keys_flood_nothing(write: Write) -> None:
    path = write(message("Hello."), message("Aria came.", extra={"model": "small-7b"}))
    assert found(path, "aria") == [(1, "text", 1)]
    assert found(write(message("one"), message("two"), name="x"), "aria") == [(None, "character_name", 0)]
    assert found(write(message("one"), message("two"), name="x", header={}), "ARIA") == [(0, "name", 0)]
    later = write(message("one"), message("two"), message('"name":"Aria"'), name="x", header={})
    assert found(later, "aria") == [(2, "text", 1)]
    assert found(path, "small-7b") == [(1, "extra.model", 0)]
    assert found(path, "stormy") == [(None, "note", 0)]
    assert found(path, "is_user") == []
    assert found(path, "is_user", raw=True) == [(0, "record", 0), (1, "record", 0)]


def test_words_may_stand_apart(write: Write) -> None:
    path = write(message("one"), message("two"), message("both: two one"), message("one"))
    assert found(path, "one two") == [(2, "text", 1)]
    apart = write(message("one"), message("two"), message("one"), name="apart")
    assert found(apart, "two one") == [(0, "text", 1), (1, "text", 1)]
    assert found(apart, "two three") == []


def test_the_title_counts(write: Write) -> None:
    path = write(message("the sea"), message("no"))
    assert found(path, "HARB") == [(None, "title", 0)]
    assert found(path, "harbour sea") == [(0, "text", 1)]
    assert found(path, "the harbour") == [(None, "title", 0)]
    assert found(path, "the") == [(None, "title", 0), (0, "text", 1)]


def test_words_in_quotes_stand_together(write: Write) -> None:
    path = write(message("red door"), message("door red"), message('he said "red'), message("red\ndoor"))
    assert found(path, '"red door"') == [(0, "text", 1), (3, "text", 1)]
    assert found(path, '"red') == [(2, "text", 1)]
    assert found(path, "") == found(path, '""  "') == []


def test_numbers_skip_blank_lines_and_what_is_before_the_header(write: Write) -> None:
    path = write(b"\xef\xbb\xbf", b"", _line(HEADER), b" \r", message("no"), b"", message("a fox"), header=None)
    assert found(path, "fox") == [(1, "text", 1)]


def test_an_old_group_chat_has_no_header(write: Write) -> None:
    path = write(message("a fox"), message("a fox"), header=None)
    kinds = [hit.index for hit in search_file(path, Query("fox"), kind="group")]
    assert kinds == [0, 1]


def test_what_is_damaged_is_searched_as_it_stands(write: Write) -> None:
    path = write(message("a fox"), b'{"mes":"a fox \xff', message("a fox"))
    assert found(path, "fox") == [(0, "text", 1), (1, "record", 0), (2, "text", 1)]


def test_a_broken_first_line_is_reported_after_the_hits(write: Write) -> None:
    path = write(message("a fox"), header=None)
    path.write_bytes(b"broken\n" + path.read_bytes())
    stream = search_file(path, Query("fox"))
    assert next(stream).index == 0
    with pytest.raises(StorageError) as caught:
        next(stream)
    assert (caught.value.kind, caught.value.chat_ref) == ("bad_header", str(path))


def test_a_missing_file_and_a_stop_are_errors(write: Write, tmp_path: Path) -> None:
    with pytest.raises(StorageError) as caught:
        list(search_file(tmp_path / "gone.jsonl", Query("fox")))
    assert caught.value.kind == "not_found"
    with pytest.raises(StorageError) as caught:
        list(search_file(write(message("a fox")), Query("fox"), cancelled=lambda: True))
    assert caught.value.kind == "cancelled"


def test_progress_is_told_in_bytes(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "BLOCK_SIZE", 64)
    path = write(*[message(f"message {number}") for number in range(20)])
    told: list[int] = []
    list(search_file(path, Query("fox"), advanced=told.append))
    assert told == sorted(told)
    assert told[-1] == os.path.getsize(path)


def test_a_snippet_is_one_line_around_the_first_hit() -> None:
    text = "word " * 30 + "FOX\nand\tmore " + "end " * 100
    snippet, marks = snippet_of(text, [Fragment("fox")])
    assert snippet.startswith("…word ")
    assert snippet.endswith("…")
    assert "FOX and more" in snippet
    assert [snippet[slice(*mark)] for mark in marks] == ["FOX"]
    assert len(snippet) <= search.SNIPPET + 2
    assert snippet_of("x" * 500 + "fox", [Fragment("fox")])[0] == "…" + "x" * search.BEFORE + "fox"


TEXTS = st.text('abS ßéE中İ"\\/\n😀', max_size=30)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.lists(st.tuples(TEXTS, st.booleans()), max_size=8),
    st.text("abSßéE中", min_size=1, max_size=2),
    st.sampled_from([16, 64, 512 * 1024]),
)
def test_nothing_that_reading_all_of_it_finds_is_missed(
    tmp_path: Path, texts: list[tuple[str, bool]], word: str, block_size: int
) -> None:
    path = tmp_path / "any.jsonl"
    lines = [json.dumps(message(text), ensure_ascii=ascii_only) for text, ascii_only in texts]
    path.write_text("\n".join([json.dumps(HEADER), *lines]), "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "BLOCK_SIZE", block_size)
        hits = [hit.index for hit in search_file(path, Query(word)) if hit.field == "text"]
        raw = [hit.index for hit in search_file(path, Query(word, raw=True)) if hit.index is not None]
    naive = [index for index, (text, _) in enumerate(texts) if word.lower() in text.lower()]
    assert set(naive) <= set(hits)
    assert set(hits) <= {index for index, (text, _) in enumerate(texts) if Fragment(word).find(text)}
    assert {index for index, line in enumerate(lines) if word.lower() in line.lower()} <= set(raw)


def test_hits_are_values(write: Write) -> None:
    (hit,) = search_file(write(message("a fox")), Query("fox"))
    assert hit == Hit(hit.file, 0, "text", 1, 1, False, "Aria", "a fox", ((2, 5),), "fox")
