"""A small data folder for the tests that need one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tavern_desktop.library.data_root import DataRoot
from tests.make_library import library


@pytest.fixture(scope="session")
def library_original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A generated data root that no test changes."""
    root = tmp_path_factory.mktemp("library") / "data"
    library(root, seed=7, scale="small")
    return root


@pytest.fixture
def root(library_original: Path, tmp_path: Path) -> DataRoot:
    """A copy of it that the test may change."""
    return DataRoot(Path(shutil.copytree(library_original, tmp_path / "data")))


@pytest.fixture
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of our own files during the test."""
    home = tmp_path / "own"
    monkeypatch.setenv("TAVERN_DESKTOP_HOME", str(home))
    return home
