"""Each file operation of each way of writing refused: nothing is lost or half written, and the person is told why."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tavern_desktop.storage import publish
from tests.faults.conftest import Report
from tests.faults.injector import Faults
from tests.faults.writing.all_paths import WRITE_PATHS
from tests.faults.writing.base import WritePath, keep_places

ERRORS = (errno.ENOSPC, errno.EIO, errno.EACCES, errno.EBUSY)


@pytest.fixture(autouse=True)
def no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait for another program that holds a file."""
    monkeypatch.setattr(publish, "_PATIENCE", 0.0)
    keep_places(monkeypatch)


@pytest.mark.parametrize("kind", WRITE_PATHS.values(), ids=WRITE_PATHS)
def test_refused(kind: type[WritePath], tmp_path: Path, is_full: bool, report: Report) -> None:
    operations = _undisturbed(kind, tmp_path / "undisturbed")
    assert operations
    faults = list(_faults(len(operations), is_full))
    for number, error, stays in faults:
        folder = tmp_path / f"{number}-{errno.errorcode[error]}-{stays}"
        where = f"{operations[number - 1]} ({number} of {len(operations)}): {os.strerror(error)}"
        path = _ready(kind, folder)
        with Faults(folder, number, error, stays=stays):
            path.try_it()
        path.check()
        assert path.is_done() or path.told or path.is_silent, f"nobody was told of {where}"
        if not path.is_done():
            path.again()
        path.check()
        assert path.is_done(), f"it cannot be done any more after {where}: {path.told}"
        assert path.strays() == [], where
    report(f"{kind.name}: {len(operations)} file operations refused in {len(faults)} ways")


def _ready(kind: type[WritePath], folder: Path) -> WritePath:
    path = kind(folder)
    path.make_ready()
    return path


def _undisturbed(kind: type[WritePath], folder: Path) -> list[str]:
    """Return the operations when nothing is refused."""
    path = _ready(kind, folder)
    with Faults(folder) as faults:
        path.try_it()
    path.check()
    assert path.is_done()
    assert bool(path.told) == path.always_tells
    return faults.operations


def _faults(operations: int, is_full: bool) -> Iterator[tuple[int, int, bool]]:
    """Yield which operation fails, how, and whether those after it do too."""
    for number in range(1, operations + 1):
        if is_full:
            yield from ((number, error, stays) for error in ERRORS for stays in (False, True))
        else:
            yield number, ERRORS[number % len(ERRORS)], number % 2 == 0
