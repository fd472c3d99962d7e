"""Characters on the command line: listed, brought in and out, renamed and removed with their chats."""

from __future__ import annotations

from pathlib import Path

import pytest

from tavern_desktop.cli import files
from tavern_desktop.library.card_file import card_data, read_card
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.storage import file_moves
from tests.unit.cli.conftest import Run, message
from tests.unit.cli.test_handed_over import Window


@pytest.fixture(autouse=True)
def binned(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    binned: list[Path] = []

    def take(path: Path) -> bool:
        binned.append(path)
        path.unlink()
        return True

    monkeypatch.setattr(file_moves, "to_system_bin", take)
    return binned


def test_the_list(run: Run, root: DataRoot) -> None:
    facts = {each["stem"]: each for each in run("characters", "list", "--json").objects()}
    aria = facts["Aria Vale"]
    assert (aria["name"], aria["problem"]) == ("Aria Vale", None)
    assert aria["chats"] == len(list((root.chats / "Aria Vale").glob("*.jsonl")))
    assert any(line.startswith("Aria Vale  Aria Vale") for line in run("characters", "list").out.splitlines())


def test_a_card_goes_out_and_comes_in_byte_for_byte(run: Run, root: DataRoot, tmp_path: Path) -> None:
    card, out = root.characters / "Aria Vale.png", tmp_path / "card.png"
    assert run("characters", "export", "Aria Vale", "--out", out).out == f"{out}\n"
    assert out.read_bytes() == card.read_bytes()
    assert run("characters", "export", "Aria Vale", "--out", out, "--json").error()["kind"] == "already_exists"
    assert run("characters", "export", "Nobody", "--out", tmp_path / "x", "--json").error()["kind"] == "not_found"
    done = run("characters", "import", out, "--json").objects()[0]
    assert done["stem"] == "Aria Vale1"
    assert Path(done["file"]).read_bytes() == card.read_bytes()
    out.write_bytes(b"no picture")
    result = run("characters", "import", out)
    assert (result.code, result.out) == (1, "")
    assert "not a character card" in result.err


def test_a_character_is_renamed_with_its_chats(run: Run, root: DataRoot, chat: Path) -> None:
    chat.write_bytes(chat.read_bytes().replace(b'"name": "Aria"', b'"name": "Aria Vale"'))
    result = run("characters", "rename", "Aria Vale", "Aria 小月", "--json").objects()[0]
    assert result["stem"] == "Aria 小月"
    moved = root.chats / "Aria 小月" / chat.name
    assert message(moved, 0)["name"] == "Aria 小月"
    assert card_data(read_card(root.characters / "Aria 小月.png"))["name"] == "Aria 小月"
    assert run("characters", "rename", "Aria 小月", " ", "--json").error()["kind"] == "validation"


def test_a_character_is_removed_with_its_chats_only_if_all_can_be_read(
    run: Run, root: DataRoot, chat: Path, binned: list[Path]
) -> None:
    bad = chat.with_name("bad.jsonl")
    bad.write_bytes(b"garbage")
    assert "cannot be read: bad.jsonl" in run("characters", "remove", "Aria Vale", "--chats").err
    assert binned == []
    bad.unlink()
    done = run("characters", "remove", "Aria Vale", "--chats", "--json").objects()[0]
    assert done["chats"] == len(binned) - 1
    assert binned[-1] == root.characters / "Aria Vale.png"
    assert not chat.parent.exists()


def test_the_windows_process_does_it_where_there_is_one(
    run: Run, root: DataRoot, own_home: Path, chat: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_act_here", None)
    with Window(root) as window:
        assert run("characters", "rename", "Aria Vale", "Aria").code == 0
        assert run("characters", "remove", "Aria").code == 0
    assert [request["act"]["type"] for request in window.asked if "act" in request] == [
        "rename_character",
        "remove_character",
    ]


def test_a_card_is_shown_and_edited(run: Run, root: DataRoot) -> None:
    before = run("characters", "show", "Aria Vale", "--json").objects()[0]
    done = run(
        "characters", "edit", "Aria Vale",
        "--set", "personality=Dry = never late.", "--set", 'tags=["rain","river"]', "--set", "favourite=true", "--json",
    ).objects()[0]  # fmt: skip
    assert done["changed"] == ["favourite", "personality", "tags"]
    after = run("characters", "show", "Aria Vale", "--json").objects()[0]
    assert after == before | {"personality": "Dry = never late.", "tags": ["rain", "river"], "favourite": True}
    assert "tags: rain, river" in run("characters", "show", "Aria Vale").out.splitlines()
    assert card_data(read_card(root.characters / "Aria Vale.png"))["personality"] == "Dry = never late."
    assert run("characters", "edit", "Aria Vale", "--set", "favourite=true").out == "Nothing changed.\n"


@pytest.mark.parametrize("word", ["name=Eve", "nothing", "tags=rain", "note_depth=deep", "favourite=perhaps"])
def test_what_is_no_field_or_no_value_changes_nothing(run: Run, root: DataRoot, word: str) -> None:
    before = (root.characters / "Aria Vale.png").read_bytes()
    result = run("characters", "edit", "Aria Vale", "--set", word)
    assert result.code == 1
    assert word.partition("=")[0] in result.err
    assert (root.characters / "Aria Vale.png").read_bytes() == before


def test_a_character_is_duplicated(run: Run, root: DataRoot) -> None:
    assert run("characters", "duplicate", "Aria Vale").out == "Aria Vale1\n"
    assert (root.characters / "Aria Vale1.png").is_file()
    assert run("characters", "duplicate", "Nobody").code == 1
