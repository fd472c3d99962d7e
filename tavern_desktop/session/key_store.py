"""Where the keys of connections are: the system's key store, or a file only the person's account can read.

A key in the environment comes before both. Everything here may wait for the system, which may ask the person to
unlock something: never call it on the window's thread. No key is ever logged, and errors do not name one.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

import orjson

from tavern_desktop.backends.connection import Connection, Secrets, check_key
from tavern_desktop.storage.errors import StorageError, from_os
from tavern_desktop.storage.own_folders import OwnFolders, make_folder
from tavern_desktop.storage.publish import write_small_file

if TYPE_CHECKING:
    import keyring.backend

SERVICE = "Tavern Desktop"
VARIABLE = "TAVERN_DESKTOP_KEY_"
PROXY = "/proxy"
"""Follows a connection's id in the name of its proxy's password."""

LOCK_SECONDS = 2.0

Place = Literal["system", "file", "session", "environment"]

T = TypeVar("T")

log = logging.getLogger(__name__)


class KeyStore:
    """Keys by the id of their connection."""

    def __init__(self, folders: OwnFolders) -> None:
        self.file = folders.config / "keys.json"
        self._of_session: dict[str, str] = {}

    def secrets_for(self, connection: Connection) -> Secrets:
        """Return the key and the proxy's password of a connection, "" for what there is not. Raises StorageError."""
        password = self.get(f"{connection.id}{PROXY}") if "@" in connection.proxy else ""
        return Secrets(os.environ.get(variable_for(connection.name), "") or self.get(connection.id), password)

    def place_of(self, connection: Connection) -> Place | None:
        """Return where the key of a connection is, None if there is none. Raises StorageError."""
        if os.environ.get(variable_for(connection.name)):
            return "environment"
        if connection.id in self._of_session:
            return "session"
        if self._from_system(connection.id):
            return "system"
        return "file" if connection.id in self._read() else None

    def get(self, name: str) -> str:
        """Return a key, "" if there is none. Raises StorageError for a file that cannot be read."""
        return self._of_session.get(name) or self._from_system(name) or self._read().get(name, "")

    def put(self, name: str, key: str, *, only_now: bool = False) -> Place:
        """Keep a key and say where. `only_now` forgets it when the program ends.

        Raises BackendError for what cannot be a key, StorageError where it can be kept nowhere.
        """
        key = check_key(key)
        if only_now:
            self._of_session[name] = key
            return "session"
        self._of_session.pop(name, None)
        if _from_system(_writing_of(name, key)):
            self._change(lambda held: held.pop(name, None))
            return "system"
        self._change(lambda held: held.update({name: key}))
        return "file"

    def remove(self, name: str) -> None:
        """Forget a key, and the proxy's password with it, wherever they are. Raises StorageError."""
        for entry in (name, f"{name}{PROXY}"):
            self._of_session.pop(entry, None)
            if self._from_system(entry):
                _from_system(_deletion_of(entry))
        self._change(lambda held: [held.pop(entry, None) for entry in (name, f"{name}{PROXY}")])

    def describe(self) -> str:
        """Return one sentence that says honestly where a new key will be kept."""
        if has_system_store():
            return "Keys are kept in the key store of this system."
        reader = (
            "whoever can use your account" if sys.platform == "win32" else "only your account, and its administrator,"
        )
        return f"This system has no key store we can use: keys go into the file {self.file}, which {reader} can read."

    def _from_system(self, name: str) -> str:
        return _from_system(lambda store: store.get_password(SERVICE, name)) or ""

    def _read(self) -> dict[str, str]:
        try:
            held = orjson.loads(self.file.read_bytes())
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise from_os(error, "read", self.file) from None
        except orjson.JSONDecodeError:
            raise StorageError("io", "read", "the file of keys is damaged", chat_ref=self.file) from None
        return {name: key for name, key in held.items() if isinstance(key, str)} if isinstance(held, dict) else {}

    def _change(self, change: Callable[[dict[str, str]], object]) -> None:
        """Change the file under a lock; where nothing changes it is not even made."""
        with self._locked():
            held = self._read()
            before = dict(held)
            change(held)
            if held == before:
                return
            _make_private(self.file)
            write_small_file(self.file, orjson.dumps(held, option=orjson.OPT_INDENT_2))

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        from filelock import FileLock, Timeout

        make_folder(self.file.parent)
        try:
            with FileLock(self.file.with_name(f"{self.file.name}.lock"), timeout=LOCK_SECONDS):
                yield
        except Timeout:
            message = "another program keeps the keys locked"
            raise StorageError("io", "replace_blocked", message, chat_ref=self.file) from None
        except OSError as error:
            raise from_os(error, "write", self.file) from None


def variable_for(name: str) -> str:
    """Return the environment variable that may hold the key of the connection of this name."""
    return VARIABLE + re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_").upper()


def has_system_store() -> bool:
    """Say whether this system has a key store that answers."""
    return _from_system(lambda store: store.get_password(SERVICE, "probe") or True) is not None


def _writing_of(name: str, key: str) -> Callable[[keyring.backend.KeyringBackend], bool]:
    def write(store: keyring.backend.KeyringBackend) -> bool:
        store.set_password(SERVICE, name, key)
        return store.get_password(SERVICE, name) == key  # some stores take everything and keep nothing

    return write


def _deletion_of(name: str) -> Callable[[keyring.backend.KeyringBackend], bool]:
    def delete(store: keyring.backend.KeyringBackend) -> bool:
        store.delete_password(SERVICE, name)
        return True

    return delete


def _from_system(ask: Callable[[keyring.backend.KeyringBackend], T]) -> T | None:
    """Ask the system's key store; None where there is none, or it does not answer."""
    import keyring
    import keyring.errors

    try:
        return ask(keyring.get_keyring())
    except keyring.errors.KeyringError as error:
        log.info("the system's key store cannot be used: %s", type(error).__name__)
    except Exception as error:  # stores are plugins: a broken one raises what it likes, and the file is still there
        log.warning("the system's key store failed: %s", type(error).__name__)
    return None


def _make_private(file: Path) -> None:
    """Make the file, empty, for this account only: what replaces it takes its mode over."""
    try:
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT, 0o600))
        os.chmod(file, 0o600)
    except OSError as error:
        raise from_os(error, "write", file) from None
