"""Cards are read by hand, cheaply, and a broken one never hides its character."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.library.card_file import CardError, card_data, read_card, text_field
from tavern_desktop.library.characters import (
    Character,
    characters_in_batches,
    find_character,
    greeting,
    list_characters,
)
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.index import Index
from tests.make_library import png

COLOUR = (1, 2, 3)
V1 = {"name": "Ada", "first_mes": "Hello."}
V2 = {"spec": "chara_card_v2", "name": "stale", "data": {"name": "Ada", "first_mes": "Hi."}, "chat": "a chat"}
V3 = {"spec": "chara_card_v3", "data": {"name": "Ada the Third"}}


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png_with(*chunks: bytes, after_picture: bool = False) -> bytes:
    plain = png(2, 2, COLOUR, {})
    at = len(plain) - 12 if after_picture else 33
    return plain[:at] + b"".join(chunks) + plain[at:]


def card_text(card: dict[str, Any]) -> bytes:
    return base64.b64encode(json.dumps(card).encode())


def put(tmp_path: Path, content: bytes) -> Path:
    path = tmp_path / "card.png"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("after_picture", [False, True])
@pytest.mark.parametrize(
    "body",
    [
        (b"tEXt", b"Chara\0" + card_text(V2)),
        (b"zTXt", b"chara\0\0" + zlib.compress(card_text(V2))),
        (b"iTXt", b"chara\0\0\0\0\0" + card_text(V2)),
        (b"iTXt", b"chara\0\1\0en\0x\0" + zlib.compress(card_text(V2))),
    ],
)
def test_every_kind_of_text_chunk_is_read_wherever_it_stands(
    tmp_path: Path, body: tuple[bytes, bytes], after_picture: bool
) -> None:
    assert read_card(put(tmp_path, png_with(chunk(*body), after_picture=after_picture))) == V2


def test_the_third_version_wins_over_the_second(tmp_path: Path) -> None:
    path = put(
        tmp_path,
        png_with(chunk(b"tEXt", b"chara\0" + card_text(V2)), chunk(b"tEXt", b"ccv3\0" + card_text(V3))),
    )
    assert text_field(read_card(path), "name") == "Ada the Third"


def test_fields_come_from_where_the_version_has_them() -> None:
    assert card_data(V1) is V1
    assert text_field(V2, "name") == "Ada"
    assert text_field({"spec": "chara_card_v2", "name": "Ada"}, "name") == "Ada"
    assert text_field({"name": 7}, "name") == ""


def test_sloppy_base64_is_read(tmp_path: Path) -> None:
    text = card_text(V1).rstrip(b"=")
    path = put(tmp_path, png_with(chunk(b"tEXt", b"chara\0" + text[:10] + b"\n " + text[10:])))
    assert read_card(path) == V1


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b"\0" * 4096, "empty"),
        (b"RIFF\x10\0\0\0WEBPVP8 ", "a WebP picture"),
        (b"\xff\xd8\xff\xe0" + b"\0" * 20, "a JPEG picture"),
        (b"<!DOCTYPE html><title>404</title>", "an HTML or XML page"),
        (b'[{"name": "Ada"}]', "JSON text"),
        (b"PK\x03\x04", "a ZIP archive"),
        (b"what is this", "not a PNG"),
        (png(2, 2, COLOUR, {}), "holds no character card"),
        (png(2, 2, COLOUR, {})[:30], "cut off or damaged"),
        (png_with(chunk(b"tEXt", b"chara\0*** no base64 ***")), "not base64"),
        (png_with(chunk(b"tEXt", b"chara\0" + base64.b64encode(b"{no json"))), "not JSON"),
        (png_with(chunk(b"tEXt", b"chara\0" + base64.b64encode(b"[1]"))), "not a JSON object"),
        (png_with(chunk(b"zTXt", b"chara\0\0damaged")), "not JSON"),
        (png_with(struct.pack(">I4s", 0xFFFFFFF0, b"tEXt")), "cut off or damaged"),
    ],
)
def test_a_file_that_is_no_card_is_named_in_one_sentence(tmp_path: Path, content: bytes, words: str) -> None:
    with pytest.raises(CardError, match=words) as caught:
        read_card(put(tmp_path, content))
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)


@pytest.fixture
def index(root: DataRoot, tmp_path: Path) -> Index:
    return Index(tmp_path / "cache", root.path)


def test_the_list_has_every_card_by_name(root: DataRoot, index: Index) -> None:
    characters = list_characters(root, index)
    assert len(characters) == 12
    assert {character.stem for character in characters} == {path.stem for path in root.characters.glob("*.png")}
    assert all(character.name and character.chat and not character.problem for character in characters)


def test_a_broken_card_is_listed_by_its_file(root: DataRoot, index: Index) -> None:
    (root.characters / "Broken.png").write_bytes(b"RIFFxxxxWEBP")
    for other in ("notes.txt", "Upper.PNG", ".png"):  # SillyTavern takes none of them for a card
        (root.characters / other).write_bytes(b"")
    (root.characters / "Folder.png").mkdir()
    characters = {character.stem: character for character in list_characters(root, index)}
    assert len(characters) == 13
    assert characters["Broken"].name == "Broken"
    assert "WebP" in characters["Broken"].problem


def test_a_card_without_a_chat_has_none(root: DataRoot, index: Index) -> None:
    (root.characters / "Ada.png").write_bytes(png(2, 2, COLOUR, {"chara": json.dumps(V1)}))
    assert find_character(root, "Ada", index) == Character(
        "Ada", str(root.characters / "Ada.png"), "Ada", "", False, ""
    )


def test_a_character_without_a_card_is_known_by_its_stem(root: DataRoot, index: Index) -> None:
    character = find_character(root, "Nobody", index)
    assert (character.name, character.problem) == ("Nobody", "There is no card with this name.")


def test_cards_are_read_once_and_again_when_they_change(
    root: DataRoot, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    list_characters(root, index)
    read: list[str] = []
    monkeypatch.setattr("tavern_desktop.library.characters.read_card", lambda path: read.append(Path(path).stem) or V1)
    list_characters(root, Index(index.file.parent, root.path))
    assert read == []
    (root.characters / "D-17.png").write_bytes(b"another")
    list_characters(root, Index(index.file.parent, root.path))
    assert read == ["D-17"]


def test_batches_have_everything_once(root: DataRoot, index: Index) -> None:
    batches = list(characters_in_batches(root, index, batch=5))
    assert [len(batch) for batch in batches] == [5, 5, 2]


def test_a_missing_folder_has_no_characters_and_an_unreadable_one_is_an_error(tmp_path: Path, index: Index) -> None:
    assert list_characters(DataRoot(tmp_path / "missing"), index) == []
    (tmp_path / "default-user").mkdir()
    (tmp_path / "default-user" / "characters").write_bytes(b"")
    with pytest.raises(StorageError) as caught:
        list_characters(DataRoot(tmp_path), index)
    assert (caught.value.kind, caught.value.detail) == ("io", "list")


def test_greetings_are_the_first_message_and_its_alternates(tmp_path: Path) -> None:
    data = {"name": "Ada", "first_mes": "", "alternate_greetings": ["One.", 7, "", "Two."]}
    path = tmp_path / "Ada.png"
    path.write_bytes(png(2, 2, COLOUR, {"chara": json.dumps({"spec": "chara_card_v2", "data": data})}))
    assert (greeting(path).name, greeting(path).texts) == ("Ada", ("One.", "Two."))
