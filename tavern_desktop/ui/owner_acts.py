"""What is done with all chats of a character or a group: manage them, begin one, import some."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakSet

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QWidget

from tavern_desktop.library.recents import ChatRow
from tavern_desktop.library.records import record_current
from tavern_desktop.session.new_chat import create_group_chat
from tavern_desktop.session.runner import Outcome
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.ui.actions import Act
from tavern_desktop.ui.banner import Notice
from tavern_desktop.ui.character_deeds import CharacterDeeds
from tavern_desktop.ui.manager.owner import Owner, owner_of_character, owner_of_chat, owner_of_group

log = logging.getLogger(__name__)

if TYPE_CHECKING:
    from tavern_desktop.session.chat_session import ChatSession
    from tavern_desktop.session.importing import Imported
    from tavern_desktop.ui.chat_part import ChatPart
    from tavern_desktop.ui.main_window import MainWindow
    from tavern_desktop.ui.tellers import Teller


class OwnerActs(QObject):
    """Owner: the chat's part of the window."""

    def __init__(self, window: MainWindow, part: ChatPart, teller: Teller) -> None:
        super().__init__(part)
        self.deeds = CharacterDeeds(window, part, teller)
        self._window = window
        self._part = part
        self._services = window.services
        self._acts: dict[Act, Callable[[Owner | None], object]] = {
            Act.MANAGE_CHATS: self.manage,
            Act.IMPORT_CHATS: self.import_chats,
            Act.RENAME_CHARACTER: self.deeds.rename,
            Act.DUPLICATE_CHARACTER: self.deeds.duplicate,
            Act.EXPORT_CHARACTER: self.deeds.export,
            Act.REMOVE_CHARACTER: self.deeds.remove,
        }
        self._seen: set[Path] = set()
        self._noted: WeakSet[ChatSession] = WeakSet()
        """Chats of which it was seen already whether they are to be recorded as current ones."""
        part.desk.state_changed.connect(self._note_opened)
        self._services.library.loaded.connect(self._note_opened)

    def handles(self, act: Act) -> bool:
        """Say whether `act` is about somebody's chats."""
        return act in self._acts

    def run(self, act: Act, owner: Owner | None = None) -> None:
        """Do `act` for `owner`, else for whom the person is on in the library, else for whose chat is in view."""
        self._acts[act](owner or self.at_hand())

    def at_hand(self) -> Owner | None:
        """Return who is meant where nobody is named."""
        library, lists = self._services.library, self._window.library
        kind, key = lists.chosen_person()
        if kind == "character" and lists.has_focus:
            return owner_of_character(library, key)
        if kind == "group" and lists.has_focus:
            return owner_of_group(library, key)
        path = self._part.desk.path
        return self.owner_of(path) if path is not None else None

    def owner_of(self, chat: Path) -> Owner | None:
        """Return whose chat a file is, None where it is nobody's."""
        return owner_of_chat(self._services.library, str(chat))

    @property
    def has_one_at_hand(self) -> bool:
        """Whether `at_hand` has somebody to return, as far as that can be told without looking through the lists."""
        session, lists = self._part.desk.session, self._window.library
        in_list = lists.has_focus and bool(lists.person_kind)
        return in_list or bool(self._part.desk.character) or (session is not None and session.kind == "group")

    def manage(self, owner: Owner | None) -> None:
        """Open the chat manager."""
        from tavern_desktop.ui.manager.dialog import ChatManager

        if owner is None:
            text = self.tr("This chat is nobody's: no character and no group has it.")
            self._part.pane.banner.show_notice(Notice(text, key="owner"))
        else:
            ChatManager(self._window, self._part, owner).open()

    def import_chats(
        self,
        owner: Owner | None,
        files: Sequence[Path] = (),
        *,
        parent: QWidget | None = None,
        arrived: Callable[[Path], object] | None = None,
    ) -> None:
        """Import chats for `owner`, for None for whom each file names; without `files` ask for them.

        `arrived` is told of the last new chat of each file; else that one opens.
        """
        over = parent or self._window
        title = self.tr("Import Chats for {name}").format(name=owner.name) if owner else self.tr("Import Chats")
        if files:
            self._import(owner, files, title, over, arrived or self._part.desk.open)
            return
        dialog = QFileDialog(over, title)
        dialog.setNameFilters([self.tr("Chats (*.jsonl *.json)"), self.tr("All files (*)")])
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(
            lambda names: self._import(owner, list(map(Path, names)), title, over, arrived or self._part.desk.open)
        )
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _import(
        self,
        owner: Owner | None,
        files: Sequence[Path],
        title: str,
        parent: QWidget,
        arrived: Callable[[Path], object],
    ) -> None:
        from tavern_desktop.session.importing import Receiver
        from tavern_desktop.ui.manager.import_dialog import ImportDialog, ImportWish

        library = self._services.library
        receiver = Receiver(owner.character, owner.group) if owner is not None else Receiver()
        wish = ImportWish(self._services.root, tuple(files), receiver, tuple(library.characters))

        def there(done: Imported) -> None:
            library.refresh_for(frozenset(map(str, done.paths)))
            arrived(done.paths[-1])

        ImportDialog(parent, self._services.runner, wish, title, there).open()

    def begin_chat(self, owner: Owner) -> None:
        """Write a new chat with a character or a group, then open it."""
        group = next((group for group in self._services.library.groups if group.id == owner.group), None)
        if group is None:
            self._part.acts.start_chat(owner.character)
            return
        root = self._services.root

        def begun(outcome: Outcome[Path]) -> None:
            try:
                path = outcome.result()
            except StorageError as error:
                self._services.messages.error(sentence(error))
            except OSError as error:
                reason = error.strerror or str(error)
                self._services.messages.error(self.tr("The chat could not be made: {reason}.").format(reason=reason))
            else:
                self._services.library.refresh()
                self._part.desk.open(path)

        self._services.runner.submit(lambda: create_group_chat(root, group), begun)

    def _note_opened(self) -> None:
        """Where a card or group names no chat that is there, record the one that is open now (known failure B-03)."""
        session, library = self._part.desk.session, self._services.library
        if session is None or not session.can_change or not library.is_loaded or session.path in self._seen:
            return
        path = session.path
        self._seen.add(path)
        if session in self._noted:  # it only has another name now
            return
        self._noted.add(session)
        owner = self.owner_of(path)
        named = owner.current(library) if owner is not None else ""
        if owner is None or named in {row.title for row in self._rows(owner)}:
            return
        if named:
            text = self.tr("The chat last used with {name}, “{chat}”, is not here. This one takes its place.")
            self._part.pane.banner.show_notice(Notice(text.format(chat=named, name=owner.name), key="current"))
        self._services.runner.submit(lambda: record_current(path), self._recorded_it)

    def _rows(self, owner: Owner) -> list[ChatRow]:
        return self._services.library.chats_of(character=owner.character, group=owner.group)

    def _recorded_it(self, outcome: Outcome[bool]) -> None:
        """A card that cannot be written opens its newest chat the next time too: nothing to tell."""
        if isinstance(outcome.error, StorageError | OSError):
            log.warning("the current chat could not be recorded: %s", type(outcome.error).__name__)
        elif outcome.result():
            self._services.library.refresh()
