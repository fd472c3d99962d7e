"""Adapters for special messages: their payloads and the phrases that stand for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tavern_desktop.cards import payload
from tavern_desktop.cards.errors import PayloadError
from tavern_desktop.cards.phrase import phrase
from tavern_desktop.cards.yaml_reading import read_payload
from tavern_desktop.storage.errors import StorageError

Args = dict[str, Any]


def card_parse(path: Path, args: Args) -> dict[str, Any]:
    pad = args.get("pad")
    text = args["yaml"].replace("@PAD@", pad["char"] * pad["count"]) if pad else args["yaml"]
    try:
        outcome = payload.parse(text)
    except PayloadError as error:
        raise StorageError("card", error.detail) from None
    found = {"type": outcome.type, "id": outcome.id, "state": outcome.state}
    found |= {"unknown_fields": list(outcome.unknown_fields)}
    found |= {"reason": outcome.reason} if outcome.reason else {}
    return found | ({"path": outcome.path} if outcome.path else {})


def card_scalar(path: Path, args: Args) -> dict[str, Any]:
    return {"value": read_payload(f"key: {args['yaml_scalar']}\n")["key"]}


def card_prompt(path: Path, args: Args) -> dict[str, Any]:
    return {"text": phrase(args["payload"])}


CARD_ADAPTERS = {"card_parse": card_parse, "card_scalar": card_scalar, "card_prompt": card_prompt}
