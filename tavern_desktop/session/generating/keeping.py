"""Keeps a reply that is being written on disk, at least once a second (decision D13)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from tavern_desktop.session.runner import Handle, Outcome, Runner
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.storage.reply_stream import ReplyStream, StreamHead

INTERVAL = 1.0
"""Seconds until what has come is on the disk."""


class StreamKeeper:
    """Writes the pieces of one reply into its file. Belongs to the owner; writes in a lane of its own."""

    def __init__(
        self, runner: Runner, folder: Path | None, task_id: str, head: StreamHead, warn: Callable[[str], object]
    ) -> None:
        """`folder` None keeps nothing. `warn` is told a sentence, once, if the disk refuses.

        `head` may be exchanged for one that knows more until the first piece comes.
        """
        self._runner = runner
        self._folder = folder
        self._task_id = task_id
        self.head = head
        self._warn = warn
        self._lane = f"stream {task_id}"
        self._stream: ReplyStream | None = None
        self._pieces: dict[int, tuple[list[str], list[str]]] = {}
        """Texts and thoughts of each alternative that are not on the disk yet."""
        self._timer: Handle | None = None

    def add(self, text: str, reasoning: str, choice: int = 0) -> None:
        """Take pieces that came of an alternative, 0 for the shown one; they are on the disk within a second."""
        if self._folder is None or not (text or reasoning):
            return
        texts, thoughts = self._pieces.setdefault(choice, ([], []))
        texts.append(text)
        thoughts.append(reasoning)
        if self._timer is None:
            self._timer = self._runner.call_later(INTERVAL, self._write)

    def end(self, *, is_kept: bool) -> None:
        """The reply is in the chat (or nobody wants it), so the file goes; `is_kept`: it could not be put there."""
        if is_kept:
            self._write()
        elif self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._runner.submit(partial(self._close, is_kept), Outcome.result, lane=self._lane)

    def _write(self) -> None:
        self._timer = None
        pieces, self._pieces = self._pieces, {}
        for choice, (texts, thoughts) in pieces.items():
            append = partial(self._append, self.head, "".join(texts), "".join(thoughts), choice)
            self._runner.submit(append, self._written, lane=self._lane)

    def _append(self, head: StreamHead, text: str, reasoning: str, choice: int) -> None:
        if self._folder is None:
            return
        if self._stream is None:
            self._stream = ReplyStream(self._folder, self._task_id, head)
        self._stream.append(text, reasoning, choice)

    def _written(self, outcome: Outcome[None]) -> None:
        try:
            outcome.result()
        except StorageError as error:
            self._folder = None  # said once; the reply goes on in memory
            self._warn(f"The reply is not kept on disk while it is written. {sentence(error)}")

    def _close(self, is_kept: bool) -> None:
        if self._stream is None:
            return
        if is_kept:
            self._stream.leave()
        else:
            self._stream.end()
