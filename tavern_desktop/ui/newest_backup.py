"""The newest good copy of a chat, in words: for where the chat itself can show nothing (B-07)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QDateTime, QLocale

from tavern_desktop.session.backup_list import BackupRow, newest_good
from tavern_desktop.session.runner import Outcome, Runner
from tavern_desktop.storage.errors import StorageError


def look_for_backup(runner: Runner, chat: Path, show: Callable[[str], object]) -> None:
    """Call `show` with a sentence on the newest backup that can be read, if there is one; it is looked for off the
    window's thread."""

    def found(outcome: Outcome[BackupRow | None]) -> None:
        if isinstance(outcome.error, StorageError):
            return  # the dialog will say why there is none to see
        row = outcome.result()
        if row is not None:
            show(in_words(row))

    runner.submit(lambda: newest_good(chat), found)


def in_words(row: BackupRow) -> str:
    """Return when a backup was made and how much is in it."""
    moment = QLocale().toString(QDateTime.fromMSecsSinceEpoch(row.made_ms), QLocale.FormatType.ShortFormat)
    count = QLocale().toString(row.messages or 0)
    text = _tr("Newest backup: {date}, 1 message") if row.messages == 1 else _tr("Newest backup: {date}, {n} messages")
    return text.format(date=moment, n=count)


def _tr(text: str) -> str:
    return QCoreApplication.translate("NewestBackup", text)
