"""The tools that show a workflow and how far it is: one special message, which changes as the work goes on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from tavern_desktop.cards.envelope import Card, read_card
from tavern_desktop.chat.message import Message
from tavern_desktop.tools.definition import CardChange, ToolContext, ToolResult

LOOKED_AT = 2_000
"""Newest messages among which a workflow is looked for."""

_MARK = b"WorkflowStatus"
_BEGUN, _ENDED = frozenset({"running", "done", "failed"}), frozenset({"done", "failed", "skipped"})


def workflow_payload(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the payload of a workflow as a model describes it, without its id."""
    title = {"title": given["title"]} if given.get("title") else {}
    return {"type": "WorkflowStatus", **title, "steps": [_with_times({}, step) for step in given["steps"]]}


def progress(given: Mapping[str, Any], context: ToolContext) -> ToolResult:
    """Change steps of a workflow that stands in the chat: the named one, else the newest."""
    wanted = str(given.get("workflow") or "")
    card = _workflow(context.messages, wanted)
    if card is None:
        named = f" called “{wanted}”" if wanted else ""
        return ToolResult(f"There is no workflow{named} in this chat. Show one first.", is_error=True)
    steps = _steps(card.payload)
    for change in given["steps"]:
        if _place(steps, change["step"]) is None:
            titles = "; ".join(str(step.get("title")) for step in steps)
            return ToolResult(f"There is no step “{change['step']}”. There are: {titles}", is_error=True)
    changes = tuple(dict(change) for change in given["steps"])
    return ToolResult(
        "The user sees it now.", change=CardChange(card.id, lambda payload: with_progress(payload, changes))
    )


def with_progress(payload: dict[str, Any], changes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the payload of a workflow with steps changed; a step that is not there is left out."""
    steps = list(payload.get("steps") or ())
    for change in changes:
        at = _place(steps, change["step"])
        if at is not None:
            steps[at] = _with_times(steps[at], {name: change[name] for name in ("status", "detail") if name in change})
    return payload | {"steps": steps}


def _with_times(step: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """Return a step as it is changed, with when it began and ended."""
    now = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    changed, status = {**step, **change}, change.get("status")
    if status in _BEGUN and status != "skipped":
        changed.setdefault("startedAt", now)
    if status in _ENDED:
        changed["finishedAt"] = now
    elif status is not None:
        changed.pop("finishedAt", None)  # it runs again
    return changed


def _workflow(messages: Sequence[Message], title: str) -> Card | None:
    """Return the newest workflow of this title, of any title with ""; only one that is understood whole."""
    for message in reversed(messages[-LOOKED_AT:]):
        if _MARK in message.seen:
            card = read_card(message.seen_data())
            is_whole = card is not None and card.type == "WorkflowStatus" and card.state == "full"
            if card is not None and is_whole and (not title or card.title.casefold() == title.strip().casefold()):
                return card
    return None


def _place(steps: Sequence[Mapping[str, Any]], step: Any) -> int | None:
    """Return where a step stands that is named by its title, or by its number from 1."""
    word = str(step).strip().casefold()
    for at, each in enumerate(steps):
        if str(each.get("title", "")).strip().casefold() == word:
            return at
    return int(word) - 1 if word.isascii() and word.isdigit() and 1 <= int(word) <= len(steps) else None


def _steps(payload: Mapping[str, Any]) -> list[dict[str, Any]]:
    found = payload.get("steps")
    return found if isinstance(found, list) else []
