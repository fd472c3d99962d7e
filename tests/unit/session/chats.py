"""Chats in memory and on disk for the tests of sessions."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tavern_desktop.chat import facts
from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.header import Header
from tavern_desktop.chat.message import Message
from tavern_desktop.session.runner import PlainRunner

HEADER = b'{"chat_metadata":{"integrity":"11111111-1111-4111-8111-111111111111"},"user_name":"unused"}'


def user(text: str, **fields: Any) -> dict[str, Any]:
    return {"name": "Ana", "is_user": True, "is_system": False, "mes": text, "extra": {}} | fields


def reply(*texts: str, **fields: Any) -> dict[str, Any]:
    info = [{"extra": {"reasoning": f"about {text}"}} for text in texts]
    swipes = {"swipe_id": 0, "swipes": list(texts), "swipe_info": info}
    return {"name": "Mira", "is_user": False, "mes": texts[0], "extra": info[0]["extra"]} | swipes | fields


def raw(data: dict[str, Any]) -> bytes:
    """JSON as another program might space it, so that rewriting shows."""
    return json.dumps(data, ensure_ascii=False, separators=(", ", ": ")).encode("utf-8", "backslashreplace")


def chat_of(*records: dict[str, Any], header: bytes = HEADER) -> Chat:
    return Chat(Header(header), Message.read(map(raw, records)))


def texts(chat: Chat) -> list[str]:
    return [facts.text(message.data()) for message in chat.messages]


def write(path: Path, records: Iterable[dict[str, Any]], header: bytes | None = HEADER) -> Path:
    lines = ([] if header is None else [header]) + [raw(record) for record in records]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\n".join(lines))
    return path


def lines(path: Path) -> list[bytes]:
    return path.read_bytes().split(b"\n")


class ByHand(PlainRunner):
    """A runner on a clock that only the test moves."""

    def __init__(self) -> None:
        self.now = 0.0
        super().__init__(lambda: self.now)

    def advance(self, seconds: float) -> None:
        """Let time pass, and what is due happen."""
        self.now += seconds
        self.run_timers()

    def run_one(self) -> None:
        """Run the next call that is queued, and no more."""
        self._calls.popleft()()


def recorded(signal: Any) -> list[Any]:
    """Return a list that grows by what a signal says."""
    heard: list[Any] = []

    def hear(*arguments: Any) -> None:
        heard.append(arguments[0] if len(arguments) == 1 else arguments)

    signal.connect(hear)
    return heard
