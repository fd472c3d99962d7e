"""Which entries of lorebooks go into a prompt, step by step as SillyTavern decides it (cards and lore §B5, §B7).

Deterministic: the same texts, settings and random source give the same entries.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from tavern_desktop.prompt.lore import AND_ALL, AND_ANY, LoreEntry
from tavern_desktop.prompt.lore_matching import START, Match, Matcher
from tavern_desktop.prompt.lore_timed import COOLDOWN, STICKY, Timed
from tavern_desktop.prompt.macros import Macros
from tavern_desktop.prompt.tokens import TokenCounter

State = Literal["initial", "recursion", "widening"]


@dataclass(frozen=True, slots=True)
class LoreSettings:
    """The settings of world info that hold for all books (§B2)."""

    depth: int = 2
    budget_percent: float = 25
    budget_cap: int = 0
    is_recursive: bool = False
    most_passes: int = 0
    min_activations: int = 0
    widest: int = 0
    case_sensitive: bool = False
    whole_words: bool = False
    uses_scoring: bool = False


@dataclass(frozen=True, slots=True)
class Occasion:
    """What an activation looks at. `texts` are the chat's messages, newest first, as they are searched.

    `extra` are other texts by the names in `lore.EXTRA_TEXTS`; `injected` is seen by every entry. `room` is how many
    tokens prompt may have, `trigger` what kind of generation it is, `character` the speaker's card without ending.
    """

    texts: Sequence[str]
    macros: Macros
    room: int
    trigger: str = "normal"
    character: str = ""
    tags: frozenset[str] = frozenset()
    extra: Mapping[str, str] = field(default_factory=dict)
    injected: str = ""
    numbers: Sequence[int] = ()
    """The numbers of the messages in the chat, beside `texts`."""
    timed: Timed = field(default_factory=Timed)
    """Which entries stay or rest, and how many messages the chat has for prompts; `texts` may be only the newest."""


@dataclass(frozen=True, slots=True)
class Active:
    """An entry that goes into the prompt, its text with macros filled in, and why."""

    entry: LoreEntry
    text: str
    tokens: int
    reason: str


@dataclass(frozen=True, slots=True)
class Passed:
    """An entry that was found, but does not go into the prompt."""

    entry: LoreEntry
    reason: str


def activate(
    candidates: Sequence[LoreEntry],
    occasion: Occasion,
    settings: LoreSettings,
    counter: TokenCounter,
    chance: random.Random,
) -> tuple[list[Active], list[Passed]]:
    """Return the entries that go into the prompt, and those that were found but do not, with the reasons."""
    return _Activation(candidates, occasion, settings, counter, chance).run()


class _Found(NamedTuple):
    """An entry whose turn has come, with its place among the candidates."""

    at: int
    entry: LoreEntry
    match: Match | None
    reason: str


class _Activation:
    """One activation under way."""

    def __init__(
        self,
        candidates: Sequence[LoreEntry],
        occasion: Occasion,
        settings: LoreSettings,
        counter: TokenCounter,
        chance: random.Random,
    ) -> None:
        self._candidates = [entry for entry in candidates if self._may_ever(entry, occasion)]
        self._occasion = occasion
        self._settings = settings
        self._counter = counter
        self._chance = chance
        self._matcher = Matcher(occasion.macros, settings.case_sensitive, settings.whole_words)
        self._active: dict[int, Active] = {}
        self._passed: dict[int, Passed] = {}
        self._recursion: list[str] = []
        self._spent = 0
        self._overflowed = False
        self._wider = 0
        self._budget = _budget(occasion.room, settings)
        self._levels = sorted({entry.delay_level for entry in self._candidates if entry.delay_level})
        self._scans: dict[int, str] = {}

    def run(self) -> tuple[list[Active], list[Passed]]:
        state: State | None = "initial"
        passes = 0
        while state is not None and not (0 < self._settings.most_passes <= passes):
            passes += 1
            state = self._next_state(state, self._pass(state))
        return list(self._active.values()), list(self._passed.values())

    # -- a pass -----------------------------------------------------------------------------------------------

    def _pass(self, state: State) -> list[LoreEntry]:
        """Go through all that is left once; return what became active and may find more."""
        found: list[_Found] = []
        for at, entry in enumerate(self._candidates):
            if at not in self._active and at not in self._passed:
                verdict = self._look_at(entry, state)
                if verdict is not None:
                    found.append(_Found(at, entry, *verdict))
        found.sort(key=lambda item: not self._stays(item.entry))
        kept = self._one_of_each_group(found)
        fresh: list[LoreEntry] = []
        texts: list[str] = []
        spent = 0
        for item in kept:
            active = self._take(item, spent)
            if active is not None:
                spent += active.tokens
                if not item.entry.prevents_recursion:
                    fresh.append(item.entry)
                    texts.append(active.text)
        self._spent += spent
        self._recursion += texts
        return fresh

    def _look_at(self, entry: LoreEntry, state: State) -> tuple[Match | None, str] | None:
        """Return how an entry is found in this pass, None if it is not."""
        stays = self._occasion.timed.left(entry, STICKY)
        if not stays and not self._may_now(entry, state):
            return None
        if entry.decorator == "dont_activate":
            return None
        if entry.decorator == "activate":
            return None, "its own text asks for it"
        if entry.is_constant:
            return None, "always"
        if stays:
            return None, f"it was found before and stays for {stays} more"
        if not entry.keys:
            return None
        match = self._matcher.match(entry, self._scan(entry, state))
        return None if match is None else (match, self._where(entry, match))

    def _may_now(self, entry: LoreEntry, state: State) -> bool:
        """Say whether an entry that does not stay from before may be found in this pass."""
        if self._occasion.timed.left(entry, COOLDOWN):
            return False
        if entry.delay_level and (state != "recursion" or entry.delay_level > self._level):
            return False
        return not (state == "recursion" and self._settings.is_recursive and entry.excludes_recursion)

    @property
    def _level(self) -> int:
        return self._levels[0] if self._levels else 0

    def _scan(self, entry: LoreEntry, state: State) -> str:
        """Return the text in which an entry's keys are looked for."""
        depth = self._settings.depth + self._wider if entry.scan_depth is None else entry.scan_depth
        if depth <= 0:
            return ""
        own = self._scans.get(depth)
        if own is None:
            own = self._scans[depth] = "\n".join(START + text for text in self._occasion.texts[:depth])
        parts = [own]
        parts += [self._occasion.extra[name] for name in sorted(entry.extra_texts) if self._occasion.extra.get(name)]
        parts += [self._occasion.injected] if self._occasion.injected else []
        if state != "widening":
            parts += self._recursion
        return parts[0] if len(parts) == 1 else "\n".join(parts)

    def _where(self, entry: LoreEntry, match: Match) -> str:
        """Say which key was found and how far from the end of the chat."""
        key = match.keys[0]
        alone = Matcher(self._occasion.macros, self._settings.case_sensitive, self._settings.whole_words)
        for number, text in zip(self._occasion.numbers, self._occasion.texts, strict=False):
            for found in match.keys:
                if alone.has(entry, found, START + text):
                    return f"“{found}” stands in #{number}"
        return f"“{key}” stands in another entry or text"

    # -- what stays -------------------------------------------------------------------------------------------

    def _one_of_each_group(self, found: list[_Found]) -> list[_Found]:
        """Let one entry win in each inclusion group (§B7)."""
        left = list(found)
        for name in dict.fromkeys(group for item in found for group in item.entry.groups):
            rivals = [item for item in left if name in item.entry.groups]
            losers = self._losers(name, rivals)
            for item in rivals:
                if item.at in losers:
                    self._pass_over(item, f"another entry of its group “{name}” goes")
            left = [item for item in left if item not in rivals or item.at not in losers]
        return left

    def _losers(self, name: str, rivals: list[_Found]) -> set[int]:
        """Return the places of those that do not go."""
        if any(self._stays(item.entry) for item in rivals):
            return {item.at for item in rivals if not self._stays(item.entry)}
        scores = {item.at: _score(item.entry, item.match) for item in rivals}
        best = max(scores.values(), default=0)
        out = {item.at for item in rivals if self._scores(item.entry) and scores[item.at] < best}
        rest = [item for item in rivals if item.at not in out]
        if any(name in active.entry.groups for active in self._active.values()):
            return out | {item.at for item in rest}
        if len(rest) < 2:
            return out
        chosen = [item for item in rest if item.entry.group_override]
        winner = max(chosen, key=lambda item: item.entry.order) if chosen else self._weighted(rest)
        return out | {item.at for item in rest if item is not winner}

    def _stays(self, entry: LoreEntry) -> bool:
        return self._occasion.timed.left(entry, STICKY) > 0

    def _scores(self, entry: LoreEntry) -> bool:
        return self._settings.uses_scoring if entry.uses_scoring is None else entry.uses_scoring

    def _weighted(self, items: list[_Found]) -> _Found:
        total = sum(max(item.entry.group_weight, 0) for item in items)
        mark = self._chance.random() * total
        for item in items:
            mark -= max(item.entry.group_weight, 0)
            if mark <= 0:
                return item
        return items[-1]

    def _take(self, item: _Found, spent: int) -> Active | None:
        """Let an entry that was found go into the prompt; return what goes, None if it does not."""
        entry = item.entry
        if self._overflowed and not entry.ignores_budget:
            self._pass_over(item, "the budget for lore is used up")
            return None
        if entry.probability < 100 and not self._stays(entry) and self._chance.random() * 100 > entry.probability:
            self._pass_over(item, f"its chance of {entry.probability:g} % did not come")
            return None
        text = self._occasion.macros.fill(entry.content)
        tokens = self._counter.count(text)
        if not entry.ignores_budget and self._spent + spent + tokens >= self._budget:
            self._overflowed = True
            self._pass_over(item, "the budget for lore is used up")
            return None
        active = self._active[item.at] = Active(entry, text, tokens, item.reason)
        return active

    def _pass_over(self, item: _Found, reason: str) -> None:
        self._passed[item.at] = Passed(item.entry, reason)

    # -- going on ---------------------------------------------------------------------------------------------

    def _next_state(self, state: State, fresh: list[LoreEntry]) -> State | None:
        if self._settings.is_recursive and not self._overflowed and fresh:
            return "recursion"
        if state == "widening" and self._recursion:
            return "recursion"
        if self._may_widen():
            self._wider += 1
            return "widening"
        if len(self._levels) > 1:
            del self._levels[0]
            return "recursion"
        return None

    def _may_widen(self) -> bool:
        settings = self._settings
        depth = settings.depth + self._wider
        if len(self._active) >= settings.min_activations or self._overflowed:
            return False
        return depth < len(self._occasion.texts) and (not settings.widest or depth < settings.widest)

    @staticmethod
    def _may_ever(entry: LoreEntry, occasion: Occasion) -> bool:
        if entry.is_disabled or (entry.triggers and occasion.trigger not in entry.triggers):
            return False
        if entry.delay and max(len(occasion.texts), occasion.timed.count) < entry.delay:
            return False
        if entry.filter_names and (occasion.character in entry.filter_names) is entry.filter_excludes:
            return False
        return not (entry.filter_tags and bool(occasion.tags & set(entry.filter_tags)) is entry.filter_excludes)


def _budget(room: int, settings: LoreSettings) -> int:
    budget = max(1, round(settings.budget_percent * room / 100))
    return min(budget, settings.budget_cap) if settings.budget_cap else budget


def _score(entry: LoreEntry, match: Match | None) -> int:
    if match is None:
        return 0
    counts = entry.logic == AND_ANY or (entry.logic == AND_ALL and match.secondary == len(entry.secondary))
    return len(match.keys) + (match.secondary if counts else 0)
