"""Commands on whole chat files, here and through a window that has the data folder open."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tavern_desktop.cli import files
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.storage import file_moves
from tests.unit.cli.conftest import Run, lines, message
from tests.unit.cli.test_handed_over import Window


@pytest.fixture(autouse=True)
def no_bin(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The bin of the test: what went in."""
    binned: list[Path] = []

    def take(path: Path) -> bool:
        binned.append(path)
        path.unlink()
        return True

    monkeypatch.setattr(file_moves, "to_system_bin", take)
    return binned


def test_repair_writes_the_readable_and_beside_it_the_rest(run: Run, chat: Path, tmp_path: Path) -> None:
    before = chat.read_bytes()
    damaged = before.replace(b'"answer 1"', b'"answer 1', 2) + b"\n\0\0\0"
    chat.write_bytes(damaged)
    out = tmp_path / "repaired.jsonl"
    result = run("chats", "repair", chat, "--out", out, "--json")
    facts = {"file": str(chat), "out": str(out), "messages": 7, "damaged": 2, "rest": f"{out}.damaged"}
    assert (result.code, result.objects()) == (0, [facts])
    assert chat.read_bytes() == damaged
    assert run("chats", "check", out).code == 0
    rest = Path(f"{out}.damaged").read_bytes().splitlines()
    assert rest == [damaged.split(b"\n")[3], b"\0\0\0"]
    assert run("chats", "repair", chat, "--out", out, "--json").error()["kind"] == "already_exists"


def test_repair_of_a_sound_chat_leaves_no_second_file(run: Run, chat: Path, tmp_path: Path) -> None:
    out = tmp_path / "out" / "repaired.jsonl"
    out.parent.mkdir()
    assert run("chats", "repair", chat, "--out", out).out == f"{out}: 8 messages\n"
    assert out.read_bytes() == chat.read_bytes()
    assert [path.name for path in out.parent.iterdir()] == ["repaired.jsonl"]


def test_a_chat_in_utf16_is_not_repaired_to_an_empty_one(run: Run, chat: Path, tmp_path: Path) -> None:
    saved = chat.read_text("utf-8").encode("utf-16")
    chat.write_bytes(saved)
    out = tmp_path / "out" / "repaired.jsonl"
    out.parent.mkdir()
    result = run("chats", "repair", chat, "--out", out)
    assert result.code == 1
    assert result.err == "The file is UTF-16 text: import it as a chat, which reads all of it. Nothing was written.\n"
    assert chat.read_bytes() == saved
    assert not list(out.parent.iterdir())


def test_branch_prints_the_new_file(run: Run, chat: Path) -> None:
    before = chat.read_bytes()
    result = run("chats", "branch", chat, "--message", "3")
    branch = Path(result.out.removesuffix("\n"))
    assert (result.code, branch) == (0, chat.with_name("talk - Branch #1.jsonl"))
    assert chat.read_bytes() == before
    assert lines(branch)[1:] == before.split(b"\n")[1:5]
    assert run("chats", "branch", chat, "--message", "8").err == (
        "There is no message 8: the chat has messages 0 to 7.\n"
    )


def test_rename_and_remove(run: Run, chat: Path, no_bin: list[Path]) -> None:
    target = chat.with_name("Act 2.jsonl")
    assert run("chats", "rename", chat, "Act 2").out == f"renamed to {target}\n"
    assert run("chats", "rename", target, "con", "--json").error()["detail"] == "name"
    other = chat.with_name("other.jsonl")
    other.write_bytes(b"{}")
    assert run("chats", "rename", target, "other", "--json").error()["kind"] == "already_exists"
    result = run("chats", "remove", target, "--json").objects()[0]
    assert (result["file"], result["kept_at"], no_bin) == (str(target), None, [target])
    assert Path(result["backup"]).is_file()
    assert run("chats", "remove", target, "--json").error()["kind"] == "not_found"


def test_a_damaged_chat_is_removed_only_if_one_insists(run: Run, chat: Path, no_bin: list[Path]) -> None:
    chat.write_bytes(b"garbage")
    assert run("chats", "remove", chat, "--json").error()["kind"] == "bad_header"
    assert no_bin == []
    assert run("chats", "remove", chat, "--anyway").out == f"{chat}: moved to the bin\n"
    assert no_bin == [chat]


def test_a_conflict_copy_is_listed_and_merged(run: Run, chat: Path, no_bin: list[Path]) -> None:
    copy = chat.with_name("talk.sync-conflict-20260106-090000-ABCDEFG.jsonl")
    copy.write_bytes(chat.read_bytes() + b'\n{"name":"Mira","is_user":true,"mes":"on the train"}')
    rows = [row for row in run("chats", "list", "--json").objects() if row["title"].startswith("talk")]
    assert [(row["file"], row["marks"], row["copies"]) for row in rows] == [(str(chat), ["conflict"], [str(copy)])]
    kept = run("chats", "merge", chat, copy, "--keep-copy")
    assert (kept.code, kept.out) == (0, f"{chat}: 1 message came from the copy; the copy stays\n")
    result = run("chats", "merge", chat, copy)
    assert result.out == f"{chat}: 0 messages came from the copy; the copy is in the bin\n"
    assert (message(chat, 8)["mes"], no_bin) == ("on the train", [copy])
    assert run("chats", "merge", chat, copy, "--json").error()["kind"] == "not_found"


def test_metadata_is_shown_and_replaced_without_touching_a_message(run: Run, chat: Path) -> None:
    before = chat.read_bytes().split(b"\n", 1)[1]
    assert json.loads(run("chats", "metadata", chat).out) == {"integrity": "abc"}
    result = run("chats", "metadata", chat, "--set", '{"note_prompt":"rain 🌧"}', "--json")
    expected = {"note_prompt": "rain 🌧", "integrity": "abc"}
    assert result.objects() == [{"file": str(chat), "metadata": expected}]
    assert chat.read_bytes().split(b"\n", 1)[1] == before
    for wrong, kind in (("[]", "validation"), ("{", "validation"), ('{"integrity":"other"}', "integrity"),
                        ('{"integrity":1}', "bad_header")):  # fmt: skip
        assert run("chats", "metadata", chat, "--set", wrong, "--json").error()["kind"] == kind
    assert json.loads(run("chats", "metadata", chat).out) == expected


@pytest.mark.parametrize("form", ["jsonl", "md", "html", "txt"])
def test_export_writes_a_new_file(run: Run, chat: Path, tmp_path: Path, form: str) -> None:
    out = tmp_path / f"out.{form}"
    assert run("chats", "export", chat, "--format", form, "--out", out).out == f"{out}\n"
    assert b"answer 3" in out.read_bytes()
    assert (out.read_bytes() == chat.read_bytes()) == (form == "jsonl")
    assert run("chats", "export", chat, "--format", form, "--out", out, "--json").error()["kind"] == "already_exists"


def test_a_changing_command_makes_one_backup_and_a_hundred_do_too(run: Run, root: DataRoot, chat: Path) -> None:
    for number in range(3):
        assert run("chats", "edit", chat, "--message", "0", "--text", str(number)).code == 0
    assert len(list((root.user_folder / "backups").glob("chat_aria_vale_*"))) == 1


def test_the_windows_process_does_it_where_there_is_one(
    run: Run, root: DataRoot, own_home: Path, chat: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_act_here", None)
    with Window(root) as window:
        assert run("chats", "branch", chat, "--message", "0").out == f"{chat.with_name('talk - Branch #1.jsonl')}\n"
        assert run("chats", "rename", chat, "con", "--json").error()["detail"] == "name"
        assert run("chats", "rename", chat, "other").code == 0
        assert run("chats", "remove", chat.with_name("other.jsonl")).code == 0
    assert [request["act"]["type"] for request in window.asked if "act" in request] == [
        "branch", "rename", "rename", "remove",
    ]  # fmt: skip
    assert not chat.with_name("other.jsonl").exists()
