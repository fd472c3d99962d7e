"""A chat goes on in a new file: linked, with the newest messages, and the old one untouched."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.chat import facts
from tavern_desktop.library import records
from tavern_desktop.library.card_file import read_card
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.sillytavern_use import is_used_by_sillytavern, limit_in_sight
from tavern_desktop.session import continuation
from tavern_desktop.session.commands import AppendMessage
from tavern_desktop.session.continuation import Continuations, Continued, next_part
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.session.runner import Outcome, PlainRunner
from tavern_desktop.storage.errors import StorageError
from tests.unit.session.chats import user, write

HEADER = json.dumps(
    {
        "chat_metadata": {
            "integrity": "old",
            "note_prompt": "rain",
            "timedWorldInfo": {"sticky": {"a": {"start": 7, "end": 9}}},
            "tavern_desktop": {"persona": "wren.png"},
        },
        "user_name": "unused",
    }
).encode()


class Desk:
    """A program with open chats."""

    def __init__(self, own: Path) -> None:
        self.runner = PlainRunner()
        self.chats = OpenChats(self.runner, own / "recovery", preview_limit=0)
        self._continuations = Continuations(self.runner, self.chats)

    def go_on(self, path: Path, name: str = "talk (part 2)", carried: int = 3) -> Continued:
        outcomes: list[Outcome[Continued]] = []
        self._continuations.start(path, name, carried, outcomes.append)
        self.runner.run_until_idle()
        (outcome,) = outcomes
        return outcome.result()


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "own")


@pytest.fixture
def chat(root: DataRoot) -> Path:
    return write(root.chats / "Aria Vale" / "talk.jsonl", [user(f"m{number}") for number in range(8)], HEADER)


def read(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    header, *messages = [json.loads(line) for line in path.read_bytes().split(b"\n")]
    return header["chat_metadata"], messages


def test_the_new_chat_has_the_newest_messages_and_says_where_it_comes_from(desk: Desk, chat: Path) -> None:
    before = chat.read_bytes()
    done = desk.go_on(chat)
    metadata, messages = read(done.path)
    assert (done.path.name, done.warnings) == ("talk (part 2).jsonl", ())
    assert [message["mes"] for message in messages] == ["m5", "m6", "m7"]
    assert done.path.read_bytes().split(b"\n")[1:] == before.split(b"\n")[6:]
    assert metadata.pop("integrity") not in ("", "old")
    assert metadata == {
        "note_prompt": "rain",
        "main_chat": "talk",
        "tavern_desktop": {"persona": "wren.png", "continues": {"chat": "talk", "messages": 5}},
    }
    assert chat.read_bytes() == before


def test_of_an_open_chat_it_is_what_is_seen(desk: Desk, chat: Path) -> None:
    session = desk.chats.open(chat)
    desk.runner.run_until_idle()
    session.do(AppendMessage(user("not saved yet")))
    _, messages = read(desk.go_on(chat).path)
    assert messages[-1]["mes"] == "not saved yet"


def test_the_newest_summary_comes_along(desk: Desk, chat: Path) -> None:
    lines = [user(f"m{number}") for number in range(8)]
    lines[1]["extra"] = {"memory": "an old summary"}
    lines[3]["extra"] = {"memory": "the newest summary"}
    write(chat, lines, HEADER)
    _, messages = read(desk.go_on(chat).path)
    assert [facts.extra(message).get("memory") for message in messages] == ["the newest summary", None, None]
    lines[6]["extra"] = {"memory": "one that is carried anyway"}
    write(chat, lines, HEADER)
    _, messages = read(desk.go_on(chat, "other").path)
    assert [facts.extra(message).get("memory") for message in messages] == [None, "one that is carried anyway", None]


@pytest.mark.parametrize("carried", [8, 1000])
def test_all_messages_can_be_carried(desk: Desk, chat: Path, carried: int) -> None:
    metadata, messages = read(desk.go_on(chat, carried=carried).path)
    assert (len(messages), metadata["tavern_desktop"]["continues"]["messages"]) == (8, 0)


def test_a_taken_name_is_numbered_and_one_that_is_none_refused(desk: Desk, chat: Path) -> None:
    assert desk.go_on(chat).path.name == "talk (part 2).jsonl"
    assert desk.go_on(chat).path.name == "talk (part 2) 2.jsonl"
    with pytest.raises(StorageError) as caught:
        desk.go_on(chat, "con")
    assert caught.value.detail == "name"


def test_parts_are_counted() -> None:
    assert next_part("talk") == "talk (part 2)"
    assert next_part(next_part("talk")) == "talk (part 3)"


def test_the_card_that_had_the_old_chat_has_the_new_one(desk: Desk, root: DataRoot, chat: Path) -> None:
    card = root.characters / "Aria Vale.png"
    records.make_current(chat)
    desk.go_on(chat)
    assert read_card(card)["chat"] == "talk (part 2)"


def test_a_group_has_both_and_goes_on_in_the_new_one(desk: Desk, root: DataRoot) -> None:
    record = next(root.groups.glob("*.json"))
    old = json.loads(record.read_bytes())["chat_id"]
    done = desk.go_on(root.group_chats / f"{old}.jsonl", next_part(old))
    after = json.loads(record.read_bytes())
    assert (after["chat_id"], old in after["chats"], done.path.stem in after["chats"]) == (done.path.stem, True, True)


def test_a_card_that_cannot_be_written_is_a_warning(desk: Desk, chat: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_old: Path, _new: Path) -> None:
        raise StorageError("io", "space", "no space left")

    monkeypatch.setattr(continuation, "go_on_in", full)
    done = desk.go_on(chat)
    assert done.path.exists()
    assert done.warnings == ("Created, but the old chat is still the current one: no space left.",)


@pytest.mark.parametrize(
    ("messages", "size", "limit"),
    [(109_999, 0, None), (110_000, 0, "messages"), (10, 449_999_999, None), (10, 450_000_000, "bytes")],
)
def test_chats_are_near_the_limits_of_the_other_program(messages: int, size: int, limit: str | None) -> None:
    assert limit_in_sight(messages, size) == limit


def test_a_folder_tells_whether_the_other_program_uses_it(tmp_path: Path) -> None:
    own = tmp_path / "own"
    root = DataRoot(tmp_path / "data")

    def is_used() -> bool:
        return is_used_by_sillytavern(root, own)

    root.user_folder.mkdir(parents=True)
    assert not is_used()
    root.settings.write_text('{"power_user": {}}', "utf-8")
    assert not is_used()
    root.settings.write_text('{"currentVersion": "1.19.0"}', "utf-8")
    assert is_used()
    root.settings.unlink()
    (root.path / "cookie-secret.txt").write_text("x", "utf-8")
    assert is_used()
    assert not is_used_by_sillytavern(root, root.path)
