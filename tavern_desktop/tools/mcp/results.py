"""What a tool of a server gave back, as text within limits and pictures."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

MOST_TEXT = 200_000
"""Characters of a result. No model reads more, and a chat that holds more of them becomes slow everywhere."""
MOST_PICTURES = 8
MOST_PICTURE_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that a tool made; `kind` is its MIME type."""

    data: bytes
    kind: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What a call gave. With `is_error` the text says what went wrong, for the model to see."""

    text: str
    is_error: bool = False
    pictures: tuple[Picture, ...] = ()


def answer_of(result: Any) -> Answer:
    """Return the protocol's `CallToolResult` as an answer. What is no text is named, so that nothing is lost unseen."""
    pictures: list[Picture] = []
    texts = [_text(block, pictures) for block in result.content]
    texts = [text for text in texts if text]
    # Servers repeat what is structured as text; where they do not, it is all there is.
    if result.structured_content is not None and not texts:
        texts.append(json.dumps(result.structured_content, ensure_ascii=False))
    return Answer(_joined(texts), bool(result.is_error), tuple(pictures))


def _joined(texts: Iterable[str]) -> str:
    whole = "\n".join(texts).encode("utf-8", "replace").decode("utf-8")
    if len(whole) <= MOST_TEXT:
        return whole
    return f"{whole[:MOST_TEXT]}\n[{len(whole) - MOST_TEXT:,} more characters were left out.]"


def _text(block: Any, pictures: list[Picture]) -> str:
    match block.type:
        case "text":
            return str(block.text)
        case "image":
            return _picture(block, pictures)
        case "audio":
            return f"[A sound, {block.mime_type}, was left out.]"
        case "resource_link":
            return f"[{block.title or block.name}: {block.uri}]"
        case "resource":
            inside = block.resource
            return str(inside.text) if hasattr(inside, "text") else f"[A file, {inside.uri}, was left out.]"
        case _:
            return f"[Something of the kind “{block.type}” was left out.]"


def _picture(block: Any, pictures: list[Picture]) -> str:
    if len(block.data) > MOST_PICTURE_BYTES * 4 // 3 or len(pictures) == MOST_PICTURES:
        return f"[A picture, {block.mime_type}, was left out: too large, or one too many.]"
    try:
        data = base64.b64decode(block.data, validate=True)
    except (binascii.Error, ValueError):
        return f"[A picture, {block.mime_type}, was damaged and left out.]"
    pictures.append(Picture(data, str(block.mime_type)))
    return f"[A picture, {block.mime_type}.]"
