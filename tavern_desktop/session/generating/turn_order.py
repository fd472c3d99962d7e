"""Who speaks in a group, by the order it is set to (SillyTavern's rules, chat files §13.2). Chance is passed in."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal

Strategy = Literal["natural", "list", "manual", "pooled"]

STRATEGIES: tuple[Strategy, ...] = ("natural", "list", "manual", "pooled")
"""In the order of the numbers that a group's record has for them."""

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody of a group. `talkativeness`: from 0 to 1, how likely they speak up of themselves."""

    card: str
    name: str
    talkativeness: float = 0.5
    is_muted: bool = False


@dataclass(frozen=True, slots=True)
class Moment:
    """Where the conversation is. `text` was said last, `by_user` or by somebody else.

    `spoken` are the cards of those who have spoken since the user did, `last` is that of who spoke last.
    """

    text: str = ""
    by_user: bool = False
    last: str = ""
    spoken: frozenset[str] = frozenset()


def due(
    members: Sequence[Member], strategy: Strategy, moment: Moment, chance: Random, *, answers_itself: bool = False
) -> list[Member]:
    """Return who speaks now, in order; nobody where the person has to say so. Muted members never speak of themselves.

    `answers_itself`: who spoke last may speak again.
    """
    able = [member for member in members if not member.is_muted]
    if not able:
        return []
    if strategy == "list":
        return able
    if strategy == "manual":
        return [] if moment.by_user else [chance.choice(able)]
    if strategy == "pooled":
        return [_from_pool(able, moment, chance)]
    return _natural(able, moment, chance, answers_itself=answers_itself)


def _from_pool(able: Sequence[Member], moment: Moment, chance: Random) -> Member:
    fresh = [member for member in able if member.card not in moment.spoken]
    others = [member for member in able if member.card != moment.last]
    return chance.choice(fresh or others or list(able))


def _natural(able: Sequence[Member], moment: Moment, chance: Random, *, answers_itself: bool) -> list[Member]:
    barred = "" if answers_itself or moment.by_user else moment.last
    may = [member for member in able if not barred or member.card != barred]
    if not may:
        return list(able[:1])  # a group of one goes on by itself when it is asked to
    found = _named(may, moment.text)
    for member in chance.sample(may, len(may)):
        if member not in found and chance.random() < member.talkativeness:
            found.append(member)
    if not found:
        found.append(chance.choice([member for member in may if member.talkativeness > 0] or may))
    return found


def _named(members: Sequence[Member], text: str) -> list[Member]:
    """Return the members whose name has a word that occurs in a text, in the order of the text's words."""
    names = [(member, _words(member.name)) for member in members]
    found: list[Member] = []
    for word in _WORD.findall(text.casefold()):
        found += [member for member, own in names if word in own and member not in found]
    return found


def _words(name: str) -> Collection[str]:
    return frozenset(_WORD.findall(name.casefold()))
