"""One process for each data folder: later ones hand over what they want done (decisions D22, D28).

The owner holds a lock for as long as it lives, and listens on a local socket: JSON values, one request and one
reply a connection, both ends proving that they know a key only this user can read. A process that finds the lock
taken asks the owner; one that gets no answer may still look at everything, but changes nothing.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import secrets
import sys
import tempfile
import threading
from collections.abc import Callable
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from tavern_desktop.session.runner import Runner
from tavern_desktop.storage.own_folders import make_folder

PATIENCE = 2.0
"""Seconds within which an owner that is well answers."""

_LOCK, _KEY = "owner.lock", "owner.key"

Message = dict[str, Any]
Answer = Callable[[Message], Message]

log = logging.getLogger(__name__)


class Ownership:
    """The right to change the chats of a data folder, and the ear for those who have not."""

    def __init__(self, folder: Path, lock: FileLock) -> None:
        self._folder = folder
        self._lock = lock
        self._thread: threading.Thread | None = None
        self._ended = threading.Event()

    def serve(self, runner: Runner, answer: Answer) -> None:
        """Answer requests from now on; `answer` is called on the owner's thread."""
        key = _new_key(self._folder)
        address = _address(self._folder)
        if sys.platform != "win32":
            # What lies here is from an owner that was killed: the lock says that there is no other.
            Path(address).unlink(missing_ok=True)
        listener = Listener(address, authkey=key)
        arguments = (listener, runner, answer)
        self._thread = threading.Thread(target=self._listen, args=arguments, name="handover", daemon=True)
        self._thread.start()

    def release(self) -> None:
        """Stop answering and let another process own the folder."""
        self._ended.set()
        if self._thread is not None:
            with contextlib.suppress(OSError, EOFError, AuthenticationError):
                Client(_address(self._folder), authkey=_key(self._folder)).close()  # wakes the listener
            self._thread.join(PATIENCE)
        self._lock.release()

    def _listen(self, listener: Listener, runner: Runner, answer: Answer) -> None:
        with listener:
            while not self._ended.is_set():
                try:
                    with listener.accept() as connection:
                        if not self._ended.is_set():
                            _serve_one(connection, runner, answer)
                except (OSError, EOFError, AuthenticationError, ValueError) as error:
                    log.warning("a request of another process failed: %s", type(error).__name__)


def take(folder: Path, patience: float = PATIENCE) -> Ownership | None:
    """Become the owner of the data folder that `folder`, our own folder for it, stands for; None if another is.

    A command line owns it for a moment only, hence the patience. Raises StorageError where our own folder cannot be
    written.
    """
    make_folder(folder)
    lock = FileLock(folder / _LOCK)
    try:
        lock.acquire(timeout=patience, poll_interval=0.02)
    except Timeout:
        return None
    return Ownership(folder, lock)


def ask(folder: Path, request: Message, patience: float = PATIENCE) -> Message | None:
    """Hand a request to the owner and return its reply; None if nobody owns the folder or the owner is silent."""
    if sys.platform != "win32" and not os.path.exists(_address(folder)):
        return None
    replies: list[Message] = []
    # An owner that hangs would keep us in the middle of the greeting for ever, where no time limit can be set.
    thread = threading.Thread(target=_ask, args=(folder, request, replies), daemon=True)
    thread.start()
    thread.join(patience)
    return replies[0] if replies else None


def _ask(folder: Path, request: Message, replies: list[Message]) -> None:
    try:
        with Client(_address(folder), authkey=_key(folder)) as connection:
            connection.send_bytes(json.dumps(request).encode())
            replies.append(json.loads(connection.recv_bytes()))
    except (OSError, EOFError, AuthenticationError, ValueError) as error:
        log.info("no owner answered: %s", type(error).__name__)


def _serve_one(connection: Connection[Any, Any], runner: Runner, answer: Answer) -> None:
    if not connection.poll(PATIENCE):
        return
    request = json.loads(connection.recv_bytes())
    replies: list[Message] = []
    answered = threading.Event()

    def on_owner() -> None:
        try:
            replies.append(answer(request))
        finally:
            answered.set()

    runner.post(on_owner)
    if answered.wait(PATIENCE) and replies:
        connection.send_bytes(json.dumps(replies[0]).encode())


def _address(folder: Path) -> str:
    """Return the name of the socket: short, as these must be, and different for each of our folders."""
    name = hashlib.sha256(os.fsencode(os.path.realpath(folder))).hexdigest()[:24]
    if sys.platform == "win32":
        return rf"\\.\pipe\tavern-desktop-{name}"
    return str(Path(os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()) / f"tavern-desktop-{name}.sock")


def _new_key(folder: Path) -> bytes:
    """Write a new key that only this user can read."""
    path = folder / _KEY
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    key = secrets.token_hex(32).encode()
    with os.fdopen(descriptor, "wb") as file:
        file.write(key)
    return key


def _key(folder: Path) -> bytes:
    return (folder / _KEY).read_bytes()
