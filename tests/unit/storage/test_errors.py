"""The closed list of storage errors, and the sentence for each."""

from __future__ import annotations

import pickle

import pytest

from tavern_desktop.storage.errors import KINDS, StorageError, from_os, sentence

EVERY = [(kind, detail) for kind, details in KINDS.items() for detail in sorted(details)]


@pytest.mark.parametrize(("kind", "detail"), EVERY)
def test_every_kind_has_one_sentence(kind: str, detail: str) -> None:
    for error in (StorageError(kind, detail), StorageError(kind, detail, "why", line=7, index=2, side="existing")):
        said = sentence(error)
        assert said.endswith(".")
        assert "None" not in said
        assert "{" not in said


def test_the_list_is_closed() -> None:
    for kind, detail in (("io", "tea"), ("tea", "io"), ("io", "")):
        with pytest.raises(ValueError, match="is not a storage error"):
            StorageError(kind, detail)


def test_facts_are_kept_added_to_and_survive_another_thread_or_process() -> None:
    error = StorageError("bad_record", "json", "a comma", record=3, line=5, offset=70)
    more = error.with_facts(chat_ref="x.jsonl", line=99)
    assert more.facts() == {"chat_ref": "x.jsonl", "record": 3, "line": 5, "offset": 70}
    again = pickle.loads(pickle.dumps(more))
    assert (again.kind, again.detail, again.message, again.facts()) == ("bad_record", "json", "a comma", more.facts())


def test_what_the_system_says_is_said() -> None:
    error = from_os(PermissionError(13, "Permission denied"), "open", "/x")
    assert (error.kind, error.detail, error.errno, error.chat_ref) == ("io", "open", 13, "/x")
    assert sentence(error) == "Could not open the file: Permission denied."
    assert sentence(StorageError("bad_record", "json", line=7)) == "Chat file is damaged at line 7."
    assert sentence(StorageError("validation", "argument", "Give a number.")) == "Give a number."
