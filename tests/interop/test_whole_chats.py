"""What we do to whole chats and characters, SillyTavern takes as its own; what it imports, we import alike."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from tavern_desktop.library.branch_tree import tree_around
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.session.file_acts import FileActs
from tavern_desktop.session.importing import Receiver, import_chats
from tavern_desktop.session.link_commands import SetBookmark
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.session.runner import Outcome, PlainRunner
from tests.interop.chats import Record, change, let_it_save, records, theirs
from tests.interop.sillytavern import Server

T = TypeVar("T")

OTHER_PROGRAMS: dict[str, Any] = {
    "Kobold Lite": {
        "savedsettings": {"chatname": "Ana", "chatopponent": "Neighbour"},
        "prompt": "",
        "actions": ["\n{{[INPUT]}}\nWho is there?\n{{[OUTPUT]}}\n", "*Nobody* 雨夜"],
    },
    "text-generation-webui": {"data": [], "data_visible": [["", "Hi"], ["Who is there?", "*Nobody*"]]},
    "Agnai": {"messages": [{"msg": "Hi"}, {"userId": "u", "msg": "Who is there?"}, {"msg": "*Nobody*"}]},
    "RisuAI": {
        "type": "risuChat",
        "data": {
            "message": [{"role": "char", "data": "Hi", "time": 1_719_321_243_022}, {"role": "user", "data": "Who?"}]
        },
    },
}


class Acts:
    """Our program beside it, without a window."""

    def __init__(self, own: Path) -> None:
        self.runner = PlainRunner()
        self.acts = FileActs(self.runner, OpenChats(self.runner, own / "recovery", preview_limit=0), own)

    def result(self, start: Callable[[Callable[[Outcome[T]], None]], None]) -> T:
        outcomes: list[Outcome[T]] = []
        start(outcomes.append)
        self.runner.run_until_idle()
        (outcome,) = outcomes
        return outcome.result()


@pytest.fixture
def acts(tmp_path: Path) -> Acts:
    return Acts(tmp_path / "own")


@pytest.fixture
def path(server: Server, request: pytest.FixtureRequest) -> Path:
    """A chat of a character of its own making."""
    avatar = server.create_character("Neighbour")
    path = server.user_folder / "chats" / avatar.removesuffix(".png") / "begun there.jsonl"
    chat: list[Record] = [{"chat_metadata": {"integrity": request.node.name}}]
    for number in range(4):
        chat.append({"name": "Ana", "is_user": True, "is_system": False, "mes": f"question {number}", "extra": {}})
        chat.append({"name": "Neighbour", "is_user": False, "is_system": False, "mes": f"answer {number}", "extra": {}})
    let_it_save(server, path, chat)
    return path


def test_it_opens_our_checkpoints_and_branches_and_keeps_their_links(
    server: Server, path: Path, acts: Acts, tmp_path: Path
) -> None:
    checkpoint = acts.result(lambda done: acts.acts.branch(path, 3, done, checkpoint="")).path
    branch = acts.result(lambda done: acts.acts.branch(path, 5, done)).path
    change(path, tmp_path, lambda chat: SetBookmark(chat.messages[3].key, checkpoint.stem))
    assert theirs(server, path)[4]["extra"]["bookmark_link"] == checkpoint.stem
    for made, count in ((checkpoint, 4), (branch, 6)):
        said = theirs(server, made)
        assert len(said) == count + 1
        assert said[0]["chat_metadata"]["main_chat"] == path.stem
        let_it_save(server, made, said)
    let_it_save(server, path, theirs(server, path))
    root = tree_around(branch).root
    assert (root.stem, {child.stem: child.index for child in root.children}) == (
        path.stem,
        {checkpoint.stem: 3, branch.stem: None},
    )
    renamed = acts.result(lambda done: acts.acts.rename(path, "第一夜", done)).path
    assert theirs(server, branch)[0]["chat_metadata"]["main_chat"] == renamed.stem
    assert theirs(server, checkpoint)[0]["chat_metadata"]["main_chat"] == renamed.stem


def test_it_finds_a_character_that_we_renamed_with_all_its_chats(server: Server, path: Path, acts: Acts) -> None:
    root = DataRoot(server.user_folder.parent)
    stem = path.parent.name
    done = acts.result(lambda done: acts.acts.character_names.rename(root, stem, "小月 & Co.", done))
    assert done.warnings == ()
    characters = {one["avatar"]: one for one in server.ask("/api/characters/all")}
    assert f"{stem}.png" not in characters
    one = characters[f"{done.stem}.png"]
    assert (one["name"], one["data"]["name"]) == ("小月 & Co.", "小月 & Co.")
    moved = root.chats / done.stem / path.name
    assert {record["name"] for record in theirs(server, moved)[1:]} == {"Ana", "小月 & Co."}
    listed = server.ask("/api/characters/chats", {"avatar_url": f"{done.stem}.png"})
    assert path.stem in {chat["file_id"] for chat in listed}


@pytest.mark.parametrize("form", OTHER_PROGRAMS)
def test_chats_of_other_programs_come_in_as_it_brings_them_in(
    server: Server, path: Path, tmp_path: Path, form: str
) -> None:
    content = json.dumps(OTHER_PROGRAMS[form], ensure_ascii=False).encode()
    stem = path.parent.name
    (name,) = server.import_chats(f"{stem}.png", "Neighbour", "Ana", "json", content)
    source = tmp_path / "in.json"
    source.write_bytes(content)
    root = DataRoot(server.user_folder.parent)
    done = import_chats(root, source, Receiver(stem))
    assert done.form == form
    its, ours = records(path.parent / name)[1:], records(done.paths[0])[1:]
    assert [(one["is_user"], one["mes"]) for one in ours] == [(one["is_user"], one["mes"]) for one in its]
    assert theirs(server, done.paths[0])[1:] == ours


def test_lines_come_in_as_it_brings_them_in(server: Server, path: Path, tmp_path: Path) -> None:
    chub = {
        "name": "Neighbour",
        "is_user": False,
        "mes": {"message": "b"},
        "swipes": [{"message": "a"}, {"message": "b"}],
    }
    for number, content in enumerate((path.read_bytes(), path.read_bytes() + b"\n" + json.dumps(chub).encode())):
        stem = path.parent.name
        (name,) = server.import_chats(f"{stem}.png", f"Neighbour {number}", "Ana", "jsonl", content)
        source = tmp_path / "in.jsonl"
        source.write_bytes(content)
        done = import_chats(DataRoot(server.user_folder.parent), source, Receiver(stem))
        its, ours = records(path.parent / name), records(done.paths[0])
        assert [(one.get("mes"), one.get("swipes")) for one in ours] == [
            (one.get("mes"), one.get("swipes")) for one in its
        ]
