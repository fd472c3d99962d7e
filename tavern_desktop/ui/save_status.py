"""What the status bar says about the save state of a chat. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QDateTime, QLocale

from tavern_desktop.session.save_queue import SaveState
from tavern_desktop.storage.errors import sentence


@dataclass(frozen=True)
class SaveStatus:
    """A text with its tone (ok, muted, danger), and whether Retry makes sense."""

    text: str
    tone: str = "ok"
    retry: bool = False


def save_status(state: SaveState) -> SaveStatus:
    """Return what to say."""
    if state.kind == "saved":
        return SaveStatus(_tr("Saved {time}").format(time=_time(state.at)) if state.at else _tr("Saved"))
    if state.kind == "unsaved":
        return SaveStatus(_tr("Not saved yet"), "muted")
    if state.kind == "saving":
        return SaveStatus(_tr("Saving…"), "muted")
    if state.kind == "changed_on_disk":
        return SaveStatus(_tr("Not saved: the file was changed by another program"), "danger")
    if state.kind == "gone":
        return SaveStatus(_tr("Not saved: the file no longer exists"), "danger")
    if state.kind == "needs_header_consent":
        return SaveStatus(_tr("Not saved: waiting for your answer"), "danger")
    why = sentence(state.error) if state.error is not None else ""
    return SaveStatus(_tr("Not saved. {why}").format(why=why), "danger", retry=True)


def _time(at: float) -> str:
    moment = QDateTime.fromMSecsSinceEpoch(round(at * 1000))
    return QLocale().toString(moment.time(), QLocale.FormatType.ShortFormat)


def _tr(text: str) -> str:
    return QCoreApplication.translate("SaveStatus", text)
