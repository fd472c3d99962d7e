"""Imported chats: whole new files with their receiver, or nothing at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tavern_desktop.library.characters import list_characters
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.session import importing
from tavern_desktop.session.export import export_chat
from tavern_desktop.session.importing import Receiver, import_chats
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.index import Index
from tavern_desktop.storage.reader import load

HEAD = b'{"chat_metadata":{"integrity":"x","note":1.10},"character_name":"unused"}\r\n'
CHAT = HEAD + b'{"name":"Aria Vale","mes":"Hi","n":1.50}\r\n'
TWO = {"histories": {"histories": [{"msgs": [{"src": {}, "text": "a"}]}, {"msgs": [{"src": {}, "text": "b"}]}]}}
ARIA = Receiver("Aria Vale")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "their chat.jsonl"
    path.write_bytes(CHAT)
    return path


def chats(root: DataRoot) -> set[Path]:
    return set((root.chats / "Aria Vale").glob("*.jsonl"))


def test_a_sound_chat_is_copied_byte_for_byte(root: DataRoot, source: Path) -> None:
    done = import_chats(root, source, ARIA)
    (path,) = done.paths
    assert path.read_bytes() == source.read_bytes() == CHAT
    assert path.parent == root.chats / "Aria Vale"
    assert path.name.startswith("Aria Vale - ")
    assert path.stem.endswith(" imported")
    assert (done.messages, done.is_exact, done.adjustments) == (1, True, ())


def test_the_same_file_twice_gives_two_chats(root: DataRoot, source: Path) -> None:
    first, second = (import_chats(root, source, ARIA).paths[0] for _ in range(2))
    assert first != second
    assert first.read_bytes() == second.read_bytes()


def test_several_chats_are_several_files_that_load(root: DataRoot, source: Path) -> None:
    source.write_text(json.dumps(TWO), "utf-8")
    before = chats(root)
    done = import_chats(root, source, ARIA)
    assert set(done.paths) == chats(root) - before
    assert [load(path).messages[0].data()["mes"] for path in done.paths] == ["a", "b"]
    assert done.messages == 2


def test_where_one_of_several_cannot_be_written_none_stays(
    root: DataRoot, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source.write_text(json.dumps(TWO), "utf-8")
    before = chats(root)
    write = importing.write_new
    written: list[Path] = []

    def full_after_the_first(path: Path, version: importing.Version) -> object:
        if written:
            raise StorageError("io", "space")
        written.append(path)
        return write(path, version)

    monkeypatch.setattr(importing, "write_new", full_after_the_first)
    with pytest.raises(StorageError, match="io/space"):
        import_chats(root, source, ARIA)
    assert written
    assert chats(root) == before


def test_damage_leaves_no_file(root: DataRoot, source: Path) -> None:
    source.write_bytes(CHAT + b'{"name":"cut')
    before = chats(root)
    with pytest.raises(StorageError, match="bad_record"):
        import_chats(root, source, ARIA)
    assert chats(root) == before
    done = import_chats(root, source, ARIA, repair=True)
    assert [adjustment.kind for adjustment in done.adjustments] == ["damaged"]
    assert len(load(done.paths[0]).messages) == 1


def test_without_a_receiver_the_one_whom_the_file_names_gets_it(root: DataRoot, source: Path, tmp_path: Path) -> None:
    characters = list_characters(root, Index(tmp_path / "cache", root.path))
    done = import_chats(root, source, Receiver(), characters=characters)
    assert done.paths[0].parent.name == "Aria Vale"
    source.write_bytes(CHAT.replace(b"Aria Vale", b"Nobody"))
    with pytest.raises(StorageError, match="not clear whose chat"):
        import_chats(root, source, Receiver(), characters=characters)


def test_a_group_gets_the_file_and_its_name_in_the_record(root: DataRoot, source: Path) -> None:
    (record,) = root.groups.glob("*.json")
    done = import_chats(root, source, Receiver(group=record.stem))
    assert done.paths[0].parent == root.group_chats
    assert done.paths[0].stem in json.loads(record.read_bytes())["chats"]


@pytest.mark.parametrize(
    "name", ["con", "NUL", "Aux.old", "What?|Now", "Mira...", " Mira ", "-rf", ".hidden", "a\tb", "x‮y"]
)
def test_names_that_files_cannot_have_do_no_harm(root: DataRoot, source: Path, name: str) -> None:
    (root.chats / name).mkdir()
    done = import_chats(root, source, Receiver(name))
    (path,) = done.paths
    assert path.parent == root.chats / name
    assert path.read_bytes() == CHAT
    assert not set(path.name) & set('?|"<>:*\\/\t')


def test_a_file_that_is_not_there(root: DataRoot, tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="not_found"):
        import_chats(root, tmp_path / "gone.jsonl", ARIA)


@pytest.mark.parametrize("end", [b"\r\n", b"\n", b""])
def test_what_was_exported_as_yaml_comes_back_byte_for_byte(
    root: DataRoot, source: Path, tmp_path: Path, end: bytes
) -> None:
    lines = [
        HEAD.rstrip(),
        b'{"name":"Aria Vale","mes":"Hi \\ud83d","n":1.50, "n":2}',
        b'{"mes":"a\\n b","is_user":true}',
    ]
    source.write_bytes(b"\n".join(lines) + end)
    out = tmp_path / "chat.yaml"
    export_chat(source, out, "yaml")
    done = import_chats(root, out, ARIA)
    (path,) = done.paths
    assert path.read_bytes() == b"\n".join(lines)
    assert (done.form, done.messages, done.adjustments) == ("chat-store", 2, ())


def test_a_document_with_an_error_leaves_no_file(root: DataRoot, tmp_path: Path) -> None:
    document = tmp_path / "chat.yaml"
    document.write_text("format: chat-store\nversion: 1\nentries:\n  - {kind: text, role: user, content: x}\n  - no\n")
    before = chats(root)
    with pytest.raises(StorageError) as caught:
        import_chats(root, document, ARIA)
    assert (caught.value.detail, caught.value.message, caught.value.index) == (
        "argument",
        "Entry 1: it is no mapping.",
        1,
    )
    assert chats(root) == before
