"""Commands that change a chat: exactly what was asked for is on disk, and every other line as before."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tavern_desktop.library.data_root import DataRoot
from tests.unit.cli.conftest import Run, lines, message


def test_append_puts_the_personas_message_at_the_end(run: Run, chat: Path) -> None:
    before = lines(chat)
    result = run("chats", "append", chat, "--role", "user", "--text", "Guten Morgen, 小月 🌙", "--json")
    assert (result.code, result.err) == (0, "")
    assert result.objects() == [{"file": str(chat), "changed": True, "messages": 9}]
    assert lines(chat)[1:9] == before[1:]
    added = message(chat, 8)
    assert (added["name"], added["is_user"], added["is_system"]) == ("Mira", True, False)
    assert added["mes"] == "Guten Morgen, 小月 🌙"
    assert added["message_id"].startswith("msg_")
    assert not chat.read_bytes().endswith(b"\n")


@pytest.mark.parametrize(
    ("role", "name", "expected"),
    [("assistant", None, "Aria"), ("system", None, "System"), ("assistant", "Bo", "Bo"), ("user", "Bo", "Bo")],
)
def test_append_knows_whose_turn_it_is(run: Run, chat: Path, role: str, name: str | None, expected: str) -> None:
    named = ["--name", name] if name else []
    assert run("chats", "append", chat, "--role", role, *named, "--text", "x").code == 0
    assert message(chat, 8)["name"] == expected
    assert run("chats", "show", chat, "--tail", "1", "--json").objects()[0]["role"] == role


def test_append_to_a_chat_without_answers_takes_the_cards_name(run: Run, root: DataRoot) -> None:
    path = root.chats / "小月" / "new.jsonl"
    path.write_bytes(b'{"chat_metadata":{}}')
    assert run("chats", "append", "小月/new", "--role", "assistant", "--text", "x").code == 0
    assert message(path, 0)["name"] == "小月"
    assert run("chats", "append", "小月/new", "--role", "user", "--text", "x").code == 0
    assert message(path, 1)["name"] == "Wanderer"
    assert message(path, 1)["force_avatar"] == "/thumbnail?type=persona&file=user-default.png"


def test_edit_changes_the_text_and_its_swipe(run: Run, chat: Path) -> None:
    before = lines(chat)
    assert run("chats", "edit", chat, "--message", "2", "--text", "edited\nin two lines").code == 0
    after = lines(chat)
    assert [n for n in range(1, 9) if after[n] != before[n]] == [3]
    assert message(chat, 2)["mes"] == message(chat, 2)["swipes"][1] == "edited\nin two lines"


def test_an_edit_that_changes_nothing_writes_nothing(run: Run, chat: Path) -> None:
    before = (chat.read_bytes(), chat.stat().st_mtime_ns)
    result = run("chats", "edit", chat, "--message", "0", "--text", "answer 0", "--json")
    assert result.objects() == [{"file": str(chat), "changed": False, "messages": 8}]
    assert (chat.read_bytes(), chat.stat().st_mtime_ns) == before


def test_swipes_are_chosen_added_and_deleted_by_the_number_people_see(run: Run, chat: Path) -> None:
    assert run("chats", "swipe", chat, "--message", "6", "--to", "1").code == 0
    assert (message(chat, 6)["swipe_id"], message(chat, 6)["mes"]) == (0, "other")
    assert run("chats", "swipe", chat, "--message", "6", "--add", "third").code == 0
    assert (message(chat, 6)["swipe_id"], message(chat, 6)["mes"]) == (2, "third")
    assert run("chats", "swipe", chat, "--message", "6", "--delete", "1").code == 0
    assert message(chat, 6)["swipes"] == ["answer 3", "third"]
    assert message(chat, 6)["mes"] == "third"


def test_deleting_takes_the_range_with_both_ends(run: Run, chat: Path) -> None:
    before = lines(chat)
    assert run("chats", "delete", chat, "--message", "2-4").code == 0
    assert lines(chat)[1:] == before[1:3] + before[6:]
    assert run("chats", "delete", chat, "--message", "0").code == 0
    assert lines(chat)[1:] == before[2:3] + before[6:]
    assert run("chats", "check", chat).code == 0


def test_every_message_can_be_deleted(run: Run, chat: Path) -> None:
    assert run("chats", "delete", chat, "--message", "0-7").code == 0
    assert len(lines(chat)) == 1
    assert run("chats", "show", chat).out == ""


def test_hiding_and_showing_again(run: Run, chat: Path) -> None:
    before = lines(chat)
    assert run("chats", "hide", chat, "--message", "1-2").code == 0
    hidden = [item["index"] for item in run("chats", "show", chat, "--json").objects() if item["hidden"]]
    assert hidden == [1, 2]
    assert "hidden" in run("chats", "show", chat).out.splitlines()[1]
    assert run("chats", "hide", chat, "--message", "2", "--show").code == 0
    assert message(chat, 1)["is_system"] is True
    assert message(chat, 2)["is_system"] is False
    assert lines(chat)[4:] == before[4:]


@pytest.mark.parametrize(
    "words",
    [
        ["edit", "--message", "8", "--text", "x"],
        ["delete", "--message", "7-8"],
        ["hide", "--message", "99"],
        ["swipe", "--message", "0", "--to", "3"],
        ["swipe", "--message", "0", "--delete", "9"],
        ["swipe", "--message", "1", "--add", "users have none"],
        ["swipe", "--message", "1", "--delete", "1"],
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_is_written(run: Run, chat: Path, words: list[str]) -> None:
    before = (chat.read_bytes(), chat.stat().st_mtime_ns)
    result = run("chats", words[0], chat, *words[1:])
    assert (result.code, result.out) == (1, "")
    assert len(result.err.splitlines()) == 1
    assert run("chats", words[0], chat, *words[1:], "--json").error()["kind"] == "validation"
    assert (chat.read_bytes(), chat.stat().st_mtime_ns) == before


@pytest.mark.parametrize(
    "content", [b'{"chat_metadata":{}}\n{"mes":"ok"}\n{"cut', b"\0" * 50, '{"a":1}'.encode("utf-16"), b"[]"]
)
def test_a_damaged_chat_is_never_written(run: Run, chat: Path, content: bytes) -> None:
    chat.write_bytes(content)
    for words in (["append", "--role", "user", "--text", "x"], ["delete", "--message", "0"]):
        assert run("chats", words[0], chat, *words[1:]).code == 1
        assert chat.read_bytes() == content


def test_a_file_that_is_no_chat_is_not_written(run: Run, chat: Path) -> None:
    content = b'{"prompt":"a","completion":"b"}\n{"prompt":"c","completion":"d"}'
    chat.write_bytes(content)
    result = run("chats", "append", chat, "--role", "user", "--text", "x")
    assert (result.code, result.out) == (1, "")
    assert "not a chat" in result.err
    assert chat.read_bytes() == content


def test_a_missing_chat_is_not_made(run: Run, root: DataRoot) -> None:
    result = run("chats", "append", "Aria Vale/new", "--role", "user", "--text", "x", "--json")
    assert (result.code, result.error()["kind"]) == (1, "not_found")
    assert not (root.chats / "Aria Vale" / "new.jsonl").exists()


def test_a_chat_outside_every_data_folder_can_be_changed(run: Run, chat: Path, tmp_path: Path) -> None:
    outside = tmp_path / "somewhere" / "talk.jsonl"
    outside.parent.mkdir()
    chat.rename(outside)
    assert run("chats", "append", outside, "--role", "user", "--text", "x").code == 0
    assert message(outside, 8)["name"] == "Mira"
    assert os.listdir(outside.parent) == ["talk.jsonl"]


def test_an_old_group_chat_is_not_given_a_header_unasked(run: Run, root: DataRoot) -> None:
    settings = json.loads(root.settings.read_text("utf-8")) | {"currentVersion": "1.14.0"}
    root.settings.write_text(json.dumps(settings), "utf-8")
    path = root.group_chats / "2023-8-1 @10h 00m 00s 0ms.jsonl"
    path.write_bytes(b"\n".join(lines(path)[1:]))
    before = path.read_bytes()
    result = run("chats", "edit", path, "--message", "0", "--text", "x")
    assert result.code == 1
    assert "1.16" in result.err
    assert path.read_bytes() == before
    settings["currentVersion"] = "1.19.0"
    root.settings.write_text(json.dumps(settings), "utf-8")
    assert run("chats", "edit", path, "--message", "0", "--text", "x").code == 0
    assert b"chat_metadata" in lines(path)[0]
