"""search: what is printed, as people and as machines read it, limits, and files that cannot be read."""

from __future__ import annotations

import json
from pathlib import Path

from tavern_desktop.library.data_root import DataRoot
from tests.unit.cli.conftest import Run


def test_places_are_told_for_machines(run: Run, chat: Path) -> None:
    result = run("search", '"answer 3"', "--json")
    assert (result.code, result.err) == (0, "")
    (found,) = result.objects()
    assert found == {
        "file": str(chat), "index": 6, "swipe": 2, "swipes": 2, "field": "text", "hidden": False,
        "snippet": "answer 3",
    }  # fmt: skip


def test_places_are_told_for_people(run: Run, chat: Path) -> None:
    assert run("search", "question", "2").out == "Aria Vale/talk  #5  Mira: question 2\n"
    run("chats", "hide", str(chat), "--message", "5")
    assert run("search", "question 2").out == "Aria Vale/talk  #5  Mira [hidden]: question 2\n"
    assert run("search", "other", "--limit", "1").out == "Aria Vale/talk  #0  Aria [swipe 1/2]: other\n"


def test_the_limit_is_one_for_all_chats(run: Run, chat: Path) -> None:
    assert len(run("search", "question", "--json").objects()) == 4
    assert len(run("search", "question", "--json", "--limit", "3").objects()) == 3


def test_case_and_raw_lines(run: Run, chat: Path) -> None:
    assert run("search", "ANSWER 1", "--json").objects()
    assert run("search", "ANSWER 1", "--json", "--exact-case").objects() == []
    assert run("search", "swipe_info", "--json").objects() == []
    (first, *_) = run("search", "swipe_info", "--raw", "--json").objects()
    assert (first["file"], first["index"], first["field"]) == (str(chat), 0, "record")


def test_nothing_found_is_said_and_no_failure(run: Run, chat: Path) -> None:
    result = run("search", "nowhere at all")
    assert (result.code, result.out, result.err) == (0, "", "Nothing found.\n")
    assert run("search", "nowhere at all", "--json") == type(result)(0, "", "")


def test_nothing_to_search_for_is_refused(run: Run, chat: Path) -> None:
    result = run("search", " ", "--json")
    assert result.code == 1
    assert result.error()["kind"] == "validation"


def test_a_file_that_cannot_be_read_is_told_beside_what_is_found(run: Run, root: DataRoot, chat: Path) -> None:
    (chat.parent / "folder.jsonl").mkdir()
    broken = chat.with_name("broken.jsonl")
    broken.write_bytes(b"no header\n" + json.dumps({"mes": "question 2"}).encode())
    result = run("search", "question 2", "--json")
    assert result.code == 1
    assert {(item["file"], item["index"]) for item in result.objects()} == {(str(chat), 5), (str(broken), 0)}
    told = [json.loads(line)["error"] for line in result.err.splitlines()]
    assert {(error["file"], error["kind"]) for error in told} == {
        (str(chat.parent / "folder.jsonl"), "io"),
        (str(broken), "bad_header"),
    }
    assert f"{broken}: Chat file is damaged" in run("search", "question 2").err


def test_group_chats_are_searched_by_their_title(run: Run, root: DataRoot) -> None:
    path = next(root.group_chats.iterdir())
    assert f"{path.stem}  " in run("search", path.stem).out


def test_one_chat_is_searched_alone(run: Run, chat: Path) -> None:
    assert run("search", "question 2", "--in", chat).out == "#5  Mira: question 2\n"
    found = run("search", "question", "--in", "Aria Vale/talk", "--json").objects()
    assert [item["index"] for item in found] == [1, 3, 5, 7]
    assert run("search", "question", "--in", "Aria Vale/nothing", "--json").error()["kind"] == "not_found"


def test_the_messages_that_hold_most_of_the_words_come_first(run: Run, chat: Path) -> None:
    found = run("search", "question", "3", "--in", chat, "--best", "2", "--json").objects()
    assert [(item["index"], item["role"], item["snippet"]) for item in found] == [
        (7, "user", "question 3"), (5, "user", "question 2"),
    ]  # fmt: skip
    assert run("search", "question", "3", "--in", chat, "--best", "1").out == "#7  100 %  Mira: question 3\n"
    assert run("search", "nowhere", "--in", chat, "--best", "1").err == "Nothing found.\n"
    assert run("search", "nowhere", "--best", "1").code == 2
    assert run("search", "...", "--in", chat, "--best", "1", "--json").error()["kind"] == "validation"
