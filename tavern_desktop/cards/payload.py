"""What a payload turns out to be: whole, with an error in it, of an unknown kind, or unreadable (contract cards §5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from tavern_desktop.cards.checks import Field, check_fields, is_integer
from tavern_desktop.cards.errors import PayloadError
from tavern_desktop.cards.schemas import COMMON, SUPPORTED, TYPE, TYPES
from tavern_desktop.cards.yaml_reading import Payload, read_payload

State = Literal["full", "degraded", "placeholder"]
Reason = Literal["field", "unknown_type", "newer_schema"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """A payload that could be read.

    full: valid; degraded: the field at `path` is not, the rest may be shown; placeholder: its type or schema is not
    known here, and nothing in it is judged. `unknown_fields` are kept and named.
    """

    type: str
    id: str
    state: State
    payload: Payload
    reason: Reason | None = None
    path: str | None = None
    unknown_fields: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The title, "" where there is none."""
        title = self.payload.get("title")
        return title if isinstance(title, str) else ""


def parse(text: str) -> Outcome:
    """Return what a payload is. Raises PayloadError where it cannot be read."""
    return judge(read_payload(text))


def judge(payload: Payload) -> Outcome:
    """Return what a payload is that was read already. Raises PayloadError missing_type, missing_id."""
    kind, own_id = payload.get("type"), payload.get("id")
    if not isinstance(kind, str) or TYPE.fullmatch(kind) is None:
        raise PayloadError("missing_type")
    if not isinstance(own_id, str) or not 1 <= len(own_id) <= 128:
        raise PayloadError("missing_id")
    fields = TYPES.get(kind)
    if fields is None:
        return Outcome(kind, own_id, "placeholder", payload, "unknown_type")
    schema = payload.get("schema")
    if isinstance(schema, int) and is_integer(schema) and schema > SUPPORTED:
        return Outcome(kind, own_id, "placeholder", payload, "newer_schema")
    return _of_known_type(kind, own_id, payload, fields)


def _of_known_type(kind: str, own_id: str, payload: Payload, fields: dict[str, Field]) -> Outcome:
    known = COMMON | fields
    unknown = tuple(name for name in payload if name not in known)
    wrong = check_fields(payload, known)
    if wrong is None and kind == "Form" and payload.get("status") == "submitted" and not payload.get("submittedAt"):
        wrong = "submittedAt"
    state: State = "full" if wrong is None else "degraded"
    return Outcome(kind, own_id, state, payload, None if wrong is None else "field", wrong, unknown)


def workflow_status(payload: Payload) -> str:
    """Return the status of a workflow: its own, else what its steps add up to."""
    own = payload.get("status")
    if isinstance(own, str):
        return own
    steps: list[Any] = payload.get("steps") or []
    states = [step.get("status") or "pending" for step in steps if isinstance(step, dict)]
    for status in ("failed", "running"):
        if status in states:
            return status
    return "done" if states and all(status in ("done", "skipped") for status in states) else "pending"
