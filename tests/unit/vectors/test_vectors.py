"""Every vector of the contracts, against the program."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.storage.errors import KINDS, StorageError
from tests.unit.vectors.adapters import ADAPTERS, parse_full
from tests.unit.vectors.vectors import DATA, VECTORS, assert_holds, bytes_of

Vector = dict[str, Any]

_PARSED = [vector for vector in VECTORS if vector["op"] == "parse_full"]


def _name(vector: Vector) -> str:
    return str(vector["id"])


def _spelled(value: Any) -> Any:
    """Turn the byte values of an expectation into bytes."""
    if isinstance(value, dict):
        if value.keys() in ({"text"}, {"b64"}):
            return bytes_of(value)
        return {name: _spelled(item) for name, item in value.items()}
    return value


def _hold(vector: Vector, run: Any, folder: Path) -> None:
    """Run the operation on a file with the vector's bytes and compare."""
    path = folder / vector["args"].get("file_name", "chat.jsonl")
    data = bytes_of(vector.get("input_bytes"))
    if data is not None:
        path.write_bytes(data)
    expect = vector["expect"]
    if "ok" in expect:
        ok = _spelled(expect["ok"]) if "text" not in expect["ok"] else expect["ok"]
        assert_holds(ok, run(path, vector["args"]), is_subset=True)
        return
    with pytest.raises(StorageError) as caught:
        run(path, vector["args"])
    assert (caught.value.kind, caught.value.detail) == (expect["error_kind"], expect["detail"])
    assert_holds(expect.get("facts", {}), caught.value.facts(), "facts", is_subset=True)
    if data is not None:
        assert path.read_bytes() == data


@pytest.mark.parametrize("vector", VECTORS, ids=_name)
def test_vector(vector: Vector, tmp_path: Path) -> None:
    _hold(vector, ADAPTERS[vector["op"]], tmp_path)


@pytest.mark.parametrize("block_size", [1, 2, 3, 5, 7])
@pytest.mark.parametrize("vector", _PARSED, ids=_name)
def test_vector_whatever_the_block_size(vector: Vector, block_size: int, tmp_path: Path) -> None:
    _hold(vector, lambda path, args: parse_full(path, args, block_size=block_size), tmp_path)


def test_vector_counts_are_what_the_file_says() -> None:
    assert Counter(vector["area"] for vector in VECTORS) == DATA["areas"]


def test_vector_error_kinds_are_ours() -> None:
    assert {kind: set(details) for kind, details in DATA["error_kinds"].items()} == KINDS
