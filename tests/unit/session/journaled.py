"""A program with one chat whose journal is kept, that can die and be started again."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.commands import Command, EditText
from tavern_desktop.session.file_acts import FileActs
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.session.reopening import Recovery
from tavern_desktop.storage.journal import Journal
from tavern_desktop.storage.journal_versions import records_at
from tavern_desktop.storage.unsaved import FOLDER, list_unsaved
from tests.unit.session.chats import ByHand, lines, recorded, texts, write


class Desk:
    """One chat in a data root, open."""

    def __init__(self, folder: Path, records: Iterable[dict[str, Any]]) -> None:
        self.root = folder / "data"
        self.own = folder / "own"
        (self.root / "default-user" / "characters").mkdir(parents=True)
        self.path = write(self.root / "default-user" / "chats" / "Mira" / "talk.jsonl", records)
        self.start()

    # -- what the person and others do ------------------------------------------------------------------

    def start(self, *, opens: bool = True) -> None:
        """Start the program, perhaps once more: what the one before had only in memory is lost."""
        self.runner = ByHand()
        self.chats = OpenChats(self.runner, self.own / "recovery", own_folder=self.own, root=self.root, preview_limit=0)
        self.acts = FileActs(self.runner, self.chats, self.own)
        if opens:
            self.open(self.path)

    def open(self, path: Path) -> ChatSession:
        self.session = self.chats.open(path)
        self.notices = recorded(self.session.notice)
        self.recovered: list[Recovery] = recorded(self.session.recovered)
        self.runner.run_until_idle()
        return self.session

    def close(self) -> None:
        """Save and close the chat."""
        self.chats.release(self.session)
        self.runner.run_until_idle()

    def restart(self) -> None:
        """End the program in good order, and start it again."""
        self.close()
        self.start()

    def edit(self, index: int, text: str) -> None:
        self.do(EditText(self.keys[index], text))

    def do(self, command: Command) -> None:
        self.session.do(command)
        self.runner.run_until_idle()

    def save(self) -> None:
        self.session.save_now()
        self.runner.run_until_idle()

    def elsewhere(self, records: Iterable[dict[str, Any]], header: bytes | None = None) -> None:
        """Another program writes the file."""
        write(self.path.with_suffix(".tmp"), records, header or lines(self.path)[0]).replace(self.path)

    # -- what there is ----------------------------------------------------------------------------------

    @property
    def keys(self) -> list[int]:
        assert self.session.chat is not None
        return [message.key for message in self.session.chat.messages]

    @property
    def texts(self) -> list[str]:
        assert self.session.chat is not None
        return texts(self.session.chat)

    def records(self) -> list[dict[str, Any]]:
        """What another program reads from the file."""
        return [json.loads(line) for line in lines(self.path)[1:]]

    def on_disk(self) -> list[str]:
        return [record["mes"] for record in self.records()]

    def journal(self, path: Path | None = None) -> Journal:
        assert self.chats.journals is not None
        return self.chats.journals.journal(path or self.session.path)

    def story(self) -> list[tuple[str, str]]:
        return [(meta.kind, meta.label) for meta in reversed(self.journal().metas())]

    def versions(self) -> list[list[bytes]]:
        """Every version, the oldest first, by going back from the chat as it is."""
        assert self.session.chat is not None
        journal, chat = self.journal(), self.session.chat
        now = [message.raw for message in chat.messages]
        numbers = range(journal.oldest, journal.number + 1)
        return [records_at(journal, number, chat.header.raw, now)[1] for number in numbers]

    def unsaved(self) -> list[str]:
        return [unsaved.chat for unsaved in list_unsaved(self.own / FOLDER)]

    def backups(self) -> list[bytes]:
        return [file.read_bytes() for file in (self.root / "default-user" / "backups").glob("*")]
