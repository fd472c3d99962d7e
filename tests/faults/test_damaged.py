"""Files cut anywhere, overwritten or replaced behind our back: nothing is lost, nothing is taken for empty."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tavern_desktop.storage.errors import ChangedOnDisk, StorageError
from tavern_desktop.storage.format import commit_pieces
from tavern_desktop.storage.pages import tail_preview
from tavern_desktop.storage.publish import publish
from tavern_desktop.storage.reader import LoadedChat, load
from tavern_desktop.storage.recovery import recovery
from tavern_desktop.storage.summary import summarise

HEAD = b'{"chat_metadata":{"integrity":"a"}}'
RECORDS = [b'{"mes":"ein Tee, bitte"}', '{"mes":"这里有茶"}'.encode(), b'{"mes":"\\ud83d"}']
CHAT = b"\n".join([HEAD, *RECORDS])
BY_ANOTHER = HEAD + b'\n{"mes":"by another program"}'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a.jsonl"
    path.write_bytes(CHAT)
    return path


def _by_another_program(path: Path) -> None:
    """Replace the file as other programs do: written beside it, then renamed."""
    code = "import sys, os; open(sys.argv[1] + '.new', 'wb').write(sys.stdin.buffer.read()); "
    code += "os.replace(sys.argv[1] + '.new', sys.argv[1])"
    subprocess.run([sys.executable, "-c", code, str(path)], input=BY_ANOTHER, check=True)


def _save(path: Path, chat: LoadedChat, pieces: Iterator[bytes] | None = None) -> None:
    assert chat.header is not None
    pieces = pieces or commit_pieces(chat.header, chat.messages)
    publish(path, pieces, expected=chat.signature, integrity="a")


@pytest.mark.parametrize("size", range(len(CHAT)))
def test_cut_at_any_byte(path: Path, size: int) -> None:
    os.truncate(path, size)
    cut = CHAT[:size]
    whole = sum(record in cut.split(b"\n") for record in RECORDS)
    try:
        chat = load(path)
    except StorageError as error:
        outcome, found = error.kind, recovery(path).readable
    else:
        outcome, found = "loaded", len(chat.messages)
        assert (chat.header is None) == (size == 0)
    assert found == whole
    assert outcome in ("loaded", "bad_header", "bad_record", "bad_encoding")
    for read in (lambda: tail_preview(path, 2), lambda: summarise(path)):
        try:
            read()
        except StorageError:
            continue
    assert path.read_bytes() == cut


def test_cut_in_half_after_it_was_read(path: Path) -> None:
    chat = load(path)
    os.truncate(path, len(CHAT) // 2)
    with pytest.raises(ChangedOnDisk):
        _save(path, chat)
    assert path.read_bytes() == CHAT[: len(CHAT) // 2]


def test_header_cut_after_it_was_read(path: Path) -> None:
    chat = load(path)
    os.truncate(path, 20)
    with pytest.raises(StorageError) as caught:
        _save(path, chat)
    assert (caught.value.kind, caught.value.side) == ("bad_header", "existing")
    assert path.read_bytes() == CHAT[:20]


def test_replaced_by_another_program_between_reading_and_saving(path: Path) -> None:
    chat = load(path)
    _by_another_program(path)
    with pytest.raises(ChangedOnDisk) as caught:
        _save(path, chat)
    assert caught.value.found == load(path).signature
    assert path.read_bytes() == BY_ANOTHER


def test_replaced_by_another_program_while_saving(path: Path) -> None:
    chat = load(path)

    def pieces() -> Iterator[bytes]:
        yield CHAT
        _by_another_program(path)

    with pytest.raises(ChangedOnDisk):
        _save(path, chat, pieces())
    assert path.read_bytes() == BY_ANOTHER
    assert os.listdir(path.parent) == [path.name]


def test_full_of_nul_after_a_power_cut(path: Path) -> None:
    path.write_bytes(bytes(64_560))
    with pytest.raises(StorageError) as caught:
        load(path)
    assert (caught.value.kind, caught.value.detail) == ("bad_header", "json")
    assert path.read_bytes() == bytes(64_560)
