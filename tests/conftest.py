"""What every test starts from: no screen needed, and our own files in a folder of the test."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# No test touches the key store of whoever runs it; programs that tests start neither.
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"
# Nor does any test show notices on their desktop.
os.environ["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/nowhere/at/all"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="repeat the fault tests as often as a release asks for")


@pytest.fixture
def is_full(request: pytest.FixtureRequest) -> bool:
    """Whether this run takes the time that a release asks for."""
    return bool(request.config.getoption("--full"))


@pytest.fixture(autouse=True)
def own_files_apart(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep the test away from the files of whoever runs it; returns the folder of our own files."""
    home = tmp_path_factory.mktemp("own")
    monkeypatch.setenv("TAVERN_DESKTOP_HOME", str(home))
    return home


@pytest.fixture(autouse=True)
def no_ports_of_this_computer(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test looks for the model servers of whoever runs it; those that look say where."""
    monkeypatch.setattr("tavern_desktop.backends.discovery.usual_ports", list)
