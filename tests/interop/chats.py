"""The two sides of a chat file: as SillyTavern reads it, and as our session changes it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tavern_desktop.chat.chat import Chat
from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.commands import Command
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.session.runner import PlainRunner
from tests.interop.sillytavern import Server

Record = dict[str, Any]


def theirs(server: Server, path: Path) -> list[Record]:
    """Return what SillyTavern's page is given for this file: the header, then the messages."""
    if path.parent.name == "group chats":
        reply = server.ask("/api/chats/group/get", {"id": path.stem})
    else:
        reply = server.ask("/api/chats/get", {"avatar_url": f"{path.parent.name}.png", "file_name": path.stem})
    assert isinstance(reply, list)
    return reply


def let_it_save(server: Server, path: Path, chat: list[Record]) -> None:
    """Have SillyTavern write this chat, as its page does."""
    if path.parent.name == "group chats":
        server.ask("/api/chats/group/save", {"id": path.stem, "chat": chat})
    else:
        whose = {"avatar_url": f"{path.parent.name}.png", "file_name": path.stem}
        server.ask("/api/chats/save", {**whose, "chat": chat})


def records(path: Path) -> list[Record]:
    """Return the objects of a file, one a line, read with nothing of ours."""
    return [json.loads(line) for line in path.read_bytes().split(b"\n") if line.strip()]


@contextmanager
def opened(path: Path, recovery_folder: Path) -> Iterator[ChatSession]:
    """Open a chat with our session; leaving saves it."""
    runner = PlainRunner()
    chats = OpenChats(runner, recovery_folder, preview_limit=0)
    session = chats.open(path)
    runner.run_until_idle()
    assert session.error is None, session.error
    yield session
    assert chats.flush_all(timeout=10) == []
    chats.release(session)


def change(path: Path, recovery_folder: Path, *steps: Callable[[Chat], Command]) -> list[Record]:
    """Open a chat, do one command after another, save; return header and messages as they then are in memory."""
    with opened(path, recovery_folder) as session:
        chat = session.chat
        assert chat is not None
        for step in steps:
            assert session.do(step(chat))
        return [chat.header.data(), *(message.data() for message in chat.messages)]


def misread_swipes(chat: list[Record]) -> list[int]:
    """Return the numbers of messages that the page would show other than they say."""
    wrong = []
    for number, message in enumerate(chat[1:]):
        swipes = message.get("swipes")
        if swipes is None:
            continue
        current = message.get("swipe_id")
        fits = isinstance(current, int) and 0 <= current < len(swipes) and swipes[current] == message["mes"]
        if not fits or len(message.get("swipe_info", swipes)) != len(swipes):
            wrong.append(number)
    return wrong
