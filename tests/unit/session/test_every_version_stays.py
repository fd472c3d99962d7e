"""Whatever is done to a chat, here, by other programs and by programs that die: every version can be gone back to.

Random stories with fixed seeds. After each step the chat is compared with what its journal makes of it later.
"""

from __future__ import annotations

import contextlib
import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from tavern_desktop.chat.deltas import UNKNOWN
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.session.commands import (
    AddSwipe,
    AppendMessage,
    DeleteMessages,
    EditText,
    MoveMessage,
    SetHidden,
)
from tavern_desktop.session.file_acts import FileActs
from tavern_desktop.session.header_commands import SetMetadata
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.session.refusals import Refused
from tavern_desktop.storage.journal import Journal
from tavern_desktop.storage.journal_thinning import thin
from tavern_desktop.storage.journal_versions import records_at
from tests.unit.session.chats import ByHand, reply, user, write

DAY_MS = 24 * 3600 * 1000
YEARS_MS = 1000 * DAY_MS


class Story:
    """A chat, the program that has it open, and the other programs."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.chance = random.Random(seed)
        self.root = DataRoot(folder / "data")
        self.own = folder / "own"
        self.root.characters.mkdir(parents=True)
        self.path = write(self.root.chats / "Mira" / "talk.jsonl", [reply("one", "uno"), user("two"), reply("three")])
        self.earlier = self.path.read_bytes()
        self.states: dict[int, list[bytes]] = {}
        self.number = 0
        self.start()

    def start(self) -> None:
        """Start a program and open the chat in it; one that ran before is simply not there any more."""
        self.runner = ByHand()
        self.chats = OpenChats(
            self.runner, self.own / "recovery", own_folder=self.own, root=self.root.path, preview_limit=0
        )
        self.acts = FileActs(self.runner, self.chats, self.own)
        self.session = self.chats.open(self.path)
        self.runner.run_until_idle()

    def journal(self) -> Journal:
        assert self.chats.journals is not None
        return self.chats.journals.journal(self.path)

    def state(self) -> list[bytes]:
        assert self.session.chat is not None
        return [message.raw for message in self.session.chat.messages]

    def go_on(self) -> None:
        """Do one thing, and take down what the chat then is."""
        self.number += 1
        step = self.chance.choice(self.steps())
        with contextlib.suppress(Refused, IndexError):  # there is nothing to undo, or something changed it
            step()
        if self.chance.random() < 0.3:
            self.runner.advance(2)
        self.runner.run_until_idle()
        self.path = self.session.path
        if self.session.state == "ready":
            self.states[self.journal().number] = self.state()
        if self.chance.random() < 0.15:
            self.earlier = self.path.read_bytes()

    def steps(self) -> list[Callable[[], object]]:
        session, word = self.session, f"word {self.number}"
        assert session.chat is not None
        keys = [message.key for message in session.chat.messages]
        some = self.chance.choice(keys)
        metadata = session.chat.header.metadata() | {"note": word}
        return [
            *[lambda: session.do(EditText(some, word))] * 2,
            *[lambda: session.do(AppendMessage(user(word)))] * 2,
            lambda: [session.do(AppendMessage(user(f"{word} {number}"))) for number in range(12)],
            lambda: session.do(AddSwipe(some, word)),
            lambda: session.do(SetHidden(keys[: len(keys) // 2 + 1], True)),
            lambda: session.do(MoveMessage(some, 1)),
            lambda: len(keys) > 2 and session.do(DeleteMessages(keys[1:2])),
            lambda: session.do(SetMetadata(metadata)),
            *[session.undo] * 2,
            session.redo,
            *[session.save_now] * 2,
            session.keep_mine,
            session.take_file,
            session.look_at_file,
            lambda: self.acts.rename(self.path, word, lambda _: None),
            *[self.another_program_writes] * 3,
            self.restart,
            *[self.die] * 2,
        ]

    def another_program_writes(self) -> None:
        """Let another program append, edit, delete, save an older copy, or replace nearly everything."""
        header, *records = self.path.read_bytes().split(b"\n")
        at = self.chance.randrange(len(records))
        kind = self.chance.choice(["append", "edit", "delete", "old", "header", "greeting"])
        if kind == "append":
            records.append(b'{"name":"Mira","mes":"theirs %d","extra":{}}' % self.number)
        elif kind == "edit":
            records[at] = json.dumps(json.loads(records[at]) | {"mes": f"theirs {self.number}"}).encode()
        elif kind == "delete" and len(records) > 2:
            del records[at]
        elif kind == "header":
            data = json.loads(header)
            data["chat_metadata"]["theirs"] = self.number
            header = json.dumps(data).encode()
        elif kind == "greeting":
            records = records[:1]
        self.path.write_bytes(self.earlier if kind == "old" else b"\n".join([header, *records]))

    def restart(self) -> None:
        self.chats.release(self.session)
        self.runner.run_until_idle()
        self.runner.advance(3)
        self.die()

    def die(self) -> None:
        """End the program without a word; meanwhile others may write."""
        if self.chance.random() < 0.5:
            self.another_program_writes()
        self.start()

    def check(self, journal: Journal) -> None:
        """See that each version is what it was, but for texts that nobody can know."""
        assert self.session.chat is not None
        header, present = self.session.chat.header.raw, self.state()
        for number in [meta.before for meta in journal.metas()]:
            _, records = records_at(journal, number, header, present)
            known = self.states.get(number, records)
            assert len(records) == len(known)
            assert all(one in (other, UNKNOWN) for one, other in zip(records, known, strict=True))


@pytest.mark.parametrize("seed", range(12))
def test_every_version_stays(tmp_path: Path, seed: int) -> None:
    story = Story(tmp_path, seed)
    for _ in range(25):
        if story.session.state != "ready":
            break
        story.go_on()
    journal = story.journal()
    assert journal.warnings == []
    if story.session.state == "ready":
        story.check(journal)
        thin(journal, 0, YEARS_MS)
        story.check(story.journal())
