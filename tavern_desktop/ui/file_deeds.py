"""What is done to whole chats in a window: rename, duplicate, branch, export, move to the bin, backups."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog

from tavern_desktop.session.refusals import Refused
from tavern_desktop.session.runner import Outcome
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.ui.actions import Act
from tavern_desktop.ui.banner import Notice
from tavern_desktop.ui.library.entries import words_of
from tavern_desktop.ui.relative_date import relative_date

if TYPE_CHECKING:
    from tavern_desktop.session.export import Format
    from tavern_desktop.session.file_acts import FileDone, Removed
    from tavern_desktop.ui.chat_part import ChatPart
    from tavern_desktop.ui.main_window import MainWindow

SHOWN_WORDS = 48
"""Characters of a chat's last words that the undo bar has room for."""


class FileDeeds(QObject):
    """Owner: the chat's part of the window. Each deed is for the chat at `path`."""

    def __init__(self, window: MainWindow, part: ChatPart) -> None:
        super().__init__(part)
        self._window = window
        self._part = part
        self._services = window.services
        self._deeds: dict[Act, Callable[[Path], object]] = {
            Act.RENAME_CHAT: self.rename,
            Act.DUPLICATE_CHAT: self.duplicate,
            Act.EXPORT: self.export,
            Act.BACKUPS: self.show_backups,
            Act.REMOVE_CHAT: self.remove,
        }
        part.desk.commands.branch_requested.connect(self.branch)

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
            self._start(
                lambda: self._services.file_acts.rename(path, name, self._renamed(path)), self.tr("Not renamed")
            )

        title, button = self.tr("Rename Chat"), self.tr("Rename")
        NameDialog(self._window, title, path.stem, button, lambda name: self._judge(path, name), take).open()

    def duplicate(self, path: Path) -> None:
        """Copy the chat and open the copy."""
        acts = self._services.file_acts
        self._start(lambda: acts.duplicate(path, self._opener), self.tr("Not duplicated"))

    def branch(self, key: int) -> None:
        """Go on from a message of the chat in view in a chat of its own."""
        session = self._part.desk.session
        index = session.chat.find(key) if session is not None and session.chat is not None else None
        if session is not None and index is not None:
            acts, path = self._services.file_acts, session.path
            self._part.desk.keep_edit()
            self._start(lambda: acts.branch(path, index, self._opener), self.tr("No branch was made"))

    def export(self, path: Path) -> None:
        """Ask where to and in which form."""
        forms: dict[str, Format] = {
            self.tr("Chat file, byte for byte (*.jsonl)"): "jsonl",
            self.tr("Markdown (*.md)"): "md",
            self.tr("Web page (*.html)"): "html",
            self.tr("Plain text (*.txt)"): "txt",
        }
        dialog = QFileDialog(self._window, self.tr("Export Chat"))
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

        def exported(outcome: Outcome[FileDone]) -> None:
            done = self._done(outcome, self.tr("Not exported"))
            if done is not None:
                self._say(self.tr("Exported to {path}.").format(path=done.path))

        acts = self._services.file_acts
        self._start(lambda: acts.export(path, out, form, exported, replace=True), self.tr("Not exported"))

    def remove(self, path: Path, *, despite_damage: bool = False) -> None:
        """Move the chat to the system's bin, and offer to undo that."""
        told = self._described(path)
        in_view = self._part.desk.path == path
        replacement = self._replacement(path)

        def removed(outcome: Outcome[Removed]) -> None:
            try:
                gone = outcome.result()
            except StorageError as error:
                self._not_removed(path, error)
                return
            self._services.library.refresh_chat(gone.path)
            if in_view and replacement is not None and self._part.desk.session is None:
                self._part.desk.open(replacement)
            for warning in gone.warnings:
                self._services.messages.warning(warning)
            self._offer_undo(gone, told)

        acts = self._services.file_acts
        self._start(lambda: acts.remove(path, removed, despite_damage=despite_damage), self.tr("Not moved to the bin"))

    def show_backups(self, path: Path) -> None:
        """Show what copies of the chat there are."""
        from tavern_desktop.ui.backups_dialog import BackupsDialog

        def restore(backup: Path) -> None:
            acts = self._services.file_acts
            self._start(lambda: acts.restore(path, backup, self._opener), self.tr("The backup was not opened"))

        BackupsDialog(self._window, self._services.runner, path, path.stem, restore).open()

    # -- what comes of them -----------------------------------------------------------------------------

    def _start(self, start: Callable[[], None], what_failed: str) -> None:
        try:
            start()
        except Refused as refusal:
            self._fail(what_failed, refusal.sentence)
        except StorageError as error:
            self._fail(what_failed, sentence(error))

    def _done(self, outcome: Outcome[FileDone], what_failed: str) -> FileDone | None:
        """Return what was done, its warnings said; None where it was not, which is said too."""
        if isinstance(outcome.error, Refused):
            self._fail(what_failed, outcome.error.sentence)
            return None
        if isinstance(outcome.error, StorageError):
            self._fail(what_failed, sentence(outcome.error))
            return None
        done = outcome.result()
        for warning in done.warnings:
            self._services.messages.warning(warning)
        return done

    def _renamed(self, former: Path) -> Callable[[Outcome[FileDone]], None]:
        def renamed(outcome: Outcome[FileDone]) -> None:
            done = self._done(outcome, self.tr("Not renamed"))
            if done is not None:
                self._services.drafts.moved(former, done.path)
                self._services.library.refresh_chat(former)
                self._services.library.refresh_chat(done.path)

        return renamed

    def _opener(self, outcome: Outcome[FileDone]) -> None:
        done = self._done(outcome, self.tr("The new chat was not made"))
        if done is not None:
            self._services.library.refresh_chat(done.path)
            self._part.desk.open(done.path)

    def _not_removed(self, path: Path, error: StorageError) -> None:
        if error.kind not in ("bad_header", "bad_encoding"):
            self._fail(self.tr("Not moved to the bin"), sentence(error))
            return
        anyway = (self.tr("Move It Anyway"), lambda: self.remove(path, despite_damage=True))
        text = self.tr("Not moved to the bin: the file is damaged, and some of it may still be readable.")
        self._part.pane.banner.show_notice(Notice(text, (anyway,), "warning", "file"))

    def _offer_undo(self, gone: Removed, told: str) -> None:
        def undo() -> None:
            acts = self._services.file_acts
            self._start(lambda: acts.bring_back(gone, self._opener), self.tr("Not brought back"))

        if gone.kept_at is None:
            text = self.tr("Moved to the bin: {chat}").format(chat=told)
        else:
            text = self.tr("This disk has no bin, so it was put aside in {folder}: {chat}").format(
                folder=gone.kept_at.parent, chat=told
            )
        if gone.copy is None and gone.kept_at is None:
            self._say(text)
        elif self._part.pane.page == "surface":
            self._part.pane.undo_bar.offer(text, undo)
        else:
            self._part.pane.banner.show_notice(Notice(text, ((self.tr("Undo"), undo),), key="removed"))

    def _judge(self, path: Path, name: str) -> tuple[bool, str]:
        from tavern_desktop.storage.file_moves import renamed

        try:
            target = renamed(path, name)
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
        row = self._services.library.row(path)
        if row is None:
            return path.stem
        parts = [f"{row.name} · “{row.title}”" if row.name != row.title else row.title]
        if row.messages >= 0:
            count = self._window.locale().toString(row.messages)
            parts.append(self.tr("1 message") if row.messages == 1 else self.tr("{n} messages").format(n=count))
        parts.append(relative_date(row.date_ms))
        words = words_of(row)
        if row.preview_state == "text":
            parts.append(f"“{words[:SHOWN_WORDS].rstrip()}…”" if len(words) > SHOWN_WORDS else f"“{words}”")
        return ", ".join(parts)

    def _replacement(self, path: Path) -> Path | None:
        """Return the newest other chat of the same character or group."""
        library = self._services.library
        row = library.row(path)
        if row is None or not (row.character or row.group):
            return None
        others = library.chats_of(character=row.character, group=row.group)
        return next((other.path for other in others if other.file != row.file), None)

    def _say(self, text: str) -> None:
        self._part.pane.banner.show_notice(Notice(text, key="file"))

    def _fail(self, what: str, why: str) -> None:
        self._part.pane.banner.show_notice(Notice(f"{what}: {why}", tone="danger", key="file"))
