"""Who writes, and which picture an address means: always a file of the user's own folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.personas import persona_for, personas
from tavern_desktop.library.pictures import resolve_picture
from tavern_desktop.library.settings_file import chat_truncation, read_settings


@pytest.fixture
def pictures(root: DataRoot) -> DataRoot:
    """A folder with pictures whose names are hard to write in an address."""
    (root.user_folder / "user" / "images" / "Ada").mkdir()
    for name in ("1719_1.png", "100% #1?.png", "月 光.png"):
        (root.user_folder / "user" / "images" / "Ada" / name).write_bytes(b"x")
    (root.path / "outside.png").write_bytes(b"x")
    return root


@pytest.mark.parametrize(
    ("url", "file"),
    [
        ("User Avatars/user-default.png", "User Avatars/user-default.png"),
        ("/User%20Avatars/user-default.png", "User Avatars/user-default.png"),
        ("/thumbnail?type=persona&file=user-default.png", "User Avatars/user-default.png"),
        ("/thumbnail?type=avatar&file=Aria%20Vale.png", "characters/Aria Vale.png"),
        ("/thumbnail?type=avatar&file=%E5%B0%8F%E6%9C%88.png", "characters/小月.png"),
        ("/thumbnail?type=avatar&file=Aria Vale.png&t=17", "characters/Aria Vale.png"),
        ("/user/images/Ada/1719_1.png", "user/images/Ada/1719_1.png"),
        ("user/images/Ada/1719_1.png?t=99", "user/images/Ada/1719_1.png"),
        ("user\\images\\Ada\\1719_1.png", "user/images/Ada/1719_1.png"),
        ("user/images/Ada/100% #1?.png", "user/images/Ada/100% #1?.png"),
        ("user/images/Ada/%E6%9C%88%20%E5%85%89.png", "user/images/Ada/月 光.png"),
    ],
)
def test_addresses_that_sillytavern_writes(pictures: DataRoot, url: str, file: str) -> None:
    assert resolve_picture(pictures, url) == pictures.user_folder / file


@pytest.mark.parametrize(
    "url",
    [
        "",
        "/",
        "img/ai4.png",
        "http://example.com/User Avatars/user-default.png",
        "https://example.com/x.png",
        "//example.com/User Avatars/user-default.png",
        "file:///etc/passwd",
        "data:image/png;base64,AAAA",
        "../outside.png",
        "/..%2Foutside.png",
        "user/../../outside.png",
        "/thumbnail?type=avatar&file=../../outside.png",
        "/thumbnail?type=other&file=Aria Vale.png",
        "/thumbnail?type=avatar",
        "User Avatars",
        "User Avatars/\0.png",
        "user/images/" + "x" * 5000,
    ],
)
def test_nothing_else_is_a_picture_of_ours(pictures: DataRoot, url: str) -> None:
    assert resolve_picture(pictures, url) is None


def test_a_link_that_leads_out_is_no_picture(pictures: DataRoot) -> None:
    (pictures.user_folder / "user" / "images" / "link.png").symlink_to(pictures.path / "outside.png")
    assert resolve_picture(pictures, "user/images/link.png") is None


def test_the_persona_of_the_chat_comes_first(root: DataRoot) -> None:
    (root.personas / "2.png").write_bytes(b"x")
    settings = read_settings(root)
    settings["power_user"]["personas"]["2.png"] = "Mira"
    root.settings.write_text(json.dumps(settings), "utf-8")
    persona = persona_for(root, {"persona": "2.png"}, {"name": "Somebody", "is_user": True})
    assert (persona.name, persona.avatar, persona.id) == ("Mira", root.personas / "2.png", "2.png")
    assert persona.force_avatar() == "/thumbnail?type=persona&file=2.png"


def test_a_lock_to_a_persona_that_is_gone_does_not_count(root: DataRoot) -> None:
    assert persona_for(root, {"persona": "gone.png"}, {"name": "Somebody"}).name == "Somebody"
    assert persona_for(root, {"persona": "../settings.json"}, None).name == "Wanderer"


def test_who_wrote_last_comes_next(root: DataRoot) -> None:
    message = {"name": "Traveller", "force_avatar": "User Avatars/user-default.png"}
    persona = persona_for(root, {}, message)
    assert (persona.name, persona.id) == ("Traveller", "user-default.png")
    stranger = persona_for(root, {}, {"name": "T", "force_avatar": "/thumbnail?type=avatar&file=D-17.png"})
    assert (stranger.id, stranger.force_avatar()) == ("", "")
    assert stranger.avatar == root.characters / "D-17.png"


def test_then_the_active_persona_and_at_last_you(root: DataRoot) -> None:
    assert persona_for(root, {}).name == "Wanderer"
    assert persona_for(root, {}).avatar == root.personas / "user-default.png"
    root.settings.write_text('{"username": "Guest", "user_avatar": 7}', "utf-8")
    assert (persona_for(root, {}).name, persona_for(root, {}).avatar) == ("Guest", None)
    root.settings.unlink()
    assert persona_for(root, {"persona": None}, {"name": " "}).name == "You"


@pytest.mark.parametrize("content", ["", "[]", '{"power_user": 7}', '{"username": '])
def test_settings_that_cannot_be_read_are_no_settings(root: DataRoot, content: str) -> None:
    root.settings.write_text(content, "utf-8")
    assert persona_for(root, {}).name == "You"
    assert chat_truncation(read_settings(root)) is None


def test_how_many_messages_sillytavern_shows(root: DataRoot) -> None:
    assert chat_truncation(read_settings(root)) == 100
    assert chat_truncation({"power_user": {"chat_truncation": 0}}) == 0
    assert chat_truncation({"power_user": {"chat_truncation": "50"}}) is None


def test_a_folder_that_is_missing_still_has_a_person(tmp_path: Path) -> None:
    assert persona_for(DataRoot(tmp_path / "missing"), {}).name == "You"


def test_the_personas_of_a_folder_are_those_with_a_name_and_the_active_one(root: DataRoot) -> None:
    for name in ("b.png", "a.png", "nameless.png"):
        (root.personas / name).write_bytes(b"x")
    settings = read_settings(root) | {"username": "Nameless One", "user_avatar": "nameless.png"}
    settings["power_user"] = {"personas": {"b.png": "anna", "a.png": "Bea", "gone.png": "Gone", "": "x"}}
    (root.user_folder / "settings.json").write_text(json.dumps(settings), "utf-8")
    assert [(one.name, one.id) for one in personas(root)] == [
        ("anna", "b.png"),
        ("Bea", "a.png"),
        ("Nameless One", "nameless.png"),
    ]
