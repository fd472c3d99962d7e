"""One SillyTavern for all tests of this folder, on a data folder that our own code changes meanwhile."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tavern_desktop.resources import resource_path
from tests.interop import sillytavern
from tests.interop.here import Here
from tests.interop.sillytavern import Server
from tests.make_library import library


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """SillyTavern on a generated library with our sample in it; the one reason to skip is that it cannot be had."""
    try:
        app = sillytavern.provide()
    except sillytavern.Unavailable as reason:
        pytest.skip(f"the real SillyTavern is not available: {reason}")
    data_root = tmp_path_factory.mktemp("sillytavern") / "data"
    library(data_root, seed=11, scale="small")
    shutil.copytree(resource_path("sample", "default-user"), data_root / "default-user", dirs_exist_ok=True)
    with Server(app, data_root, tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture
def chats_folder(server: Server) -> Path:
    return server.user_folder / "chats"


@pytest.fixture
def here(path: Path, tmp_path: Path) -> Iterator[Here]:
    """The chat of the test's own `path`, open in our program."""
    here = Here(path, tmp_path)
    yield here
    here.close()
