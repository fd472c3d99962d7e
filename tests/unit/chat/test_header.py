"""Headers: read tolerantly, changed only where asked, every other byte of their meaning kept."""

from __future__ import annotations

import uuid

import pytest

from tavern_desktop.chat.header import NOT_SAVED, Header

FULL = b'{"user_name": "Ana", "chat_metadata": {"integrity": "abc", "zz": [1, {"a": null}]}, "n": 1.10}'


@pytest.mark.parametrize("raw", [b"{}", b'{"chat_metadata":null}', b'{"user_name":"Ana"}'])
def test_metadata_that_is_missing_is_empty(raw: bytes) -> None:
    assert Header(raw).metadata() == {}
    assert Header(raw).integrity() is None


def test_metadata_and_integrity_are_read() -> None:
    assert Header(FULL).metadata() == {"integrity": "abc", "zz": [1, {"a": None}]}
    assert Header(FULL).integrity() == "abc"


def test_an_integrity_that_is_there_stays_and_so_do_the_bytes() -> None:
    header = Header(FULL)
    assert header.with_integrity() is header


def test_a_missing_integrity_is_made_and_nothing_else_changes() -> None:
    header = Header(b'{"user_name":"Ana","chat_metadata":{"zz":1},"x":[2]}').with_integrity()
    made = header.integrity()
    assert made is not None
    assert str(uuid.UUID(made)) == made
    assert header.data() == {"user_name": "Ana", "chat_metadata": {"zz": 1, "integrity": made}, "x": [2]}


def test_every_made_integrity_is_another() -> None:
    assert Header(b"{}").with_integrity() != Header(b"{}").with_integrity()


def test_the_same_metadata_are_no_change() -> None:
    header = Header(FULL)
    assert header.with_metadata({"zz": [1, {"a": None}], "integrity": "abc"}) is header
    assert header.with_metadata({"zz": [True, {"a": None}], "integrity": "abc"}) is not header


def test_what_is_not_saved_is_left_out_of_what_is_written_only() -> None:
    header = Header(b'{"chat_metadata":{"' + NOT_SAVED.encode() + b'":7,"integrity":"a"},"x":1}')
    assert header.to_write() == b'{"chat_metadata":{"integrity":"a"},"x":1}'
    assert header.metadata()[NOT_SAVED] == 7
    assert Header(FULL).to_write() is FULL


def test_a_new_header_is_a_chat_of_its_own() -> None:
    header = Header.new({"note_prompt": "x"})
    assert header.metadata()["note_prompt"] == "x"
    assert "chat_metadata" in header.data()
