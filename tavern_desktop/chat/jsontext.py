"""JSON records, exactly: what a chat file says is what comes back.

orjson does the bulk, but it refuses lone surrogates, rounds integers beyond 64 bits and cannot write
deep nesting (storage contract J3-J5). Records that need it take the exact path through the standard
module, which in turn must be kept from accepting NaN and infinite numbers.
"""

from __future__ import annotations

import json
import math
import re
import secrets
from typing import Any, NoReturn

import orjson

MAX_DEPTH = 1000
"""Nesting levels beyond which a record is refused; its own object is level 1."""

_LEVELS_LEFT = 1024 - MAX_DEPTH
"""How far we stay below orjson's own limit."""

_BATCH = 16
_WORD = secrets.token_hex(8)
_OPENING, _BETWEEN, _CLOSING = b"[" * _LEVELS_LEFT, f',"{_WORD}",'.encode(), b"]" * _LEVELS_LEFT

_DIGITS_ONLY = bytes(ord("0") if byte in b"0123456789" else ord(" ") for byte in range(256))
_LONG_INTEGER = b"0" * 19
_NESTING = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]', re.DOTALL)


class JsonTextError(ValueError):
    """A text that is no acceptable JSON object.

    `detail` is one of utf8, json, not_object, depth, number_range (storage contract §1.1); `offset` is
    the first bad byte within the text where that is known, else None.
    """

    def __init__(self, detail: str, message: str, offset: int | None = None) -> None:
        super().__init__(message)
        self.detail = detail
        self.offset = offset


def decode(raw: bytes) -> dict[str, Any]:
    """Return the object that `raw` holds, integers exact and lone surrogates kept.

    Duplicate keys: the last wins. Raises JsonTextError.
    """
    if _LONG_INTEGER not in raw.translate(_DIGITS_ONLY):  # twenty times faster than a regular expression
        value = _decode_fast(raw)
        if value is not None:
            return value
    return _decode_exact(raw)


def check(raw: bytes) -> None:
    """Raise JsonTextError unless `raw` is one acceptable JSON object."""
    if _decode_fast(raw) is None:
        _decode_exact(raw)


def are_sound(records: list[bytes]) -> bool:
    """Tell whether every record is one acceptable JSON object, as far as orjson alone can tell.

    For bulk loading. False means only that they have to be looked at one by one, with `check`.
    """
    return all(_is_sound(records[first : first + _BATCH]) for first in range(0, len(records), _BATCH))


def _is_sound(batch: list[bytes]) -> bool:
    """Parse a few records as one array, so deep in others that orjson's limit of levels is ours.

    Counting levels costs a fifth of a load, this next to nothing. Between the records stands a word that no
    file can know. If all of them come out beside each other and the records between them, then no record
    reached into the next, and each is one object.
    """
    try:
        value = orjson.loads(_OPENING + _BETWEEN.join(batch) + _CLOSING)
        for _ in range(_LEVELS_LEFT - 1):
            (value,) = value
    except ValueError:
        return False
    between = len(batch) - 1
    is_apart = len(value) == len(batch) + between and value[1::2] == [_WORD] * between
    return is_apart and set(map(type, value[::2])) == {dict}


def encode(value: dict[str, Any]) -> bytes:
    """Return compact UTF-8 JSON, non-ASCII raw, lone surrogates as lower-case escapes."""
    try:
        return orjson.dumps(value)
    except TypeError:  # surrogates, long integers, deep nesting
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        # A lone surrogate can only stand inside a string, where the escape means the same.
        return text.encode("utf-8", "backslashreplace")


def same(one: Any, other: Any) -> bool:
    """Compare JSON values type-strictly: 1, 1.0 and true differ. Key order does not matter."""
    return _compare(one, other, numbers_alike=False)


def alike(one: Any, other: Any) -> bool:
    """Compare JSON values as a program does that knows only doubles: 1 and 1.0 are the same, true is neither."""
    return _compare(one, other, numbers_alike=True)


def _compare(one: Any, other: Any, numbers_alike: bool) -> bool:
    """Compare without recursion: records may be nested as deeply as Python may call."""
    pending = [(one, other)]
    while pending:
        one, other = pending.pop()
        if type(one) is not type(other):
            if not (numbers_alike and _is_number(one) and _is_number(other) and one == other):
                return False
        elif isinstance(one, dict):
            if one.keys() != other.keys():
                return False
            pending += [(value, other[key]) for key, value in one.items()]
        elif isinstance(one, list):
            if len(one) != len(other):
                return False
            pending += zip(one, other, strict=True)
        elif one != other:
            return False
    return True


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _decode_fast(raw: bytes) -> dict[str, Any] | None:
    """Return the object by orjson, None where the exact path has to decide."""
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return None
    if type(value) is not dict:
        raise JsonTextError("not_object", f"a JSON object is needed, not {type(value).__name__}")
    _refuse_depth(raw)
    return value


def _decode_exact(raw: bytes) -> dict[str, Any]:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise JsonTextError("utf8", "the text is not valid UTF-8", error.start) from None
    _refuse_depth(raw)
    try:
        value = json.loads(text, parse_float=_finite_float, parse_int=_exact_int, parse_constant=_refuse_constant)
    except JsonTextError:
        raise
    except RecursionError:
        raise JsonTextError("depth", "the JSON is nested too deeply") from None
    except ValueError as error:
        position = getattr(error, "pos", None)
        offset = None if position is None else len(text[:position].encode("utf-8", "surrogatepass"))
        raise JsonTextError("json", f"not valid JSON: {error}", offset) from None
    if type(value) is not dict:
        raise JsonTextError("not_object", f"a JSON object is needed, not {type(value).__name__}")
    return value


def _refuse_depth(raw: bytes) -> None:
    if raw.count(b"[") + raw.count(b"{") <= MAX_DEPTH:
        return
    depth = 0
    for token in _NESTING.finditer(raw):
        kind = raw[token.start()]
        if kind in b"[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise JsonTextError("depth", "the JSON is nested too deeply", token.start())
        elif kind in b"]}":
            depth -= 1


def _finite_float(literal: str) -> float:
    value = float(literal)
    if not math.isfinite(value):
        raise JsonTextError("number_range", "a number is too large")
    return value


def _exact_int(literal: str) -> int:
    try:
        return int(literal)
    except ValueError:  # Python's own limit of 4,300 digits
        raise JsonTextError("number_range", "an integer has too many digits") from None


def _refuse_constant(literal: str) -> NoReturn:
    raise JsonTextError("json", f"{literal} is not JSON")
