"""What is done to several chats: moved to the bin, exported into a folder. One after another, failures listed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, QObject
from PySide6.QtWidgets import QFileDialog

from tavern_desktop.session.refusals import Refused
from tavern_desktop.session.runner import Outcome
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.names import free_name
from tavern_desktop.ui.file_deeds import FileDeeds, why

if TYPE_CHECKING:
    from tavern_desktop.session.file_acts import FileDone, Removed

TOLD_EVERY = 10
"""Chats after which one is told again how far it is."""


class SeveralDeeds(QObject):
    """What is about one chat only is left to `deeds`. Without a parent in Qt, as those are."""

    def __init__(self, deeds: FileDeeds) -> None:
        super().__init__()
        self._deeds = deeds

    def export_all(self, paths: Sequence[Path]) -> None:
        """Ask for a folder and copy several chats into it, byte for byte; one chat is asked for its form."""
        if len(paths) == 1:
            self._deeds.export(paths[0])
            return
        dialog = QFileDialog(self._deeds.window, self.tr("Export Chats into a Folder"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(lambda folder: self.export_into(Path(folder), paths))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def export_into(self, folder: Path, paths: Sequence[Path]) -> None:
        """Copy chats into a folder under names that are free there."""
        failed: list[str] = []
        left = list(paths)

        def go_on(path: Path, outcome: Outcome[FileDone]) -> None:
            if outcome.error is not None:
                failed.append(f"{path.stem} ({why(outcome.error).rstrip('.')})")
            if left:
                begin()
            elif failed:
                self._deeds.teller.fail(self.tr("Not exported: {chats}.").format(chats=", ".join(failed)))
            else:
                count = QLocale().toString(len(paths))
                self._deeds.teller.say(self.tr("{n} chats exported to {path}.").format(n=count, path=folder))

        def begin() -> None:
            path = left.pop(0)
            out = folder / free_name(path.name, lambda name: os.path.lexists(folder / name))
            try:
                self._deeds.services.file_acts.export(path, out, "jsonl", partial(go_on, path))
            except (Refused, StorageError) as error:
                go_on(path, Outcome(error=error))

        if left:
            begin()

    def remove_all(self, paths: Sequence[Path]) -> None:
        """Move several chats to the bin, each with its own way back."""
        if len(paths) == 1:
            self._deeds.remove(paths[0])
            return
        gone: list[Removed] = []
        failed: list[str] = []
        in_view = self._deeds.path_in_view
        left = list(paths)

        def go_on(path: Path, outcome: Outcome[Removed]) -> None:
            if outcome.error is None:
                gone.append(outcome.result())
            else:
                failed.append(f"{path.stem} ({why(outcome.error).rstrip('.')})")
            if not left:
                self._deeds.open_another(in_view, gone)
                self._tell_removed(gone, failed)
                return
            if len(left) % TOLD_EVERY == 0:
                told = self.tr("Moving to the bin: {done} of {n}…").format(done=len(paths) - len(left), n=len(paths))
                self._deeds.teller.say(told)
            begin()

        def begin() -> None:
            path = left.pop(0)
            try:
                self._deeds.services.file_acts.remove(path, partial(go_on, path))
            except (Refused, StorageError) as error:
                go_on(path, Outcome(error=error))

        if left:
            begin()

    def _tell_removed(self, gone: list[Removed], failed: list[str]) -> None:
        """Say what became of several chats."""
        self._deeds.services.library.refresh_for(frozenset(str(each.path) for each in gone))
        for each in gone:
            for warning in each.warnings:
                self._deeds.services.messages.warning(warning)
        if failed:
            self._deeds.teller.fail(self.tr("Not moved to the bin: {chats}.").format(chats=", ".join(failed)))
        if gone:
            count = QLocale().toString(len(gone))
            text = self.tr("1 chat moved to the bin") if len(gone) == 1 else self.tr("{n} chats moved to the bin")
            self._deeds.offer_return(gone, text.format(n=count))
