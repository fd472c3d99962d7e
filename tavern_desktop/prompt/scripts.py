"""Regex scripts: what a person has replaced in texts before they are sent (prompt §7).

Only those that are for prompts count here; what they replace is not stored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tavern_desktop.chat.facts import index_of
from tavern_desktop.prompt.js_regex import compiled, split_regex
from tavern_desktop.prompt.macros import Macros

USER_INPUT, MODEL_OUTPUT, LORE, REASONING = 1, 2, 5, 6
"""Placements."""

NO_MACROS, RAW, ESCAPED = range(3)
"""What `substituteRegex` does with macros in a pattern."""

_GROUP = re.compile(r"\$(?:(\d{1,2})|<(\w+)>)|\{\{match\}\}", re.IGNORECASE)
_MACRO = re.compile(r"\{\{[^{}]*\}\}")


@dataclass(frozen=True, slots=True)
class Script:
    """One script. `least` and `most` are depths counted from the newest message, None for any."""

    name: str
    find: str
    replace: str
    placements: frozenset[int]
    trims: tuple[str, ...] = ()
    substitute: int = NO_MACROS
    least: int | None = None
    most: int | None = None

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Script | None:
        """Return a script that works on prompts, None for one that is off, for display or for stored texts only."""
        if data.get("disabled") or not data.get("promptOnly") or not isinstance(data.get("findRegex"), str):
            return None
        placements = data.get("placement")
        trims = data.get("trimStrings")
        least, most = index_of(data.get("minDepth")), index_of(data.get("maxDepth"))
        return cls(
            data["scriptName"] if isinstance(data.get("scriptName"), str) else "",
            data["findRegex"],
            data["replaceString"] if isinstance(data.get("replaceString"), str) else "",
            frozenset(placements if isinstance(placements, list) else ()),
            tuple(trim for trim in trims if isinstance(trim, str)) if isinstance(trims, list) else (),
            index_of(data.get("substituteRegex")) or NO_MACROS,
            least if least is not None and least >= -1 else None,
            most if most is not None and most >= 0 else None,
        )

    def applies(self, placement: int, depth: int) -> bool:
        """Say whether the script is for texts of this kind at this depth."""
        deep_enough = self.least is None or depth >= self.least
        return placement in self.placements and deep_enough and (self.most is None or depth <= self.most)

    def apply(self, text: str, macros: Macros) -> str:
        """Return the text with what the pattern finds replaced; without the flag `g` only the first."""
        expression, is_global = self._pattern(macros)
        if expression is None:
            return text
        trims = [macros.fill(trim) for trim in self.trims if trim]

        def replaced(match: re.Match[str]) -> str:
            return macros.fill(_GROUP.sub(lambda group: _trimmed(_group(match, group), trims), self.replace))

        return expression.sub(replaced, text, count=0 if is_global else 1)

    def _pattern(self, macros: Macros) -> tuple[re.Pattern[str] | None, bool]:
        find = self.find
        if self.substitute == RAW:
            find = macros.fill(find)
        elif self.substitute == ESCAPED:
            find = _MACRO.sub(lambda macro: re.escape(macros.fill(macro[0])), find)
        split = split_regex(find)
        if split is None:
            return compiled(find, ""), False
        return compiled(*split), "g" in split[1]


def prompt_scripts(
    settings: Mapping[str, Any], card: Mapping[str, Any], avatar: str, of_preset: Sequence[Script] = ()
) -> list[Script]:
    """Return the scripts for prompts in the order in which they run: all chats' first, the preset's, then the card's.

    A card's scripts run only where the person allowed it for this card (`avatar`, its file's name).
    """
    extensions = _object(settings.get("extension_settings"))
    found = _scripts(extensions.get("regex"))
    found += of_preset
    allowed = extensions.get("character_allowed_regex")
    if isinstance(allowed, list) and avatar in allowed:
        found += _scripts(_object(card.get("extensions")).get("regex_scripts"))
    return found


def preset_scripts(settings: Mapping[str, Any], extensions: object, api: str, name: str) -> list[Script]:
    """Return the scripts for prompts that a preset brings, [] where the person has not allowed them.

    `extensions` are the preset's, `api` is what SillyTavern calls the kind of server.
    """
    allowed = _object(_object(settings.get("extension_settings")).get("preset_allowed_regex")).get(api)
    if not isinstance(allowed, list) or name not in allowed:
        return []
    return _scripts(_object(extensions).get("regex_scripts"))


def scripted(text: str, scripts: Sequence[Script], placement: int, depth: int, macros: Macros) -> str:
    """Return a text as it is sent."""
    for script in scripts:
        if script.applies(placement, depth):
            text = script.apply(text, macros)
    return text


def _scripts(entries: object) -> list[Script]:
    listed: Iterable[object] = entries if isinstance(entries, list) else ()
    read = (Script.of(entry) for entry in listed if isinstance(entry, dict))
    return [script for script in read if script is not None]


def _group(match: re.Match[str], group: re.Match[str]) -> str:
    """Return what a `$1`, `$<name>` or `{{match}}` stands for; a group that is not there is nothing."""
    try:
        return match.group(int(group[1])) or "" if group[1] else (match.group(group[2]) or "" if group[2] else match[0])
    except IndexError:
        return ""


def _trimmed(text: str, trims: Sequence[str]) -> str:
    for trim in trims:
        text = text.replace(trim, "")
    return text


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
