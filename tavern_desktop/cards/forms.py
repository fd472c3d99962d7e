"""Forms: what their fields are, whether what is filled in may be submitted, and what the conversation is told of it.

Free of any widget. Values are those of payloads: texts, numbers, booleans, lists of these for several choices.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any, Literal

from tavern_desktop.cards.checks import is_number, is_scalar
from tavern_desktop.cards.schemas import FIELD_TYPES, SELECTS
from tavern_desktop.cards.yaml_reading import Payload

LONGEST_VALUE = 2_000
"""Characters of a value that the conversation is told."""

Problem = Literal["required", "number", "integer", "least", "most", "long", "choice", "date", "datetime", "file"]

Values = dict[str, Any]
"""By the names of the fields; a field that is not filled in is not there."""


@dataclass(frozen=True, slots=True)
class Option:
    """One choice of a select field."""

    value: Any
    label: str


@dataclass(frozen=True, slots=True)
class FormField:
    """A field of a form or an item of a parameter set. `kind` is "text" and `read_only` for an unknown type."""

    name: str
    label: str
    kind: str = "text"
    required: bool = False
    options: tuple[Option, ...] = ()
    least: float | None = None
    most: float | None = None
    longest: int | None = None
    help: str = ""
    read_only: bool = False
    value: Any = None
    """What is filled in, else what it begins with; None where it is empty."""
    filled: bool = False
    """For a secret: something was filled in, which is not kept."""


@dataclass(frozen=True, slots=True)
class FieldError:
    """Why a value cannot be submitted; `limit` is the number that it misses."""

    problem: Problem
    limit: float | None = None


def fields_of(payload: Mapping[str, Any]) -> tuple[FormField, ...]:
    """Return the fields that a payload or a definition lists; what is not readable in it is left out."""
    entries = payload.get("fields")
    return tuple(field_of(entry) for entry in entries if _is_named(entry)) if isinstance(entries, list) else ()


def field_of(entry: Mapping[str, Any]) -> FormField:
    """Return one entry as a field."""
    name, kind = entry["name"], entry.get("fieldType") or "text"
    value = entry.get("value")
    return FormField(
        name=name,
        label=_text(entry.get("label")) or name,
        kind=kind if kind in FIELD_TYPES else "text",
        required=entry.get("required") is True,
        options=options_of(entry.get("options")),
        least=_number(entry.get("min")),
        most=_number(entry.get("max")),
        longest=entry["maxLength"] if isinstance(entry.get("maxLength"), int) else None,
        help=_text(entry.get("help")),
        read_only=kind not in FIELD_TYPES,
        value=entry.get("default") if value is None else value,
        filled=entry.get("filled") is True,
    )


def options_of(entries: Any) -> tuple[Option, ...]:
    """Return choices, which may be written as `{value, label}` or as the values alone."""
    found = []
    for entry in entries if isinstance(entries, list) else ():
        value = entry.get("value") if isinstance(entry, dict) else entry
        if is_scalar(value) and value is not None:
            label = _text(entry.get("label")) if isinstance(entry, dict) else ""
            found.append(Option(value, label or shown(value)))
    return tuple(found)


def allowed_fields(payload: Payload, definition: Sequence[FormField]) -> tuple[FormField, ...]:
    """Return the fields of a form as its definition allows them, with what the payload has filled in (contract §10).

    A payload may ask for fewer fields, never for other types, options or limits.
    """
    known = {field.name: field for field in definition}
    return tuple(
        replace(known[own.name], value=own.value if own.value is not None else known[own.name].value, filled=own.filled)
        for own in fields_of(payload)
        if own.name in known
    )


def check_all(fields: Sequence[FormField], values: Values) -> dict[str, FieldError]:
    """Return what keeps a form from being submitted, by the names of the fields."""
    found = ((field.name, check(field, values.get(field.name))) for field in fields)
    return {name: error for name, error in found if error is not None}


def check(field: FormField, value: Any) -> FieldError | None:
    """Return what is wrong with a value, None where it may be submitted."""
    if value is None or value in ("", []):
        return FieldError("required") if field.required else None
    if field.required and field.kind == "boolean" and value is not True:
        return FieldError("required")
    return _CHECKS.get(field.kind, _check_text)(field, value)


def _check_text(field: FormField, value: Any) -> FieldError | None:
    longest = field.longest
    return FieldError("long", longest) if longest is not None and len(str(value)) > longest else None


def _check_number(field: FormField, value: Any) -> FieldError | None:
    if not is_number(value):
        return FieldError("integer" if field.kind == "integer" else "number")
    if field.kind == "integer" and value != int(value):
        return FieldError("integer")
    if field.least is not None and value < field.least:
        return FieldError("least", field.least)
    return FieldError("most", field.most) if field.most is not None and value > field.most else None


def _check_choice(field: FormField, value: Any) -> FieldError | None:
    choices = [option.value for option in field.options]
    chosen = value if field.kind == "multiselect" and isinstance(value, list) else [value]
    return None if all(item in choices for item in chosen) else FieldError("choice")


def _check_date(field: FormField, value: Any) -> FieldError | None:
    try:
        (date if field.kind == "date" else datetime).fromisoformat(str(value))
    except ValueError:
        return FieldError("date" if field.kind == "date" else "datetime")
    return None


def _check_file(field: FormField, value: Any) -> FieldError | None:
    parts = re.split(r"[/\\]", str(value))
    return FieldError("file") if ".." in parts or parts[0] == "" or ":" in parts[0] else None


_CHECKS = {
    "integer": _check_number,
    "number": _check_number,
    "select": _check_choice,
    "multiselect": _check_choice,
    "date": _check_date,
    "datetime": _check_date,
    "file": _check_file,
}


def read_typed(field: FormField, text: str) -> Any:
    """Return what somebody typed into a field as its value; what is no number stays a text, for `check` to say so."""
    text = text.strip() if field.kind != "multiline" else text
    if not text:
        return None
    if field.kind in ("integer", "number"):
        number = text.replace(",", ".") if text.count(",") == 1 and "." not in text else text
        try:
            value = float(number)
        except ValueError:
            return text
        if not math.isfinite(value):
            return text
        return int(value) if field.kind == "integer" and value.is_integer() else value
    return text


def filled_in(payload: Payload, values: Values) -> Payload:
    """Return the payload of a form with these values in its fields; of a secret only whether it was filled in."""
    fields = []
    for entry in payload.get("fields") or ():
        entry = {name: value for name, value in entry.items() if name not in ("value", "filled")}
        value = values.get(str(entry.get("name")))
        if entry.get("fieldType") == "secret":
            entry["filled"] = value not in (None, "")
        elif value is not None:
            entry["value"] = value
        fields.append(entry)
    return payload | {"fields": fields}


def summary(title: str, fields: Sequence[FormField], values: Values) -> str:
    """Return the message that tells the conversation what was submitted: plain English, one line for each value."""
    lines = [f'Submitted "{title}":' if title else "Submitted:"]
    for field in fields:
        value = values.get(field.name)
        if value is None or value in ("", []):
            continue
        said = "(hidden)" if field.kind == "secret" else _told(field, value)
        lines.append(f"- {field.label}: {said[:LONGEST_VALUE]}")
    return "\n".join(lines)


def shown(value: Any) -> str:
    """Return a value as people read it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(shown, value))
    return str(value)


def _told(field: FormField, value: Any) -> str:
    labels = {shown(option.value): option.label for option in field.options} if field.kind in SELECTS else {}
    items = value if isinstance(value, list) else [value]
    return ", ".join(labels.get(shown(item), shown(item)) for item in items)


def _is_named(entry: Any) -> bool:
    return isinstance(entry, dict) and isinstance(entry.get("name"), str) and bool(entry["name"])


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _number(value: Any) -> float | None:
    return value if is_number(value) else None
