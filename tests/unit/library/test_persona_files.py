"""Personas in SillyTavern's settings: changed key by key, everything else as it stands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.library import persona_files
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.persona_files import (
    PersonaFields,
    create_persona,
    read_persona,
    remove_persona,
    write_persona,
)
from tavern_desktop.storage import publish
from tavern_desktop.storage.errors import StorageError
from tests.make_library import png

ADA, EVE = "1.png", "2.png"
SETTINGS: dict[str, Any] = {
    "username": "Ada",
    "user_avatar": ADA,
    "x": 12345678901234567890123,
    "power_user": {
        "personas": {ADA: "Ada", EVE: "Eve"},
        "persona_descriptions": {ADA: {"description": "A pilot.", "position": 1, "connections": [{"id": "x"}]}},
        "persona_description": "A pilot.",
        "default_persona": EVE,
        "y": [1.5],
    },
}
PICTURE = png(2, 2, (1, 2, 3), {})


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DataRoot:
    def take(path: Path) -> bool:
        path.unlink()
        return True

    monkeypatch.setattr(persona_files, "to_system_bin", take)
    root = DataRoot(tmp_path)
    root.personas.mkdir(parents=True)
    for one in (ADA, EVE):
        (root.personas / one).write_bytes(PICTURE)
    root.settings.write_text(json.dumps(SETTINGS))
    return root


def on_disk(root: DataRoot) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(root.settings.read_bytes())
    return found


def test_what_is_missing_is_as_sillytavern_takes_it(root: DataRoot) -> None:
    assert read_persona(root, ADA) == PersonaFields("Ada", "A pilot.", 0, 2, 0, "")
    assert read_persona(root, EVE) == PersonaFields("Eve")
    assert read_persona(root, "gone.png") == PersonaFields()


def test_the_active_one_is_changed_in_its_live_copy_too_and_all_else_stays(root: DataRoot) -> None:
    write_persona(root, ADA, {"description": "A sailor.", "depth": 3, "name": "Ada L."})
    expected = json.loads(json.dumps(SETTINGS))
    user = expected["power_user"]
    user["personas"][ADA] = expected["username"] = "Ada L."
    user["persona_descriptions"][ADA] |= {"description": "A sailor.", "depth": 3}
    user |= {"persona_description": "A sailor.", "persona_description_depth": 3}
    assert on_disk(root) == expected


def test_another_one_is_not_in_force(root: DataRoot) -> None:
    write_persona(root, EVE, {"description": "A gardener.", "lorebook": "Garden"})
    user = on_disk(root)["power_user"]
    assert user["persona_description"] == "A pilot."
    assert user["persona_descriptions"][EVE] == {"description": "A gardener.", "lorebook": "Garden"}


def test_one_is_made_and_removed(root: DataRoot) -> None:
    made = create_persona(root, "Mira", PICTURE)
    assert (root.personas / made).read_bytes() == PICTURE
    assert read_persona(root, made).name == "Mira"
    remove_persona(root, EVE)
    assert not (root.personas / EVE).exists()
    user = on_disk(root)["power_user"]
    assert (user["personas"], user["default_persona"]) == ({ADA: "Ada", made: "Mira"}, None)
    with pytest.raises(StorageError):
        remove_persona(root, "../1.png")
    with pytest.raises(StorageError):
        create_persona(root, "Mira", b"GIF89a")


def test_what_sillytavern_wrote_meanwhile_stays(root: DataRoot, monkeypatch: pytest.MonkeyPatch) -> None:
    replace, theirs = publish._replace, iter([True])

    def late(target: Path, *rest: Any) -> Any:
        if next(theirs, False):
            target.write_text(json.dumps(SETTINGS | {"x": "theirs"}))
        return replace(target, *rest)

    monkeypatch.setattr(publish, "_replace", late)
    write_persona(root, ADA, {"description": "ours"})
    found = on_disk(root)
    assert (found["x"], found["power_user"]["persona_description"]) == ("theirs", "ours")


@pytest.mark.parametrize("content", [b"{half", b"[]", b""])
def test_damaged_settings_stay_as_they_are(root: DataRoot, content: bytes) -> None:
    root.settings.write_bytes(content)
    for work in (lambda: write_persona(root, ADA, {"name": "x"}), lambda: remove_persona(root, ADA)):
        with pytest.raises(StorageError):
            work()
    assert root.settings.read_bytes() == content
    assert (root.personas / ADA).exists()


def test_a_folder_without_settings_gets_some(root: DataRoot) -> None:
    root.settings.unlink()
    write_persona(root, ADA, {"name": "Ada"})
    assert on_disk(root) == {"power_user": {"personas": {ADA: "Ada"}}}
