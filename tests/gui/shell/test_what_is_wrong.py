"""The sentence that a chat that cannot be read is shown with."""

from __future__ import annotations

from pathlib import Path

import pytest

from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.reader import load
from tavern_desktop.storage.recovery import recovery
from tavern_desktop.ui.failure import what_is_wrong

TALK = '{"user_name":"Ana","character_name":"Mira","chat_metadata":{}}\n{"name":"Ana","is_user":true,"mes":"Hello"}'


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (TALK.encode("utf-16"), "UTF-16"),
        (bytes(5000), "nothing but NUL bytes"),
        (TALK.encode()[:-3], "damaged at line 2"),
    ],
)
def test_what_happened_is_said(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_bytes(content)
    with pytest.raises(StorageError) as caught:
        load(path)
    assert words in what_is_wrong(caught.value, recovery(path))
