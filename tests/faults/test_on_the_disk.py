"""After a power cut (known failures B-07): nothing takes a place before it is on the disk, then so is the place."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.injector import Faults
from tests.faults.writing.all_paths import WRITE_PATHS
from tests.faults.writing.base import keep_places

ALSO_MOVE = {"remove", "remove character", "bring back", "rename", "rename character", "merge conflict copy"}
"""What moves whole files, of which nothing is written."""


@pytest.mark.parametrize("name", [name for name in WRITE_PATHS if name not in ALSO_MOVE])
def test_written_synced_in_place_synced(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep_places(monkeypatch)
    path = WRITE_PATHS[name](tmp_path)
    path.make_ready()
    with Faults(tmp_path) as faults:
        path.try_it()
    operations = faults.operations
    for number, operation in enumerate(operations):
        if operation in ("replace", "rename"):
            before = operations[:number]
            last_write = max(index for index, one in enumerate(before) if one == "write")
            assert "fsync" in before[last_write:], f"{operation} {number} of what may not be on the disk"
            assert operations[number + 1 : number + 3] == ["open", "fsync"], f"the folder after {operation} {number}"


def test_a_change_is_on_the_disk_before_the_file_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep_places(monkeypatch)
    path = WRITE_PATHS["full save"](tmp_path)
    path.make_ready()
    with Faults(tmp_path) as faults:
        path.try_it()
    assert faults.operations.index("fsync") < faults.operations.index("write"), "the journal comes first"
