"""Cards from files of any kind: judged by content, mended where they are wrong, otherwise byte for byte."""

from __future__ import annotations

import base64
import io
import json
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.library.card_file import PNG, CardError, card_data, read_card
from tavern_desktop.library.card_picture import plain_picture
from tavern_desktop.library.card_repair import repaired
from tavern_desktop.library.card_text import with_card
from tavern_desktop.library.character_files import create_character, import_card
from tavern_desktop.library.characters import greeting
from tavern_desktop.library.data_root import DataRoot
from tests.make_library import png
from tests.unit.library.test_characters import card_text, chunk, png_with

ADA: dict[str, Any] = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "data": {"name": "Ada", "description": "An engineer.", "first_mes": "Hello.", "alternate_greetings": ["Hi."]},
}
ILL: dict[str, Any] = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "data": {
        "name": "Ill",
        "x_unknown": {"kept": 1.50},
        "extensions": {"depth_prompt": {"prompt": "", "depth": "", "role": "system"}, "odd": [None]},
        "character_book": {
            "entries": [{"keys": "dragon, drake", "content": "c", "enabled": "true", "insertion_order": "10"}]
        },
        "tags": "a,b",
    },
}


def put(tmp_path: Path, name: str, content: bytes | dict[str, Any] | list[Any]) -> Path:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return path


def archive(card: dict[str, Any], **files: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as target:
        target.writestr("card.json", json.dumps(card))
        for name, content in files.items():
            target.writestr(f"assets/{name}.png", content)
    return made.getvalue()


def chunks(data: bytes) -> list[tuple[bytes, bytes]]:
    """Return (kind, body) of every chunk, its check sum found right."""
    found, at = [], len(PNG)
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        assert data[at + 8 + length : at + 12 + length] == struct.pack(">I", zlib.crc32(kind + body))
        found.append((kind, body))
        at += 12 + length
    return found


def imported(root: DataRoot, path: Path) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Import a file; return the fields of the card that came of it, and what was adjusted."""
    result = import_card(root, path)
    return card_data(read_card(root.characters / f"{result.stem}.png")), result.adjusted


def test_a_sound_picture_comes_in_byte_for_byte_under_a_name_nobody_has(root: DataRoot, tmp_path: Path) -> None:
    path = put(tmp_path, "x.png", png_with(chunk(b"tEXt", b"chara\0" + card_text(ADA)), chunk(b"teST", b"\1\2")))
    assert [import_card(root, path).stem for _ in range(3)] == ["Ada", "Ada1", "Ada2"]
    assert (root.characters / "Ada1.png").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("name", ["ill.png", "ill.json"])
def test_wrong_kinds_of_values_are_mended_and_told(root: DataRoot, tmp_path: Path, name: str) -> None:
    """B-33."""
    content = png_with(chunk(b"tEXt", b"chara\0" + card_text(ILL))) if name == "ill.png" else json.dumps(ILL).encode()
    data, adjusted = imported(root, put(tmp_path, name, content))
    assert data["tags"] == ["a", "b"]
    assert data["extensions"]["depth_prompt"] == {"prompt": "", "depth": 4, "role": "system"}
    entry = data["character_book"]["entries"][0]
    assert entry == {"keys": ["dragon", "drake"], "content": "c", "enabled": True, "insertion_order": 10}
    assert data["x_unknown"] == {"kept": 1.5}
    assert data["extensions"]["odd"] == [None]
    assert len(adjusted) == 5
    assert any("tags" in line for line in adjusted)
    assert any("Lorebook entry 1: keys" in line for line in adjusted)


def test_only_the_card_s_own_chunks_are_written(root: DataRoot, tmp_path: Path) -> None:
    odd = (b"teST", b"\0\1\2"), (b"tEXt", b"Software\0something"), (b"zTXt", b"naidata\0\0" + zlib.compress(b"x"))
    picture = png_with(
        chunk(*odd[0]),
        chunk(b"tEXt", b"ChArA\0" + card_text(ILL)),
        chunk(*odd[1]),
        chunk(b"iTXt", b"ccv3\0\0\0\0\0" + card_text(ILL)),
        chunk(*odd[2]),
    )
    stem = import_card(root, put(tmp_path, "x.png", picture)).stem
    before, after = chunks(picture), chunks((root.characters / f"{stem}.png").read_bytes())
    is_card = [kind in (b"tEXt", b"iTXt") and body[:5].lower() in (b"chara", b"ccv3\0") for kind, body in before]
    assert after[:-3] == [one for one, card in zip(before[:-1], is_card, strict=False) if not card]
    assert after[-1] == before[-1]
    texts = [(kind, body.partition(b"\0")) for kind, body in after[-3:-1]]
    assert [(kind, keyword) for kind, (keyword, _, _) in texts] == [(b"tEXt", b"chara"), (b"tEXt", b"ccv3")]
    cards = [json.loads(base64.b64decode(text)) for _, (_, _, text) in texts]
    assert [card.pop("spec") for card in cards] == ["chara_card_v2", "chara_card_v3"]
    assert [card.pop("spec_version") for card in cards] == ["2.0", "3.0"]
    assert cards[0] == cards[1]
    assert cards[0]["tags"] == cards[0]["data"]["tags"]


@pytest.mark.parametrize("name", ["", "   "])
def test_a_card_without_a_name_gets_that_of_its_file(root: DataRoot, tmp_path: Path, name: str) -> None:
    """B-34."""
    card = ADA | {"data": ADA["data"] | {"name": name}}
    data, adjusted = imported(root, put(tmp_path, "The stranger.json", card))
    assert data["name"] == "The stranger"
    assert (root.characters / "The stranger.png").is_file()
    assert any("no name" in line for line in adjusted)


def test_the_oldest_kind_of_card(root: DataRoot, tmp_path: Path) -> None:
    """B-34 too."""
    old = {"char_name": "Old", "char_persona": "Grey.", "char_greeting": "Ho.", "world_scenario": "Here.", "more": 1}
    data, adjusted = imported(root, put(tmp_path, "o.json", old))
    assert (data["name"], data["description"], data["first_mes"], data["scenario"]) == ("Old", "Grey.", "Ho.", "Here.")
    assert len(adjusted) == 1
    assert read_card(root.characters / "Old.png")["more"] == 1


def test_json_becomes_a_card_as_sillytavern_has_it(root: DataRoot, tmp_path: Path) -> None:
    stem = import_card(root, put(tmp_path, "a.json", ADA | {"chat": "elsewhere", "fav": True})).stem
    card = read_card(root.characters / f"{stem}.png")
    assert "chat" not in card
    assert card["fav"] is False
    assert card["name"] == card["data"]["name"] == "Ada"
    assert card["create_date"].endswith("Z")
    assert greeting(root.characters / f"{stem}.png").texts == ("Hello.", "Hi.")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("mira.json", png_with(chunk(b"tEXt", b"chara\0" + card_text(ADA)))),
        ("both.png", png_with(*(chunk(b"tEXt", key + card_text(ADA)) for key in (b"chara\0", b"ccv3\0")))),
        ("list.json", [ADA]),
        ("bom.json", b"\xef\xbb\xbf \n" + json.dumps(ADA).encode()),
        ("v1.json", {"name": "Ada", "first_mes": "Hello."}),
        ("a.charx", archive(ADA)),
        ("a.jpg", b"\xff\xd8\xff\xe0 a picture" + archive(ADA)),
    ],
)
def test_what_counts_is_what_is_in_the_file(root: DataRoot, tmp_path: Path, name: str, content: Any) -> None:
    """B-35."""
    assert imported(root, put(tmp_path, name, content))[0]["name"] == "Ada"


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("mira.png", b"RIFF\x10\0\0\0WEBPVP8 ", "a WebP picture"),
        ("mira.png", b"<!DOCTYPE html><title>404</title>", "an HTML or XML page"),
        ("mira.png", png_with(chunk(b"tEXt", b"chara\0*** no base64 ***")), "not base64"),
        ("mira.png", png_with(chunk(b"tEXt", b"chara\0" + base64.b64encode(b"{no json"))), "not JSON"),
        ("mira.png", png(2, 2, (1, 2, 3), {}), "holds no character card"),
        ("mira.json", b"", "empty"),
        ("mira.json", b"{broken", "not JSON"),
        ("mira.json", {"settings": 1}, "no character card"),
        ("mira.json", [ADA, ADA], "list of 2 things"),
        ("mira.json", [7], "list of 1 things"),
        ("mira.charx", archive(ADA)[:-30], "ZIP archive"),
        ("mira.zip", b"PK\x05\x06" + b"\0" * 18, "without a character card"),
    ],
)
def test_what_is_no_card_is_named_and_leaves_nothing(
    root: DataRoot, tmp_path: Path, name: str, content: Any, words: str
) -> None:
    before = sorted(root.characters.iterdir())
    with pytest.raises(CardError, match=words) as caught:
        import_card(root, put(tmp_path, name, content))
    assert str(caught.value).endswith(".")
    assert sorted(root.characters.iterdir()) == before


def test_an_archive_brings_its_picture(root: DataRoot, tmp_path: Path) -> None:
    face = png(3, 3, (9, 9, 9), {})
    icons = [{"type": "icon", "name": name, "uri": f"embeded://assets/{name}.png"} for name in ("other", "main")]
    card = ADA | {"data": ADA["data"] | {"assets": icons}}
    path = put(tmp_path, "a.charx", archive(card, main=face, other=b"x", smile=b"y"))
    result = import_card(root, path)
    assert chunks((root.characters / f"{result.stem}.png").read_bytes())[1] == chunks(face)[1]
    assert result.adjusted == ("2 other files in the archive were left out.",)


def test_a_new_character_is_there_with_its_picture_and_greeting(root: DataRoot) -> None:
    fields = {"name": " Nova ", "description": "A pilot.", "first_mes": "Strap in."}
    assert [create_character(root, fields) for _ in range(2)] == ["Nova", "Nova1"]
    data = card_data(read_card(root.characters / "Nova.png"))
    assert (data["name"], data["description"]) == ("Nova", "A pilot.")
    assert greeting(root.characters / "Nova.png").texts == ("Strap in.",)
    kinds = [kind for kind, _ in chunks((root.characters / "Nova.png").read_bytes())]
    assert kinds == [b"IHDR", b"IDAT", b"tEXt", b"tEXt", b"IEND"]


def test_a_picture_that_is_cut_off_gets_no_card() -> None:
    with pytest.raises(CardError, match="end is missing"):
        with_card(plain_picture("x")[:-12], ADA)


@pytest.mark.parametrize("value", [None, 7, "x", [], {}, [None], {"a": 1}, True, [[1]], float("1e308")])
def test_no_value_of_a_field_is_too_odd(value: Any) -> None:
    fields = [*ILL["data"], "description", "alternate_greetings", "character_book", "extensions"]
    for field in fields:
        card, _ = repaired(ILL | {"data": ILL["data"] | {field: value}}, "File")
        assert with_card(plain_picture("x"), card)
        assert str(card_data(card)["name"]).strip()
    for field in ("keys", "enabled", "insertion_order", "extensions", "content"):
        book = {"entries": [{field: value}, value]}
        card, _ = repaired(ILL | {"data": ILL["data"] | {"character_book": book}}, "File")
        assert len(card_data(card)["character_book"]["entries"]) in (1, 2)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-8-sig", "cp1252"])
def test_json_in_any_encoding_comes_in_and_is_told_of(root: DataRoot, tmp_path: Path, encoding: str) -> None:
    card = ADA | {"data": ADA["data"] | {"description": "Ingénieure à vapeur."}}
    mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
    path = put(tmp_path, "ada.json", mark + json.dumps(card, ensure_ascii=False).encode(encoding))
    data, adjusted = imported(root, path)
    assert data["description"] == "Ingénieure à vapeur."
    assert bool(adjusted) == (encoding != "utf-8-sig")


YAML = """# made by hand
name: Ada
context: |
  An engineer: {{char}} builds
  engines.
greeting: "Hello, {{user}}."
"""


def test_yaml_comes_in(root: DataRoot, tmp_path: Path) -> None:
    data, _ = imported(root, put(tmp_path, "ada.yaml", YAML.encode()))
    assert (data["name"], data["first_mes"]) == ("Ada", "Hello, {{user}}.")
    assert data["description"] == "An engineer: {{char}} builds\nengines.\n"


@pytest.mark.parametrize("text", ["name: [", "name: 1", "name: &a Ada\ngreeting: *a", "name: Ada\n---\nname: Eve"])
def test_other_yaml_is_named_and_nothing_comes_in(root: DataRoot, tmp_path: Path, text: str) -> None:
    before = sorted(root.characters.iterdir())
    with pytest.raises(CardError, match="YAML"):
        import_card(root, put(tmp_path, "x.yaml", text.encode()))
    assert sorted(root.characters.iterdir()) == before


BYAF: dict[str, Any] = {
    "manifest.json": {
        "characters": ["characters/ada/character.json"],
        "scenarios": ["scenarios/one.json", "scenarios/two.json"],
        "author": {"name": "Somebody"},
    },
    "characters/ada/character.json": {
        "name": "ada",
        "displayName": "Ada",
        "persona": "{character} is an engineer.",
        "images": [{"path": "images/ada.png"}],
        "loreItems": [{"key": "engine, boiler", "value": "It is {user}'s."}],
    },
    "scenarios/one.json": {
        "narrative": "A workshop.",
        "firstMessages": [{"text": "Hello, {user}."}],
        "exampleMessages": [{"text": "#{user}: Hi.\n#{character}: Steam!"}],
        "formattingInstructions": "Short.",
        "messages": [{"type": "human", "text": "Hi"}],
    },
    "scenarios/two.json": {"narrative": "A bridge.", "firstMessages": [{"text": "You again."}]},
}


def byaf(**without: Any) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as target:
        for name, content in (BYAF | without).items():
            if content is not None:
                target.writestr(name, json.dumps(content))
        target.writestr("characters/ada/images/ada.png", png(2, 2, (1, 2, 3), {}))
    return made.getvalue()


def test_a_character_of_backyard_comes_in(root: DataRoot, tmp_path: Path) -> None:
    data, adjusted = imported(root, put(tmp_path, "ada.byaf", byaf()))
    assert (data["name"], data["description"], data["creator"]) == ("Ada", "{{char}} is an engineer.", "Somebody")
    assert (data["scenario"], data["system_prompt"]) == ("A workshop.", "Short.")
    assert (data["first_mes"], data["alternate_greetings"]) == ("Hello, {{user}}.", ["You again."])
    assert data["mes_example"] == "<START>\n{{user}}: Hi.\n{{char}}: Steam!"
    (entry,) = data["character_book"]["entries"]
    assert (entry["keys"], entry["content"]) == (["engine", "boiler"], "It is {{user}}'s.")
    assert adjusted == ("1 chats in the archive were left out.",)


@pytest.mark.parametrize("missing", ["characters/ada/character.json", "scenarios/two.json"])
def test_one_that_is_not_whole_is_named(root: DataRoot, tmp_path: Path, missing: str) -> None:
    with pytest.raises(CardError, match="not whole"):
        import_card(root, put(tmp_path, "ada.byaf", byaf(**{missing: None})))
