"""Where what became of a deed is told: in the banner of a window, or in the dialog it was done from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from tavern_desktop.ui.banner import Banner, Notice
from tavern_desktop.ui.undo_bar import UndoBar


class Teller(Protocol):
    """Tells a person; the newest word replaces the one before it."""

    def say(self, text: str) -> None:
        """Tell that something was done."""

    def fail(self, text: str) -> None:
        """Tell that something was not done, and why."""

    def ask(self, text: str, answer: str, act: Callable[[], object]) -> None:
        """Tell why something was not done, with a button `answer` that does it all the same."""

    def wait(self, text: str, cancel: Callable[[], object]) -> None:
        """Tell that something is being done, with a way to stop it."""

    def offer_undo(self, text: str, undo: Callable[[], object]) -> None:
        """Tell that something was done, with a way back."""


class DialogTeller:
    """Tells in a dialog for as long as that is there, then elsewhere."""

    def __init__(self, here: Teller, later: Teller) -> None:
        self._now, self._later = here, later

    def close(self) -> None:
        """Take notice that the dialog is gone."""
        self._now = self._later

    def say(self, text: str) -> None:
        self._now.say(text)

    def fail(self, text: str) -> None:
        self._now.fail(text)

    def ask(self, text: str, answer: str, act: Callable[[], object]) -> None:
        self._now.ask(text, answer, act)

    def wait(self, text: str, cancel: Callable[[], object]) -> None:
        self._now.wait(text, cancel)

    def offer_undo(self, text: str, undo: Callable[[], object]) -> None:
        self._now.offer_undo(text, undo)


class BannerTeller:
    """Tells in a banner; an undo is offered on the bar where that can be seen."""

    def __init__(self, banner: Banner, undo_bar: UndoBar | None = None, bar_shows: Callable[[], bool] = bool) -> None:
        """`bar_shows`: whether `undo_bar` would be seen now; never, if that is not said."""
        self._banner = banner
        self._bar = undo_bar
        self._bar_shows = bar_shows

    def say(self, text: str) -> None:
        """Tell that something was done."""
        self._banner.show_notice(Notice(text, key="file"))

    def fail(self, text: str) -> None:
        """Tell that something was not done, and why."""
        self._banner.show_notice(Notice(text, tone="danger", key="file"))

    def ask(self, text: str, answer: str, act: Callable[[], object]) -> None:
        """Tell why something was not done, with a button `answer` that does it all the same."""
        self._banner.show_notice(Notice(text, ((answer, act),), "warning", "file"))

    def wait(self, text: str, cancel: Callable[[], object]) -> None:
        """Tell that something is being done, with a way to stop it."""
        self._banner.show_notice(Notice(text, ((self._banner.tr("Cancel"), cancel),), key="file"))

    def offer_undo(self, text: str, undo: Callable[[], object]) -> None:
        """Tell that something was done, with a way back."""
        if self._bar is not None and self._bar_shows():
            self._bar.offer(text, undo)
        else:
            self._banner.show_notice(Notice(text, ((self._banner.tr("Undo"), undo),), key="file"))
