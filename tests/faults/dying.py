"""A program that changes a chat and is killed before it saves, or while it saves over and over.

    python -m tests.faults.dying ROOT CHAT [FIRST]

Says on its output what it wrote, once that is in the journal; with FIRST, the number of its first message, once it is
in the file.
"""

from __future__ import annotations

import sys
from itertools import count
from pathlib import Path

from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.commands import AppendMessage, EditText
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.session.runner import PlainRunner
from tavern_desktop.storage.own_folders import own_folders


class Program:
    """A program without a window, on a data root."""

    def __init__(self, root: Path) -> None:
        own = own_folders().for_root(root).data
        self.runner = PlainRunner()
        self.chats = OpenChats(self.runner, own / "recovery", own_folder=own, root=root, preview_limit=0)

    def open(self, chat: Path) -> ChatSession:
        session = self.chats.open(chat)
        self.runner.run_until_idle()
        return session

    def add(self, session: ChatSession, text: str) -> None:
        """Add a message; it is in the journal then."""
        session.do(AppendMessage({"name": "Ana", "is_user": True, "mes": text, "extra": {}}))
        self.runner.run_until_idle()

    def edit(self, session: ChatSession, index: int, text: str) -> None:
        assert session.chat is not None
        session.do(EditText(session.chat.messages[index].key, text))
        self.runner.run_until_idle()

    def save(self, session: ChatSession) -> None:
        session.save_now()
        self.runner.run_until_idle()


def main(root: str, chat: str, first: str = "") -> None:
    program = Program(Path(root))
    session = program.open(Path(chat))
    if not first:
        program.add(session, "written before the end")
        program.edit(session, 0, "changed before the end")
        print("written", flush=True)
        sys.stdin.read()
    for number in count(int(first)):
        program.add(session, f"mine {number}")
        program.save(session)
        print(number, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
