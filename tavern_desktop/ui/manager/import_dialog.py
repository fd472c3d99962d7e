"""Chats being imported: how far it is, and then what became of each file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Event

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QProgressBar, QScrollArea, QVBoxLayout, QWidget

from tavern_desktop.library.characters import Character
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.session.importing import Imported, Receiver, import_chats
from tavern_desktop.session.runner import Outcome, Runner
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.ui.widgets import ElidedLabel, Sign, label, push_button

LANE = "import"
STEPS = 1000
DAMAGE = ("bad_header", "bad_record", "bad_encoding")
"""Kinds of errors after which there may be something left to import."""


@dataclass(frozen=True)
class ImportWish:
    """What is imported: files, for whom, and which characters the files may name."""

    root: DataRoot
    files: tuple[Path, ...]
    receiver: Receiver
    characters: tuple[Character, ...] = ()


class ImportDialog(QDialog):
    """Imports file after file off the window's thread; closes by itself where there is nothing to tell."""

    def __init__(
        self, parent: QWidget, runner: Runner, wish: ImportWish, title: str, arrived: Callable[[Imported], object]
    ) -> None:
        """`arrived` is told of each file whose chats are there now."""
        super().__init__(parent)
        self.setObjectName("importDialog")
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._runner, self._wish, self._arrived = runner, wish, arrived
        self._stop = Event()
        self._waiting = list(wish.files)
        self._running = 0
        self._has_news = False
        self._is_closed = False
        self.text = ElidedLabel()
        self.bar = QProgressBar()
        self.bar.setRange(0, STEPS)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(self.tr("Importing"))
        self._told = QVBoxLayout()
        self._told.setSpacing(14)
        self._told.addStretch(1)
        self.close_button = push_button(self.tr("Cancel"), "plain", self.reject)
        self._lay_out()
        self.finished.connect(self._give_up)
        self._next()

    def reject(self) -> None:
        """Stop; what is there already stays."""
        self._stop.set()
        super().reject()

    # -- the work ---------------------------------------------------------------------------------------

    def _next(self) -> None:
        if self._running:
            return
        if self._waiting and not self._stop.is_set():
            self._start(self._waiting.pop(0))
            return
        self.bar.hide()
        self.text.hide()
        self.close_button.setText(self.tr("Close"))
        if not self._has_news:
            self.accept()

    def _start(self, file: Path, *, repair: bool = False) -> None:
        self._running += 1
        self.text.setText(file.name)
        self.text.show()
        self.bar.setValue(0)
        self.bar.show()
        wish, stop = self._wish, self._stop

        def progress(done: int, total: int) -> None:
            self._runner.post(partial(self._show_progress, done, total))

        def work() -> Imported:
            return import_chats(
                wish.root,
                file,
                wish.receiver,
                characters=wish.characters,
                repair=repair,
                cancelled=stop.is_set,
                progress=progress,
            )

        self._runner.submit(work, partial(self._finished, file), lane=LANE)

    def _finished(self, file: Path, outcome: Outcome[Imported]) -> None:
        self._running -= 1
        if isinstance(outcome.error, StorageError):
            if not self._is_closed:
                self._tell_failure(file, outcome.error)
                self._next()
            return
        done = outcome.result()
        if not self._is_closed:
            self._arrived(done)
            self._tell(done)
            self._next()

    def _show_progress(self, done: int, total: int) -> None:
        if not self._is_closed:
            self.bar.setValue(STEPS * done // total if total else 0)

    def _give_up(self) -> None:
        self._is_closed = True
        self._stop.set()

    # -- what is told -----------------------------------------------------------------------------------

    def _tell(self, done: Imported) -> None:
        news = [*(adjustment.sentence for adjustment in done.adjustments), *done.warnings]
        self._has_news |= bool(news)
        count = self.locale().toString(done.messages)
        messages = self.tr("1 message") if done.messages == 1 else self.tr("{n} messages").format(n=count)
        if len(done.paths) > 1:
            what = self.tr("{n} chats, {messages}").format(n=len(done.paths), messages=messages)
        else:
            what = messages
        self._add(done.source, "check", what, [self.tr("Read as a chat of {form}.").format(form=done.form), *news])

    def _tell_failure(self, file: Path, error: StorageError) -> None:
        if error.kind == "cancelled":
            return
        self._has_news = True
        row = self._add(file, "warning", self.tr("not imported"), [sentence(error)])
        if error.kind in DAMAGE:
            button = push_button(self.tr("Import What Can Be Read"), "plain")
            button.setAutoDefault(False)
            button.clicked.connect(partial(self._repair, file, row))
            if isinstance(line := row.layout(), QHBoxLayout):
                line.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)

    def _repair(self, file: Path, row: QWidget) -> None:
        row.hide()
        row.deleteLater()
        self._has_news = True
        self._stop.clear()
        self._start(file, repair=True)

    def _add(self, file: Path, sign: str, what: str, sentences: Sequence[str]) -> QWidget:
        row = QWidget()
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(10)
        line.addWidget(Sign(sign, "ok" if sign == "check" else "danger", 18), 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout()
        column.setSpacing(2)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(ElidedLabel(file.name, "strong"))
        head.addWidget(label(what, "muted"))
        head.addStretch(1)
        column.addLayout(head)
        for text in sentences:
            column.addWidget(label(text, "body", wrap=True))
        line.addLayout(column, 1)
        row.setAccessibleName(" ".join([file.name, what, *sentences]))
        self._told.insertWidget(self._told.count() - 1, row)
        return row

    def _lay_out(self) -> None:
        inside = QWidget()
        inside.setObjectName("scrolled")
        inside.setLayout(self._told)
        self._told.setContentsMargins(0, 0, 8, 0)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setWidget(inside)
        scroll.setAccessibleName(self.windowTitle())
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(self.close_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 16, 18, 14)
        column.setSpacing(10)
        column.addWidget(self.text)
        column.addWidget(self.bar)
        column.addWidget(scroll, 1)
        column.addLayout(foot)
        self.resize(560, 320)
