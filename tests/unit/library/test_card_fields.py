"""A card's fields, changed and written back: the picture byte for byte, everything unknown kept."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tavern_desktop.library.card_fields import EDITABLE, CardFields, card_of, fields_of, with_fields, write_fields
from tavern_desktop.library.card_file import CardError, read_card
from tavern_desktop.storage import publish
from tests.unit.library.test_characters import card_text, chunk, png_with
from tests.unit.library.test_importing_cards import chunks

V2: dict[str, Any] = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "name": "Ada",
    "description": "An engineer.",
    "fav": "true",
    "chat": "a chat",
    "x_top": [1, 2.5],
    "data": {
        "name": "Ada",
        "description": "An engineer.",
        "first_mes": "Hello.",
        "alternate_greetings": ["Hi."],
        "tags": ["steam"],
        "extensions": {
            "fav": True,
            "depth_prompt": {"prompt": "Be brief.", "depth": "2", "role": 1, "x": 0},
            "odd": [None],
        },
        "x_unknown": {"kept": 12345678901234567890123},
    },
}
V1 = {"name": "Ada", "description": "An engineer.", "first_mes": "Hello.", "creatorcomment": "By nobody.", "x": 1}


def card_file(tmp_path: Path, *texts: bytes) -> Path:
    path = tmp_path / "Ada.png"
    path.write_bytes(png_with(chunk(b"teST", b"\1\2"), *texts, after_picture=True))
    return path


def as_chara(card: dict[str, Any]) -> bytes:
    return chunk(b"tEXt", b"chara\0" + card_text(card))


def test_fields_are_read_whatever_their_form() -> None:
    assert fields_of(V2) == CardFields(
        name="Ada",
        description="An engineer.",
        first_mes="Hello.",
        alternate_greetings=("Hi.",),
        tags=("steam",),
        favourite=True,
        note="Be brief.",
        note_depth=2,
        note_role="user",
    )
    assert fields_of(V1).creator_notes == "By nobody."
    odd = {
        "spec": "chara_card_v2",
        "data": {"name": 1, "tags": "a", "extensions": {"talkativeness": "nan", "fav": "no"}},
    }
    assert fields_of(odd) == CardFields()


def test_a_change_stands_in_both_forms_and_nothing_else_changes(tmp_path: Path) -> None:
    path = card_file(tmp_path, as_chara(V2), chunk(b"tEXt", b"ccv3\0" + card_text(V2)))
    before = [kept for kept in chunks(path.read_bytes()) if kept[0] != b"tEXt"]
    assert write_fields(
        path, {"description": "A pilot.", "tags": ("sky", "steam"), "note_depth": 7, "favourite": False}
    )
    after = chunks(path.read_bytes())
    assert [kept for kept in after if kept[0] != b"tEXt"] == before
    assert [body.partition(b"\0")[0] for kind, body in after if kind == b"tEXt"] == [b"chara", b"ccv3"]
    card = card_of(path.read_bytes())
    assert (card["description"], card["data"]["description"]) == ("A pilot.", "A pilot.")
    assert (card["tags"], card["fav"], card["data"]["extensions"]["fav"]) == (["sky", "steam"], False, False)
    assert card["data"]["extensions"]["depth_prompt"] == {"prompt": "Be brief.", "depth": 7, "role": 1, "x": 0}
    assert (card["chat"], card["x_top"]) == ("a chat", [1, 2.5])
    assert card["data"]["x_unknown"] == V2["data"]["x_unknown"]
    assert read_card(path)["spec"] == "chara_card_v3"


def test_what_changes_nothing_writes_nothing(tmp_path: Path) -> None:
    path = card_file(tmp_path, as_chara(V2))
    before = path.stat()
    assert not write_fields(path, {"description": "An engineer.", "alternate_greetings": ("Hi.",)})
    assert path.stat().st_mtime_ns == before.st_mtime_ns


def test_a_card_of_the_oldest_form_gets_today_s(tmp_path: Path) -> None:
    path = card_file(tmp_path, as_chara(V1))
    assert write_fields(path, {"system_prompt": "Speak as Ada."})
    card = card_of(path.read_bytes())
    assert (card["x"], card["data"]["system_prompt"], card["data"]["creator_notes"]) == (
        1,
        "Speak as Ada.",
        "By nobody.",
    )
    assert fields_of(card).first_mes == "Hello."


@pytest.mark.parametrize("kind", [b"zTXt", b"iTXt"])
def test_one_that_is_held_in_another_kind_of_text_is_changed_too(tmp_path: Path, kind: bytes) -> None:
    text = card_text(V2)
    body = b"chara\0\0" + zlib.compress(text) if kind == b"zTXt" else b"chara\0\0\0\0\0" + text
    path = card_file(tmp_path, chunk(kind, body))
    assert write_fields(path, {"creator": "Somebody"})
    assert [kind for kind, body in chunks(path.read_bytes()) if body.startswith(b"chara\0")] == [b"tEXt"]
    assert fields_of(read_card(path)).creator == "Somebody"


def test_a_picture_that_is_cut_off_is_left_alone_and_named(tmp_path: Path) -> None:
    whole = card_file(tmp_path, as_chara(V2)).read_bytes()
    path = tmp_path / "cut.png"
    path.write_bytes(whole[:-5])
    with pytest.raises(CardError, match="its end is missing"):
        write_fields(path, {"creator": "Somebody"})
    assert path.read_bytes() == whole[:-5]
    path.write_bytes(whole[:40])
    with pytest.raises(CardError, match="cut off"):
        read_card(path)


def test_what_another_program_wrote_meanwhile_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = card_file(tmp_path, as_chara(V2))
    replace, theirs = publish._replace, iter([V2 | {"chat": "their chat"}])

    def late(target: Path, *rest: Any) -> Any:
        if card := next(theirs, None):
            card_file(tmp_path, as_chara(card))
        return replace(target, *rest)

    monkeypatch.setattr(publish, "_replace", late)
    assert write_fields(path, {"creator": "Somebody"})
    card = card_of(path.read_bytes())
    assert (card["chat"], card["data"]["creator"]) == ("their chat", "Somebody")


VALUES = {
    str: st.text(max_size=8),
    float: st.floats(0, 1),
    int: st.integers(0, 99),
    bool: st.booleans(),
    tuple: st.lists(st.text(max_size=5), max_size=3).map(tuple),
}
CHANGES = st.fixed_dictionaries(
    {},
    optional={
        name: st.sampled_from(["system", "user", "assistant"])
        if name == "note_role"
        else VALUES[type(getattr(CardFields(), name))]
        for name in sorted(EDITABLE)
    },
)


@given(st.sampled_from([V1, V2]), CHANGES)
def test_what_is_written_is_read_and_the_rest_is_as_it_was(card: dict[str, Any], changes: dict[str, Any]) -> None:
    before = json.dumps(card)
    read = fields_of(with_fields(card, changes))
    assert json.dumps(card) == before
    for name in CardFields.__struct_fields__:
        expected = changes.get(name, getattr(fields_of(card), name))
        if name != "creator_notes" or expected:
            assert getattr(read, name) == expected
