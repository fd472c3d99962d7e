"""The five types of payloads and their fields (contract cards §4)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tavern_desktop.cards.checks import (
    Field,
    all_of,
    boolean,
    either,
    integer,
    is_integer,
    is_scalar,
    listed,
    mapping,
    moment,
    number,
    one_of,
    scalar,
    text,
    unique,
)

SUPPORTED = 1
"""Newest schema of each type that is known here."""

TYPE = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}")

SELECTS = frozenset({"select", "multiselect"})
FIELD_TYPES = SELECTS | {"text", "multiline", "integer", "number", "boolean", "date", "datetime", "file", "secret"}
"""An unknown type of field is shown as text, read-only; so it is no error."""

COMMON: dict[str, Field] = {
    "schema": Field(integer(1)),
    "type": Field(text(), required=True),
    "id": Field(text(128, 1), required=True),
    "title": Field(text(500)),
    "description": Field(text(4_000)),
    "createdAt": Field(moment()),
}

_NAME = Field(text(128, 1), required=True)
_OPTION = mapping({"value": Field(scalar(), required=True), "label": Field(text())})


def _option(value: Any, path: str, within: Mapping[str, Any]) -> str | None:
    return _OPTION(value, path, within) if isinstance(value, dict) else scalar()(value, path, within)


def _field_value(value: Any, path: str, within: Mapping[str, Any]) -> str | None:
    if within.get("fieldType") == "secret":
        return path
    if within.get("fieldType") == "multiselect" and isinstance(value, list):
        return listed(scalar())(value, path, within)
    return scalar()(value, path, within)


def _form_field(value: Any, path: str, within: Mapping[str, Any]) -> str | None:
    wrong = _FORM_FIELD(value, path, within)
    if wrong is None and value.get("fieldType") in SELECTS and value.get("options") is None:
        return f"{path}.options"
    if wrong is None and value.get("fieldType") == "file":
        return _file_path(value.get("value"), f"{path}.value")
    return wrong


def _file_path(value: Any, path: str) -> str | None:
    """A file is kept as a path within the data root, never as one that leads elsewhere."""
    if value is None or value == "":
        return None
    parts = re.split(r"[/\\]", value) if isinstance(value, str) else [".."]
    return path if ".." in parts or parts[0] == "" or ":" in parts[0] else None


_FORM_FIELD = mapping(
    {
        "name": _NAME,
        "label": Field(text()),
        "fieldType": Field(text()),
        "required": Field(boolean()),
        "value": Field(_field_value),
        "filled": Field(boolean()),
        "default": Field(_field_value),
        "options": Field(listed(_option)),
        "min": Field(scalar()),
        "max": Field(scalar()),
        "maxLength": Field(integer(0)),
        "help": Field(text()),
    }
)

FORM: dict[str, Field] = {
    "formId": Field(text(128, 1), required=True),
    "formVersion": Field(integer(1)),
    "status": Field(one_of({"draft", "submitted", "cancelled", "expired"})),
    "fields": Field(all_of(listed(_form_field, 200), unique("name"))),
    "submitLabel": Field(text(100)),
    "submittedAt": Field(moment()),
}

PARAMETER_SET: dict[str, Field] = {
    "items": Field(
        all_of(
            listed(
                mapping(
                    {
                        "name": Field(text(least=1), required=True),
                        "valueText": Field(text()),
                        "description": Field(text()),
                        "fieldType": Field(text()),
                        "options": Field(listed(_option)),
                        "unit": Field(text()),
                    }
                ),
                500,
            ),
            unique("name"),
        )
    )
}


def _row(value: Any, path: str, within: Mapping[str, Any]) -> str | None:
    columns = within.get("columnNames")
    if not isinstance(value, list) or (isinstance(columns, list) and len(value) != len(columns)):
        return path
    # Not by `listed`: a table has thousands of cells, and the path of none is wanted but the first that is wrong.
    if all(map(is_scalar, value)):
        return None
    return next(f"{path}[{at}]" for at, cell in enumerate(value) if not is_scalar(cell))


def _row_count(value: Any, path: str, within: Mapping[str, Any]) -> str | None:
    rows = within.get("rows")
    least = len(rows) if isinstance(rows, list) else 0
    return None if is_integer(value) and value >= least else path


TABLE: dict[str, Field] = {
    "columnNames": Field(listed(text(), 200), required=True),
    "rows": Field(listed(_row)),
    "totalRowCount": Field(_row_count),
    "maxPreviewRows": Field(integer(1, 500)),
}


def _names(entries: Any) -> set[Any]:
    """Return the names of a list of texts or of mappings with a name; nothing of what is neither."""
    if not isinstance(entries, list):
        return set()
    return {
        entry.get("name") if isinstance(entry, dict) else entry for entry in entries if isinstance(entry, dict | str)
    }


def _mapping_entry(value: Any, path: str, within: Mapping[str, Any]) -> str | None:
    wrong = mapping({"required": Field(text(), required=True), "confidence": Field(number(0, 1))})(value, path, within)
    if wrong is not None:
        return wrong
    if value["required"] not in _names(within.get("requiredColumns")):
        return f"{path}.required"
    column = value.get("column")
    return None if column is None or column in _names(within.get("previewColumns")) else f"{path}.column"


_REQUIRED = mapping({"name": _NAME, "description": Field(text()), "required": Field(boolean())})
_PREVIEW = mapping({"name": _NAME, "samples": Field(listed(scalar(), 10))})

COLUMN_MATCH: dict[str, Field] = {
    "requiredColumns": Field(all_of(listed(either(text(128, 1), _REQUIRED)), unique("name"))),
    "previewColumns": Field(listed(either(text(128, 1), _PREVIEW))),
    "mappings": Field(all_of(listed(_mapping_entry), unique("required"))),
    "status": Field(one_of({"draft", "confirmed", "cancelled"})),
}

WORKFLOW_STATUS: dict[str, Field] = {
    "steps": Field(
        listed(
            mapping(
                {
                    "title": Field(text(), required=True),
                    "id": Field(text()),
                    "status": Field(one_of({"pending", "running", "done", "failed", "skipped"})),
                    "detail": Field(text(4_000)),
                    "startedAt": Field(moment()),
                    "finishedAt": Field(moment()),
                }
            ),
            500,
        )
    ),
    "status": Field(one_of({"pending", "running", "done", "failed", "cancelled"})),
}

TYPES: dict[str, dict[str, Field]] = {
    "Form": FORM,
    "ParameterSet": PARAMETER_SET,
    "Table": TABLE,
    "ColumnMatch": COLUMN_MATCH,
    "WorkflowStatus": WORKFLOW_STATUS,
}
