"""The test vectors of the storage contract: reading them, and comparing with them type by type."""

from __future__ import annotations

import base64
import json
from datetime import UTC, timedelta, timezone, tzinfo
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[2] / "vectors" / "storage-vectors.json"

DATA: dict[str, Any] = json.loads(FILE.read_text("utf-8"))
"""Read with the standard module: it holds lone surrogates and integers beyond 64 bits on purpose."""

VECTORS: list[dict[str, Any]] = DATA["vectors"]


def bytes_of(form: dict[str, str] | None) -> bytes | None:
    """Return the bytes that a vector spells as {"text": …} or {"b64": …}; None for null: no file."""
    if form is None:
        return None
    return form["text"].encode("utf-8") if "text" in form else base64.b64decode(form["b64"])


def zone_of(name: str) -> tzinfo:
    """Return the zone that stands for local time: UTC, or a fixed offset such as +08:00."""
    if name == "UTC":
        return UTC
    hours, minutes = name[1:].split(":")
    offset = timedelta(hours=int(hours), minutes=int(minutes))
    return timezone(-offset if name[0] == "-" else offset)


def assert_holds(expected: Any, found: Any, where: str = "ok", *, is_subset: bool = False) -> None:
    """Compare type-strictly (1, 1.0 and true differ); with `is_subset` only the keys that are expected."""
    assert type(found) is type(expected), f"{where}: {found!r} instead of {expected!r}"
    if isinstance(expected, dict):
        names = expected.keys() if is_subset else expected.keys() | found.keys()
        for name in names:
            assert name in expected, f"{where}.{name} is too much"
            assert name in found, f"{where}.{name} is missing"
            assert_holds(expected[name], found[name], f"{where}.{name}")
    elif isinstance(expected, list):
        assert len(found) == len(expected), where
        for index, (one, other) in enumerate(zip(expected, found, strict=True)):
            assert_holds(one, other, f"{where}[{index}]")
    else:
        assert found == expected, where
