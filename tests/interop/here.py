"""Our side of a chat that SillyTavern has open too."""

from __future__ import annotations

from pathlib import Path

from tavern_desktop.chat import edits, facts
from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.merge import MergeResult
from tavern_desktop.library.data_root import root_of
from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.commands import AppendMessage, DeleteMessages, EditText
from tavern_desktop.session.history import Snapshot, list_versions, version_at
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.session.runner import PlainRunner
from tavern_desktop.storage.journal import Journal


class Here:
    """Our program with the chat open."""

    def __init__(self, path: Path, own_folder: Path) -> None:
        self._runner = PlainRunner()
        self.own_folder = own_folder
        root = root_of(path)
        assert root is not None
        self._chats = OpenChats(
            self._runner, own_folder / "recovery", preview_limit=0, own_folder=own_folder, root=root.path
        )
        self.session: ChatSession = self._chats.open(path)
        self.restored = 0
        """Messages of ours that were saved over and are back."""
        self.session.merged.connect(self._merged)
        self._runner.run_until_idle()

    @property
    def chat(self) -> Chat:
        assert self.session.chat is not None
        return self.session.chat

    def say(self, text: str) -> None:
        self.session.do(AppendMessage(edits.new_user_message(text, "Wren")))

    def edit(self, number: int, text: str) -> None:
        self.session.do(EditText(self.chat.messages[number].key, text))

    def delete(self, number: int) -> None:
        self.session.do(DeleteMessages([self.chat.messages[number].key]))

    def undo(self) -> None:
        self.session.undo()
        self.save()

    def keep_mine(self) -> None:
        self.session.keep_mine()
        self._runner.run_until_idle()

    def save(self) -> None:
        self.session.save_now()
        self._runner.run_until_idle()

    def look(self) -> None:
        """Do what the watcher asks for when the file changed."""
        self.session.look_at_file()
        self._runner.run_until_idle()

    def texts(self) -> list[str]:
        return [facts.text(message.data()) for message in self.chat.messages]

    def close(self) -> None:
        """End the program."""
        assert self._chats.flush_all(timeout=10) == []
        self._chats.release(self.session)
        self._runner.run_until_idle()

    def earlier_versions(self) -> list[list[str]]:
        """What History has of the chat, newest first, as the texts of each version."""
        found: list[list[str]] = []

        def read(journal: Journal | None) -> None:
            present = Snapshot(self.chat.header, tuple(self.chat.messages))
            for past in list_versions(journal):
                version = version_at(journal, present, past)
                found.append([facts.text(message.data()) for message in version.messages])

        self.session.read_journal(read, lambda outcome: outcome.result())
        self._runner.run_until_idle()
        return found

    def _merged(self, result: MergeResult) -> None:
        self.restored += len(result.restored)
