"""Payloads as YAML text: block style, one spelling for each value, safe for readers of YAML 1.1 too (contract §7)."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator
from typing import Any

from tavern_desktop.cards.checks import is_integer, is_number
from tavern_desktop.cards.errors import PayloadError
from tavern_desktop.cards.schemas import COMMON, TYPES
from tavern_desktop.cards.yaml_reading import LONGEST_KEY, MOST_BYTES, Payload, plain_value, read_payload

_PLAIN = re.compile(r"[A-Za-z_\u00a1-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
"""How a text may begin that is written without quotes."""

_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\xa0\u2028\u2029\ufeff]|: | #|:$|^\s|\s$")
_AS_OTHER = re.compile(
    r"(y|n|yes|no|on|off|true|false|null|nan|inf|~)|[-+.]?[0-9][0-9a-fx_.:,+-]*([et ].*)?", re.IGNORECASE
)
"""What some reader takes for a boolean, a number, a date or a time of day."""


def write_payload(payload: Payload) -> str:
    """Return the text of a payload: its known fields in the order of the schema, then the others in their own.

    Raises PayloadError where the text would not be read again, ValueError for a value that YAML cannot express.
    """
    text = "".join(_mapping(_in_order(payload), 0))
    if len(text.encode("utf-8", "surrogatepass")) > MOST_BYTES:
        raise PayloadError("too_large")
    read_payload(text)  # the limits of reading are those of writing
    return text


def _in_order(payload: Payload) -> Payload:
    known = [*COMMON, *TYPES.get(str(payload.get("type")), {})]
    ordered = {name: payload[name] for name in known if name in payload}
    return ordered | {name: value for name, value in payload.items() if name not in ordered}


def _mapping(value: dict[str, Any], depth: int) -> Iterator[str]:
    for name, item in value.items():
        if not isinstance(name, str) or len(name) > LONGEST_KEY or name == "<<":
            raise PayloadError("bad_key")
        yield from _entry("  " * depth + text_scalar(name) + ":", item, depth)


def _entry(start: str, item: Any, depth: int) -> Iterator[str]:
    """Yield a value behind `start`, a key or the dash of a list: on its line, or in lines of their own below."""
    if isinstance(item, dict) and item:
        yield f"{start}\n"
        yield from _mapping(item, depth + 1)
    elif isinstance(item, list | tuple) and item:
        yield f"{start}\n"
        yield from _list(item, depth + 1)
    else:
        yield f"{start} {_scalar(item)}\n"


def _list(items: Iterable[Any], depth: int) -> Iterator[str]:
    for item in items:
        yield from _entry("  " * depth + "-", item, depth)


def _scalar(value: Any) -> str:
    if isinstance(value, dict):
        return "{}"
    if isinstance(value, list | tuple):
        return "[]"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if is_integer(value):
        return str(value)
    if is_number(value):
        return _float(value)
    if isinstance(value, str):
        return text_scalar(value)
    raise ValueError(f"a {type(value).__name__} cannot stand in a payload")


def _float(value: float) -> str:
    """Return a number in a spelling that is read as one, `1.0e+20` and not `1e+20`, which YAML 1.1 takes for a text."""
    text = repr(value)
    mantissa, mark, exponent = text.partition("e")
    if not mark:
        return text
    sign = "" if exponent.startswith(("-", "+")) else "+"
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}e{sign}{exponent}"


def text_scalar(value: str) -> str:
    """Return a text as it stands in YAML. Raises ValueError for half a surrogate pair."""
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("half a surrogate pair cannot stand in a payload") from None
    return value if _needs_no_quotes(value) else quoted(value)


def _needs_no_quotes(value: str) -> bool:
    if _PLAIN.match(value) is None or _UNSAFE.search(value) or _AS_OTHER.fullmatch(value):
        return False
    return plain_value(value) is value or plain_value(value) == value


def quoted(value: str) -> str:
    """Return a text in double quotes; what JSON leaves as it is but YAML must not is escaped too."""
    text = json.dumps(value, ensure_ascii=False)
    return re.sub(r"[\x7f-\xa0\u2028\u2029\ufeff\ufffe\uffff]", lambda mark: f"\\u{ord(mark[0]):04x}", text)


def is_expressible(value: Any) -> bool:
    """Say whether a value can stand in a payload: no half surrogate pairs, no endless numbers."""
    if isinstance(value, str):
        return not any("\ud800" <= letter <= "\udfff" for letter in value)
    return not isinstance(value, float) or math.isfinite(value)
