"""JSONL: taken as it is where it is sound, mended and told of where it is not (B-36, B-37)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.chat import facts
from tavern_desktop.library.imports.reading import ReadFile, read_file
from tavern_desktop.library.imports.speech import Speakers
from tavern_desktop.storage.errors import StorageError

HEAD = '{"chat_metadata":{"integrity":"x"},"user_name":"unused"}'
TURN = '{"name":"Ana","is_user":true,"mes":"q"}'
ANSWER = '{"name":"Mira","is_user":false,"mes":"a","extra":{"own":1.50}}'
BASE = "\n".join([HEAD, TURN, ANSWER, TURN, ANSWER])
SPEAKERS = Speakers("Ana", "Mira")


def read(folder: Path, data: bytes, *, repair: bool = False, group: bool = False) -> ReadFile:
    path = folder / "in.jsonl"
    path.write_bytes(data)
    return read_file(path, "group" if group else "character", SPEAKERS, repair=repair)


def kinds(found: ReadFile) -> dict[str, int]:
    return {adjustment.kind: adjustment.count for adjustment in found.adjustments}


def test_hidden_and_narrator_rows_and_all_swipes_are_kept(tmp_path: Path) -> None:
    narrator = {"name": "Narrator", "is_user": False, "is_system": True, "mes": "rain", "extra": {"type": "narrator"}}
    swiped = {"name": "Mira", "mes": "b", "swipes": ["a", "b", "c"], "swipe_id": 1, "extra": {"unknown": [1, None]}}
    hidden = {"name": "Ana", "is_user": True, "is_system": True, "mes": "aside"}
    rows: list[dict[str, Any]] = [json.loads(TURN), narrator, swiped, hidden]
    found = read(tmp_path, "\n".join([HEAD, *map(json.dumps, rows)]).encode())
    data = [message.data() for message in found.chats[0].messages]
    assert data == rows
    assert [facts.is_hidden(row) for row in data] == [False, True, False, True]
    assert (found.is_exact, found.adjustments) == (True, ())


@pytest.mark.parametrize(
    ("data", "is_exact", "told"),
    [
        (BASE.encode(), True, {}),
        (b"\xef\xbb\xbf" + BASE.encode(), False, {"bom": 1}),
        (BASE.replace("\n", "\r\n").encode(), True, {}),
        (BASE.replace('"q"', r'"q\rr"').encode(), True, {}),
        (b"\xff\xfe" + BASE.encode("utf-16-le"), False, {"utf16": 1}),
        (b"\xfe\xff" + BASE.encode("utf-16-be"), False, {"utf16": 1}),
        (BASE.encode("utf-16-le"), False, {"utf16": 1}),
        (BASE.replace('"q"', '"q\u2028\x85r"').encode(), True, {}),
        (BASE.encode() + b"\n\0", False, {"nul_tail": 1}),
        (BASE.replace("\n", "\n\n \t\n").encode(), True, {}),
        (f"{HEAD}\n{TURN}{ANSWER}\n{TURN} {ANSWER}".encode(), False, {"glued": 2}),
        (BASE.split("\n", 1)[1].encode(), False, {"header": 1}),
    ],
)  # fmt: skip
def test_no_encoding_and_no_line_end_eats_a_record(
    tmp_path: Path, data: bytes, is_exact: bool, told: dict[str, int]
) -> None:
    found = read(tmp_path, data)
    (chat,) = found.chats
    assert [facts.text(message.data())[0] for message in chat.messages] == ["q", "a", "q", "a"]
    assert chat.messages[1].raw == ANSWER.encode()
    assert (found.is_exact, kinds(found)) == (is_exact, told)
    if not told.get("header"):
        assert chat.header.integrity() == "x"


def test_half_an_emoji_in_utf_16_is_kept(tmp_path: Path) -> None:
    text = f"{HEAD}\n" + '{"name":"Mira","mes":"a\ud83d"}'
    found = read(tmp_path, b"\xff\xfe" + text.encode("utf-16-le", "surrogatepass"))
    assert found.chats[0].messages[0].data()["mes"] == "a\ud83d"


def test_objects_in_place_of_texts_become_texts(tmp_path: Path) -> None:
    chub = {"name": "Mira", "mes": {"message": "b"}, "swipes": [{"message": "a"}, {"message": "b"}], "swipe_id": 1}
    found = read(tmp_path, f"{HEAD}\n{TURN}\n{json.dumps(chub)}".encode())
    data = found.chats[0].messages[1].data()
    assert (data["mes"], data["swipes"]) == ("b", ["a", "b"])
    assert (found.is_exact, kinds(found)) == (False, {"objects": 1})
    assert found.chats[0].messages[0].raw == TURN.encode()


def test_damage_is_an_error_that_says_where_unless_it_shall_be_left_out(tmp_path: Path) -> None:
    damaged = f'{HEAD}\n{TURN}\n{{"name":"Mi\n{ANSWER}'.encode()
    with pytest.raises(StorageError) as caught:
        read(tmp_path, damaged)
    assert (caught.value.kind, caught.value.line) == ("bad_record", 3)
    found = read(tmp_path, damaged, repair=True)
    assert [message.raw for message in found.chats[0].messages] == [TURN.encode(), ANSWER.encode()]
    assert kinds(found) == {"damaged": 1}
    assert found.adjustments[0].sentence == "One line could not be read and was left out."


def test_a_damaged_header_is_replaced_only_when_asked_for(tmp_path: Path) -> None:
    damaged = f"{HEAD[:-3]}\n{TURN}\n{ANSWER}".encode()
    with pytest.raises(StorageError, match="bad_header"):
        read(tmp_path, damaged)
    found = read(tmp_path, damaged, repair=True)
    assert (len(found.chats[0].messages), kinds(found)) == (2, {"damaged": 1, "header": 1})


def test_an_old_groups_chat_is_taken_without_a_header(tmp_path: Path) -> None:
    found = read(tmp_path, f"{TURN}\n{ANSWER}".encode(), group=True)
    assert (found.is_exact, len(found.chats[0].messages)) == (True, 2)


def test_other_lines_of_json_are_no_chat(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="There are no messages"):
        read(tmp_path, b'{"level":"info"}\n{"level":"warn"}')
