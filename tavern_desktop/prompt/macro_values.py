"""What macros stand for that depend on the chat, the clock, chance or variables (prompt §8)."""

from __future__ import annotations

import json
import random
import re
import zlib
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from tavern_desktop.prompt.macro_text import Call

_DICE = re.compile(r"(?:(\d{0,3})d)?(\d{1,6})\s*([+-]\s*\d{1,6})?", re.IGNORECASE)
_OFFSET = re.compile(r"time_utc([+-]\d{1,2})")
_COMMA = re.compile(r"(?<!\\),")

_MOMENT = {
    "YYYY": "%Y", "YY": "%y", "MMMM": "%B", "MMM": "%b", "MM": "%m", "DD": "%d", "dddd": "%A", "ddd": "%a",
    "HH": "%H", "hh": "%I", "mm": "%M", "ss": "%S", "A": "%p",
}  # fmt: skip
_MOMENT_WORD = re.compile("|".join(sorted(_MOMENT, key=len, reverse=True)) + r"|\[([^\]]*)\]|[DMHh](?![A-Za-z])")

MOST_DICE = 100


class MacroValues:
    """Macros with arguments. Everything is worked out from what is given here, so the same gives the same."""

    def __init__(self, now: datetime, seed: int, variables: Mapping[str, Any] | None = None) -> None:
        """`now` is local time; `variables` are the chat's own, which a prompt may change for itself only."""
        self._now = now
        self._seed = seed
        self._variables = dict(variables or {})
        self._by_name: dict[str, Callable[[Call], str | None]] = {
            "newline": lambda call: "\n" * _count(call),
            "space": lambda call: " " * _count(call),
            "noop": lambda call: "",
            "reverse": lambda call: _argument(call)[::-1],
            "time": self._time,
            "date": lambda call: f"{now:%B} {now.day}, {now.year}",
            "weekday": lambda call: f"{now:%A}",
            "isotime": lambda call: f"{now:%H:%M}",
            "isodate": lambda call: f"{now:%Y-%m-%d}",
            "datetimeformat": lambda call: _formatted(now, _argument(call)),
            "random": lambda call: self._one_of(call, self._chance(call)),
            "pick": lambda call: self._one_of(call, random.Random(zlib.crc32(call.text.encode("utf-8", "replace")))),
            "roll": self._roll,
            "setvar": self._set,
            "addvar": self._add,
            "getvar": lambda call: _told(self._variables.get(_argument(call), "")),
            "hasvar": lambda call: "true" if _argument(call) in self._variables else "false",
            "deletevar": self._delete,
            "incvar": lambda call: self._step(call, 1),
            "decvar": lambda call: self._step(call, -1),
        }

    def __call__(self, call: Call) -> str | None:
        """Return what a macro stands for, None for one that is not known."""
        known = self._by_name.get(call.name)
        if known is not None:
            return known(call)
        offset = _OFFSET.fullmatch(call.name)
        if offset is not None:
            return _clock(datetime.now(UTC) if self._now.tzinfo is None else self._now.astimezone(UTC), int(offset[1]))
        return None

    # -- clock and chance -------------------------------------------------------------------------------------

    def _time(self, call: Call) -> str:
        zone = re.fullmatch(r"UTC([+-]\d{1,2})", _argument(call), re.IGNORECASE)
        if zone is None or self._now.tzinfo is None:
            return _clock(self._now, 0)
        return _clock(self._now.astimezone(UTC), int(zone[1]))

    def _chance(self, call: Call) -> random.Random:
        """Return a source for this very place, so that two dice in one text fall differently and each time alike."""
        return random.Random(zlib.crc32(f"{self._seed} {call.place} {call.text}".encode("utf-8", "replace")))

    def _one_of(self, call: Call, chance: random.Random) -> str:
        choices = list(call.arguments)
        if len(choices) == 1:
            choices = [part.replace("\\,", ",").strip() for part in _COMMA.split(choices[0])]
        return chance.choice(choices) if choices else ""

    def _roll(self, call: Call) -> str:
        dice = _DICE.fullmatch(_argument(call))
        if dice is None or int(dice[2]) < 1:
            return ""
        count = min(int(dice[1] or 1), MOST_DICE)
        chance = self._chance(call)
        total = sum(chance.randint(1, int(dice[2])) for _ in range(count))
        return str(total + int((dice[3] or "0").replace(" ", "")))

    # -- variables --------------------------------------------------------------------------------------------

    def _set(self, call: Call) -> str:
        name, value = _pair(call)
        self._variables[name] = value
        return ""

    def _add(self, call: Call) -> str:
        name, value = _pair(call)
        self._variables[name] = _sum(self._variables.get(name, ""), value)
        return ""

    def _step(self, call: Call, by: int) -> str:
        name = _argument(call)
        self._variables[name] = _sum(self._variables.get(name, "0"), str(by))
        return _told(self._variables[name])

    def _delete(self, call: Call) -> str:
        self._variables.pop(_argument(call), None)
        return ""


def _argument(call: Call) -> str:
    return call.arguments[0] if call.arguments else ""


def _count(call: Call) -> int:
    text = _argument(call)
    return min(int(text), 1000) if text.isdecimal() and len(text) < 6 else 1


def _pair(call: Call) -> tuple[str, str]:
    name, *rest = call.arguments or ("",)
    return name, "::".join(rest)


def _clock(moment: datetime, hours: int) -> str:
    moment += timedelta(hours=hours)
    return f"{moment.hour % 12 or 12}:{moment:%M %p}"


def _formatted(moment: datetime, pattern: str) -> str:
    """Return a moment in moment.js's letters."""

    def word(match: re.Match[str]) -> str:
        if match[1] is not None:
            return match[1]
        short = {"D": moment.day, "M": moment.month, "H": moment.hour, "h": moment.hour % 12 or 12}
        return str(short[match[0]]) if match[0] in short else moment.strftime(_MOMENT[match[0]])

    return _MOMENT_WORD.sub(word, pattern)


def _told(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return f"{value:g}" if isinstance(value, float) else str(value)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else ""


def _sum(one: Any, other: str) -> Any:
    """Add numbers as numbers, everything else as texts; a list gets one more entry."""
    if isinstance(one, list):
        return [*one, other]
    try:
        total = float(_told(one) or 0) + float(other)
    except ValueError:
        return _told(one) + other
    return int(total) if total.is_integer() else total
