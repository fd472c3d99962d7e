"""What is done to whole characters in a window: another name, into the bin and back."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QCheckBox, QFileDialog, QMessageBox

from tavern_desktop.library.card_file import CardError
from tavern_desktop.library.characters import SUFFIX
from tavern_desktop.session.refusals import Refused
from tavern_desktop.session.runner import Outcome
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.ui.manager.owner import Owner
from tavern_desktop.ui.tellers import Teller

if TYPE_CHECKING:
    from tavern_desktop.session.character_removal import CharacterRemoved
    from tavern_desktop.session.character_renaming import CharacterRenamed
    from tavern_desktop.ui.chat_part import ChatPart
    from tavern_desktop.ui.main_window import MainWindow

T = TypeVar("T")


class CharacterDeeds(QObject):
    """Owner: the chat's part of the window."""

    def __init__(self, window: MainWindow, part: ChatPart, teller: Teller) -> None:
        super().__init__(part)
        self._window = window
        self._part = part
        self._teller = teller
        self._services = window.services

    # -- another name -----------------------------------------------------------------------------------

    def rename(self, owner: Owner | None) -> None:
        """Ask for another name, and whether the messages in its chats get it too."""
        from tavern_desktop.ui.name_dialog import NameDialog

        if owner is None or not owner.character:
            return
        count = len(self._services.library.chats_of(character=owner.character))
        choice = QCheckBox(self._in_chats(count))
        choice.setChecked(True)
        choice.setEnabled(count > 0)
        NameDialog(
            self._window,
            self.tr("Rename Character"),
            owner.name,
            self.tr("Rename"),
            lambda name: self._judge(owner, name),
            lambda name: self.rename_to(owner, name, in_chats=choice.isChecked()),
            choice,
        ).open()

    def rename_to(self, owner: Owner, name: str, *, in_chats: bool = True) -> None:
        """Give a character this name."""
        root, acts = self._services.root, self._services.file_acts
        self._part.desk.keep_edit()

        def renamed(outcome: Outcome[CharacterRenamed]) -> None:
            if outcome.error is not None:
                self._fail(self.tr("Not renamed"), outcome.error)
                return
            done = outcome.result()
            for former, path in done.chats:
                self._services.drafts.moved(former, path)
            self._services.library.refresh()
            self._teller.say(self.tr("{old} is now called {name}.").format(old=owner.name, name=name.strip()))
            for warning in done.warnings:
                self._services.messages.warning(warning)

        def progress(done: int, total: int) -> None:
            if total > 1:
                self._teller.say(self.tr("Renaming: {done} of {total} chats…").format(done=done, total=total))

        try:
            acts.character_names.rename(root, owner.character, name, renamed, in_chats=in_chats, progress=progress)
        except (Refused, StorageError) as error:
            self._fail(self.tr("Not renamed"), error)

    # -- once more, and elsewhere -----------------------------------------------------------------------

    def duplicate(self, owner: Owner | None) -> None:
        """Write a character once more, without its chats."""
        from tavern_desktop.library.character_files import duplicate_character

        if owner is None or not owner.character:
            return

        def done(stem: str) -> None:
            self._services.library.refresh()
            self._teller.say(self.tr("{name} is there once more, as {stem}.").format(name=owner.name, stem=stem))

        root = self._services.root
        self._do(lambda: duplicate_character(root, owner.character), done, self.tr("Not duplicated"))

    def export(self, owner: Owner | None) -> None:
        """Ask where a character's card is to be written, as a picture or as JSON."""
        if owner is None or not owner.character:
            return
        dialog = QFileDialog(self._window, self.tr("Export Character"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilters([self.tr("Picture with the card (*.png)"), self.tr("Card as JSON (*.json)")])
        dialog.setDefaultSuffix("png")
        dialog.filterSelected.connect(lambda chosen: dialog.setDefaultSuffix("json" if "json" in chosen else "png"))
        dialog.selectFile(f"{owner.character}{SUFFIX}")
        dialog.fileSelected.connect(lambda path: self.export_to(owner, Path(path)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def export_to(self, owner: Owner, out: Path) -> None:
        """Write a character's card there; the person has agreed to replace what is there."""
        from tavern_desktop.library.character_files import export_card

        card = self._services.root.characters / f"{owner.character}{SUFFIX}"
        told = self.tr("{name} is in {file}.").format(name=owner.name, file=out.name)
        work = partial(export_card, card, out, replace=True)
        self._do(work, lambda _: self._teller.say(told), self.tr("Not exported"))

    def _do(self, work: Callable[[], T], done: Callable[[T], object], failed: str) -> None:
        def take(outcome: Outcome[T]) -> None:
            if isinstance(outcome.error, CardError | StorageError | OSError):
                self._fail(failed, outcome.error)
            else:
                done(outcome.result())

        self._services.runner.submit(work, take)

    # -- into the bin and back --------------------------------------------------------------------------

    def remove(self, owner: Owner | None) -> None:
        """Ask whether the chats go along, then move the character to the bin."""
        if owner is None or not owner.character:
            return
        box = self._question(owner)
        choice = box.findChild(QCheckBox)
        move = box.addButton(self.tr("Move to the Bin"), QMessageBox.ButtonRole.AcceptRole)
        box.setDefaultButton(box.addButton(self.tr("Cancel"), QMessageBox.ButtonRole.RejectRole))
        move.clicked.connect(lambda: self.remove_now(owner, with_chats=choice is not None and choice.isChecked()))
        box.finished.connect(box.deleteLater)
        box.open()

    def remove_now(self, owner: Owner, *, with_chats: bool, despite_damage: bool = False) -> None:
        """Move a character to the bin, and offer to undo that."""
        root, acts = self._services.root, self._services.file_acts

        def removed(outcome: Outcome[CharacterRemoved]) -> None:
            self._services.library.refresh()
            if outcome.error is not None:
                self._not_removed(owner, outcome.error)
                return
            gone = outcome.result()
            for warning in gone.warnings:
                self._services.messages.warning(warning)
            self._offer_undo(owner, gone)

        acts.character_bin.remove(root, owner.character, removed, with_chats=with_chats, despite_damage=despite_damage)

    def _not_removed(self, owner: Owner, error: BaseException) -> None:
        from tavern_desktop.session.character_removal import UnreadableChats

        if not isinstance(error, UnreadableChats):
            self._fail(self.tr("Not moved to the bin"), error)
            return
        self._teller.ask(
            error.sentence,
            self.tr("Move Them Anyway"),
            lambda: self.remove_now(owner, with_chats=True, despite_damage=True),
        )

    def _offer_undo(self, owner: Owner, gone: CharacterRemoved) -> None:
        count = len(gone.chats)
        text = self.tr("{name} was moved to the bin").format(name=owner.name)
        if count:
            chats = self.tr("its chat") if count == 1 else self.tr("its {n} chats").format(n=count)
            text = self.tr("{name} and {chats} were moved to the bin").format(name=owner.name, chats=chats)
        if gone.copy is None:
            self._teller.say(text)
            return

        def undone(outcome: Outcome[tuple[str, ...]]) -> None:
            self._services.library.refresh()
            if outcome.error is not None:
                self._fail(self.tr("Not brought back"), outcome.error)
                return
            for warning in outcome.result():
                self._services.messages.warning(warning)

        self._teller.offer_undo(text, lambda: self._services.file_acts.character_bin.bring_back(gone, undone))

    # -- what is said -----------------------------------------------------------------------------------

    def _question(self, owner: Owner) -> QMessageBox:
        rows = self._services.library.chats_of(character=owner.character)
        box = QMessageBox(self._window)
        box.setObjectName("removeCharacter")
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setWindowTitle(self.tr("Move Character to the Bin"))
        box.setText(self.tr("Move the card of {name} to the bin?").format(name=owner.name))
        if rows:
            number = self._window.locale().toString
            messages = number(sum(max(row.messages, 0) for row in rows))
            text = (
                self.tr("Its chat too ({messages} messages)").format(messages=messages)
                if len(rows) == 1
                else self.tr("Its {n} chats too ({messages} messages)").format(n=number(len(rows)), messages=messages)
            )
            # With a parent of its own: the binding does not see that the box takes it.
            box.setCheckBox(QCheckBox(text, box))
        box.setInformativeText(" ".join(self._consequences(owner, has_chats=bool(rows))))
        return box

    def _consequences(self, owner: Owner, *, has_chats: bool) -> list[str]:
        """Return what else it means that a card goes."""
        found = []
        card = f"{owner.character}{SUFFIX}"
        groups = [group.name for group in self._services.library.groups if card in group.members]
        if groups:
            found.append(self.tr("It is a member of {groups}.").format(groups=", ".join(groups)))
        if has_chats:
            found.append(self.tr("Chats that stay are not listed any more, until there is a card of this name again."))
        return found

    def _in_chats(self, count: int) -> str:
        if count == 1:
            return self.tr("Messages in its chat get the new name too")
        return self.tr("Messages in its {n} chats get the new name too").format(n=self._window.locale().toString(count))

    def _judge(self, owner: Owner, name: str) -> tuple[bool, str]:
        if not name.strip():
            return False, self.tr("A character needs a name.")
        if name.strip() == owner.name:
            return False, self.tr("This is its name now.")
        return True, self.tr("The card, the folder of its chats and its groups follow.")

    def _fail(self, what: str, error: BaseException) -> None:
        if isinstance(error, StorageError):
            why = sentence(error)
        elif isinstance(error, Refused):
            why = error.sentence
        elif isinstance(error, OSError):
            why = error.strerror or str(error)
        elif isinstance(error, CardError):
            why = str(error)
        else:
            raise error
        self._teller.fail(f"{what}: {why}")
