"""What the banner says and asks of a chat whose file another program wrote, or that must not simply be saved."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QInputDialog, QWidget

from tavern_desktop.chat.merge import MergeResult
from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.merging import AdoptMerge
from tavern_desktop.session.outside import FollowFile
from tavern_desktop.storage import names
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.ui.banner import Banner, Button, Notice
from tavern_desktop.ui.services import Services

READ_ONLY, HEADER, MERGED, TROUBLE, RENAMED = "read_only", "header", "merged", "trouble", "renamed"
AGAIN_SECONDS = 600.0
"""Two programs that save over each other's messages twice within so many seconds edit the same chat."""


class SaveNotices(QObject):
    """Watches the session in view. Owner: the desk."""

    show_requested = Signal(int)
    """The key of a message that came from elsewhere."""
    compare_requested = Signal()
    """What came from elsewhere shall be shown beside what was here before."""
    open_requested = Signal(object)
    """The chat at a Path shall be opened."""
    undo_requested = Signal()
    replacing = Signal()
    """What is in view is about to be read again: what is being typed into it is taken first."""

    def __init__(self, services: Services, banner: Banner, parent: QObject) -> None:
        super().__init__(parent)
        self._services = services
        self._banner = banner
        self._session: ChatSession | None = None
        self._saved_over: dict[Path, float] = {}
        self._sought: Path | None = None
        """The file that is gone and looked for under another name."""

    def watch(self, session: ChatSession | None) -> None:
        """Speak for this session from now on."""
        if self._session is not None:
            self._session.save_changed.disconnect(self._look)
            self._session.state_changed.disconnect(self._look)
            self._session.merged.disconnect(self._show_merged)
            self._session.followed.disconnect(self._show_followed)
        self._session = session
        if session is not None:
            session.save_changed.connect(self._look)
            session.state_changed.connect(self._look)
            session.merged.connect(self._show_merged)
            session.followed.connect(self._show_followed)
            self._look()

    def save_as_new(self) -> None:
        """Ask for a name and go on in a new file of that name."""
        session = self._session
        if session is None:
            return
        dialog = QInputDialog(self._window())
        dialog.setWindowTitle(self.tr("Save as New Chat"))
        dialog.setLabelText(self.tr("Name of the new chat:"))
        dialog.setTextValue(self.tr("{title} (mine)").format(title=session.title))
        dialog.textValueSelected.connect(self._save_as)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _look(self) -> None:
        session = self._session
        if session is None:
            return
        self._show(TROUBLE, session.trouble is not None, self._trouble_notice)
        if session.trouble is None:
            self._sought = None
        elif session.trouble.kind == "gone" and self._sought != session.path:
            self._seek(session)
        self._show(HEADER, session.needs_header_consent, self._header_notice)
        self._show(READ_ONLY, session.read_only is not None, self._read_only_notice)

    def _show(self, key: str, wanted: bool, make: Callable[[], Notice]) -> None:
        if wanted:
            self._banner.show_notice(make())
        else:
            self._banner.take_away(key)

    def _seek(self, session: ChatSession) -> None:
        """Go on in the file under its new name if another program only gave it one."""
        from tavern_desktop.session.renamed_elsewhere import follow_rename

        self._sought = session.path

        def found(target: Path | None) -> None:
            if target is not None and session is self._session:
                text = self.tr("Another program renamed this chat to “{name}”.").format(name=target.stem)
                self._banner.show_notice(Notice(text, key=RENAMED))

        follow_rename(self._services.runner, self._services.open_chats, session, found)

    def _show_merged(self, result: MergeResult) -> None:
        """Say what came from elsewhere; "restored" is ours that another program had saved over (decision D3)."""
        count, restored = result.change_count, len(result.restored)
        sentences = []
        if restored == 1:
            sentences.append(self.tr("Another program saved over 1 of your messages; it was restored."))
        elif restored:
            text = self.tr("Another program saved over {count} of your messages; they were restored.")
            sentences.append(text.format(count=restored))
        if count:
            text = self.tr("Changes made elsewhere were merged ({count}).")
            sentences.append(text.format(count=count))
        if result.conflicts and not sentences:
            sentences.append(self.tr("The same was changed here and elsewhere. Yours stays."))
        if restored and self._is_saved_over_again():
            sentences.append(self.tr("Two programs are editing this chat: reload it in the other one before going on."))
        self._show_what_came(" ".join(sentences), result)

    def _is_saved_over_again(self) -> bool:
        if self._session is None:
            return False
        now = time.monotonic()
        before = self._saved_over.get(self._session.path)
        self._saved_over[self._session.path] = now
        return before is not None and now - before < AGAIN_SECONDS

    def _show_followed(self, result: MergeResult) -> None:
        """Say that an unedited chat is now what another program made of it."""
        if result.change_count == 1:
            text = self.tr("Changed on disk: 1 message.")
        elif result.change_count:
            text = self.tr("Changed on disk: {count} messages.").format(count=result.change_count)
        else:
            text = self.tr("Changed on disk: the messages are in another order.")
        self._show_what_came(text, result)

    def _show_what_came(self, text: str, result: MergeResult) -> None:
        compare = self.compare_requested.emit
        first = next(iter((*result.added_by_disk, *result.changed_by_disk, *result.restored)), None)
        if first is not None:
            buttons = [
                (self.tr("Show"), lambda: self.show_requested.emit(first)),
                (self.tr("Compare"), compare),
            ]
        else:  # messages that are gone, or stand elsewhere: no place in the chat shows that
            buttons = [(self.tr("Show"), compare)]
        if self._session is not None and self._session.undo_label in (AdoptMerge.label, FollowFile.label):
            buttons.append((self.tr("Undo"), self.undo_requested.emit))
        self._banner.show_notice(Notice(text, buttons, key=MERGED, looks=(self.tr("Show"), self.tr("Compare"))))

    def _trouble_notice(self) -> Notice:
        session = self._session
        trouble = session.trouble if session is not None else None
        if session is None or trouble is None:
            raise AssertionError("only trouble is told of")
        buttons: Sequence[Button]
        save_as = (self.tr("Save as New Chat…"), self.save_as_new)
        if trouble.kind == "gone":
            text = self.tr("This chat no longer exists on disk.")
            buttons = ((self.tr("Save Again Under This Name"), self._save_again), (self.tr("Close"), self._let_go))
        elif trouble.kind == "shrunk":
            count = len(session.chat) if session.chat is not None else 0
            text = self.tr(
                "This chat shrank from {before} to {after} messages outside this program. You still see yours."
            ).format(before=self._number(count), after=self._number(trouble.messages))
            buttons = (
                (self.tr("Keep Mine"), self._keep_mine),
                (self.tr("Open Both"), self._open_both),
                (self.tr("Take the File"), self._take_file),
            )
        elif trouble.kind == "other":
            text = self.tr("The file of this chat now holds another one. Nothing was overwritten; you still see yours.")
            buttons = (save_as, (self.tr("Take the File"), self._take_file))
        else:
            why = sentence(trouble.error) if trouble.error is not None else ""
            text = self.tr("This file was changed and cannot be read now. {why} You still see yours.")
            text = text.format(why=why)
            buttons = ((self.tr("Try Again"), self._take_file), save_as, (self.tr("Keep Mine"), self._keep_mine))
        return Notice(text, buttons, "warning", TROUBLE)

    def _header_notice(self) -> Notice:
        text = self.tr(
            "This group chat is in an old form. To save changes it needs a first line that SillyTavern before 1.16 "
            "does not know."
        )
        buttons = ((self.tr("Add It and Save"), self._allow), (self.tr("Keep the Old Form"), self._keep))
        return Notice(text, buttons, "warning", HEADER)

    def _read_only_notice(self) -> Notice:
        reason = self._session.read_only if self._session is not None else None
        texts = {
            "not_a_chat": self.tr("This file holds no chat. It can be looked at, and will not be changed."),
            "owned_elsewhere": self.tr(
                "Another Tavern Desktop that does not answer has this data folder open, so chats can only be read here."
            ),
            "old_form": self.tr("This group chat keeps its old form and can only be read here."),
        }
        buttons = ((self.tr("Try Again"), self._claim_again),) if reason == "owned_elsewhere" else ()
        return Notice(texts[reason or "not_a_chat"], buttons, "info", READ_ONLY)

    def _claim_again(self) -> None:
        """See whether the other process has ended, and open the chat anew."""
        if self._session is not None:
            path = self._session.path
            self._services.claim_again()
            self.open_requested.emit(path)

    def _keep_mine(self) -> None:
        if self._session is not None:
            self.replacing.emit()
            self._session.keep_mine()

    def _take_file(self) -> None:
        if self._session is not None:
            self.replacing.emit()
            self._session.take_file()

    def _open_both(self) -> None:
        """Go on with ours in a file of its own here, and open what is in the file in another window."""
        session = self._session
        if session is None:
            return
        self.replacing.emit()
        path = session.path
        name = names.free_name(
            self.tr("{title} (mine)").format(title=session.title), lambda name: os.path.lexists(path.with_name(name))
        )
        target = self._save_as(name)
        if target is None:
            return

        def moved(former: Path) -> None:
            session.path_changed.disconnect(moved)
            if session.path == target:
                self._services.window_requested.emit(former)

        session.path_changed.connect(moved)

    def _number(self, count: int) -> str:
        return self._window().locale().toString(count)

    def _allow(self) -> None:
        if self._session is not None:
            self._session.allow_header()

    def _keep(self) -> None:
        if self._session is not None:
            self._session.keep_old_form()

    def _save_again(self) -> None:
        if self._session is not None:
            self._save_as(self._session.title)

    def _let_go(self) -> None:
        if self._session is not None:
            self._session.let_go(self._say_where)

    def _say_where(self, kept: Path | None) -> None:
        if kept is not None:
            self._services.messages.info(self.tr("Your unsaved changes were put aside in {path}.").format(path=kept))

    def _save_as(self, name: str) -> Path | None:
        """Begin to save under another name; return the new file, None where it cannot be one."""
        if self._session is None:
            return None
        try:
            return self._session.save_as_new(name)
        except StorageError as error:
            self._look()
            self._banner.show_notice(Notice(sentence(error), tone="danger", key="save_as"))
            return None

    def _window(self) -> QWidget:
        return self._banner.window()
