"""Characters that come into the library: made anew, or from a card that is chosen or dropped; a chat follows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QFileDialog, QMessageBox

from tavern_desktop.library.card_file import CardError
from tavern_desktop.session.runner import Outcome
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.ui.actions import Act
from tavern_desktop.ui.banner import Notice
from tavern_desktop.ui.dropping import CARDS
from tavern_desktop.ui.portrait import portrait

if TYPE_CHECKING:
    from tavern_desktop.library.character_files import Imported
    from tavern_desktop.ui.chat_part import ChatPart
    from tavern_desktop.ui.main_window import MainWindow

T = TypeVar("T")

KEY = "arrived"
SHOWN = 20
"""Lines on what was adjusted that a person is shown."""


class Arriving(QObject):
    """Owner: the chat's part of the window."""

    def __init__(self, window: MainWindow, part: ChatPart) -> None:
        super().__init__(part)
        self._window = window
        self._part = part
        self._services = window.services
        self._acts: dict[Act, Callable[[], object]] = {
            Act.NEW_CHARACTER: self.make,
            Act.IMPORT_CHARACTER: self.choose,
        }
        part.desk.writing.attaching.card_offered.connect(self.take)

    def handles(self, act: Act) -> bool:
        """Say whether `act` brings a character."""
        return act in self._acts

    def run(self, act: Act) -> None:
        """Do what an action stands for."""
        self._acts[act]()

    def make(self) -> None:
        """Ask for a new character and start a chat with it."""
        from tavern_desktop.ui.new_character_dialog import NewCharacterDialog

        NewCharacterDialog(self._window, self._services.runner, self._write).open()

    def choose(self) -> None:
        """Let the person choose a card."""
        dialog = QFileDialog(self._window, self.tr("Import Character"))
        endings = " ".join(f"*{ending}" for ending in (*CARDS, ".yaml", ".yml"))
        dialog.setNameFilters(
            [self.tr("Character cards ({endings})").format(endings=endings), self.tr("All files (*)")]
        )
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda path: self.take(Path(path)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def take(self, path: Path, otherwise: Callable[[], object] | None = None) -> None:
        """Take the character of a card among the others, say what was wrong with it, and start a chat.

        `otherwise` is done with a file that is no card, in place of saying so.
        """
        from tavern_desktop.library.character_files import import_card

        root = self._services.root

        def taken(imported: Imported) -> None:
            self._begin(imported.stem, partial(self._tell_adjusted, imported))

        self._do(partial(import_card, root, path, portrait), taken, path.name, otherwise)

    def _write(self, fields: dict[str, str], picture: bytes | None) -> None:
        from tavern_desktop.library.character_files import create_character

        root = self._services.root

        def work() -> str:
            return create_character(root, fields, picture if picture is not None else portrait(fields["name"]))

        self._do(work, self._begin, fields["name"])

    def _do(
        self,
        work: Callable[[], T],
        done: Callable[[T], object],
        what: str,
        otherwise: Callable[[], object] | None = None,
    ) -> None:
        """Do something off the window's thread; `what` begins the sentence that says why it failed."""
        if self._services.open_chats.is_read_only:
            reason = self.tr("Another program has this data folder open.")
            self._tell_failure(what, reason)
            return

        def take(outcome: Outcome[T]) -> None:
            try:
                found = outcome.result()
            except (CardError, StorageError, OSError) as error:
                if otherwise is not None and isinstance(error, CardError):
                    otherwise()
                    return
                self._tell_failure(what, _reason(error))
            else:
                done(found)

        self._services.runner.submit(work, take)

    def _tell_failure(self, what: str, reason: str) -> None:
        text = self.tr("{what} is not among the characters. {reason}")
        self._say(Notice(text.format(what=what, reason=reason), tone="warning", key=KEY))

    def _begin(self, stem: str, then: Callable[[], object] | None = None) -> None:
        self._part.pane.banner.take_away(KEY)
        self._services.library.refresh()
        self._part.acts.start_chat(stem, then)

    def _tell_adjusted(self, imported: Imported) -> None:
        if not imported.adjusted:
            return
        text = self.tr("{name} is here. Not everything in the card was as it ought to be; it was adjusted.")
        show = self.tr("Show")
        button = (show, partial(self._show_adjusted, imported))
        self._say(Notice(text.format(name=imported.name), (button,), key=KEY, looks=(show,)))

    def _show_adjusted(self, imported: Imported) -> None:
        box = QMessageBox(self._window)
        box.setObjectName("adjusted")
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setWindowTitle(self.tr("What Was Adjusted"))
        box.setText(self.tr("In the card of {name}:").format(name=imported.name))
        lines = imported.adjusted[:SHOWN]
        rest = len(imported.adjusted) - len(lines)
        more = (self.tr("… and {count} more").format(count=rest),) if rest else ()
        box.setInformativeText("\n".join(f"• {line}" for line in lines) + "".join(f"\n{line}" for line in more))
        box.addButton(self.tr("Close"), QMessageBox.ButtonRole.AcceptRole)
        box.finished.connect(box.deleteLater)
        box.open()

    def _say(self, notice: Notice) -> None:
        self._part.pane.banner.show_notice(notice)


def _reason(error: CardError | StorageError | OSError) -> str:
    if isinstance(error, StorageError):
        return sentence(error)
    return str(error) if isinstance(error, CardError) else f"{error.strerror or error}."
