"""The versions of a chat on the command line."""

from __future__ import annotations

from pathlib import Path

from tests.unit.cli.conftest import Run, lines, message


def ids(run: Run, chat: Path) -> list[str]:
    return [
        version["id"] for version in run("chats", "history", chat, "--json").objects() if version["kind"] != "backup"
    ]


def test_a_chat_that_nobody_changed_has_no_versions(run: Run, chat: Path) -> None:
    result = run("chats", "history", chat)
    assert (result.code, result.out, result.err) == (0, "", "")


def test_versions_are_listed_newest_first(run: Run, chat: Path) -> None:
    run("chats", "edit", chat, "--message", "0", "--text", "changed")
    run("chats", "delete", chat, "--message", "2-4")
    listed = run("chats", "history", chat, "--json").objects()
    newest = listed[0]
    assert (newest["label"], newest["kind"], newest["messages"], newest["removed"]) == (
        "Delete 3 messages",
        "command",
        5,
        3,
    )
    assert newest["at"].endswith("Z")
    (backup,) = (version for version in listed if version["kind"] == "backup")
    assert backup["size"] > 0
    assert ids(run, chat) == ["2", "1", "0"]
    told = run("chats", "history", chat).out.splitlines()
    assert told[0].startswith("2  ")
    assert told[0].endswith("Delete 3 messages, 5 messages, -3")
    assert told[-1].endswith("Oldest known version, 8 messages")


def test_a_version_is_restored_as_a_new_one(run: Run, chat: Path) -> None:
    before = lines(chat)
    run("chats", "edit", chat, "--message", "0", "--text", "changed")
    run("chats", "delete", chat, "--message", "2-4")
    result = run("chats", "history", chat, "--restore", "0", "--json")
    assert result.objects() == [{"changed": True, "messages": 8, "file": str(chat)}]
    assert lines(chat)[1:] == before[1:]
    assert ids(run, chat) == ["3", "2", "1", "0"]
    assert "nothing to change" in run("chats", "history", chat, "--restore", "0").out
    assert run("chats", "history", chat, "--restore", "2").code == 0
    assert (len(lines(chat)), message(chat, 0)["mes"]) == (6, "changed")


def test_a_version_or_a_backup_is_copied_and_the_chat_stays(run: Run, chat: Path, tmp_path: Path) -> None:
    before = lines(chat)
    run("chats", "edit", chat, "--message", "0", "--text", "changed")
    now = chat.read_bytes()
    backup = next(v["id"] for v in run("chats", "history", chat, "--json").objects() if v["kind"] == "backup")
    for name, text in (("0", before[1:]), (backup, lines(chat)[1:])):
        out = tmp_path / f"{name} copy.jsonl"
        result = run("chats", "history", chat, "--restore", name, "--out", out, "--json")
        assert result.objects() == [{"file": str(chat), "out": str(out), "messages": 8}]
        assert lines(out)[1:] == text
        assert b'"abc"' not in lines(out)[0]
        assert run("chats", "history", chat, "--restore", name, "--out", out).code == 1
    assert chat.read_bytes() == now


def test_what_is_not_there_is_said(run: Run, chat: Path) -> None:
    assert run("chats", "history", chat, "--restore", "99", "--json").error()["message"] == (
        "There is no version 99 of this chat."
    )
    assert run("chats", "history", chat, "--out", "copy.jsonl").code == 2
    chat.write_bytes(b"not a chat")
    assert run("chats", "history", chat, "--json").error()["kind"] == "bad_header"
    assert run("chats", "history", chat, "--restore", "1", "--json").error()["kind"] == "bad_header"
