"""SillyTavern's file of keys, in both of its forms."""

from __future__ import annotations

import json

import pytest

from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.secrets_file import active_key, read_keys
from tavern_desktop.storage.errors import StorageError


def test_both_forms_are_read(root: DataRoot) -> None:
    entries = [
        {"id": "1", "value": "spare", "label": "old", "active": False},
        {"id": "2", "value": "used", "label": "home", "active": True},
    ]
    held = {"api_key_openai": "plain", "api_key_openrouter": entries, "api_key_claude": "", "_migrated": [1], "odd": 3}
    (root.user_folder / "secrets.json").write_text(json.dumps(held), "utf-8")
    keys = read_keys(root)
    assert [(key.name, key.label, key.is_active) for key in keys] == [
        ("api_key_openai", "api_key_openai", True),
        ("api_key_openrouter", "old", False),
        ("api_key_openrouter", "home", True),
    ]
    assert active_key(keys, "api_key_openrouter") == "used"
    assert active_key(keys, "api_key_openai") == "plain"
    assert active_key(keys, "api_key_groq") == ""
    assert "used" not in repr(keys)


def test_without_an_active_one_the_first_is_used(root: DataRoot) -> None:
    (root.user_folder / "secrets.json").write_text('{"a": [{"value": "one"}, {"value": "two"}]}', "utf-8")
    assert active_key(read_keys(root), "a") == "one"


@pytest.mark.parametrize(("content", "kind"), [(None, "not_found"), ("{", "io")])
def test_what_cannot_be_read_is_told(root: DataRoot, content: str | None, kind: str) -> None:
    file = root.user_folder / "secrets.json"
    file.unlink(missing_ok=True)
    if content is not None:
        file.write_text(content, "utf-8")
    with pytest.raises(StorageError) as caught:
        read_keys(root)
    assert caught.value.kind == kind
