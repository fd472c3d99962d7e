"""Whether what a model passes to a tool is what the tool takes: the part of JSON schema that models get wrong.

A server checks again what it is sent; this is for sentences that a model understands, before anything runs.
"""

from __future__ import annotations

import json
from typing import Any

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}
DEEPEST = 40


class BadArguments(ValueError):
    """The arguments of a call cannot be used; the text is for the model, and for people."""


def read_arguments(text: str, schema: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call. Raises BadArguments."""
    try:
        given = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError):
        raise BadArguments("The arguments are not valid JSON.") from None
    if not isinstance(given, dict):
        raise BadArguments("The arguments are not a JSON object.")
    wrong = problem_of(given, schema)
    if wrong:
        raise BadArguments(wrong)
    return given


def problem_of(value: Any, schema: Any, path: str = "", depth: int = 0) -> str:
    """Return what is wrong with a value, "" where nothing is that we look at."""
    if not isinstance(schema, dict) or depth > DEEPEST:
        return ""
    where = path or "The arguments"
    types = schema.get("type")
    wanted = [types] if isinstance(types, str) else types if isinstance(types, list) else []
    if wanted and not any(_is_of(value, each) for each in wanted):
        return f"{where} must be {' or '.join(map(str, wanted))}."
    choices = schema.get("enum")
    if isinstance(choices, list) and value not in choices:
        return f"{where} must be one of {', '.join(map(str, choices[:20]))}."
    if isinstance(value, dict):
        return _problem_of_object(value, schema, path, depth)
    if isinstance(value, list):
        return _first(
            problem_of(item, schema.get("items"), f"{path}[{at}]", depth + 1) for at, item in enumerate(value)
        )
    return ""


def _problem_of_object(value: dict[str, Any], schema: dict[str, Any], path: str, depth: int) -> str:
    required = schema.get("required")
    for name in required if isinstance(required, list) else ():
        if name not in value:
            return f"{_below(path, name)} is missing."
    properties = schema.get("properties")
    known = properties if isinstance(properties, dict) else {}
    if schema.get("additionalProperties") is False and (unknown := [name for name in value if name not in known]):
        return f"{_below(path, unknown[0])} is not known."
    return _first(
        problem_of(value[name], each, _below(path, name), depth + 1) for name, each in known.items() if name in value
    )


def _first(problems: Any) -> str:
    return next(filter(None, problems), "")


def _is_of(value: Any, name: Any) -> bool:
    if isinstance(value, bool):
        return bool(name == "boolean")
    if name == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES.get(name, (object,)))


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else str(name)
