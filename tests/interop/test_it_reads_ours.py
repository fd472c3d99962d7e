"""SillyTavern reads every chat that we changed, message for message."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tavern_desktop.chat import edits, facts
from tavern_desktop.chat.alignment import align
from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.identity import effective_ids
from tavern_desktop.chat.merge import merge_three_way
from tavern_desktop.chat.message import Message
from tavern_desktop.resources import resource_path
from tavern_desktop.session.commands import (
    AddSwipe,
    AppendMessage,
    Command,
    CopyMessage,
    DeleteMessages,
    DeleteSwipe,
    EditText,
    InsertMessage,
    MoveMessage,
    SelectSwipe,
    SetHidden,
)
from tests.interop.chats import Record, change, let_it_save, misread_swipes, records, theirs
from tests.interop.sillytavern import Server

TRICKY = 'Ein "Zitat", 一行中文, 👩‍🚀 and a \\ backslash\r\n\tkept\u2028as they are, even a lone \ud83d half'


def test_it_lists_and_reads_the_sample_as_it_is(server: Server) -> None:
    sample = resource_path("sample", "default-user", "chats")
    for original in sorted(sample.glob("*/*.jsonl")):
        path = server.user_folder / "chats" / original.parent.name / original.name
        assert theirs(server, path) == records(original)
        assert misread_swipes(records(original)) == []
    characters = {character["avatar"]: character for character in server.ask("/api/characters/all")}
    for avatar in ("Ilka Marsh.png", "Tock.png"):
        current = characters[avatar]["chat"]
        assert (sample / avatar.removesuffix(".png") / f"{current}.jsonl").exists()


def test_it_reads_every_chat_after_each_kind_of_change(
    server: Server, chats_folder: Path, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    paths = [path for path in sorted(chats_folder.glob("*/*.jsonl")) if len(records(path)) > 8]
    assert len(paths) > 20
    for path in paths:
        with subtests.test(chat=path.stem):
            mine = change(path, tmp_path, *EVERY_KIND_OF_CHANGE)
            _assert_read_as(server, path, mine)
            listed = server.ask("/api/characters/chats", {"avatar_url": f"{path.parent.name}.png"})
            assert {chat["file_id"]: chat["chat_items"] for chat in listed}[path.stem] == len(mine) - 1


def test_it_reads_a_group_chat_after_each_kind_of_change(server: Server, tmp_path: Path) -> None:
    path = next((server.user_folder / "group chats").glob("*.jsonl"))
    mine = change(path, tmp_path, *EVERY_KIND_OF_CHANGE)
    _assert_read_as(server, path, mine)


def test_it_writes_what_we_wrote_to_the_same_bytes(server: Server, chats_folder: Path, tmp_path: Path) -> None:
    path = chats_folder / "Ilka Marsh" / "A lantern in the rain.jsonl"
    change(path, tmp_path, lambda chat: EditText(chat.messages[3].key, f"{TRICKY} once more"))
    ours = path.read_bytes()
    let_it_save(server, path, theirs(server, path))
    assert path.read_bytes() == ours.removesuffix(b"\n")


def test_it_still_sees_the_same_chat(server: Server, chats_folder: Path, tmp_path: Path) -> None:
    """It refuses to save over a chat whose identity changed: ours must keep it (D18)."""
    path = chats_folder / "Tock" / "The tide table.jsonl"
    before = theirs(server, path)
    change(path, tmp_path, lambda chat: AppendMessage(edits.new_user_message("One more.", "Wren")))
    let_it_save(server, path, before)
    assert theirs(server, path) == before


def test_what_it_saves_again_is_recognised_message_for_message(
    server: Server, chats_folder: Path, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    """Its own save of a chat of ours: nothing to merge, no conflict, ids as they were (conversation entry 9.7)."""
    for path in [path for path in sorted(chats_folder.glob("*/*.jsonl")) if 8 < len(records(path)) < 80][:5]:
        with subtests.test(chat=path.stem):
            change(path, tmp_path, *EVERY_KIND_OF_CHANGE)
            ours = _raws(path)
            let_it_save(server, path, theirs(server, path))
            its = _raws(path)
            assert align(ours, its).pairs == [(index, index) for index in range(len(ours))]
            assert effective_ids(ours) == effective_ids(its)
            assert any(effective_ids(its))
            base = Message.read(ours)
            result = merge_three_way(base, its, base, ())
            assert (result.conflicts, result.change_count) == ((), 0)


def _raws(path: Path) -> list[bytes]:
    return path.read_bytes().rstrip(b"\n").split(b"\n")[1:]


def _assert_read_as(server: Server, path: Path, mine: list[Record]) -> None:
    read = theirs(server, path)
    assert read[0] == mine[0]
    assert len(read) == len(mine)
    for number, (one, other) in enumerate(zip(read[1:], mine[1:], strict=True)):
        assert one == other, f"message {number}"
    assert misread_swipes(read) == []


def _reply(chat: Chat, wanted: Callable[[int], bool]) -> int:
    """Return the key of the first reply whose number of alternatives is as wanted."""
    for message in chat.messages:
        data = message.data()
        if facts.may_swipe(data) and wanted(len(facts.swipes(data))):
            return message.key
    raise AssertionError("the generated chat has no such reply")


def _delete_two_in_the_middle(chat: Chat) -> Command:
    middle = len(chat) // 2
    return DeleteMessages(message.key for message in chat.messages[middle : middle + 2])


EVERY_KIND_OF_CHANGE: tuple[Callable[[Chat], Command], ...] = (
    lambda chat: EditText(chat.messages[1].key, TRICKY),
    lambda chat: EditText(chat.messages[len(chat) // 3].key, "*edited* in the middle"),
    lambda chat: AddSwipe(_reply(chat, lambda count: count >= 1), "another way of saying it"),
    lambda chat: SelectSwipe(_reply(chat, lambda count: count >= 2), 0),
    lambda chat: AddSwipe(_reply(chat, lambda count: count >= 2), "said, but not chosen", show=False),
    lambda chat: DeleteSwipe(_reply(chat, lambda count: count >= 2), 0),
    _delete_two_in_the_middle,
    lambda chat: SetHidden([chat.messages[0].key, chat.messages[1].key, chat.messages[2].key], True),
    lambda chat: MoveMessage(chat.messages[2].key, 2),
    lambda chat: CopyMessage(chat.messages[1].key),
    lambda chat: InsertMessage(chat.messages[0].key, edits.new_user_message("put in between", "Wren")),
    lambda chat: AppendMessage(edits.new_user_message(TRICKY, "Wren")),
)
