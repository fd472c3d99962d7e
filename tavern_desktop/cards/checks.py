"""What a field of a payload may be. A check returns the path of the first thing that is wrong, None if all is well.

Paths are like `steps[0].status`. What a mapping does not define is left alone: unknown fields are kept.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import Any

_ALWAYS_SCALAR = frozenset({str, int, bool, type(None)})

Check = Callable[[Any, str, Mapping[str, Any]], "str | None"]
"""(value, its path, the mapping it stands in) -> path of what is wrong."""


class Field:
    """A field of a mapping. `null` counts as absent."""

    def __init__(self, check: Check, *, required: bool = False) -> None:
        self.check = check
        self.required = required


def mapping(fields: Mapping[str, Field], also: Check | None = None) -> Check:
    """Check a mapping: what it has in its own order, then what it lacks, then `also`."""

    def check(value: Any, path: str, within: Mapping[str, Any]) -> str | None:
        if not isinstance(value, dict):
            return path
        wrong = check_fields(value, fields, path)
        return wrong if wrong is not None or also is None else also(value, path, within)

    return check


def check_fields(value: Mapping[str, Any], fields: Mapping[str, Field], path: str = "") -> str | None:
    """Check the fields of a mapping that stands at `path`."""
    for name, item in value.items():
        field = fields.get(name)
        if field is not None and item is not None:
            wrong = field.check(item, below(path, name), value)
            if wrong is not None:
                return wrong
    missing = (name for name, field in fields.items() if field.required and value.get(name) is None)
    return next((below(path, name) for name in missing), None)


def listed(item: Check, most: int | None = None) -> Check:
    """Check a list of things of one kind."""

    def check(value: Any, path: str, within: Mapping[str, Any]) -> str | None:
        if not isinstance(value, list) or (most is not None and len(value) > most):
            return path
        return next((wrong for at, entry in enumerate(value) if (wrong := item(entry, f"{path}[{at}]", within))), None)

    return check


def either(one: Check, other: Check) -> Check:
    """Check what may be of two kinds: a text is checked as the first, everything else as the second."""

    def check(value: Any, path: str, within: Mapping[str, Any]) -> str | None:
        return (one if isinstance(value, str) else other)(value, path, within)

    return check


def all_of(*checks: Check) -> Check:
    """Check one thing after the other."""

    def check(value: Any, path: str, within: Mapping[str, Any]) -> str | None:
        return next((wrong for each in checks if (wrong := each(value, path, within)) is not None), None)

    return check


def text(most: int | None = None, least: int = 0) -> Check:
    """Check a text by its length in characters."""
    return _holds(lambda value: isinstance(value, str) and len(value) >= least and (most is None or len(value) <= most))


def one_of(words: Collection[str]) -> Check:
    """Check a word of a closed list."""
    return _holds(lambda value: isinstance(value, str) and value in words)


def integer(least: int | None = None, most: int | None = None) -> Check:
    """Check a whole number."""
    return _holds(
        lambda value: is_integer(value) and (least is None or value >= least) and (most is None or value <= most)
    )


def number(least: float | None = None, most: float | None = None) -> Check:
    """Check a finite number."""
    return _holds(
        lambda value: is_number(value) and (least is None or value >= least) and (most is None or value <= most)
    )


def scalar() -> Check:
    """Check a text, a finite number, a boolean or null."""
    return _holds(is_scalar)


def boolean() -> Check:
    """Check a boolean."""
    return _holds(lambda value: isinstance(value, bool))


def moment() -> Check:
    """Check a date with time as RFC 3339 writes it."""
    return _holds(_is_moment)


def is_integer(value: Any) -> bool:
    """Say whether a value is a whole number; a boolean is none."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Say whether a value is a finite number."""
    return is_integer(value) or (isinstance(value, float) and math.isfinite(value))


def is_scalar(value: Any) -> bool:
    """Say whether a value is a text, a finite number, a boolean or null."""
    # Tables have thousands of them: one look at the type settles nearly all.
    return type(value) in _ALWAYS_SCALAR or isinstance(value, str) or is_number(value)


def below(path: str, name: str) -> str:
    """Return the path of a field."""
    return f"{path}.{name}" if path else name


def unique(name: str) -> Check:
    """Check that no two mappings of a list have the same `name`, and name the second; texts stand for their names."""

    def check(value: Any, path: str, within: Mapping[str, Any]) -> str | None:
        seen = set()
        for at, entry in enumerate(value):
            own = entry if isinstance(entry, str) else entry[name]
            if own in seen:
                return f"{path}[{at}]" if isinstance(entry, str) else f"{path}[{at}].{name}"
            seen.add(own)
        return None

    return check


def _holds(rule: Callable[[Any], bool]) -> Check:
    def check(value: Any, path: str, within: Mapping[str, Any]) -> str | None:
        return None if rule(value) else path

    return check


def _is_moment(value: Any) -> bool:
    if not isinstance(value, str) or len(value) < 20 or value[10] not in "Tt ":
        return False
    try:
        return datetime.fromisoformat(value.replace("z", "Z")).tzinfo is not None
    except ValueError:
        return False
