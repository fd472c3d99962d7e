"""The short phrase that stands for a special message in prompts, and for programs that do not know it (contract §6.2).

English and with the system role wherever it goes (decision D12). Never anything of a payload but its title and a count.
"""

from __future__ import annotations

import re
from typing import Any

LONGEST_TITLE = 80
UNREADABLE = "[Card]"

_FORM = {"draft": "shown", "submitted": "submitted", "cancelled": "cancelled", "expired": "expired"}
_BRACES = re.compile(r"\{{2,}|\}{2,}")


def phrase(payload: dict[str, Any] | None) -> str:
    """Return the phrase for a payload, None for one that cannot be read."""
    if payload is None:
        return UNREADABLE
    kind = payload.get("type")
    if kind == "Form":
        return _titled(f"Form {_FORM.get(str(payload.get('status') or 'draft'), 'shown')}", payload)
    if kind == "ParameterSet":
        return _titled("Parameters shown", payload)
    if kind == "Table":
        return _table(payload)
    if kind == "ColumnMatch":
        return _titled("Column matching shown", payload)
    if kind == "WorkflowStatus":
        return _titled("Workflow", payload)
    return f"[Card: {kind}]"


def clean_title(value: object) -> str:
    """Return a title that can neither form a macro nor end the phrase."""
    title = value if isinstance(value, str) else ""
    title = " ".join(title.split()).replace("[", "(").replace("]", ")")
    title = _BRACES.sub(lambda run: run[0][0], title).strip()
    return title if len(title) <= LONGEST_TITLE else title[: LONGEST_TITLE - 1] + "…"


def _titled(what: str, payload: dict[str, Any], more: str = "") -> str:
    title = clean_title(payload.get("title"))
    said = f"{what}: {title}" if title else what
    return f"[{said}{more}]"


def _table(payload: dict[str, Any]) -> str:
    count = payload.get("totalRowCount")
    if not isinstance(count, int) or isinstance(count, bool):
        rows = payload.get("rows")
        count = len(rows) if isinstance(rows, list) else 0
    return _titled("Table shown", payload, f", {count} row" if count == 1 else f", {count} rows")
