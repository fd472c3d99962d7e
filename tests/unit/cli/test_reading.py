"""chats list, show and check; roots and doctor."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tavern_desktop.library.data_root import DataRoot
from tests.unit.cli.conftest import Run

AS_NOBODY = """
import contextlib, io, os, sys
from tavern_desktop.__main__ import main
with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
    main(sys.argv[1:])  # so that everything is imported while the interpreter's own files can be read
if os.getuid() == 0:
    os.setuid(65534)
sys.exit(main(sys.argv[1:]))
"""
HEADER = b'{"chat_metadata":{}}'
LINE = b'{"name":"Ada","is_user":false,"mes":"Hello."}'


def bad(root: DataRoot, content: bytes, name: str = "bad") -> Path:
    path = root.chats / "Aria Vale" / f"{name}.jsonl"
    path.write_bytes(content)
    return path


def test_the_list_has_every_chat_newest_first(run: Run, root: DataRoot, chat: Path) -> None:
    result = run("chats", "list", "--json")
    assert (result.code, result.err) == (0, "")
    found = result.objects()
    assert found[0] == {
        "file": str(chat), "character": "Aria Vale", "title": "talk", "messages": 8, "size": chat.stat().st_size,
        "date": "2026-01-05T08:03:00.000Z", "preview": "question 3", "preview_state": "text", "marks": [],
    }  # fmt: skip
    assert len(found) == len([*root.chats.glob("*/*.jsonl"), *root.group_chats.iterdir()])
    assert [item["group"] for item in found if "group" in item] == ["1690000000000"]


def test_the_list_can_be_limited_and_be_one_characters(run: Run, chat: Path) -> None:
    assert [item["title"] for item in run("chats", "list", "--limit", "1", "--json").objects()] == ["talk"]
    titles = {item["character"] for item in run("chats", "list", "--character", "小月", "--json").objects()}
    assert titles == {"小月"}
    assert "Aria Vale/talk  question 3" in run("chats", "list", "--limit", "1").out


def test_a_broken_chat_is_in_the_list_with_its_reason(run: Run, root: DataRoot) -> None:
    path = bad(root, b"\0\0\0\0")
    (root.chats / "Aria Vale" / "x.jsonl").mkdir()
    result = run("chats", "list", "--json")
    item = next(item for item in result.objects() if item["file"] == str(path))
    assert (item["marks"], item["preview_state"], item["messages"]) == (["damaged"], "unavailable", None)
    assert (item["error"]["kind"], item["error"]["detail"]) == ("bad_header", "json")
    assert result.code == 0
    assert "damaged" in run("chats", "list").out


def test_an_empty_list_says_so(run: Run, root: DataRoot) -> None:
    result = run("chats", "list", "--character", "Nobody")
    assert (result.code, result.out) == (0, "")
    assert "Nobody" in result.err
    assert run("chats", "list", "--character", "Nobody", "--json").err == ""


def test_show_prints_one_message_a_line(run: Run, chat: Path) -> None:
    result = run("chats", "show", chat)
    assert (result.code, result.err) == (0, "")
    shown = result.out.splitlines()
    assert len(shown) == 8
    assert shown[0].startswith("#0 ")
    assert shown[0].endswith("Aria [2/2]: answer 0")
    assert shown[7].endswith("Mira: question 3")


def test_show_has_the_same_for_machines(run: Run, chat: Path) -> None:
    [first, second] = run("chats", "show", chat, "--from", "4", "--count", "2", "--json").objects()
    assert first == {
        "index": 4, "name": "Aria", "role": "assistant", "hidden": False, "date": "2026-01-05T08:02:00.000Z",
        "swipe": 2, "swipes": 2, "text": "answer 2",
    }  # fmt: skip
    assert (second["index"], second["role"], second["swipes"]) == (5, "user", 1)


def test_the_tail_is_the_newest_messages_with_their_numbers(run: Run, chat: Path) -> None:
    assert [item["index"] for item in run("chats", "show", chat, "--tail", "3", "--json").objects()] == [5, 6, 7]
    assert len(run("chats", "show", chat, "--tail", "500").out.splitlines()) == 8


def test_a_chat_is_found_by_its_character_or_group(run: Run, chat: Path) -> None:
    for word in ("Aria Vale/talk", "Aria Vale/talk.jsonl", chat):
        assert len(run("chats", "show", word).out.splitlines()) == 8
    for word in ("The Night Watch/2023-8-1 @10h 00m 00s 0ms", "1690000000000/2023-8-1 @10h 00m 00s 0ms"):
        assert len(run("chats", "show", word).out.splitlines()) == 60


@pytest.mark.parametrize(
    "word",
    ["nothing", "Aria Vale/nothing", "Nobody/talk", "../default-user/chats/x", "a/b/c", "/nothing/here.jsonl", "x\0y",
     ".", "x" * 300],
)  # fmt: skip
def test_a_file_that_is_not_there_is_one_sentence(run: Run, word: str) -> None:
    result = run("chats", "show", word)
    assert (result.code, result.out) == (1, "")
    assert len(result.err.splitlines()) == 1
    assert run("chats", "show", word, "--json").error()["kind"] in ("not_found", "io")


def test_text_cannot_command_the_terminal(run: Run, root: DataRoot) -> None:
    path = bad(root, HEADER + b'\n{"name":"\\u001b]0;x\\u0007","mes":"a\\u001b[2Jb\\r\\nc\\u0000"}')
    result = run("chats", "show", path)
    assert "\x1b" not in result.out
    assert "a␛[2Jb ⏎ c␀" in result.out
    assert run("chats", "show", path, "--json").objects()[0]["text"] == "a\x1b[2Jb\r\nc\0"


def test_a_lone_surrogate_is_printed_and_kept(run: Run, root: DataRoot) -> None:
    path = bad(root, HEADER + b'\n{"name":"Ada","mes":"cut \\ud83d"}')
    assert run("chats", "show", path).code == 0
    assert run("chats", "show", path, "--json").objects()[0]["text"] == "cut \ud83d"


@pytest.mark.parametrize(
    ("content", "kind", "detail"),
    [
        (b"{", "bad_header", "json"),
        (b"\0" * 100, "bad_header", "json"),
        ('{"chat_metadata":{}}'.encode("utf-16"), "bad_encoding", "utf8"),
        (HEADER + b"\n" + LINE + b'\n{"mes": "cut he', "bad_record", "json"),
        (HEADER + b"\n" + LINE + b"\n\xff\xfe", "bad_encoding", "utf8"),
    ],
)
def test_a_damaged_chat_is_never_shown_as_something_else(
    run: Run, root: DataRoot, content: bytes, kind: str, detail: str
) -> None:
    path = bad(root, content)
    result = run("chats", "show", path)
    assert (result.code, result.out) == (1, "")
    assert len(result.err.splitlines()) == 1
    error = run("chats", "show", path, "--json").error()
    assert (error["kind"], error["detail"]) == (kind, detail)
    assert error["message"]
    assert path.read_bytes() == content


def test_a_number_no_message_has_is_said_with_those_there_are(run: Run, chat: Path) -> None:
    result = run("chats", "show", chat, "--from", "8")
    assert (result.code, result.err) == (1, "There is no message 8: the chat has messages 0 to 7.\n")
    assert run("chats", "show", chat, "--from", "7", "--count", "9").code == 0


def test_a_part_of_a_chat_needs_no_other_part(run: Run, chat: Path) -> None:
    content = chat.read_bytes().split(b"\n")
    content[5] = b"{"
    chat.write_bytes(b"\n".join(content))
    assert [item["index"] for item in run("chats", "show", chat, "--count", "4", "--json").objects()] == [0, 1, 2, 3]
    assert run("chats", "show", chat, "--from", "5", "--json").objects()[0]["index"] == 5
    assert run("chats", "show", chat, "--from", "4", "--json").error()["kind"] == "bad_record"


def test_check_of_a_whole_chat_is_ok(run: Run, chat: Path) -> None:
    result = run("chats", "check", chat, "--json")
    assert result.code == 0
    assert result.objects() == [{"file": str(chat), "ok": True, "messages": 8, "problems": [], "warnings": []}]
    assert run("chats", "check", chat).out == f"{chat}: ok, 8 messages\n"


def test_check_reports_every_problem_with_its_place(run: Run, root: DataRoot, chat: Path) -> None:
    content = HEADER + b"\n" + LINE + b"\n[1]\n\n" + LINE + b'\n{"mes":"\xff"}\n{"mes": 1e400}\n{"cut'
    path = bad(root, content)
    result = run("chats", "check", chat, path, "--json")
    assert result.code == 1
    [good, broken] = result.objects()
    assert good["ok"]
    assert not broken["ok"]
    found = [(item["kind"], item["detail"], item["record"], item["line"]) for item in broken["problems"]]
    assert found == [
        ("bad_record", "not_object", 2, 3),
        ("bad_encoding", "utf8", 4, 6),
        ("bad_record", "number_range", 5, 7),
        ("bad_record", "json", 6, 8),
    ]
    assert broken["problems"][1]["offset"] == content.index(b"\xff")
    assert all(item["message"] for item in broken["problems"])
    text = run("chats", "check", path).out
    assert f"{path}: 4 problems" in text
    assert "bad_record/not_object, record 2, line 3" in text


def test_check_names_what_happened(run: Run, root: DataRoot) -> None:
    path = bad(root, HEADER + b"\n" + LINE + LINE)
    assert run("chats", "check", path, "--json").objects()[0]["problems"][0]["damage"] == "glued"
    assert "Several records are on one line" in run("chats", "check", path).out
    path.write_bytes(LINE + b"\n" + LINE)
    assert run("chats", "check", path, "--json").objects()[0]["warnings"] == ["headerless_suspect"]
    assert "The header is missing" in run("chats", "check", path).out


def test_check_goes_on_behind_a_file_that_is_missing(run: Run, chat: Path) -> None:
    [missing, good] = run("chats", "check", "missing", chat, "--json").objects()
    assert (missing["ok"], missing["problems"][0]["kind"]) == (False, "not_found")
    assert good["ok"]


def test_a_folder_that_is_no_data_folder_is_said_so(run: Run, tmp_path: Path) -> None:
    (tmp_path / "nothing").mkdir()
    for folder in (tmp_path / "nothing", tmp_path / "missing"):
        result = run("chats", "list", "--data-root", folder)
        assert (result.code, result.out) == (1, "")
        assert str(folder) in result.err
        assert run("chats", "list", "--json", "--data-root", folder).error()["kind"] == "not_found"
    assert run("chats", "list", "--user", "nobody").code == 1


def test_a_chats_folder_that_cannot_be_read_fails_the_list(run: Run, root: DataRoot, tmp_path: Path) -> None:
    root.chats.rename(tmp_path / "away")
    root.chats.write_bytes(b"")
    error = run("chats", "list", "--json").error()
    assert (error["kind"], error["detail"]) == ("io", "list")


@pytest.mark.parametrize("place", ["chats", "chats/Aria Vale", "characters"])
def test_permissions_that_are_missing_are_told(root: DataRoot, own_home: Path, place: str) -> None:
    """In a process of an ordinary user: nothing is unreadable for the superuser."""
    folder = root.user_folder / place
    for parent in root.path.parents:
        if parent.name:
            parent.chmod(0o755)
    folder.chmod(0)
    try:
        finished = subprocess.run(
            [sys.executable, "-c", AS_NOBODY, "chats", "list", "--json", "--data-root", str(root.path)],
            cwd=Path(__file__).parents[3],
            capture_output=True,
            text=True,
        )
    finally:
        folder.chmod(0o755)
    assert "Traceback" not in finished.stderr
    if place == "chats/Aria Vale":
        assert finished.returncode == 0
        listed = [json.loads(line) for line in finished.stdout.splitlines()]
        assert [item["error"]["kind"] for item in listed if "error" in item] == ["io"]
        assert len(listed) > 40
    else:
        assert (finished.returncode, finished.stdout) == (1, "")
        assert json.loads(finished.stderr)["error"]["kind"] == "io"


def test_a_reader_that_goes_away_is_no_accident(root: DataRoot, own_home: Path) -> None:
    words = [sys.executable, "-m", "tavern_desktop", "chats", "list", "--json", "--data-root", str(root.path)]
    with subprocess.Popen(
        words, cwd=Path(__file__).parents[3], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""


def test_roots_lists_what_is_found(run: Run, root: DataRoot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    assert "--data-root" in run("roots").err
    (tmp_path / "SillyTavern").mkdir()
    root.path.rename(tmp_path / "SillyTavern" / "data")
    [found] = run("roots", "--json").objects()
    assert found == {
        "path": str(tmp_path / "SillyTavern" / "data"), "program": "SillyTavern", "users": ["default-user"],
        "chosen": False,
    }  # fmt: skip
    assert "SillyTavern, users: default-user" in run("roots").out


def test_doctor_tells_everything_but_words(run: Run, root: DataRoot, chat: Path, own_home: Path) -> None:
    run("chats", "list")
    [facts] = run("doctor", "--json").objects()
    assert facts["data_root"]["path"] == str(root.path)
    assert facts["data_root"]["chats"] == facts["index"]["chats"] > 50
    assert facts["index"]["cards"] == 12
    assert facts["locks"] == {"open_in_another_process": False, "unfinished_saves": 0}
    assert facts["folders"]["cache"] == str(own_home / "cache")
    assert facts["versions"]["tavern-desktop"]
    text = run("doctor").out
    assert str(root.path) in text
    assert "question" not in text


def test_doctor_works_where_nothing_else_does(run: Run, tmp_path: Path) -> None:
    result = run("doctor", "--data-root", tmp_path / "missing")
    assert result.code == 0
    assert "There is no folder" in result.out
