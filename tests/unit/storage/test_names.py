"""Names: what the vectors leave open."""

from __future__ import annotations

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.names import free_name, normalize_name, require_plain_name


@given(st.text(max_size=300))
def test_a_name_stays_in_its_folder_fits_and_is_final(name: str) -> None:
    try:
        file_name, stem = normalize_name(name)
    except StorageError as refused:
        event(f"{refused.kind}/{refused.detail}")
        return
    assert file_name == f"{stem}.jsonl"
    assert stem
    assert len(file_name.encode("utf-8")) <= 255
    assert not set(file_name) & set('/\\\0<>:"|?*')
    assert normalize_name(file_name) == (file_name, stem)


def test_device_names_are_refused_with_any_ending() -> None:
    for name in ("NUL", "nul.txt", "Com7.a.b", "lpt0"):
        with pytest.raises(StorageError):
            normalize_name(name)
    assert normalize_name("com10")[1] == "com10"


def test_a_taken_name_gets_a_number_that_is_never_cut() -> None:
    taken = {"Chat.jsonl", "Chat 2.jsonl"}
    assert free_name("Chat", taken.__contains__) == "Chat 3.jsonl"
    assert free_name("Chat.jsonl", lambda name: False) == "Chat.jsonl"
    long = "ä" * 300
    first = free_name(long, lambda name: False)
    second = free_name(long, {first}.__contains__)
    assert len(first.encode()) <= 255
    assert second.endswith("ä 2.jsonl")
    assert len(second.encode()) <= 255


def test_the_program_finds_a_name_for_every_wish() -> None:
    for wish, name in (
        ("???", "_"),
        ("", "_"),
        ("Aux.old - 2026", "_Aux.old - 2026"),
        ("nul", "_nul"),
    ):
        assert free_name(wish, lambda name: False) == f"{name}.jsonl"
    for wish in ("nul", "a" * 250 + ".", "con" + "x" * 300, " "):
        normalize_name(free_name(wish, lambda name: False))


def test_a_plain_name_has_no_path_in_it() -> None:
    assert require_plain_name("Alice & Bob. ") == "Alice & Bob. "
    for name in ("", ".", "..", "a/b", "a\\b", "a\0b"):
        with pytest.raises(StorageError):
            require_plain_name(name)
