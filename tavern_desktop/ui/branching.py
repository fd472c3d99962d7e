"""Branches and bookmarks of the chat in view: made, opened, listed, and the way back to the main chat."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from tavern_desktop.chat import links
from tavern_desktop.session.link_commands import SetBookmark
from tavern_desktop.session.refusals import Refused
from tavern_desktop.session.runner import Outcome
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.storage.names import SUFFIX
from tavern_desktop.ui.actions import Act
from tavern_desktop.ui.tellers import Teller

if TYPE_CHECKING:
    from tavern_desktop.session.chat_session import ChatSession
    from tavern_desktop.session.file_acts import FileDone
    from tavern_desktop.ui.chat_part import ChatPart
    from tavern_desktop.ui.main_window import MainWindow


class Branching(QObject):
    """Owner: the chat's part of the window."""

    def __init__(self, window: MainWindow, part: ChatPart, teller: Teller) -> None:
        super().__init__(part)
        self._window = window
        self._part = part
        self._teller = teller
        self._services = window.services
        self._of_message: dict[Act, Callable[[ChatSession, int], object]] = {
            Act.BRANCH: self._branch,
            Act.BOOKMARK: self._ask_for_name,
            Act.OPEN_BOOKMARK: self._open_bookmark,
            Act.REMOVE_BOOKMARK: lambda session, key: self.mark(session, key, None),
        }
        self._of_chat: dict[Act, Callable[[ChatSession], object]] = {
            Act.BOOKMARKS: self._show_bookmarks,
            Act.BRANCHES: self._show_tree,
            Act.MAIN_CHAT: self._open_main,
        }
        part.desk.commands.link_requested.connect(self.run_at)

    def handles(self, act: Act) -> bool:
        """Say whether `act` is about where the chat comes from, or what came of it."""
        return act in self._of_chat

    def run(self, act: Act) -> None:
        """Do `act` for the chat in view."""
        session = self._part.desk.session
        if session is not None:
            self._of_chat[act](session)

    def run_at(self, act: Act, key: int) -> None:
        """Do `act` to a message of the chat in view."""
        session = self._part.desk.session
        if session is not None and session.chat is not None and session.chat.find(key) is not None:
            self._of_message[act](session, key)

    def mark(self, session: ChatSession, key: int, stem: str | None) -> None:
        """Mark a message with a checkpoint, or with none, and save that at once: other chats are found by it."""
        try:
            session.do(SetBookmark(key, stem))
        except Refused as refusal:
            self._teller.fail(refusal.sentence)
        else:
            session.save_now()

    def open_beside(self, stem: str, chat: Path) -> None:
        """Open the chat `stem` of the same folder, or say that it is gone."""
        path = chat.with_name(stem + SUFFIX)
        if os.path.lexists(path):
            self._part.desk.open(path)
        else:
            self._teller.fail(self.tr("“{name}” is not there any more.").format(name=stem))

    # -- at a message -----------------------------------------------------------------------------------

    def _branch(self, session: ChatSession, key: int) -> None:
        index = session.chat.find(key) if session.chat is not None else None
        if index is not None:
            self._part.files.branch(session.path, index)

    def _ask_for_name(self, session: ChatSession, key: int) -> None:
        from tavern_desktop.session.branch import numbered
        from tavern_desktop.ui.name_dialog import NameDialog

        suggested = numbered(session.path, "Checkpoint").name.removesuffix(SUFFIX)
        self._part.desk.keep_edit()
        NameDialog(
            self._window,
            self.tr("Bookmark This Message"),
            suggested,
            self.tr("Make Checkpoint"),
            lambda name: self._judge(session.path, name),
            lambda name: self._bookmark(session, key, name),
        ).open()

    def _judge(self, path: Path, name: str) -> tuple[bool, str]:
        from tavern_desktop.storage.names import normalize_name

        try:
            file_name, _stem = normalize_name(name)
        except StorageError as error:
            return False, sentence(error)
        if os.path.lexists(path.with_name(file_name)):
            return True, self.tr("A chat with this name already exists; the checkpoint will get a number.")
        return True, self.tr("The chat up to this message becomes a chat of its own, which the message points to.")

    def _bookmark(self, session: ChatSession, key: int, name: str) -> None:
        chat = session.chat
        index = chat.find(key) if chat is not None else None
        if index is None:
            return

        def made(outcome: Outcome[FileDone]) -> None:
            try:
                done = outcome.result()
            except StorageError as error:
                self._teller.fail(f"{self.tr('No checkpoint was made')}: {sentence(error)}")
                return
            stem = done.path.name.removesuffix(SUFFIX)
            self._services.library.refresh_chat(done.path)
            self.mark(session, key, stem)
            self._teller.say(self.tr("Checkpoint made: {name}").format(name=stem))
            for warning in done.warnings:
                self._services.messages.warning(warning)

        try:
            self._services.file_acts.branch(session.path, index, made, checkpoint=name)
        except Refused as refusal:
            self._teller.fail(f"{self.tr('No checkpoint was made')}: {refusal.sentence}")

    def _open_bookmark(self, session: ChatSession, key: int) -> None:
        index = session.chat.find(key) if session.chat is not None else None
        if session.chat is not None and index is not None:
            stem = links.bookmark_of(session.chat.messages[index].seen_data())
            if stem:
                self.open_beside(stem, session.path)

    # -- of the chat ------------------------------------------------------------------------------------

    def _open_main(self, session: ChatSession) -> None:
        parent = links.parent_of(session.chat.header.metadata()) if session.chat is not None else ""
        if parent:
            self.open_beside(parent, session.path)

    def _show_bookmarks(self, session: ChatSession) -> None:
        from tavern_desktop.ui.manager.bookmarks_dialog import BookmarksDialog

        if session.chat is not None:
            BookmarksDialog(self._window, self._part, session).open()

    def _show_tree(self, session: ChatSession) -> None:
        self.show_tree(session.path)

    def show_tree(
        self, chat: Path, parent: QWidget | None = None, open_chat: Callable[[Path], object] | None = None
    ) -> None:
        """Show the tree of branches that a chat is in, over `parent`; `open_chat` opens what is chosen."""
        from tavern_desktop.ui.manager.tree_dialog import TreeDialog

        opens = open_chat or self._part.desk.open
        TreeDialog(parent or self._window, self._services.runner, chat, opens).open()
