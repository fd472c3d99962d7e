"""Bookmarks and the tree of branches on the command line."""

from __future__ import annotations

from pathlib import Path

from tests.unit.cli.conftest import Run, message


def test_bookmarks_are_made_listed_and_removed(run: Run, chat: Path) -> None:
    made = Path(run("chats", "bookmark", chat, "--message", "3").out.rstrip("\n"))
    assert made.name == "talk - Checkpoint #1.jsonl"
    assert message(chat, 3)["extra"]["bookmark_link"] == made.stem
    assert len(run("chats", "show", made, "--json").objects()) == 4
    named = run("chats", "bookmark", chat, "--message", "0", "--name", "开端", "--json").objects()[0]
    assert Path(named["file"]).stem == "开端"
    made.unlink()
    listed = run("chats", "bookmarks", chat, "--json").objects()
    assert [(each["index"], Path(each["file"]).stem, each["missing"]) for each in listed] == [
        (0, "开端", False),
        (3, made.stem, True),
    ]
    assert run("chats", "bookmarks", chat).out.splitlines()[1].startswith("#3  talk - Checkpoint #1 [missing]  ")
    assert run("chats", "bookmark", chat, "--message", "3", "--remove").code == 0
    assert "bookmark_link" not in message(chat, 3)["extra"]
    assert run("chats", "bookmark", chat, "--message", "9", "--json").error()["kind"] == "validation"


def test_the_tree(run: Run, chat: Path) -> None:
    branch = Path(run("chats", "branch", chat, "--message", "1").out.rstrip("\n"))
    run("chats", "bookmark", chat, "--message", "3", "--name", "kept")
    run("chats", "rename", chat, "origin")
    assert run("chats", "tree", branch).out.splitlines() == [
        "- origin  8 messages",
        "  - kept [checkpoint from #3]  4 messages",
        "  * talk - Branch #1 [branch]  2 messages",
    ]
    facts = run("chats", "tree", branch, "--json").objects()
    assert [(each["title"], each["depth"], each["parent"], each["index"]) for each in facts] == [
        ("origin", 0, None, None),
        ("kept", 1, "origin", 3),
        ("talk - Branch #1", 1, "origin", None),
    ]
