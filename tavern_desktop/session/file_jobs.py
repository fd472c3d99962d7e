"""Acts on whole chat files that came as plain data: as with changes, here or in the window's process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from tavern_desktop.library.card_file import CardError
from tavern_desktop.library.data_root import root_of
from tavern_desktop.session.character_removal import CharacterRemoved
from tavern_desktop.session.character_renaming import CharacterRenamed
from tavern_desktop.session.copy_acts import CopyMerged
from tavern_desktop.session.file_acts import FileActs, FileDone, Removed
from tavern_desktop.session.refusals import CommandRefused, Refused
from tavern_desktop.session.runner import Outcome
from tavern_desktop.storage.errors import StorageError, from_os

Message = dict[str, Any]


class Rename(msgspec.Struct, frozen=True, tag="rename"):
    """Another name for the file."""

    name: str


class Remove(msgspec.Struct, frozen=True, tag="remove"):
    """Into the bin."""

    despite_damage: bool = False


class Branch(msgspec.Struct, frozen=True, tag="branch"):
    """The chat up to and with a message as a new one; with `checkpoint` as a checkpoint (see `FileActs.branch`)."""

    message: int
    checkpoint: str | None = None


class MergeCopy(msgspec.Struct, frozen=True, tag="merge"):
    """A conflict copy into the chat."""

    copy: str
    keep_copy: bool = False


class RenameCharacter(msgspec.Struct, frozen=True, tag="rename_character"):
    """Another name for the character whose card the file is."""

    name: str
    in_chats: bool = True


class RemoveCharacter(msgspec.Struct, frozen=True, tag="remove_character"):
    """The character whose card the file is into the bin."""

    with_chats: bool = False
    despite_damage: bool = False


FileAct = Rename | Remove | Branch | MergeCopy | RenameCharacter | RemoveCharacter


class FileJob:
    """One act on one file. It belongs to the owner of `acts` and goes on by itself until it is finished."""

    def __init__(self, acts: FileActs, path: Path, act: FileAct) -> None:
        self.is_finished = False
        self.error: StorageError | Refused | None = None
        self._answer: Message = {}
        self._acts = acts
        """Held for as long as the act takes: nobody else may hold them, and they hold what goes on."""
        try:
            match act:
                case RenameCharacter() | RemoveCharacter():
                    self._act_on_character(acts, path, act)
                case Rename():
                    acts.rename(path, act.name, self._done)
                case Remove():
                    acts.remove(path, self._removed, despite_damage=act.despite_damage)
                case Branch():
                    acts.branch(path, act.message, self._done, checkpoint=act.checkpoint)
                case MergeCopy():
                    acts.copies.merge(path, Path(act.copy), self._merged, keep_copy=act.keep_copy)
        except (StorageError, Refused) as error:
            self._failed(error)

    def _act_on_character(self, acts: FileActs, card: Path, act: RenameCharacter | RemoveCharacter) -> None:
        root = root_of(card)
        if root is None or card.parent.name != root.characters.name:
            raise CommandRefused("This file is no character's card in a data folder.")
        if isinstance(act, RenameCharacter):
            acts.character_names.rename(root, card.stem, act.name, self._character_renamed, in_chats=act.in_chats)
        else:
            bin_ = acts.character_bin
            gone, anyway = self._character_removed, act.despite_damage
            bin_.remove(root, card.stem, gone, with_chats=act.with_chats, despite_damage=anyway)

    def outcome(self) -> Message:
        """Return what there is to tell of a job that did not fail."""
        return self._answer

    def _done(self, outcome: Outcome[FileDone]) -> None:
        if isinstance(outcome.error, StorageError | Refused):
            self._failed(outcome.error)
            return
        done = outcome.result()
        self._answer = {"file": str(done.path), "warnings": list(done.warnings)}
        self.is_finished = True

    def _removed(self, outcome: Outcome[Removed]) -> None:
        if isinstance(outcome.error, StorageError | Refused):
            self._failed(outcome.error)
            return
        gone = outcome.result()
        self._answer = {
            "file": str(gone.path),
            "kept_at": None if gone.kept_at is None else str(gone.kept_at),
            "backup": None if gone.copy is None else str(gone.copy),
            "warnings": list(gone.warnings),
        }
        self.is_finished = True

    def _merged(self, outcome: Outcome[CopyMerged]) -> None:
        if isinstance(outcome.error, StorageError | Refused):
            self._failed(outcome.error)
            return
        merged = outcome.result()
        removed = merged.removed
        self._answer = {
            "file": str(merged.path),
            "messages": merged.messages,
            "added": len(merged.result.added_by_disk),
            "differing": merged.differing,
            "removed": removed is not None,
            "kept_at": None if removed is None or removed.kept_at is None else str(removed.kept_at),
            "warnings": [] if removed is None else list(removed.warnings),
        }
        self.is_finished = True

    def _character_renamed(self, outcome: Outcome[CharacterRenamed]) -> None:
        if outcome.error is not None:
            self._failed(_told(outcome.error))
            return
        done = outcome.result()
        self._answer = {"stem": done.stem, "changed": done.changed, "warnings": list(done.warnings)}
        self.is_finished = True

    def _character_removed(self, outcome: Outcome[CharacterRemoved]) -> None:
        if outcome.error is not None:
            self._failed(_told(outcome.error))
            return
        gone = outcome.result()
        self._answer = {"stem": gone.stem, "chats": len(gone.chats), "warnings": list(gone.warnings)}
        self.is_finished = True

    def _failed(self, error: StorageError | Refused) -> None:
        self.error = error
        self.is_finished = True


def _told(error: BaseException) -> StorageError | Refused:
    """Return an error as those who ask for it know it."""
    if isinstance(error, CardError):
        return CommandRefused(str(error))
    if isinstance(error, OSError):
        return from_os(error, "replace", error.filename or "")
    if isinstance(error, StorageError | Refused):
        return error
    raise error


def file_request(path: Path, act: FileAct) -> Message:
    """Return what is asked of the owner's `ChangeDesk`."""
    return {"act": msgspec.to_builtins(act), "file": str(path)}


def act_from_plain(plain: object) -> FileAct:
    """Return the act that these values stand for. Raises msgspec.ValidationError."""
    act: FileAct = msgspec.convert(plain, FileAct)
    return act
