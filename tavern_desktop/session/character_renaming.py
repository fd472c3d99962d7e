"""A character under another name while chats of it are open: its card, the folder of its chats, groups, messages."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from tavern_desktop.library.character_files import Renamed, chats_of, rename_files
from tavern_desktop.library.characters import SUFFIX
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.groups import read_group
from tavern_desktop.library.records import reason
from tavern_desktop.session.change_job import ChangeJob
from tavern_desktop.session.changes import RenameSpeaker
from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.journal_place import JournalPlace
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.session.refusals import CommandRefused, Refused
from tavern_desktop.session.runner import Outcome, Runner
from tavern_desktop.session.save_first import save_first
from tavern_desktop.session.save_queue import Save
from tavern_desktop.session.writing import Written
from tavern_desktop.storage import names
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.storage.signature import Signature

LANE = "characters"


@dataclass(frozen=True, slots=True)
class CharacterRenamed:
    """`chats` are the former and present paths of its chats; `changed` is how many say the new name."""

    stem: str
    chats: tuple[tuple[Path, Path], ...]
    changed: int
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Moved:
    """A character's files under its new name, the chats of its groups, and what did not work besides."""

    files: Renamed
    pairs: list[tuple[Path, Path]]
    signatures: dict[Path, Signature]
    of_groups: list[Path]
    warnings: tuple[str, ...]


@dataclass(slots=True)
class _Names:
    """Chats in which messages get the new name, one after another."""

    waiting: list[tuple[Path, bool]]
    total: int = 0
    changed: int = 0
    warnings: list[str] = field(default_factory=list)
    job: ChangeJob | None = None
    """Held until it is finished: what it listens to does not hold it."""


class CharacterRenaming:
    """Belongs to the owner of `runner`, and so do the callbacks."""

    def __init__(self, runner: Runner, chats: OpenChats) -> None:
        self._runner = runner
        self._chats = chats
        self._naming: list[_Names] = []

    def rename(
        self,
        root: DataRoot,
        stem: str,
        name: str,
        done: Callable[[Outcome[CharacterRenamed]], None],
        *,
        in_chats: bool = True,
        progress: Callable[[int, int], object] | None = None,
    ) -> None:
        """Give a character another name; its card, its chats' folder, groups, and with `in_chats` messages follow.

        Open chats are saved first and go on where they are then. `progress` is told (chats, in all). Raises
        CommandRefused; `done` is told StorageError, CardError or OSError where nothing was changed.
        """
        name = name.strip()
        if not name:
            raise CommandRefused("A character needs a name.")
        held = self._hold(root.chat_folder(stem))
        journals = self._chats.journals
        written: list[tuple[Save, Written]] = []

        def work() -> _Moved:
            for _, save in held:
                saved = save_first(save)
                if save is not None and saved is not None:
                    written.append((save, saved))
            chats = [path.name for path in chats_of(root, stem)]  # first: nothing may stop what follows the renaming
            return _moved(rename_files(root, stem, name), chats, root, journals)

        def finished(outcome: Outcome[_Moved]) -> None:
            for save, saved in written:
                save.adopt(saved)
            moved = None if outcome.error is not None else outcome.result()
            for session, _ in held:
                target = moved.files.folder / session.path.name if moved is not None else None
                session.end_move(target, moved.signatures.get(target) if moved is not None and target else None)
            if moved is None:
                done(Outcome(error=outcome.error))
                return
            for former, path in moved.pairs:
                self._chats.backups.moved(former, path)
            self._change_names(root, stem, name, moved, done, in_chats, progress)

        self._runner.submit(work, finished, lane=LANE)

    def _hold(self, folder: Path) -> list[tuple[ChatSession, Save | None]]:
        """Let the open chats of a folder write nothing to it until their move ends. Raises CommandRefused."""
        held: list[tuple[ChatSession, Save | None]] = []
        try:
            for session in self._chats.open_in(folder):
                self._chats.refuse_while_generating(session)
                held.append((session, session.begin_move()))
        except (CommandRefused, StorageError):
            for session, _ in held:
                session.end_move(None)
            raise
        return held

    def _change_names(
        self,
        root: DataRoot,
        stem: str,
        name: str,
        moved: _Moved,
        done: Callable[[Outcome[CharacterRenamed]], None],
        in_chats: bool,
        progress: Callable[[int, int], object] | None,
    ) -> None:
        """Give messages the new name, in one chat after another: of the character, and of groups that have it."""
        files = moved.files
        change = partial(RenameSpeaker, files.old_name, f"{stem}{SUFFIX}", name, f"{files.stem}{SUFFIX}")
        naming = _Names([(path, True) for _, path in moved.pairs] if in_chats else [])
        naming.waiting += [(path, False) for path in moved.of_groups]
        naming.total = len(naming.waiting)
        self._naming.append(naming)

        def go_on(job: ChangeJob | None, path: Path | None) -> None:
            if job is not None and path is not None:
                naming.changed += job.changed
                if job.error is not None:
                    naming.warnings.append(f"Renamed, but not in the chat “{title_of(path)}”: {why(job.error)}")
            if progress is not None:
                progress(naming.total - len(naming.waiting), naming.total)
            if naming.waiting:
                self._runner.post(begin)
                return
            self._naming.remove(naming)
            warnings = (*files.warnings, *moved.warnings, *naming.warnings)
            done(Outcome(CharacterRenamed(files.stem, tuple(moved.pairs), naming.changed, warnings)))

        def begin() -> None:
            path, by_name = naming.waiting.pop(0)
            naming.job = ChangeJob(self._chats, path, change(by_name=by_name), lambda job: go_on(job, path))

        go_on(None, None)


def _moved(files: Renamed, chats: Sequence[str], root: DataRoot, journals: JournalPlace | None) -> _Moved:
    """Return what is to be known of a character's files under its new name; their journals go along."""
    pairs = [(files.former / name, files.folder / name) for name in chats]
    warnings = []
    for former, path in pairs:
        try:
            if journals is not None and former != path:
                journals.moved(former, path)
        except StorageError as error:
            warnings.append(f"Renamed, but not the history of “{title_of(path)}”: {reason(error)}.")
    of_groups: list[Path] = []
    try:
        of_groups = _chats_of_groups(root, files.groups)
    except OSError as error:
        warnings.append(f"Renamed, but not in the messages of its groups: {reason(error)}.")
    found = {path: signature for _, path in pairs if (signature := _signature(path)) is not None}
    return _Moved(files, pairs, found, of_groups, tuple(warnings))


def _signature(path: Path) -> Signature | None:
    """Return what a file is known by; None also where it cannot be looked at, then the next save looks into it."""
    with contextlib.suppress(OSError):
        return Signature.of_path(path)
    return None


def _chats_of_groups(root: DataRoot, records: Sequence[Path]) -> list[Path]:
    stems = {chat for record in records for chat in read_group(root, record.stem).chats}
    paths = [root.group_chats / f"{stem}{names.SUFFIX}" for stem in sorted(stems)]
    return [path for path in paths if path.is_file()]


def why(error: BaseException) -> str:
    if isinstance(error, StorageError):
        return sentence(error)
    return error.sentence if isinstance(error, Refused) else str(error)


def title_of(path: Path) -> str:
    return path.name.removesuffix(names.SUFFIX)
