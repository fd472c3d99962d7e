"""Chats of other programs, told apart by what is in the file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.chat import facts
from tavern_desktop.library.imports.reading import ReadFile, read_file
from tavern_desktop.library.imports.speech import Speakers
from tavern_desktop.storage.errors import StorageError

SPEAKERS = Speakers("Ana", "Mira")


def read(
    folder: Path, value: Any, *, indent: int | None = None, name: str = "in.json", repair: bool = False
) -> ReadFile:
    path = folder / name
    path.write_text(value if isinstance(value, str) else json.dumps(value, indent=indent), "utf-8")
    return read_file(path, "character", SPEAKERS, repair=repair)


def said(found: ReadFile, chat: int = 0) -> list[tuple[str, str, str]]:
    """Return (role, name, text) of each message of a chat."""
    records = [message.data() for message in found.chats[chat].messages]
    return [(facts.role(data), facts.name(data), facts.text(data)) for data in records]


def adjusted(found: ReadFile) -> dict[str, int]:
    return {adjustment.kind: adjustment.count for adjustment in found.adjustments}


@pytest.mark.parametrize("indent", [None, 2])
def test_kobold_lite(tmp_path: Path, indent: int | None) -> None:
    story = {
        "savedsettings": {"chatname": "Ana B", "chatopponent": "Mira||$||Osric"},
        "prompt": "It rains.",
        "actions": ["\n{{[INPUT]}}\nHello\n{{[OUTPUT]}}\n", "*nods* Hi 小月", " ", 7],
    }
    found = read(tmp_path, story, indent=indent)
    assert found.form == "Kobold Lite"
    assert said(found) == [
        ("assistant", "Mira", "It rains."),
        ("user", "Ana B", "Hello"),
        ("assistant", "Mira", "*nods* Hi 小月"),
    ]
    assert adjusted(found) == {"left_out": 1, "dates": 1}
    story["savedsettings"] = {}
    assert said(read(tmp_path, story))[1] == ("user", "Ana", "Hello")


def test_cai_tools_brings_each_history_as_a_chat(tmp_path: Path) -> None:
    entries = [{"src": {"is_human": False}, "text": "Hi"}, {"src": {"is_human": True}, "text": "Hello"}]
    histories = [{"msgs": entries}, {"msgs": []}, {"msgs": [*entries, {"src": {}}, None]}]
    found = read(tmp_path, {"histories": {"histories": histories}})
    assert (found.form, len(found.chats)) == ("CAI Tools", 2)
    assert said(found, 1) == [("assistant", "Mira", "Hi"), ("user", "Ana", "Hello")]
    assert adjusted(found) == {"left_out": 2, "dates": 1}
    first, second = (chat.header.integrity() for chat in found.chats)
    assert first != second


@pytest.mark.parametrize("key", ["data_visible", "visible"])
def test_text_generation_webui(tmp_path: Path, key: str) -> None:
    found = read(tmp_path, {"internal": [], key: [["", "Hi"], ["Hello", "Yes?"], ["one"], "?"]})
    assert found.form == "text-generation-webui"
    assert [text for _, _, text in said(found)] == ["Hi", "Hello", "Yes?", "one"]
    assert adjusted(found) == {"left_out": 1, "dates": 1}


def test_agnai(tmp_path: Path) -> None:
    found = read(tmp_path, {"messages": [{"msg": "Hi"}, {"userId": "u1", "msg": "Hello"}, {"userId": "u1"}]})
    assert found.form == "Agnai"
    assert said(found) == [("assistant", "Mira", "Hi"), ("user", "Ana", "Hello")]


def test_risuai_keeps_its_dates_and_names(tmp_path: Path) -> None:
    messages = [
        {"role": "char", "data": "Hi", "name": "Osric", "time": 1_719_321_243_022},
        {"role": "user", "data": "Hello"},
        {"role": "char"},
    ]
    found = read(tmp_path, {"type": "risuChat", "ver": 1, "data": {"message": messages}})
    assert said(found) == [("assistant", "Osric", "Hi"), ("user", "Ana", "Hello")]
    assert facts.send_date_ms(found.chats[0].messages[0].data()) == 1_719_321_243_022
    assert adjusted(found) == {"left_out": 1}


def test_a_file_whose_name_lies_is_read_as_what_it_is(tmp_path: Path) -> None:
    assert read(tmp_path, {"messages": [{"msg": "Hi"}]}, name="x.jsonl").form == "Agnai"
    assert read(tmp_path, '{"chat_metadata":{}}\n{"name":"Mira","mes":"Hi"}', name="x.json").form == "SillyTavern"


@pytest.mark.parametrize(
    "content",
    [
        "",
        "garbage",
        "[1, 2]",
        '{"a": 1}',
        '{"a": 1}\n{"b": 2}',
        '{"messages": []}',
        '{"histories": 1}',
        '{"type":"risuChat"}',
        '{"messages": [{"role": "user", "content": "not of Agnai"}]}',
        "<html></html>",
        '{"visible": []}',
    ],
)
def test_what_is_no_chat_is_refused_in_a_sentence(tmp_path: Path, content: str) -> None:
    with pytest.raises(StorageError) as caught:
        read(tmp_path, content)
    assert (caught.value.kind, caught.value.detail) == ("validation", "argument")


def test_a_json_file_cut_short_is_no_chat(tmp_path: Path) -> None:
    whole = json.dumps({"messages": [{"msg": "Hi"}, {"msg": "there"}]}, indent=1)
    with pytest.raises(StorageError) as caught:
        read(tmp_path, whole[:-6])
    assert caught.value.kind == "validation"


def test_a_group_takes_only_chats_in_sillytaverns_form(tmp_path: Path) -> None:
    path = tmp_path / "in.json"
    path.write_text('{"messages": [{"msg": "Hi"}]}', "utf-8")
    with pytest.raises(StorageError, match="validation/argument"):
        read_file(path, "group", SPEAKERS)
