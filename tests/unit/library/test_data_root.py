"""Recognising data folders, and our own library."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tavern_desktop.library.data_root import DataRoot, ensure_own_root, recognise, users
from tavern_desktop.library.found_roots import found_roots
from tavern_desktop.storage.own_folders import own_folders


def make_root(path: Path, *handles: str) -> Path:
    for handle in handles or ("default-user",):
        (path / handle / "characters").mkdir(parents=True)
        (path / handle / "chats").mkdir()
    (path / "_storage" / "characters").mkdir(parents=True)
    return path


def test_a_data_root_and_the_folder_of_one_user_mean_the_same(tmp_path: Path) -> None:
    root = make_root(tmp_path / "data")
    assert recognise(root) == recognise(root / "default-user") == DataRoot(root)


def test_the_default_user_comes_first_and_another_can_be_chosen(tmp_path: Path) -> None:
    root = make_root(tmp_path / "data", "ada", "default-user", "zoe")
    assert users(root) == ["default-user", "ada", "zoe"]
    assert recognise(root, "zoe") == recognise(root / "zoe") == DataRoot(root, "zoe")


def test_an_installation_means_its_data(tmp_path: Path) -> None:
    install = tmp_path / "SillyTavern"
    make_root(install / "data")
    (install / "server.js").touch()
    assert recognise(install) == recognise(tmp_path) == DataRoot(install / "data")


def test_an_installation_may_keep_its_data_elsewhere(tmp_path: Path) -> None:
    install, elsewhere = tmp_path / "st", make_root(tmp_path / "elsewhere")
    install.mkdir()
    (install / "config.yaml").write_text(f"port: 8000\ndataRoot: '{elsewhere}' # moved\n", "utf-8")
    assert recognise(install) == DataRoot(elsewhere)
    (install / "config.yaml").write_text("dataRoot: ../elsewhere\n", "utf-8")
    found = recognise(install)
    assert found is not None
    assert found.path.samefile(elsewhere)


def test_a_tauritavern_folder_may_name_another_root(tmp_path: Path) -> None:
    app, elsewhere = tmp_path / "com.tauritavern.client", make_root(tmp_path / "moved")
    make_root(app / "data")
    assert recognise(app) == DataRoot(app / "data")
    (app / "tauritavern-runtime.json").write_text(json.dumps({"version": 1, "data_root": str(elsewhere)}), "utf-8")
    assert recognise(app) == DataRoot(elsewhere)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"data_root": 7}'])
def test_a_damaged_runtime_file_is_ignored(tmp_path: Path, content: str) -> None:
    make_root(tmp_path / "data")
    (tmp_path / "tauritavern-runtime.json").write_text(content, "utf-8")
    assert recognise(tmp_path) == DataRoot(tmp_path / "data")


def test_other_folders_are_none(tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    (tmp_path / "file").touch()
    assert recognise(tmp_path) is None
    assert recognise(tmp_path / "file") is None
    assert recognise(tmp_path / "missing") is None


def test_usual_places_are_searched_on_every_system(tmp_path: Path) -> None:
    home = tmp_path / "home"
    make_root(home / "SillyTavern" / "data")
    make_root(home / ".local" / "share" / "com.tauritavern.client" / "data")
    roaming = make_root(tmp_path / "roaming" / "com.tauritavern.client" / "data").parent.parent
    named = make_root(tmp_path / "named")
    linux = [(item.program, item.root.path) for item in found_roots({}, home, "linux")]
    assert linux == [
        ("SillyTavern", home / "SillyTavern" / "data"),
        ("TauriTavern", home / ".local" / "share" / "com.tauritavern.client" / "data"),
    ]
    windows = [item.program for item in found_roots({"APPDATA": str(roaming)}, home, "win32")]
    assert windows == ["SillyTavern", "TauriTavern"]
    assert found_roots({"SILLYTAVERN_DATAROOT": str(named)}, tmp_path, "darwin")[0].root == DataRoot(named)


def test_a_root_reached_twice_is_found_once(tmp_path: Path) -> None:
    root = make_root(tmp_path / "SillyTavern" / "data")
    assert len(found_roots({"SILLYTAVERN_DATAROOT": str(root)}, tmp_path, "linux")) == 1


def test_our_own_library_is_made_once_and_then_left_alone(tmp_path: Path, own_home: Path) -> None:
    sample = make_root(tmp_path / "sample")
    (sample / "default-user" / "settings.json").write_text("{}", "utf-8")
    root = ensure_own_root(own_folders(), sample)
    assert root == DataRoot(own_folders().library)
    root.settings.write_text('{"username": "Mira"}', "utf-8")
    assert ensure_own_root(own_folders(), sample) == root
    assert root.settings.read_text("utf-8") == '{"username": "Mira"}'
    assert [entry.name for entry in own_folders().data.iterdir()] == ["library"]
