"""Which data folder a start works on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.session import startup
from tavern_desktop.session.preferences import Preferences
from tavern_desktop.session.startup import choose_root, remember_root
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.storage.own_folders import own_folders


def chosen(given: Path | None = None, user: str | None = None) -> DataRoot:
    return choose_root(own_folders(), Preferences(own_folders()), None if given is None else str(given), user)


def test_what_is_named_comes_before_what_is_remembered(root: DataRoot, tmp_path: Path, own_home: Path) -> None:
    (tmp_path / "other" / "default-user" / "characters").mkdir(parents=True)
    remember_root(Preferences(own_folders()), root)
    assert chosen() == root
    assert chosen(tmp_path / "other") == DataRoot(tmp_path / "other")
    assert chosen(root.user_folder) == root


def test_without_anything_it_is_our_own_with_the_sample(
    tmp_path: Path, own_home: Path, root: DataRoot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(startup, "resource_path", lambda *parts: root.path)
    assert chosen() == DataRoot(own_folders().library)
    assert list(own_folders().library.glob("*/characters/*.png"))


def test_the_user_must_be_one_of_the_folder(root: DataRoot, own_home: Path) -> None:
    (root.path / "ada" / "characters").mkdir(parents=True)
    assert chosen(root.path, "ada") == DataRoot(root.path, "ada")
    with pytest.raises(StorageError, match="not_found") as caught:
        chosen(root.path, "nobody")
    assert "nobody" in sentence(caught.value)


def test_a_folder_that_is_none_is_said_to_be_none(tmp_path: Path, root: DataRoot, own_home: Path) -> None:
    for path in (tmp_path / "missing", root.characters):
        with pytest.raises(StorageError) as caught:
            chosen(path)
        assert (caught.value.kind, caught.value.detail) == ("not_found", "directory")
        assert str(path) in sentence(caught.value)


def test_a_remembered_folder_that_is_gone_is_not_replaced_silently(root: DataRoot, own_home: Path) -> None:
    remember_root(Preferences(own_folders()), DataRoot(root.path / "gone"))
    with pytest.raises(StorageError) as caught:
        chosen()
    assert "used last" in sentence(caught.value)
