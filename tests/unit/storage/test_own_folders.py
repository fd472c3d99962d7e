"""Our own files: where they live, and that it is never the SillyTavern folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tavern_desktop.storage import own_folders as module
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.own_folders import own_folders, root_key


def test_everything_lies_below_the_folder_that_the_environment_names(own_home: Path) -> None:
    folders = own_folders()
    assert {folders.config.parent, folders.data.parent, folders.cache.parent} == {own_home}


def test_portable_means_beside_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TAVERN_DESKTOP_HOME", raising=False)
    monkeypatch.setattr(module, "program_folder", lambda: tmp_path)
    assert own_folders(portable=True).data.is_relative_to(tmp_path)
    assert not own_folders().data.is_relative_to(tmp_path)
    (tmp_path / "portable.flag").touch()
    assert own_folders().data.is_relative_to(tmp_path)


def test_a_data_root_is_known_by_its_real_path(tmp_path: Path, own_home: Path) -> None:
    real, other = tmp_path / "data", tmp_path / "other"
    real.mkdir()
    other.mkdir()
    link = tmp_path / "link"
    link.symlink_to(real)
    assert root_key(link) == root_key(real) == root_key(tmp_path / "x" / ".." / "data")
    assert own_folders().for_root(real) != own_folders().for_root(other)


def test_our_files_are_never_put_inside_the_data_root(tmp_path: Path, own_home: Path) -> None:
    with pytest.raises(StorageError) as caught:
        own_folders().for_root(tmp_path)
    assert (caught.value.kind, caught.value.detail) == ("validation", "argument")


def test_our_own_library_may_lie_in_our_folder(own_home: Path) -> None:
    folders = own_folders()
    assert folders.for_root(folders.library).data.is_relative_to(folders.data)
