"""The chat that the known failures are told with: Ana and Mira, u1 a1 u2 a2 …, and a program with a folder of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tavern_desktop.chat import facts
from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.open_chats import OpenChats
from tests.unit.session.chats import ByHand

Record = dict[str, Any]
HEAD = {
    "user_name": "Ana",
    "character_name": "Mira",
    "create_date": "2026-01-05@10h00m00s",
    "chat_metadata": {"integrity": "11111111-1111-4111-8111-111111111111"},
}


def u(number: int, **fields: Any) -> Record:
    date = "2026-01-05T10:00:00.000Z"
    return {"name": "Ana", "is_user": True, "is_system": False, "send_date": date, "mes": f"u{number}", "extra": {}} | (
        fields
    )


def a(number: int, *texts: str, **fields: Any) -> Record:
    texts = texts or (f"a{number}",)
    date = "2026-01-05T10:00:01.000Z"
    record = {"name": "Mira", "is_user": False, "is_system": False, "send_date": date, "mes": texts[0], "extra": {}}
    return record | {"swipe_id": 0, "swipes": list(texts), "swipe_info": [{"extra": {}} for _ in texts]} | fields


def base(count: int) -> list[Record]:
    return [record for number in range(1, count + 1) for record in (u(number), a(number))]


class Program:
    """A program with a folder of chats."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "chats" / "Mira"
        self.folder.mkdir(parents=True)
        self.runner = ByHand()
        self.own = folder / "own"
        self.chats = OpenChats(self.runner, self.own, preview_limit=0)

    def write(self, records: list[Record], name: str = "talk") -> Path:
        path = self.folder / f"{name}.jsonl"
        path.write_text("\n".join(map(json.dumps, [HEAD, *records])), "utf-8")
        return path

    def open(self, path: Path) -> ChatSession:
        session = self.chats.open(path)
        self.runner.run_until_idle()
        return session

    def reopen(self, session: ChatSession) -> ChatSession:
        self.chats.release(session)
        self.runner.run_until_idle()
        return self.open(session.path)


def key(session: ChatSession, index: int) -> int:
    assert session.chat is not None
    return session.chat.messages[index].key


def data(session: ChatSession, index: int) -> Record:
    assert session.chat is not None
    return session.chat.messages[index].data()


def shown(session: ChatSession, index: int) -> tuple[str, int, int]:
    """The text that shows, its number and how many there are, as "2/3"."""
    record = data(session, index)
    alternatives = facts.swipes(record)
    return facts.text(record), alternatives.current + 1, len(alternatives)
