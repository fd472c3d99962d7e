"""What is done with backups: looked at, opened as chats of their own, restored, and deleted chats brought back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from tavern_desktop.session.backup_list import backups_for
from tavern_desktop.session.deleted import bring_back, deleted_chats
from tavern_desktop.session.importing import Receiver
from tavern_desktop.session.refusals import Refused
from tavern_desktop.session.restoring import RestoreVersion
from tavern_desktop.session.runner import Outcome
from tavern_desktop.storage.backups import Backup
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.storage.names import SUFFIX
from tavern_desktop.ui.backups_dialog import BackupAct, BackupsDialog, BackupTexts
from tavern_desktop.ui.chat.context import ChatContext
from tavern_desktop.ui.manager.owner import Owner
from tavern_desktop.ui.tellers import Teller
from tavern_desktop.ui.theme import themes

if TYPE_CHECKING:
    from tavern_desktop.session.file_acts import FileDone
    from tavern_desktop.ui.chat_part import ChatPart


class BackupDeeds(QObject):
    """Without a parent in Qt: what was begun ends also when the dialog it was begun from is gone."""

    def __init__(self, parent: QWidget, part: ChatPart, teller: Teller, arrived: Callable[[Path], object]) -> None:
        """`arrived` is told of each new chat. Dialogs come up over `parent`."""
        super().__init__()
        self._window, self._part, self._teller, self._arrived = parent, part, teller, arrived
        self._services = part.services

    def show(self, chat: Path) -> None:
        """Show the backups of a chat."""
        title = chat.name.removesuffix(SUFFIX)
        texts = BackupTexts(
            self.tr("Backups of {title}").format(title=title),
            self.tr("A copy opens as a new chat; the present one stays as it is."),
            self.tr("There are no backups of this chat yet. One is made when it is saved."),
        )
        restore = BackupAct(
            self.tr("Restore"),
            lambda backup: self.restore_over(chat, backup),
            "plain",
            self.tr("The chat becomes what this backup says. What it says now is copied first, and can be undone."),
        )
        copy = BackupAct(self.tr("Open as a Copy"), lambda backup: self.open_copy(chat, backup))
        self._open(lambda: backups_for(chat), texts, (restore, copy), self._context(chat))

    def show_deleted(self, owner: Owner) -> None:
        """Show the chats of a character or a group that are not there any more, and of which a backup is."""
        root, receiver = self._services.root, Receiver(owner.character, owner.group)
        texts = BackupTexts(
            self.tr("Deleted Chats of {name}").format(name=owner.name),
            self.tr("The newest backup of each chat that is not there any more."),
            self.tr("There is no backup of a chat that is not there any more."),
        )
        act = BackupAct(self.tr("Bring Back"), lambda backup: self._bring_back(owner, backup))
        context = ChatContext(themes().current, char_name=owner.name)
        self._open(lambda: deleted_chats(root, receiver), texts, (act,), context)

    def open_copy(self, chat: Path, backup: Path) -> None:
        """Make a backup a chat of its own beside the chat it is of."""
        self._services.file_acts.restore(chat, backup, self._made)

    def restore_over(self, chat: Path, backup: Path) -> None:
        """Make a chat what a backup says, and bring it into view with the way back."""
        self._part.desk.keep_edit()

        def restored(outcome: Outcome[int]) -> None:
            try:
                count = outcome.result()
            except StorageError as error:
                self._fail(sentence(error))
                return
            except Refused as refusal:
                self._fail(refusal.sentence)
                return
            self._part.desk.open(chat)
            messages = self.tr("1 message") if count == 1 else self.tr("{n} messages").format(n=count)
            text = self.tr("Restored from the backup: {messages}.").format(messages=messages)
            self._teller.offer_undo(text, lambda: self._undo(chat))

        self._services.file_acts.backups.restore_over(chat, backup, restored)

    # -- what comes of them -----------------------------------------------------------------------------

    def _open(
        self,
        find: Callable[[], list[Backup]],
        texts: BackupTexts,
        acts: tuple[BackupAct, ...],
        context: ChatContext,
    ) -> None:
        BackupsDialog(self._window, self._services.runner, find, texts, acts, context).open()

    def _context(self, chat: Path) -> ChatContext:
        """Return how the messages of a chat are shown: as in view, where it is the one in view."""
        in_view = self._part.pane.view.context
        if self._part.desk.path == chat:
            return in_view
        row = self._services.library.row(chat)
        return ChatContext(themes().current, in_view.user_name, row.name if row is not None else "")

    def _undo(self, chat: Path) -> None:
        """Take the restoring back, if that is still what was done last."""
        session = self._services.open_chats.session_for(chat)
        if session is not None and session.undo_label == RestoreVersion.label and self._part.desk.session is session:
            self._part.desk.commands.undo()
        else:
            self._fail(self.tr("The chat was changed since; its history has every version."))

    def _bring_back(self, owner: Owner, backup: Path) -> None:
        root, receiver = self._services.root, Receiver(owner.character, owner.group)
        name = self.tr("{name} (restored)").format(name=owner.name)

        def there(outcome: Outcome[Path]) -> None:
            try:
                path = outcome.result()
            except StorageError as error:
                self._fail(sentence(error))
            except OSError as error:
                self._fail(error.strerror or str(error))
            else:
                self._services.library.refresh_for(frozenset([str(path)]))
                self._arrived(path)

        self._services.runner.submit(lambda: bring_back(root, receiver, name, backup), there)

    def _made(self, outcome: Outcome[FileDone]) -> None:
        try:
            done = outcome.result()
        except StorageError as error:
            self._fail(sentence(error))
            return
        for warning in done.warnings:
            self._services.messages.warning(warning)
        self._services.library.refresh_chat(done.path)
        self._arrived(done.path)

    def _fail(self, why: str) -> None:
        self._teller.fail(f"{self.tr('Not restored')}: {why}")
