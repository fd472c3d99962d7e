"""Settings survive damage, several writers and other versions."""

from __future__ import annotations

import errno
from pathlib import Path

import msgspec
import orjson
import pytest

from tavern_desktop.session.preferences import Position, Preferences, Settings
from tavern_desktop.session.sections import Section
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.own_folders import own_folders


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config" / "settings.json"


def section(file: Path) -> Section[Settings]:
    return Section(file, Settings)


def test_a_first_start_has_the_defaults_and_writes_nothing(file: Path) -> None:
    assert section(file).value == Settings()
    assert not file.parent.exists()


def test_what_was_set_is_there_at_the_next_start(file: Path) -> None:
    section(file).update(theme="dark", text_size=125)
    assert section(file).value == Settings(theme="dark", text_size=125)


def test_two_windows_keep_each_others_changes(file: Path) -> None:
    one, two = section(file), section(file)
    one.update(theme="dark")
    two.update(text_size=150)
    assert section(file).value == Settings(theme="dark", text_size=150)
    assert one.reload() == two.value == Settings(theme="dark", text_size=150)


def test_a_value_of_the_wrong_type_is_refused_before_it_is_written(file: Path) -> None:
    with pytest.raises(msgspec.ValidationError):
        section(file).update(text_size="huge")
    assert not file.exists()


def test_keys_of_other_versions_stay_and_odd_values_fall_back_alone(file: Path) -> None:
    file.parent.mkdir()
    file.write_bytes(b'{"theme": "neon", "text_size": 110, "new": {"a": [1]}}')
    settings = section(file)
    assert settings.value == Settings(text_size=110)
    settings.update(enter_sends=False)
    assert orjson.loads(file.read_bytes()) == {
        "theme": "neon", "text_size": 110, "new": {"a": [1]}, "enter_sends": False
    }  # fmt: skip


@pytest.mark.parametrize("damage", [b"", b"[1, 2]", b'{"theme": "da', b"\xff\xfe{}", b"\0" * 30])
def test_a_damaged_file_is_set_aside_for_the_last_good_copy(file: Path, damage: bytes) -> None:
    section(file).update(theme="dark")
    file.write_bytes(damage)
    recovered = section(file)
    assert recovered.value == Settings(theme="dark")
    [sentence] = recovered.problems
    assert str(file) in sentence
    [kept] = file.parent.glob("settings.json.damaged-*")
    assert kept.name in sentence
    assert kept.read_bytes() == damage
    assert section(file).problems == []  # said once, repaired


def test_damage_without_a_good_copy_means_the_defaults(file: Path) -> None:
    file.parent.mkdir()
    file.write_bytes(b"{")
    recovered = section(file)
    assert recovered.value == Settings()
    assert "defaults" in recovered.problems[0]
    assert recovered.update(theme="light").theme == "light"


def refuse_to_read(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    read = Path.read_bytes

    def refused(path: Path) -> bytes:
        if path.name in names:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", refused)


@pytest.mark.parametrize("damage", [None, b"{"], ids=["unreadable", "damaged"])
def test_nothing_is_written_over_what_cannot_be_read(
    file: Path, monkeypatch: pytest.MonkeyPatch, damage: bytes | None
) -> None:
    """Neither the file nor its good copy can be read: both may hold all that was ever set."""
    section(file).update(theme="dark")
    good = file.with_name("settings.json.good")
    if damage is not None:
        file.write_bytes(damage)
    before = {path.name: path.read_bytes() for path in (file, good)}
    with monkeypatch.context() as patched:
        refuse_to_read(patched, good.name, *((file.name,) if damage is None else ()))
        settings = section(file)
        assert settings.value == Settings()
        [told] = settings.problems
        assert told.endswith("the defaults are used instead; nothing is written over it.")
        with pytest.raises(StorageError) as refused:
            settings.update(text_size=150)
        assert (refused.value.kind, refused.value.detail) == ("io", "read")
    assert {path.name: path.read_bytes() for path in (file, good)} == before
    assert section(file).update(text_size=150) == Settings(theme="dark", text_size=150)


def test_a_file_that_cannot_be_read_goes_by_its_good_copy(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    section(file).update(theme="dark")
    with monkeypatch.context() as patched:
        refuse_to_read(patched, file.name)
        assert section(file).update(text_size=150) == Settings(theme="dark", text_size=150)
    assert section(file).value == Settings(theme="dark", text_size=150)


def test_positions_are_kept_per_chat_and_the_oldest_go(tmp_path: Path, own_home: Path) -> None:
    preferences = Preferences(own_folders())
    root = tmp_path / "data"
    state = preferences.root(root)
    for number in range(4):
        state.put("positions", f"chats/{number}.jsonl", Position(number), 3)
    state.put("positions", "chats/1.jsonl", Position(9, 4, "msg_x", 100), 3)
    assert list(Preferences(own_folders()).root(root).value.positions.items()) == [
        ("chats/2.jsonl", Position(2)),
        ("chats/3.jsonl", Position(3)),
        ("chats/1.jsonl", Position(9, 4, "msg_x", 100)),
    ]


def test_window_state_is_bytes(own_home: Path) -> None:
    Preferences(own_folders()).window.update(geometry=b"\x00\xff\x01", library_shown=False)
    window = Preferences(own_folders()).window.value
    assert (window.geometry, window.library_shown) == (b"\x00\xff\x01", False)


def test_problems_are_told_once(own_home: Path) -> None:
    folders = own_folders()
    folders.config.mkdir(parents=True)
    (folders.config / "window.json").write_bytes(b"damaged")
    preferences = Preferences(folders)
    assert len(preferences.problems()) == 1
    assert preferences.problems() == []
