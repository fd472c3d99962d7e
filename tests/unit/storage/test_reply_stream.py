"""The partial reply on disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.reply_stream import ReplyStream, StreamHead, interrupted_replies

HEAD = StreamHead("/data/chats/Mira/a.jsonl", "send", "Mira", 3, 1_767_600_000_000)


def test_what_had_come_is_found_after_a_death(tmp_path: Path) -> None:
    stream = ReplyStream(tmp_path / "streams", "t1", HEAD)
    stream.append("", "hm")
    stream.append("Good ", "")
    stream.append("morning 🌞", "")
    stream.leave()
    (reply,) = interrupted_replies(tmp_path / "streams")
    assert (reply.head, reply.text, reply.reasoning) == (HEAD, "Good morning 🌞", "hm")


def test_a_torn_last_piece_costs_only_itself(tmp_path: Path) -> None:
    stream = ReplyStream(tmp_path, "t1", HEAD)
    stream.append("whole", "")
    stream.leave()
    path = tmp_path / "t1.reply"
    path.write_bytes(path.read_bytes() + b'{"text":"ha')
    (reply,) = interrupted_replies(tmp_path)
    assert reply.text == "whole"


@pytest.mark.parametrize("text", ["", "  \n"])
def test_a_reply_of_nothing_is_not_offered(tmp_path: Path, text: str) -> None:
    stream = ReplyStream(tmp_path, "t1", HEAD)
    stream.append(text, "")
    stream.leave()
    assert interrupted_replies(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def test_a_reply_that_is_in_the_chat_leaves_nothing(tmp_path: Path) -> None:
    stream = ReplyStream(tmp_path, "t1", HEAD)
    stream.append("text", "")
    stream.end()
    assert list(tmp_path.iterdir()) == []


def test_half_a_surrogate_pair_is_kept_as_a_replacement(tmp_path: Path) -> None:
    stream = ReplyStream(tmp_path, "t1", HEAD)
    stream.append("a\ud83d", "")
    stream.append("b", "")
    stream.leave()
    (reply,) = interrupted_replies(tmp_path)
    assert reply.text == "a?b"


def test_two_generations_never_share_a_file(tmp_path: Path) -> None:
    ReplyStream(tmp_path, "t1", HEAD).leave()
    with pytest.raises(StorageError) as caught:
        ReplyStream(tmp_path, "t1", HEAD)
    assert (caught.value.kind, caught.value.detail) == ("io", "write")


def test_no_folder_yet_is_nothing_interrupted(tmp_path: Path) -> None:
    assert interrupted_replies(tmp_path / "none") == []


def test_all_alternatives_that_were_being_written_are_found(tmp_path: Path) -> None:
    stream = ReplyStream(tmp_path, "t1", HEAD)
    stream.append("one", "")
    stream.append("thr", "hm", 2)
    stream.append("two \ud83d", "", 1)
    stream.append("ee", "", 2)
    stream.leave()
    (reply,) = interrupted_replies(tmp_path)
    assert (reply.text, reply.others) == ("one", (("two ?", ""), ("three", "hm")))


def test_a_part_of_another_alternative_alone_is_worth_keeping(tmp_path: Path) -> None:
    stream = ReplyStream(tmp_path, "t1", HEAD)
    stream.append("two", "", 1)
    stream.leave()
    (reply,) = interrupted_replies(tmp_path)
    assert (reply.text, reply.others) == ("two", ())
