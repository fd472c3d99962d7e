"""Small typed settings files that several windows and programs may write, and that survive damage.

A section is one JSON object in one file. Each change re-reads the file under a lock and puts only the keys
that changed, so that two windows never undo each other's settings (B-17). A file that cannot be read is set
aside, the last good copy is used instead, and a sentence says so (B-14). Keys of newer versions are kept, and
a single value of the wrong type falls back alone.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec
import orjson

from tavern_desktop.storage.errors import StorageError, from_os
from tavern_desktop.storage.own_folders import make_folder

S = TypeVar("S", bound=msgspec.Struct)

LOCK_SECONDS = 2.0


class Section(Generic[S]):
    """One settings file, read when made. Methods may be called from any thread."""

    def __init__(self, file: Path, kind: type[S]) -> None:
        self.file = file
        self.problems: list[str] = []
        """Sentences for people: what was wrong with the file, and what was used instead."""
        self._kind = kind
        self._mutex = threading.Lock()
        self._value = self._typed(self._read())

    @property
    def value(self) -> S:
        """The settings as last read or written."""
        return self._value

    def reload(self) -> S:
        """Read again what another window or program may have changed."""
        with self._mutex:
            self._value = self._typed(self._read())
            return self._value

    def update(self, **changes: Any) -> S:
        """Change these keys and no other, and write the file. Raises StorageError, msgspec.ValidationError."""
        for name, value in changes.items():
            msgspec.convert({name: msgspec.to_builtins(value)}, self._kind)
        return self._write(lambda data: data.update(msgspec.to_builtins(changes)))

    def put(self, name: str, key: str, value: Any, keep: int) -> S:
        """Put one entry of the mapping `name`, newest last, and drop its oldest beyond `keep`. Raises StorageError."""

        def change(data: dict[str, Any]) -> None:
            held = data.get(name)
            entries = held if isinstance(held, dict) else {}
            entries.pop(key, None)
            entries[key] = msgspec.to_builtins(value)
            data[name] = dict(list(entries.items())[-keep:])

        return self._write(change)

    def drop(self, name: str, key: str) -> S:
        """Take one entry out of the mapping `name`; one that is not there is no fault. Raises StorageError."""

        def change(data: dict[str, Any]) -> None:
            held = data.get(name)
            if isinstance(held, dict):
                held.pop(key, None)

        return self._write(change)

    def _write(self, change: Callable[[dict[str, Any]], None]) -> S:
        with self._mutex:
            from tavern_desktop.storage.publish import write_small_file  # see `_locked`

            make_folder(self.file.parent)
            with self._locked():
                data = self._read(to_write=True)
                change(data)
                text = orjson.dumps(data, option=orjson.OPT_INDENT_2)
                write_small_file(self.file, text)
                write_small_file(self._beside(".good"), text)
            self._value = self._typed(data)
            return self._value

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Keep other processes from writing between our reading and our writing."""
        # Imported by who writes: every start reads, and this costs it 20 ms.
        from filelock import FileLock, Timeout

        try:
            with FileLock(self._beside(".lock"), timeout=LOCK_SECONDS):
                yield
        except Timeout:
            raise StorageError(
                "io", "replace_blocked", "another program keeps the settings locked", chat_ref=self.file
            ) from None
        except OSError as error:
            raise from_os(error, "write", self.file) from error

    def _read(self, *, to_write: bool = False) -> dict[str, Any]:
        """Return the file's object, that of the last good copy if it is damaged, `{}` if there is neither.

        Raises StorageError `to_write` where what was set may be in a file that the system does not let us read.
        """
        try:
            return _object(self.file.read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            return self._recover(error, to_write)

    def _recover(self, error: OSError | ValueError, to_write: bool) -> dict[str, Any]:
        good = self._beside(".good")
        unread = error if isinstance(error, OSError) else None
        try:
            data = _object(good.read_bytes())
            when = time.strftime("%Y-%m-%d %H:%M", time.localtime(good.stat().st_mtime))
            used, unread = f"the copy of {when} is used instead", None
        except (OSError, ValueError) as other:
            data, used = {}, "the defaults are used instead"
            if isinstance(other, OSError) and not isinstance(other, FileNotFoundError):
                unread = other
        if unread is not None and to_write:  # defaults in its place would end what may be whole
            raise from_os(unread, "read", self.file) from error
        kept = "; nothing is written over it" if unread is not None else self._set_aside(error, data)
        self.problems.append(f"The settings file {self.file} could not be read: {used}{kept}.")
        return data

    def _set_aside(self, error: OSError | ValueError, data: dict[str, Any]) -> str:
        """Give a damaged file another name and put `data` in its place; return what to say of that."""
        if isinstance(error, OSError):
            return ""
        aside = self._beside(time.strftime(".damaged-%Y%m%d-%H%M%S"))
        kept = ""
        with contextlib.suppress(OSError, StorageError):
            from tavern_desktop.storage.publish import write_small_file

            self.file.rename(aside)
            kept = f"; the damaged file is kept as {aside.name}"
            write_small_file(self.file, orjson.dumps(data, option=orjson.OPT_INDENT_2))
        return kept

    def _typed(self, data: dict[str, Any]) -> S:
        with contextlib.suppress(msgspec.ValidationError):
            return msgspec.convert(data, self._kind)
        good: dict[str, Any] = {}
        for name, value in data.items():
            with contextlib.suppress(msgspec.ValidationError):
                msgspec.convert({name: value}, self._kind)
                good[name] = value
        return msgspec.convert(good, self._kind)

    def _beside(self, ending: str) -> Path:
        return self.file.with_name(self.file.name + ending)


def _object(text: bytes) -> dict[str, Any]:
    """Decode a JSON object. Raises ValueError for anything else."""
    data = orjson.loads(text)
    if not isinstance(data, dict):
        raise ValueError("not an object")
    return data
