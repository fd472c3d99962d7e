"""The program's own tools: special messages for the person, dice, this chat, the time. None leaves the program."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from tavern_desktop.cards.envelope import new_id
from tavern_desktop.cards.errors import PayloadError
from tavern_desktop.cards.payload import parse
from tavern_desktop.cards.registry import FormDefinition
from tavern_desktop.cards.yaml_writing import write_payload
from tavern_desktop.chat import facts
from tavern_desktop.storage.inside_chat import search_messages
from tavern_desktop.tools.definition import Tool, ToolContext, ToolResult
from tavern_desktop.tools.workflow import progress, workflow_payload

MOST_DICE, MOST_SIDES, MOST_HITS = 100, 1_000_000, 20
MOST_LOOKED_AT = 200
"""Places that are looked at for those that are not hidden."""

Work = Callable[[dict[str, Any], ToolContext], ToolResult]

_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}
_CELL = {"type": ["string", "number", "boolean", "null"]}


def builtin_tools(forms: Iterable[FormDefinition] = ()) -> list[Tool]:
    """Return the tools that need no server. `forms`: those that can be filled in here."""
    known = {form.form_id: form for form in forms}
    made = [
        _tool(
            "show_table",
            "Show a table",
            "Show the user a table in the conversation. Use it instead of writing a table as text.",
            {"title": _TEXT, "columns": _TEXTS, "rows": {"type": "array", "items": {"type": "array", "items": _CELL}}},
            ("columns", "rows"),
            _table,
        ),
        _tool(
            "show_parameters",
            "Show parameters",
            "Show the user a list of named values, which they can change.",
            {"title": _TEXT, "items": _objects({"name": _TEXT, "value": _TEXT, "unit": _TEXT, "description": _TEXT})},
            ("items",),
            _parameters,
        ),
        _tool(
            "match_columns",
            "Match columns",
            "Ask the user which column of their table stands for each column that is needed.",
            {"title": _TEXT, "needed": _TEXTS, "available": _TEXTS},
            ("needed", "available"),
            _match,
        ),
        _tool(
            "show_workflow",
            "Show a workflow",
            "Show the user the steps of a task, once, before you begin. Tell how far they are with workflow_progress.",
            {"title": _TEXT, "steps": _objects({"title": _TEXT, "status": _STATUS, "detail": _TEXT}, "title")},
            ("steps",),
            _workflow,
        ),
        _tool(
            "workflow_progress",
            "Show a workflow's progress",
            "Change steps of a workflow that the user sees: the newest, or the one that is named by its title.",
            {
                "workflow": _TEXT,
                "steps": _objects({"step": _STEP, "status": _STATUS, "detail": _TEXT}, "step"),
            },
            ("steps",),
            progress,
        ),
        _tool(
            "roll_dice",
            "Roll dice",
            "Roll dice fairly, for example 2d6+1, and get the sum.",
            {"dice": _TEXT},
            ("dice",),
            _dice,
        ),
        _tool(
            "search_chat",
            "Search this chat",
            "Find messages of this conversation, also those that are too old to be in view, by words.",
            {"words": _TEXT},
            ("words",),
            _search,
        ),
        _tool("current_time", "The time", "Get the date and time where the user is.", {}, (), _time),
    ]
    if known:
        listed = "; ".join(f"{form.form_id}: {form.title}" for form in known.values())
        made.append(
            _tool(
                "show_form",
                "Show a form",
                f"Show the user a form to fill in; what they submit comes as their message. Forms: {listed}",
                {"form": {"type": "string", "enum": list(known)}, "values": {"type": "object"}},
                ("form",),
                lambda given, context: _form(known[given["form"]], given),
            )
        )
    return made


def _objects(properties: dict[str, Any], required: str = "name") -> dict[str, Any]:
    return {"type": "array", "items": {"type": "object", "properties": properties, "required": [required]}}


_STEP = {"type": ["string", "integer"], "description": "The title of the step, or its number, the first being 1"}
_STATUS = {"type": "string", "enum": ["pending", "running", "done", "failed", "skipped"]}


def _tool(
    name: str, title: str, description: str, properties: dict[str, Any], required: Iterable[str], work: Work
) -> Tool:
    async def run(given: dict[str, Any], context: ToolContext) -> ToolResult:
        return await asyncio.to_thread(work, given, context)

    parameters = {"type": "object", "properties": properties, "required": list(required)}
    return Tool(name, name, title, description, parameters, run, asks_first=False)


def _shown(payload: dict[str, Any], what: str) -> ToolResult:
    """Return a special message as a result, or what is wrong with it."""
    try:
        yaml = write_payload({"type": payload.pop("type"), "id": new_id(), **payload})
        outcome = parse(yaml)
    except PayloadError as error:
        return ToolResult(error.sentence, is_error=True)
    except ValueError:
        return ToolResult("One of the texts cannot be stored: it has half a character in it.", is_error=True)
    if outcome.path is not None:
        return ToolResult(f"This cannot be shown: there is an error at {outcome.path}.", is_error=True)
    return ToolResult(f"The user sees {what}.", card=yaml)


def _table(given: dict[str, Any], context: ToolContext) -> ToolResult:
    names, rows = given["columns"], given["rows"]
    for number, row in enumerate(rows):
        if len(row) != len(names):
            return ToolResult(
                f"rows[{number}] has {len(row)} cells, but there are {len(names)} columns.", is_error=True
            )
    return _shown({"type": "Table", **_title(given), "columnNames": names, "rows": rows}, "the table now")


def _parameters(given: dict[str, Any], context: ToolContext) -> ToolResult:
    items = [
        {"name": item["name"], "valueText": item.get("value", "")}
        | {name: item[name] for name in ("unit", "description") if item.get(name)}
        for item in given["items"]
    ]
    return _shown({"type": "ParameterSet", **_title(given), "items": items}, "the parameters now")


def _match(given: dict[str, Any], context: ToolContext) -> ToolResult:
    by_name = {name.casefold(): name for name in given["available"]}
    mappings = [{"required": name, "column": by_name.get(name.casefold())} for name in given["needed"]]
    payload = {"requiredColumns": given["needed"], "previewColumns": given["available"], "mappings": mappings}
    return _shown({"type": "ColumnMatch", **_title(given), **payload}, "the columns now and can match them")


def _workflow(given: dict[str, Any], context: ToolContext) -> ToolResult:
    return _shown(workflow_payload(given), "the steps now; tell workflow_progress how far they are")


def _form(form: FormDefinition, given: dict[str, Any]) -> ToolResult:
    """Show a form with what the model has filled in; only a person submits it."""
    values = given.get("values") or {}
    payload = form.payload(new_id())
    kinds = {field.name: field.kind for field in form.fields}
    if unknown := [name for name in values if name not in kinds]:
        return ToolResult(f"The form has no field {unknown[0]}, but: {', '.join(kinds)}.", is_error=True)
    for entry in payload["fields"]:
        if entry["name"] in values and kinds[entry["name"]] != "secret":
            entry["value"] = values[entry["name"]]
    del payload["id"]
    return _shown(payload, "the form now; what they submit comes as their next message")


def _dice(given: dict[str, Any], context: ToolContext) -> ToolResult:
    read = re.fullmatch(r"\s*(\d{0,3})\s*[dD]\s*(\d{1,7})\s*([+-]\s*\d{1,9})?\s*", given["dice"])
    count, sides = (int(read[1] or 1), int(read[2])) if read else (0, 0)
    if read is None or not (1 <= count <= MOST_DICE and 1 <= sides <= MOST_SIDES):
        text = f"Write dice like 2d6+1: up to {MOST_DICE} dice of up to {MOST_SIDES} sides."
        return ToolResult(text, is_error=True)
    rolls = [random.SystemRandom().randint(1, sides) for _ in range(count)]
    more = int(read[3].replace(" ", "")) if read[3] else 0
    told = " + ".join(map(str, rolls)) + (f" {'+' if more >= 0 else '-'} {abs(more)}" if more else "")
    return ToolResult(str(rolls[0]) if told == str(rolls[0]) else f"{told} = {sum(rolls) + more}")


def _search(given: dict[str, Any], context: ToolContext) -> ToolResult:
    if not given["words"].strip():
        return ToolResult("There are no words to look for.", is_error=True)
    found = search_messages(context.messages, given["words"], MOST_LOOKED_AT)
    # What a person hid from models is not told to them on this way either.
    hits = [hit for hit in found if not facts.is_hidden(context.messages[hit.index].seen_data())]
    if not hits:
        return ToolResult("No message has these words.")
    return ToolResult("\n".join(f"#{hit.index} {hit.name}: {hit.snippet}" for hit in hits[:MOST_HITS]))


def _time(given: dict[str, Any], context: ToolContext) -> ToolResult:
    return ToolResult(datetime.now().astimezone().strftime("%A, %d %B %Y, %H:%M (UTC%z)"))


def _title(given: dict[str, Any]) -> dict[str, str]:
    return {"title": given["title"]} if given.get("title") else {}
