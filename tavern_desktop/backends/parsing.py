"""JSON as servers send it: fast where it is sound, and never refused for half a character."""

from __future__ import annotations

import json
from typing import Any

import orjson

from tavern_desktop.chat import jsontext


class BadJson(ValueError):
    """What came is no JSON."""


def parse(raw: bytes) -> Any:
    """Return the value. Lone surrogates are kept, bytes that are no UTF-8 become U+DC80…U+DCFF, for `Joiner`.

    Raises BadJson.
    """
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError:
        pass
    try:
        return json.loads(raw.decode("utf-8", "surrogateescape"))
    except (ValueError, RecursionError):
        raise BadJson from None


def to_json(body: dict[str, Any]) -> bytes:
    """Return the JSON text of a request, whatever half characters its texts hold."""
    return jsontext.encode(body)


def number(value: Any) -> int | None:
    """Return a whole number from a field that should hold one, None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value or value in (1e400, -1e400):
        return None
    return int(value)


def text(value: Any) -> str:
    """Return a text from a field that should hold one, "" for anything else."""
    return value if isinstance(value, str) else ""


def table(value: Any) -> dict[str, Any]:
    """Return an object from a field that should hold one, {} for anything else."""
    return value if isinstance(value, dict) else {}


def tables(value: Any) -> list[dict[str, Any]]:
    """Return the objects of a field that should hold a list of them."""
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def arguments_of(said: str) -> dict[str, Any]:
    """Return the arguments of a call as an object; what is no object, as models write now and then, is kept in one."""
    try:
        value = json.loads(said or "{}")
    except ValueError:
        return {"text": said}
    return value if isinstance(value, dict) else {"value": value}
