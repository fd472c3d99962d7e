"""The conflict copies of chats: says that there are some, merges them, keeps both, or moves one to the bin."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import QObject, Signal

from tavern_desktop.session.refusals import Refused
from tavern_desktop.session.runner import Outcome
from tavern_desktop.storage.conflict_copies import made_at_ms
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.ui.banner import Button, Notice
from tavern_desktop.ui.relative_date import day_in_words

if TYPE_CHECKING:
    from tavern_desktop.session.copy_acts import CopyMerged
    from tavern_desktop.session.file_acts import FileDone, Removed
    from tavern_desktop.session.history import Comparison
    from tavern_desktop.session.restoring import Wanted
    from tavern_desktop.ui.chat_part import ChatPart
    from tavern_desktop.ui.library.data import LibraryData
    from tavern_desktop.ui.main_window import MainWindow

COPIES, OUTCOME = "copies", "copies_outcome"


class _Told(NamedTuple):
    """What the person was told: of the chat in view, its copies, or of a copy in view the chat."""

    path: Path | None = None
    copies: tuple[str, ...] = ()
    original: Path | None = None


class ConflictCopies(QObject):
    """Owner: the chat's part of the window. Each deed is for the chat at `path` and a copy of it."""

    changed = Signal()
    """The chat in view has other copies than before, or none."""

    def __init__(self, window: MainWindow, part: ChatPart) -> None:
        super().__init__(part)
        self._window = window
        self._part = part
        self._services = window.services
        self._told = _Told()
        self._library: LibraryData | None = None
        self._services.root_changed.connect(self._take_library)
        part.desk.chat_changed.connect(self._look)
        self._take_library()

    @property
    def are_there(self) -> bool:
        """Whether the chat in view has conflict copies."""
        return bool(self._told.copies)

    def show(self, path: Path) -> None:
        """Show all copies of a chat, in view or not."""
        from tavern_desktop.ui.conflict_dialog import ConflictDialog

        copies = sorted(self._copies_of(path), key=lambda copy: made_at_ms(Path(copy).name) or 0, reverse=True)
        if copies:
            deeds = {"merge": self.merge, "compare": self.compare, "keep": self.keep_both, "remove": self.remove}
            bound = {name: partial(deed, path) for name, deed in deeds.items()}
            ConflictDialog(self._window, self._services.runner, path.stem, copies, bound).open()

    # -- deeds ------------------------------------------------------------------------------------------

    def compare(self, path: Path, copy: Path) -> None:
        """Show both side by side; messages of the copy can be taken one by one."""
        from tavern_desktop.ui.compare_window import CompareWindow

        self._part.desk.keep_edit()
        deeds = {"merge": self.merge, "keep": self.keep_both, "remove": self.remove}
        bound = {name: partial(deed, path, copy) for name, deed in deeds.items()}
        window = CompareWindow(self._window, path.stem, self._title_of(copy), bound, partial(self._take, path))
        window.view.set_text_scale(self._services.settings.text_size)

        def compared(outcome: Outcome[Comparison]) -> None:
            if window.is_closed:
                return
            if isinstance(outcome.error, StorageError):
                window.say(sentence(outcome.error))
            else:
                window.show_comparison(outcome.result())

        self._services.file_acts.copies.compare(path, copy, compared)
        window.show()

    def merge(self, path: Path, copy: Path) -> None:
        """Unite both; the copy then goes into the bin."""
        self._part.desk.keep_edit()
        self._say(self.tr("Merging the conflict copy…"))
        acts = self._services.file_acts
        self._start(lambda: acts.copies.merge(path, copy, partial(self._merged, path)), self.tr("Not merged"))

    def keep_both(self, path: Path, copy: Path) -> None:
        """Make the copy a chat of its own."""
        acts = self._services.file_acts
        self._start(
            lambda: acts.copies.keep_both(path, copy, partial(self._kept, path)), self.tr("The copy stays as it is")
        )

    def remove(self, path: Path, copy: Path) -> None:
        """Move the copy to the bin, and offer to undo that."""
        acts = self._services.file_acts
        self._start(lambda: acts.remove(copy, partial(self._removed, path)), self.tr("Not moved to the bin"))

    # -- what comes of them -----------------------------------------------------------------------------

    def _merged(self, path: Path, outcome: Outcome[CopyMerged]) -> None:
        self._services.library.refresh_chat(path)
        if self._has_failed(outcome, self.tr("Not merged")):
            return
        merged = outcome.result()
        result, removed = merged.result, merged.removed
        for warning in removed.warnings if removed is not None else ():
            self._services.messages.warning(warning)
        first = next(iter((*result.added_by_disk, *result.changed_by_disk)), None)
        buttons: list[Button] = []
        if self._part.desk.path != merged.path:  # undone is what is seen
            buttons.append((self.tr("Open the Chat"), partial(self._part.desk.open, merged.path)))
        else:
            if first is not None:
                buttons.append((self.tr("Show"), partial(self._part.desk.show_message, first)))
            buttons.append((self.tr("Undo"), partial(self._undo, merged)))
        notice = Notice(self._told_of_merge(merged), buttons, key=OUTCOME, looks=(self.tr("Show"),))
        self._part.pane.banner.show_notice(notice)

    def _told_of_merge(self, merged: CopyMerged) -> str:
        added = len(merged.result.added_by_disk)
        if added == 1:
            said = self.tr("Merged: 1 message came from the conflict copy, which is now in the bin.")
        elif added:
            said = self.tr("Merged: {count} messages came from the conflict copy, which is now in the bin.")
        else:
            said = self.tr("The conflict copy had no other messages. It is now in the bin.")
        if merged.differing == 1:
            said += " " + self.tr("1 message differs in both; yours stands.")
        elif merged.differing:
            said += " " + self.tr("{n} messages differ in both; yours stand.").format(n=merged.differing)
        return said.format(count=added)

    def _take(self, path: Path, wanted: list[Wanted]) -> None:
        """Take messages of a copy into its chat, which is brought into view for it."""
        from tavern_desktop.session.copy_acts import TakeMessages

        desk = self._part.desk
        desk.open(path)
        session = desk.session
        if session is None:
            return
        try:
            session.do(TakeMessages(*wanted))
        except Refused as refusal:
            self._fail(self.tr("Not taken"), refusal)
        else:
            session.save_now()

    def _undo(self, merged: CopyMerged) -> None:
        """Have both versions as they were: the chat's own, and the copy beside it."""
        from tavern_desktop.session.copy_acts import MergeCopy

        session = self._part.desk.session
        if session is not None and session.path == merged.path and session.undo_label == MergeCopy.label:
            self._part.desk.commands.undo()
        if merged.removed is not None:
            self._bring_back(merged.path, merged.removed)

    def _kept(self, path: Path, outcome: Outcome[FileDone]) -> None:
        if self._has_failed(outcome, self.tr("The copy stays as it is")):
            return
        done = outcome.result()
        self._services.library.refresh()
        for warning in done.warnings:
            self._services.messages.warning(warning)
        show = (self.tr("Show"), lambda: self._part.desk.open(done.path))
        text = self.tr("The copy is now a chat of its own: {name}").format(name=done.path.stem)
        self._part.pane.banner.show_notice(Notice(text, (show,), key=OUTCOME))

    def _removed(self, path: Path, outcome: Outcome[Removed]) -> None:
        if self._has_failed(outcome, self.tr("Not moved to the bin")):
            return
        gone = outcome.result()
        self._services.library.refresh_chat(path)
        for warning in gone.warnings:
            self._services.messages.warning(warning)
        undo = (self.tr("Undo"), partial(self._bring_back, path, gone))
        self._part.pane.banner.show_notice(
            Notice(self.tr("The conflict copy is now in the bin."), (undo,), key=OUTCOME)
        )

    def _bring_back(self, path: Path, gone: Removed) -> None:
        def back(outcome: Outcome[FileDone]) -> None:
            if not self._has_failed(outcome, self.tr("Not brought back")):
                self._services.library.refresh_chat(path)

        self._start(lambda: self._services.file_acts.bring_back(gone, back), self.tr("Not brought back"))

    # -- saying so --------------------------------------------------------------------------------------

    def _take_library(self) -> None:
        if self._library is not None:
            self._library.chats_changed.disconnect(self._look)
        self._library = self._services.library
        self._library.chats_changed.connect(self._look)

    def _copies_of(self, path: Path | None) -> tuple[str, ...]:
        row = self._services.library.row(path) if path is not None else None
        return row.conflicts if row is not None else ()

    def _look(self) -> None:
        """Say once what copies the chat in view has, and again when more come; of a copy, what it is a copy of."""
        path = self._part.desk.path
        copies = self._copies_of(path)
        original = self._original_of(path)
        before, self._told = self._told, _Told(path, copies, original)
        if before == self._told:
            return
        if path is not None and original is not None:
            self._part.pane.banner.show_notice(self._notice_of_copy(original))
        elif path is None or not copies:
            if before.copies or before.original:
                self._part.pane.banner.take_away(COPIES)
        elif before.path != path or not set(copies) <= set(before.copies):
            self._part.pane.banner.show_notice(self._notice(path, copies))
        self.changed.emit()

    def _original_of(self, path: Path | None) -> Path | None:
        """Return the chat that the file in view is a conflict copy of, None for any other file."""
        rows = self._services.library.chats if path is not None else ()
        return next((row.path for row in rows if row.conflicts and str(path) in row.conflicts), None)

    def _notice_of_copy(self, original: Path) -> Notice:
        text = self.tr("This is a conflict copy of “{title}”.").format(title=original.stem)
        return Notice(text, ((self.tr("Open the Chat"), partial(self._part.desk.open, original)),), "info", COPIES)

    def _title_of(self, copy: Path) -> str:
        made = made_at_ms(copy.name)
        if made is None:
            return self.tr("Conflict copy")
        return self.tr("Conflict copy from {day}").format(day=day_in_words(made))

    def _notice(self, path: Path, copies: tuple[str, ...]) -> Notice:
        if len(copies) > 1:
            text = self.tr("There are {count} conflict copies of this chat.").format(count=len(copies))
            return Notice(text, ((self.tr("Show…"), partial(self.show, path)),), "warning", COPIES)
        copy = Path(copies[0])
        made = made_at_ms(copy.name)
        if made is None:
            text = self.tr("There is a conflict copy of this chat.")
        else:
            text = self.tr("There is a conflict copy of this chat from {day}.").format(day=day_in_words(made))
        buttons = (
            (self.tr("Merge"), partial(self.merge, path, copy)),
            (self.tr("Compare…"), partial(self.compare, path, copy)),
            (self.tr("Keep Both"), partial(self.keep_both, path, copy)),
            (self.tr("Delete Copy"), partial(self.remove, path, copy)),
        )
        return Notice(text, buttons, "warning", COPIES)

    def _start(self, start: Callable[[], None], what_failed: str) -> None:
        try:
            start()
        except (Refused, StorageError) as error:
            self._fail(what_failed, error)

    def _has_failed(self, outcome: Outcome[Any], what_failed: str) -> bool:
        """Say why something was not done; anything but a failure of its own kinds is raised."""
        if isinstance(outcome.error, Refused | StorageError):
            self._fail(what_failed, outcome.error)
            return True
        outcome.result()
        return False

    def _fail(self, what: str, error: Refused | StorageError) -> None:
        why = error.sentence if isinstance(error, Refused) else sentence(error)
        self._part.pane.banner.show_notice(Notice(f"{what}: {why}", tone="danger", key=OUTCOME))

    def _say(self, text: str) -> None:
        self._part.pane.banner.show_notice(Notice(text, key=OUTCOME))
