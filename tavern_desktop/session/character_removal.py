"""A character into the bin and back while chats of it are open: its card, and if that is wanted its chats."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tavern_desktop.library.character_files import chats_of, unreadable
from tavern_desktop.library.characters import SUFFIX
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.session.character_renaming import LANE, title_of, why
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.session.refusals import CommandRefused, Refused
from tavern_desktop.session.runner import Outcome, Runner
from tavern_desktop.storage import file_moves
from tavern_desktop.storage.copies import copy_new
from tavern_desktop.storage.directory import FileFailure
from tavern_desktop.storage.errors import StorageError, from_os
from tavern_desktop.storage.own_folders import make_folder
from tavern_desktop.storage.signature import Signature

if TYPE_CHECKING:
    from tavern_desktop.session.file_acts import FileActs, FileDone, Removed

KEPT = "kept"


class UnreadableChats(Refused):
    """Some chats of a character cannot be read, so it is not deleted with them."""

    def __init__(self, failures: Sequence[FileFailure]) -> None:
        self.failures = tuple(failures)
        files = ", ".join(Path(failure.file).name for failure in failures)
        super().__init__(f"Nothing was moved to the bin, because these chats cannot be read: {files}.")


@dataclass(frozen=True, slots=True)
class CharacterRemoved:
    """A character that went into the bin. `copy` is what its card can be brought back from."""

    stem: str
    card: Path
    copy: Path | None
    chats: tuple[Removed, ...]
    warnings: tuple[str, ...]


class CharacterRemoval:
    """Belongs to the owner of `runner`, and so do the callbacks."""

    def __init__(self, runner: Runner, chats: OpenChats, acts: FileActs, own_folder: Path) -> None:
        """`own_folder`: our own folder for the data root, for copies of cards."""
        self._runner = runner
        self._chats = chats
        self._acts = acts
        self._own = own_folder

    def remove(
        self,
        root: DataRoot,
        stem: str,
        done: Callable[[Outcome[CharacterRemoved]], None],
        *,
        with_chats: bool = False,
        despite_damage: bool = False,
    ) -> None:
        """Put a character's card into the bin, and with `with_chats` its chats before it.

        Every chat's header is read first: where one cannot be, nothing is done and `done` is told UnreadableChats,
        unless `despite_damage`. A chat that stays is a reason for the card to stay: `done` is told that error.
        """
        card = root.characters / f"{stem}{SUFFIX}"

        def look() -> tuple[list[Path], Path | None]:
            chats = chats_of(root, stem) if with_chats else []
            failures = unreadable(chats)
            if failures and not despite_damage:
                raise UnreadableChats(failures)
            return chats, _kept_copy(card, self._own / KEPT)

        def looked(outcome: Outcome[tuple[list[Path], Path | None]]) -> None:
            if outcome.error is not None:
                done(Outcome(error=outcome.error))
                return
            chats, copy = outcome.result()
            try:
                for chat in chats:
                    self._chats.refuse_while_generating(self._chats.session_for(chat))
            except StorageError as error:
                done(Outcome(error=error))
                return
            self._remove_next(root, CharacterRemoved(stem, card, copy, (), ()), chats, done, despite_damage)

        self._runner.submit(look, looked, lane=LANE)

    def bring_back(self, gone: CharacterRemoved, done: Callable[[Outcome[tuple[str, ...]]], None]) -> None:
        """Undo a removal; `done` is told warnings. Raises CommandRefused where there is no copy."""
        copy = gone.copy
        if copy is None:
            raise CommandRefused("No copy of this card was kept here; it lies in the system's bin.")
        left = list(gone.chats)
        warnings: list[str] = []

        def next_chat(outcome: Outcome[FileDone] | None) -> None:
            if outcome is not None and outcome.error is not None:
                warnings.append(f"Brought back, but not all of its chats: {why(outcome.error)}")
            if not left:
                done(Outcome(tuple(warnings)))
                return
            try:
                self._acts.bring_back(left.pop(), next_chat)
            except CommandRefused as refusal:
                next_chat(Outcome(error=refusal))

        def card_back(outcome: Outcome[Signature]) -> None:
            if outcome.error is not None:
                done(Outcome(error=outcome.error))
            else:
                next_chat(None)

        def work() -> Signature:
            for chat in gone.chats[:1]:
                chat.path.parent.mkdir(exist_ok=True)
            return copy_new(copy, gone.card)

        self._runner.submit(work, card_back, lane=LANE)

    def _remove_next(
        self,
        root: DataRoot,
        gone: CharacterRemoved,
        left: list[Path],
        done: Callable[[Outcome[CharacterRemoved]], None],
        despite_damage: bool,
    ) -> None:
        """Remove the oldest chat that is left, so that the card's current one goes last; after them the card."""
        if not left:
            self._runner.submit(partial(_remove_card, root, gone), done, lane=LANE)
            return

        def removed(outcome: Outcome[Removed]) -> None:
            if outcome.error is not None:
                done(Outcome(error=_stopped(outcome.error, left[0], len(gone.chats))))
                return
            one = outcome.result()
            more = CharacterRemoved(
                gone.stem, gone.card, gone.copy, (*gone.chats, one), (*gone.warnings, *one.warnings)
            )
            self._remove_next(root, more, left[1:], done, despite_damage)

        try:
            self._acts.remove(left[0], removed, despite_damage=despite_damage)
        except (CommandRefused, StorageError) as refusal:
            done(Outcome(error=_stopped(refusal, left[0], len(gone.chats))))


def _kept_copy(card: Path, folder: Path) -> Path | None:
    """Copy a card for undo; None where that cannot be done. Raises StorageError not_found for a card that is gone."""
    if not card.is_file():
        raise StorageError("not_found", "source", "There is no card of this name any more", chat_ref=card)
    try:
        make_folder(folder)
        kept = folder / _free(card.name, folder)
        copy_new(card, kept)
    except StorageError:
        return None
    return kept


def _free(name: str, folder: Path) -> str:
    stem, number = name.removesuffix(SUFFIX), 1
    while os.path.lexists(folder / name):
        number += 1
        name = f"{stem} {number}{SUFFIX}"
    return name


def _remove_card(root: DataRoot, gone: CharacterRemoved) -> CharacterRemoved:
    """Put the card into the system's bin; where there is none, the copy that is kept is all that stays of it."""
    warnings: tuple[str, ...] = ()
    try:
        if not file_moves.to_system_bin(gone.card):
            if gone.copy is None:
                raise StorageError("io", "delete", "there is no bin, and no copy could be kept", chat_ref=gone.card)
            gone.card.unlink()
            warnings += (f"This disk has no bin, so the card was put aside: {gone.copy}.",)
        folder = root.chat_folder(gone.stem)
        if gone.chats and folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
    except OSError as error:
        if gone.card.exists():
            raise from_os(error, "delete", gone.card) from None
        warnings += (f"Removed, but not the folder of its chats: {error.strerror or error}.",)
    return replace(gone, warnings=gone.warnings + warnings)


def _stopped(error: BaseException, chat: Path, removed: int) -> Refused:
    before = f" {removed} of its chats are in the bin." if removed else ""
    return CommandRefused(f"The character stays, because its chat “{title_of(chat)}” does: {why(error)}{before}")
