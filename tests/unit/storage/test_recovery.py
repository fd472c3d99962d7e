"""What is left of a damaged chat, and the list of what is wrong with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.recovery import check, recovery

HEAD = b'{"chat_metadata":{"integrity":"a"}}\n'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.jsonl"


def test_a_cut_last_line_leaves_all_whole_messages(path: Path) -> None:
    path.write_bytes(HEAD + b'{"mes":"a"}\n{"mes":"b"}\n{"mes":"cut he')
    view = recovery(path)
    assert view.header is not None
    assert (view.readable, view.damaged) == (2, 1)
    damaged = view.rows[-1]
    assert (damaged.line, damaged.raw) == (4, b'{"mes":"cut he')
    assert damaged.error is not None
    assert damaged.error.kind == "bad_record"


def test_messages_glued_on_one_line_come_apart_with_their_bytes(path: Path) -> None:
    path.write_bytes(HEAD + '{"mes":"ä", "n":1.10} {"mes":"b"}\n{"mes":"c"}'.encode())
    view = recovery(path)
    assert [row.raw for row in view.rows] == ['{"mes":"ä", "n":1.10}'.encode(), b'{"mes":"b"}', b'{"mes":"c"}']
    assert view.damaged == 0


def test_a_header_glued_to_the_first_message_is_still_the_header(path: Path) -> None:
    path.write_bytes(HEAD.strip() + b'{"mes":"a"}\n{"mes":"b"}')
    view = recovery(path)
    assert view.header is not None
    assert view.header.raw == HEAD.strip()
    assert [row.raw for row in view.rows] == [b'{"mes":"a"}', b'{"mes":"b"}']


def test_an_old_group_chat_has_no_header_glued_or_not(path: Path) -> None:
    path.write_bytes(b'{"mes":"a"}{"mes":"b"}')
    assert recovery(path, kind="group").header is None
    assert recovery(path, kind="group").readable == 2


@pytest.mark.parametrize("line", [b'{"a":NaN}', b'{"a":1e999}', b"[1]", b'{"a":1} 7', b'{"a":1},{"b":2}'])
def test_what_is_no_message_alone_is_none_when_glued(path: Path, line: bytes) -> None:
    path.write_bytes(HEAD + line)
    (row,) = recovery(path).rows
    assert row.raw == line
    assert row.error is not None


def test_a_damaged_header_stands_among_the_lines(path: Path) -> None:
    path.write_bytes(b'{"user_name":"Ana","chat_me\n{"mes":"a"}')
    view = recovery(path)
    assert view.header is None
    assert [(row.line, row.error is None) for row in view.rows] == [(1, False), (2, True)]


def test_nothing_but_nul(path: Path) -> None:
    path.write_bytes(bytes(64_560))
    view = recovery(path)
    assert (view.readable, view.damaged) == (0, 1)


def test_check_finds_every_problem_in_order(path: Path) -> None:
    path.write_bytes(HEAD + b'{"mes":"a"}\n\n[1]\n{"mes":"\xff"}\n{"mes":"b"}\n\xef\xbb\xbf{}\n{"a":1e999}')
    found = check(path)
    assert found.messages == 2
    assert [(error.kind, error.detail, error.record, error.line) for error in found.problems] == [
        ("bad_record", "not_object", 2, 4),
        ("bad_encoding", "utf8", 3, 5),
        ("bad_record", "bom", 5, 7),
        ("bad_record", "number_range", 6, 8),
    ]
    assert all(error.chat_ref == str(path) for error in found.problems)


def test_a_sound_chat_has_no_problems(path: Path) -> None:
    path.write_bytes(HEAD + b'{"mes":"a"}')
    assert (check(path).problems, check(path).messages) == ((), 1)
    path.write_bytes(b'{"mes":"a"}')
    assert check(path, kind="group").messages == 1
    assert check(path).warnings == ("headerless_suspect",)


def test_a_file_that_is_not_there_is_an_error(path: Path) -> None:
    for read in (recovery, check):
        with pytest.raises(StorageError) as caught:
            read(path)
        assert caught.value.kind == "not_found"


@pytest.mark.parametrize(
    ("content", "damages", "messages"),
    [
        (HEAD.decode().encode("utf-16") + b'\n{"mes":"a"}', ("utf16",), 0),
        (HEAD.decode().encode("utf-16-le") + b'{"mes":"a"}', ("utf16",), 0),
        (HEAD + b'{"mes":"a"}\n{"mes":"b"}' + bytes(9), ("nul_tail",), 1),
        (HEAD + b'{"mes":"a"}\n' + bytes(9), ("nul",), 1),
        (HEAD + b'{"mes":"a"}{"mes":"b"}', ("glued",), 0),
        (HEAD + b'{"mes":"a"', (None,), 0),
    ],
)
def test_what_happened_to_a_line_is_named(
    path: Path, content: bytes, damages: tuple[str | None, ...], messages: int
) -> None:
    path.write_bytes(content)
    found = check(path)
    assert found.damages == damages
    assert len(found.problems) == len(damages)
    assert found.messages == messages


def test_a_record_before_nul_bytes_can_be_read(path: Path) -> None:
    path.write_bytes(HEAD + b'{"mes":"a"}\n{"mes":"b"}' + bytes(9))
    assert [row.raw for row in recovery(path).rows] == [b'{"mes":"a"}', b'{"mes":"b"}']
