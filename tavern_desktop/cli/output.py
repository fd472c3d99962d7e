"""Text for people and JSON for machines on the standard streams."""

from __future__ import annotations

import io
import re
import sys
from datetime import UTC, datetime
from typing import Any

from tavern_desktop.chat import jsontext

_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_LINE_BREAK = re.compile(r"\r\n|[\r\n\u2028\u2029]")


def prepare_streams() -> None:
    """Let both streams take any text: chats are in every language, file names may not even be text."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def say(line: str) -> None:
    """Print one line for people. Control characters cannot reach the terminal."""
    print(visible(line))


def say_lines(text: str) -> None:
    """Print several lines for people, each as `say` does."""
    for line in text.split("\n"):
        say(line)


def say_json(value: dict[str, Any]) -> None:
    """Print one object on one line."""
    print(json_line(value))


def complain(line: str) -> None:
    """Print one line for people on the error stream."""
    print(visible(line), file=sys.stderr)


def complain_json(value: dict[str, Any]) -> None:
    """Print one object on one line of the error stream."""
    print(json_line(value), file=sys.stderr)


def json_line(value: dict[str, Any]) -> str:
    """Return compact JSON; what is not text (file names of unknown encoding) is escaped."""
    return jsontext.encode(value).decode("utf-8")


def one_line(text: str) -> str:
    """Return a text with its line breaks as marks."""
    return _LINE_BREAK.sub(" ⏎ ", text)


def shortened(text: str, limit: int) -> str:
    """Return the beginning of a text, on one line."""
    line = one_line(text[: limit * 2]).strip()
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def visible(text: str) -> str:
    """Return `text` with control characters as symbols, so that a chat cannot command a terminal."""
    return _CONTROLS.sub(_symbol, text)


def visible_lines(text: str) -> str:
    """Return `text` as `visible` does, its line breaks kept."""
    return "\n".join(map(visible, _LINE_BREAK.split(text)))


def iso_date(milliseconds: int | None) -> str | None:
    """Return a moment since 1970 as ISO 8601 in UTC, None for one that no calendar has."""
    moment = _moment(milliseconds)
    return None if moment is None else moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def local_date(milliseconds: int | None) -> str:
    """Return a moment as people here read it, "" for none."""
    moment = _moment(milliseconds)
    return "" if moment is None else moment.astimezone().strftime("%Y-%m-%d %H:%M")


def size_text(size: int) -> str:
    """Return a number of bytes for people."""
    amount = float(size)
    for unit in ("B", "KB", "MB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} GB"


def _moment(milliseconds: int | None) -> datetime | None:
    if milliseconds is None:
        return None
    try:
        return datetime.fromtimestamp(milliseconds / 1000, UTC)
    except (OverflowError, ValueError, OSError):
        return None


def _symbol(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code == 9:
        return " "
    return chr(0x2400 + code) if code < 0x20 else "␡" if code == 0x7F else "�"
