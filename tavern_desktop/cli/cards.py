"""Commands about special messages: what a payload is, and putting one into a chat."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from tavern_desktop.cards.errors import PayloadError
from tavern_desktop.cards.payload import Outcome, parse
from tavern_desktop.cards.yaml_reading import MOST_BYTES
from tavern_desktop.cli import output
from tavern_desktop.cli.changes import carry_out
from tavern_desktop.cli.context import Context
from tavern_desktop.session.changes import InsertCard
from tavern_desktop.storage.errors import StorageError, from_os

VALID, NOT_VALID = 0, 1
STANDARD_INPUT = "-"


def check_card(context: Context) -> int:
    """Print what a payload is; done only where it is valid."""
    text = _payload_text(context.args.yaml)
    try:
        outcome = parse(text)
    except PayloadError as error:
        facts: dict[str, Any] = {"state": "error", "type": None, "id": None, "reason": error.detail, "path": None}
        said, code = error.sentence, NOT_VALID
    else:
        facts = {name: getattr(outcome, name) for name in ("state", "type", "id", "reason", "path")}
        said, code = _sentence(outcome), VALID if outcome.state == "full" else NOT_VALID
    if context.json:
        output.say_json(facts)
    else:
        output.say(f"{context.args.yaml}: {said}")
    return code


def insert_card(context: Context) -> int:
    """Put a payload as a special message at the end of a chat."""
    return carry_out(context, InsertCard(_payload_text(context.args.yaml)))


def _sentence(outcome: Outcome) -> str:
    if outcome.reason == "unknown_type":
        return f"There is no type {outcome.type}."
    if outcome.reason == "newer_schema":
        return "This schema is newer than this program knows."
    if outcome.reason == "field":
        return f"The payload has an error at {outcome.path}."
    named = f" “{outcome.title}”" if outcome.title else ""
    return f"ok, {outcome.type}{named} with the id {outcome.id}"


def _payload_text(word: str) -> str:
    """Return a payload's text, no more of it than is needed to see that it is too much.

    Raises StorageError for a file that cannot be read, encoding/utf8 for one that is no text.
    """
    if word == STANDARD_INPUT:
        data = sys.stdin.buffer.read(MOST_BYTES + 1)
    else:
        path = Path(word).absolute()
        try:
            with path.open("rb") as file:
                data = file.read(MOST_BYTES + 1)
        except OSError as error:
            raise from_os(error, "read", path) from None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        if len(data) > MOST_BYTES:  # cut within a letter
            return data.decode("utf-8", "replace")
        raise StorageError("validation", "argument", f"{word} is no UTF-8 text") from None
