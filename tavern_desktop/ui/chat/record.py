"""What a row shows of a message: read once, when it comes into sight."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from tavern_desktop.chat import facts, jsontext, links
from tavern_desktop.chat.dates import parse_date
from tavern_desktop.chat.facts import Kind, Media
from tavern_desktop.session.generating.reply import stopped_by

if TYPE_CHECKING:
    from tavern_desktop.cards.envelope import Card

_NAME_MACRO = re.compile(r"\{\{\s*(user|char)\s*\}\}|<(USER|BOT|CHAR)>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Names:
    """Who `{{user}}` and `{{char}}` are."""

    user: str = "You"
    char: str = ""


NOBODY = Names()


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool and what came back."""

    title: str
    arguments: str
    result: str


@dataclass(frozen=True)
class RowRecord:
    """The facts of one row. `index` is the absolute message index, None in a preview that does not know it."""

    key: int
    raw: bytes
    index: int | None
    kind: Kind
    name: str
    text: str
    """The text as shown: a translation if there is one, macros filled in where that is due."""
    time: datetime | None
    """Local time."""
    hidden: bool
    swipe_count: int
    swipe: int
    """0-based."""
    may_swipe: bool
    reasoning: str
    reasoning_ms: int | None
    media: tuple[Media, ...]
    files: tuple[str, ...]
    shows_text: bool
    """False where attached media stand for the text."""
    calls: tuple[ToolCall, ...]
    stopped: str
    """Who stopped it before it was whole: "user", "error" or "closing"; "" for a whole one."""
    bookmark: str
    """The name of the checkpoint made here, "" for none."""
    data: dict[str, Any] = field(repr=False, compare=False)
    """The decoded record; read, never changed."""
    special: Card | None = None
    """What a special message is; `text` is then what it says besides."""

    @property
    def day(self) -> date | None:
        return self.time.date() if self.time else None

    @property
    def is_compact(self) -> bool:
        """Whether it shows as one line that unfolds."""
        return self.kind == "tool" or bool(self.calls and not self.text.strip())


def read_record(raw: bytes, key: int, index: int | None, names: Names) -> RowRecord:
    """Return the facts of a record. Any record that loaded is acceptable."""
    data = jsontext.decode(raw)
    more = facts.extra(data)
    swipes = facts.swipes(data)
    special = _special(data)
    text = facts.shown_text(data) if special is None else special.caption
    media = tuple(facts.media(data))
    return RowRecord(
        key=key,
        raw=raw,
        index=index,
        kind=facts.kind(data),
        name=facts.name(data),
        # Only the greeting is stored with its macros (sillytavern-ui §1); elsewhere they are what somebody wrote.
        text=fill_in_names(text, names) if index == 0 else text,
        time=local_time(facts.send_date_ms(data)),
        hidden=facts.is_hidden(data) and special is None,
        swipe_count=len(swipes),
        swipe=swipes.current,
        may_swipe=facts.may_swipe(data),
        reasoning=facts.reasoning(data),
        reasoning_ms=_number(more.get("reasoning_duration")),
        media=media,
        files=tuple(_file_names(more)),
        shows_text=not (media and more.get("inline_image") is False),
        calls=tuple(_calls(data, more)),
        stopped=stopped_by(data),
        bookmark=links.bookmark_of(data),
        data=data,
        special=special,
    )


def _special(data: dict[str, Any]) -> Card | None:
    """Return what a special message is. The reader of YAML is loaded with the first one."""
    if facts.envelope(data) is None:
        return None
    from tavern_desktop.cards.envelope import read_card

    return read_card(data)


def fill_in_names(text: str, names: Names) -> str:
    """Resolve `{{user}}` and `{{char}}` and their old forms."""

    def name(match: re.Match[str]) -> str:
        return names.user if (match.group(1) or match.group(2)).lower() == "user" else names.char

    return _NAME_MACRO.sub(name, text)


def day_of(raw: bytes) -> date | None:
    """Return the local day of a record that need not be on screen."""
    time = local_time(facts.send_date_ms(jsontext.decode(raw)))
    return time.date() if time else None


def tokens_per_second(data: dict[str, Any]) -> float | None:
    """Return how fast a model wrote a message, from its first token on; None where the record does not tell.

    One that went on later does not: its tokens are those of all parts, its times those of the last.
    """
    more = facts.extra(data)
    tokens, waited = _number(more.get("token_count")), _number(more.get("time_to_first_token"))
    began, ended = parse_date(data.get("gen_started")), parse_date(data.get("gen_finished"))
    if tokens is None or waited is None or began is None or ended is None or ended - began <= waited:
        return None
    return tokens * 1000 / (ended - began - waited)


def local_time(milliseconds: int | None) -> datetime | None:
    """Return a time zone's idea of a moment, None for what no calendar holds."""
    if milliseconds is None:
        return None
    try:
        return datetime.fromtimestamp(milliseconds / 1000)
    except (OverflowError, OSError, ValueError):
        return None


def _number(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e12:
        return None
    return int(value)


def _file_names(more: dict[str, Any]) -> list[str]:
    files = more.get("files")
    found = files if isinstance(files, list) else [more.get("file")]
    return [item["name"] for item in found if isinstance(item, dict) and isinstance(item.get("name"), str)]


def _calls(data: dict[str, Any], more: dict[str, Any]) -> list[ToolCall]:
    """Read the tool calls of either form (chat files §6, §8)."""
    if data.get("role") == "tool":
        return [ToolCall(facts.name(data) or "tool", "", facts.text(data))]
    invocations = more.get("tool_invocations")
    if isinstance(invocations, list):
        return [_invocation(item) for item in invocations if isinstance(item, dict)]
    calls = data.get("tool_calls")
    functions = [item.get("function") for item in calls if isinstance(item, dict)] if isinstance(calls, list) else []
    return [
        ToolCall(_text(item.get("name")) or "tool", _text(item.get("arguments")), "")
        for item in functions
        if isinstance(item, dict)
    ]


def _invocation(item: dict[str, Any]) -> ToolCall:
    title = _text(item.get("displayName")) or _text(item.get("name")) or "tool"
    return ToolCall(title, _text(item.get("parameters")), _text(item.get("error") or item.get("result")))


def _text(value: object) -> str:
    if value is None or value == "":
        return ""
    return value if isinstance(value, str) else jsontext.encode({"": value}).decode()[4:-1]
