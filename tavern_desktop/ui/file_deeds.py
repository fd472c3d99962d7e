"""What is done to whole chats: rename, duplicate, export, move to the bin, backups. From a window or a dialog."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, QObject
from PySide6.QtWidgets import QFileDialog, QWidget

from tavern_desktop.session.refusals import Refused
from tavern_desktop.session.runner import Outcome
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.ui.actions import Act
from tavern_desktop.ui.library.entries import words_of
from tavern_desktop.ui.relative_date import relative_date
from tavern_desktop.ui.tellers import Teller

if TYPE_CHECKING:
    from tavern_desktop.session.export import Format
    from tavern_desktop.session.file_acts import FileDone, Removed
    from tavern_desktop.ui.chat_part import ChatPart

TELL_AFTER, TELL_AGAIN = 0.5, 0.2
"""Seconds before it is told how far something is, and between two times."""
SHOWN_WORDS = 48
"""Characters of a chat's last words that the undo bar has room for."""


class FileDeeds(QObject):
    """Each deed is for the chat at `path`. Without a parent in Qt: what was begun ends also when the dialog is gone."""

    def __init__(self, parent: QWidget, part: ChatPart, teller: Teller, arrived: Callable[[Path], object]) -> None:
        """`arrived` is told of each new chat, which the library's lists have soon. Dialogs come up over `parent`."""
        super().__init__()
        self.window = parent
        self._part = part
        self.teller = teller
        self._arrived = arrived
        self.services = part.services
        self._deeds: dict[Act, Callable[[Path], object]] = {
            Act.RENAME_CHAT: self.rename,
            Act.DUPLICATE_CHAT: self.duplicate,
            Act.BRANCH_CHAT: self.branch_at_end,
            Act.EXPORT: self.export,
            Act.BACKUPS: self.show_backups,
            Act.REMOVE_CHAT: self.remove,
        }

    @property
    def path_in_view(self) -> Path | None:
        """The chat in view, which may be among those that something is done to."""
        return self._part.desk.path

    def handles(self, act: Act) -> bool:
        """Say whether `act` is about a whole chat."""
        return act in self._deeds

    def run(self, act: Act, path: Path | None) -> None:
        """Do `act` to the chat at `path`; None: there is none."""
        if path is not None:
            self._deeds[act](path)

    # -- deeds ------------------------------------------------------------------------------------------

    def rename(self, path: Path) -> None:
        """Ask for another name."""
        from tavern_desktop.ui.name_dialog import NameDialog

        def take(name: str) -> None:
            self.rename_to(path, name)

        title, button = self.tr("Rename Chat"), self.tr("Rename")
        NameDialog(self.window, title, path.stem, button, lambda name: self._judge(path, name), take).open()

    def rename_to(self, path: Path, name: str) -> Path | None:
        """Give the chat this name; return what it will be called, None (told why) where it cannot be."""
        will_do, why_not = self._judge(path, name)
        if not will_do:
            self.teller.fail(f"{self.tr('Not renamed')}: {why_not}")
            return None
        acts = self.services.file_acts
        self._start(lambda: acts.rename(path, name, self._renamed(path)), self.tr("Not renamed"))
        return _renamed(path, name)

    def duplicate(self, path: Path) -> None:
        """Copy the chat."""
        acts = self.services.file_acts
        self._start(lambda: acts.duplicate(path, self._made), self.tr("Not duplicated"))

    def make(self, path: Path, write: Callable[[], Path]) -> None:
        """Have `write` make one more chat out of the one at `path`, off the window's thread, and go there."""
        acts = self.services.file_acts
        self._start(lambda: acts.when_saved(path, write, self._made), self.tr("The new chat was not made"))

    def branch(self, path: Path, index: int) -> None:
        """Go on from a message in a chat of its own."""
        acts = self.services.file_acts
        self._part.desk.keep_edit()
        self._start(lambda: acts.branch(path, index, self._made), self.tr("No branch was made"))

    def branch_at_end(self, path: Path) -> None:
        """Go on from the newest message in a chat of its own."""
        session, row = self.services.open_chats.session_for(path), self.services.library.row(path)
        chat = session.chat if session is not None else None
        count = len(chat) if chat is not None else row.messages if row is not None else 0
        if count > 0:
            self.branch(path, count - 1)
        else:
            self._fail(self.tr("No branch was made"), self.tr("the chat has no messages that can be read."))

    def export(self, path: Path) -> None:
        """Ask where to and in which form."""
        forms: dict[str, Format] = {
            self.tr("Chat file, byte for byte (*.jsonl)"): "jsonl",
            self.tr("YAML document (*.yaml)"): "yaml",
            self.tr("Markdown (*.md)"): "md",
            self.tr("Web page (*.html)"): "html",
            self.tr("Plain text (*.txt)"): "txt",
        }
        dialog = QFileDialog(self.window, self.tr("Export Chat"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilters(list(forms))
        dialog.setDefaultSuffix("jsonl")
        dialog.filterSelected.connect(lambda chosen: dialog.setDefaultSuffix(forms[chosen]))
        dialog.selectFile(path.stem)
        dialog.fileSelected.connect(lambda out: self.export_to(path, Path(out), forms[dialog.selectedNameFilter()]))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def export_to(self, path: Path, out: Path, form: Format) -> None:
        """Write the chat to `out`, replacing what is there: the person was asked."""

        stop, is_over = Event(), Event()

        def exported(outcome: Outcome[FileDone]) -> None:
            is_over.set()
            done = self._done(outcome, self.tr("Not exported"))
            if done is not None:
                self.teller.say(self.tr("Exported to {path}.").format(path=done.path))

        def told(done: int, total: int) -> None:
            if not is_over.is_set() and not stop.is_set():
                percent = QLocale().toString(100 * done // total)
                self.teller.wait(self.tr("Exporting: {percent} %").format(percent=percent), stop.set)

        acts, post = self.services.file_acts, self.services.runner.post
        self._start(
            lambda: acts.export(
                path,
                out,
                form,
                exported,
                replace=True,
                cancelled=stop.is_set,
                progress=_after_a_while(lambda done, total: post(partial(told, done, total))),
            ),
            self.tr("Not exported"),
        )

    def remove(self, path: Path, *, despite_damage: bool = False) -> None:
        """Move the chat to the system's bin, and offer to undo that."""
        told = self._described(path)
        in_view = self._part.desk.path == path
        others = self._others(path, {str(path)})

        def removed(outcome: Outcome[Removed]) -> None:
            try:
                gone = outcome.result()
            except (Refused, StorageError) as error:
                self._not_removed(path, error)
                return
            self.services.library.refresh_chat(gone.path)
            if in_view and others and self._part.desk.session is None:
                self._part.desk.open(others[0])
            for warning in gone.warnings:
                self.services.messages.warning(warning)
            self._offer_undo(gone, told)

        acts = self.services.file_acts
        self._start(lambda: acts.remove(path, removed, despite_damage=despite_damage), self.tr("Not moved to the bin"))

    def show_backups(self, path: Path) -> None:
        """Show what copies of the chat there are."""
        from tavern_desktop.ui.backup_deeds import BackupDeeds

        BackupDeeds(self.window, self._part, self.teller, self._arrived).show(path)

    # -- what comes of them -----------------------------------------------------------------------------

    def _start(self, start: Callable[[], None], what_failed: str) -> None:
        try:
            start()
        except (Refused, StorageError) as error:
            self._fail(what_failed, why(error))

    def _done(self, outcome: Outcome[FileDone], what_failed: str) -> FileDone | None:
        """Return what was done, its warnings said; None where it was not, which is said too."""
        if isinstance(outcome.error, Refused | StorageError):
            self._fail(what_failed, why(outcome.error))
            return None
        done = outcome.result()
        for warning in done.warnings:
            self.services.messages.warning(warning)
        return done

    def _renamed(self, former: Path) -> Callable[[Outcome[FileDone]], None]:
        def renamed(outcome: Outcome[FileDone]) -> None:
            done = self._done(outcome, self.tr("Not renamed"))
            if done is not None:
                self.services.drafts.moved(former, done.path)
                self.services.library.refresh_chat(former)
                self.services.library.refresh_chat(done.path)

        return renamed

    def _made(self, outcome: Outcome[FileDone]) -> None:
        done = self._done(outcome, self.tr("The new chat was not made"))
        if done is not None:
            self.services.library.refresh_chat(done.path)
            self._arrived(done.path)

    def _not_removed(self, path: Path, error: StorageError | Refused) -> None:
        if isinstance(error, Refused) or error.kind not in ("bad_header", "bad_encoding"):
            self._fail(self.tr("Not moved to the bin"), why(error))
            return
        text = self.tr("Not moved to the bin: the file is damaged, and some of it may still be readable.")
        self.teller.ask(text, self.tr("Move It Anyway"), lambda: self.remove(path, despite_damage=True))

    def _offer_undo(self, gone: Removed, told: str) -> None:
        if gone.kept_at is None:
            text = self.tr("Moved to the bin: {chat}").format(chat=told)
        else:
            text = self.tr("This disk has no bin, so it was put aside in {folder}: {chat}").format(
                folder=gone.kept_at.parent, chat=told
            )
        self.offer_return([gone], text)

    def open_another(self, in_view: Path | None, gone: Sequence[Removed]) -> None:
        """Where the chat in view is among those that went, open the newest that its character or group has left."""
        if in_view is None or self._part.desk.session is not None:
            return
        others = self._others(in_view, {str(each.path) for each in gone})
        if others:
            self._part.desk.open(others[0])

    def offer_return(self, gone: Sequence[Removed], text: str) -> None:
        """Tell what went, with the way back where there is one."""
        back = [each for each in gone if each.copy is not None or each.kept_at is not None]

        def undo() -> None:
            acts = self.services.file_acts
            for each in back:
                self._start(partial(acts.bring_back, each, self._made), self.tr("Not brought back"))

        if back:
            self.teller.offer_undo(text, undo)
        else:
            self.teller.say(text)

    def _judge(self, path: Path, name: str) -> tuple[bool, str]:
        try:
            target = _renamed(path, name)
        except StorageError as error:
            return False, sentence(error)
        if target == path:
            return True, self.tr("This is its name now.")
        if os.path.lexists(target):
            return False, self.tr("A chat with this name already exists.")
        if target.stem != name.removesuffix(path.suffix):
            return True, self.tr("The file will be called {name}.").format(name=target.name)
        return True, ""

    def _described(self, path: Path) -> str:
        """Return whose chat it is, which, how long, when last used, and its last words (B-21)."""
        row = self.services.library.row(path)
        if row is None:
            return path.stem
        parts = [f"{row.name} · “{row.title}”" if row.name != row.title else row.title]
        if row.messages >= 0:
            count = QLocale().toString(row.messages)
            parts.append(self.tr("1 message") if row.messages == 1 else self.tr("{n} messages").format(n=count))
        parts.append(relative_date(row.date_ms))
        words = words_of(row)
        if row.preview_state == "text":
            parts.append(f"“{words[:SHOWN_WORDS].rstrip()}…”" if len(words) > SHOWN_WORDS else f"“{words}”")
        return ", ".join(parts)

    def _others(self, path: Path, but: Collection[str]) -> list[Path]:
        """Return the chats of the same character or group, newest first, without those in `but`."""
        library = self.services.library
        row = library.row(path)
        if row is None or not (row.character or row.group):
            return []
        rows = library.chats_of(character=row.character, group=row.group)
        return [other.path for other in rows if other.file not in but]

    def _fail(self, what: str, why: str) -> None:
        self.teller.fail(f"{what}: {why}")


def _after_a_while(tell: Callable[[int, int], object]) -> Callable[[int, int], None]:
    """Return what tells how far something is, once that is worth telling, and not too often."""
    due = monotonic() + TELL_AFTER

    def told(done: int, total: int) -> None:
        nonlocal due
        if monotonic() >= due:
            due = monotonic() + TELL_AGAIN
            tell(done, total)

    return told


def why(error: BaseException) -> str:
    """Return the sentence of an error that is for people; any other is raised."""
    if isinstance(error, StorageError):
        return sentence(error)
    if isinstance(error, Refused):
        return error.sentence
    raise error


def _renamed(path: Path, name: str) -> Path:
    """Return what a chat would be called. Raises StorageError."""
    from tavern_desktop.storage.file_moves import renamed

    return renamed(path, name)
