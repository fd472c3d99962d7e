"""Keys: in the system's store, else in a file of mode 0600, never anywhere else."""

from __future__ import annotations

import logging
import stat
import sys
from pathlib import Path

import keyring
import keyring.backend
import keyring.errors
import pytest

from tavern_desktop.backends.connection import Connection
from tavern_desktop.backends.errors import BackendError
from tavern_desktop.session.key_store import KeyStore, has_system_store, variable_for
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.own_folders import own_folders

KEY = "sk-0123456789abcdef"


class MemoryStore(keyring.backend.KeyringBackend):
    """A key store of a system, for one test."""

    priority = 1

    def __init__(self) -> None:
        self.held: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.held.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.held[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.held[service, username]


class BrokenStore(MemoryStore):
    """One that keeps nothing, or fails in its own way."""

    priority = 1

    def __init__(self, error: Exception | None = None) -> None:
        super().__init__()
        self._error = error

    def set_password(self, service: str, username: str, password: str) -> None:
        if self._error is not None:
            raise self._error


@pytest.fixture
def store() -> KeyStore:
    return KeyStore(own_folders())


def use(monkeypatch: pytest.MonkeyPatch, system: keyring.backend.KeyringBackend) -> None:
    monkeypatch.setattr(keyring, "get_keyring", lambda: system)


def a_connection(**fields: str) -> Connection:
    return Connection(id="c1", name="My Server", protocol="openai", url="http://localhost", **fields)


def test_a_key_goes_into_the_system_s_store(store: KeyStore, monkeypatch: pytest.MonkeyPatch) -> None:
    system = MemoryStore()
    use(monkeypatch, system)
    assert store.describe() == "Keys are kept in the key store of this system."
    assert store.put("c1", f" {KEY}\n") == "system"
    assert list(system.held.values()) == [KEY]
    assert not store.file.exists()
    assert (store.secrets_for(a_connection()).key, store.place_of(a_connection())) == (KEY, "system")
    store.remove("c1")
    assert system.held == {}


def test_without_one_it_goes_into_a_file_that_others_cannot_read(store: KeyStore) -> None:
    assert not has_system_store()
    assert str(store.file) in store.describe()
    assert store.put("c1", KEY) == "file"
    if sys.platform != "win32":
        assert stat.S_IMODE(store.file.stat().st_mode) == 0o600
    assert KeyStore(own_folders()).secrets_for(a_connection()).key == KEY
    store.put("c2", "other")
    store.remove("c1")
    assert (store.get("c1"), store.get("c2"), store.place_of(a_connection())) == ("", "other", None)


@pytest.mark.parametrize("error", [None, keyring.errors.PasswordSetError(), RuntimeError("the bus is gone")])
def test_a_store_that_keeps_nothing_is_no_store(
    store: KeyStore, monkeypatch: pytest.MonkeyPatch, error: Exception | None
) -> None:
    use(monkeypatch, BrokenStore(error))
    assert store.put("c1", KEY) == "file"
    assert store.get("c1") == KEY


def test_a_key_moves_into_the_system_s_store_once_there_is_one(
    store: KeyStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.put("c1", KEY)
    use(monkeypatch, MemoryStore())
    assert store.get("c1") == KEY
    assert store.put("c1", KEY) == "system"
    assert KEY not in store.file.read_text("utf-8")


def test_a_key_may_be_for_this_session_only(store: KeyStore) -> None:
    assert store.put("c1", KEY, only_now=True) == "session"
    assert (store.get("c1"), store.place_of(a_connection())) == (KEY, "session")
    assert KeyStore(own_folders()).get("c1") == ""
    assert not store.file.exists()


def test_a_key_in_the_environment_comes_first(store: KeyStore, monkeypatch: pytest.MonkeyPatch) -> None:
    store.put("c1", KEY)
    assert variable_for("My Server") == "TAVERN_DESKTOP_KEY_MY_SERVER"
    monkeypatch.setenv("TAVERN_DESKTOP_KEY_MY_SERVER", "from-outside")
    assert store.secrets_for(a_connection()).key == "from-outside"
    assert store.place_of(a_connection()) == "environment"


def test_a_proxy_has_its_own_password(store: KeyStore) -> None:
    store.put("c1/proxy", "word")
    assert store.secrets_for(a_connection(proxy="http://me@proxy")).proxy_password == "word"
    assert store.secrets_for(a_connection(proxy="http://proxy")).proxy_password == ""
    store.remove("c1")
    assert store.get("c1/proxy") == ""


def test_what_is_no_key_is_refused(store: KeyStore) -> None:
    with pytest.raises(BackendError, match="A key has only letters"):
        store.put("c1", "two\nlines")


def test_a_damaged_file_is_told_of_and_not_overwritten(store: KeyStore) -> None:
    store.put("c1", KEY)
    store.file.write_bytes(b"{")
    with pytest.raises(StorageError):
        store.get("c1")
    with pytest.raises(StorageError):
        store.put("c2", KEY)
    assert store.file.read_bytes() == b"{"


def test_no_key_is_logged(store: KeyStore, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    use(monkeypatch, BrokenStore(RuntimeError(KEY)))
    store.put("c1", KEY)
    store.get("c1")
    assert KEY not in caplog.text
    assert caplog.records


def test_a_file_is_never_readable_by_others_not_even_before(store: KeyStore) -> None:
    store.file.parent.mkdir(parents=True)
    store.file.write_text("{}")
    Path(store.file).chmod(0o644)
    store.put("c1", KEY)
    if sys.platform != "win32":
        assert stat.S_IMODE(store.file.stat().st_mode) == 0o600
