"""The pieces of a commit, and that no byte of an untouched record changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tavern_desktop.chat.header import Header
from tavern_desktop.chat.message import Message
from tavern_desktop.storage import format as chat_format
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.format import FRAME, chat_of_entries, commit_pieces, read_lead
from tavern_desktop.storage.reader import load
from tests.unit.strategies import OBJECTS, chat_files, json_texts

HEADER = Header(b'{"chat_metadata":{}}')


@given(chat_files())
def test_a_chat_read_and_written_keeps_every_record_byte_for_byte(
    tmp_path_factory: pytest.TempPathFactory, chat: tuple[bytes, bytes, list[bytes]]
) -> None:
    data, header, records = chat
    path = tmp_path_factory.mktemp("chat") / "a.jsonl"
    path.write_bytes(data)
    loaded = load(path)
    assert loaded.header is not None
    assert b"".join(commit_pieces(loaded.header, loaded.messages)) == b"\n".join([header, *records])


@given(json_texts(), OBJECTS)
def test_editing_back_brings_the_original_bytes_back(raw: bytes, other: dict[str, object]) -> None:
    (message,) = Message.read([raw])
    edited = message.with_data(other)
    assert edited.key == message.key
    assert edited.with_data(message.data()).raw == raw


@given(st.lists(json_texts(), max_size=8), st.integers(1, 60))
def test_pieces_are_bounded_and_join_to_the_same_bytes(records: list[bytes], frame: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chat_format, "FRAME", frame)
        pieces = list(commit_pieces(HEADER, Message.read(records)))
    assert b"".join(pieces) == b"\n".join([HEADER.raw, *records])
    largest = max(map(len, [HEADER.raw, *records]))
    assert all(len(piece) <= max(frame, largest + 1) for piece in pieces)


def test_a_large_chat_is_never_joined_whole() -> None:
    record = b'{"mes":"' + b"x" * 5000 + b'"}'
    sizes = [len(piece) for piece in commit_pieces(HEADER, Message.read([record] * 2000))]
    assert max(sizes) <= FRAME
    assert sum(sizes) == len(HEADER.raw) + 2000 * (len(record) + 1)


def test_what_is_not_saved_is_left_out_of_the_copy_only() -> None:
    header = Header(b'{"chat_metadata":{"lastInContextMessageId":7,"k":1}}')
    assert list(commit_pieces(header, [])) == [b'{"chat_metadata":{"k":1}}']
    assert b"lastInContextMessageId" in header.raw


def test_a_header_that_could_not_be_read_back_is_refused_before_anything_is_written() -> None:
    with pytest.raises(StorageError) as caught:
        commit_pieces(Header(b'{"chat_metadata":{"integrity":""}}'), [])
    assert (caught.value.kind, caught.value.detail) == ("bad_header", "integrity_empty")


def test_entries_that_are_no_objects_are_named() -> None:
    header, messages = chat_of_entries([{"a": 1}, {"mes": "x"}])
    assert header.data() == {"a": 1}
    assert [message.data() for message in messages] == [{"mes": "x"}]
    with pytest.raises(StorageError) as caught:
        chat_of_entries([{}, {}, "x"])
    assert caught.value.index == 2


def test_the_lead_says_where_messages_begin() -> None:
    data = b'\xef\xbb\xbf\n {"chat_metadata":{}} \r\n{"mes":1}'
    for size in (1, 2, 3, 1000):
        lead = read_lead(data[at : at + size] for at in range(0, len(data), size))
        assert lead.header == Header(b'{"chat_metadata":{}}')
        assert data[lead.body :] == b'{"mes":1}'
    assert read_lead([b'{"mes":1}'], "group").body == 0
    assert read_lead([b""]).first is None
    assert read_lead([b" \n\n"]).body == 3
