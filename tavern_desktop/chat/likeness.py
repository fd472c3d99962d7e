"""When two records with different content may still be one message: keys and texts that an edit leaves alone.

Steps 4 and 5 of the alignment (conversation entry 5.3).
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Hashable, Iterable
from functools import cached_property
from typing import Any

from tavern_desktop.chat import facts, identity, jsontext
from tavern_desktop.chat.content import canonical
from tavern_desktop.chat.matching import Gap, Matching

COMPARED_LENGTH = 1000
"""Characters of a text that are looked at for its likeness to another."""

PIECE = 3
"""Characters in a row that count as one piece of a text."""

SHARE = 0.6
"""Pieces in common, against all, from which texts are similar. Unrelated ones stay below 0.5 in English."""

LARGEST_GAP = 200
"""Records on either side of a gap up to which all pairs in it are compared."""

MOST_COMPARISONS = 4000
"""Comparisons of texts in one alignment: about a quarter of a second."""


_WITH_SECONDS = re.compile(r"\d\d:\d\d:\d\d|m\s?\d\ds")
"""Of the forms of a date those that tell seconds."""


def role(data: dict[str, Any]) -> str:
    """Return the role for comparing: hiding turns an assistant's message into a system's, so these are one."""
    found = facts.role(data)
    return "assistant" if found == "system" else found


def date_key(raw: bytes) -> Hashable:
    """Return who said it and when: an edit of the text keeps both."""
    data = jsontext.decode(raw)
    return role(data), _token(data, "name"), _token(data, "send_date")


def text_key(raw: bytes) -> Hashable | None:
    """Return who said it and what, None without a text: other fields may have changed."""
    data = jsontext.decode(raw)
    text = _text(data)
    return (role(data), _token(data, "name"), text) if text else None


def are_one(one: bytes, other: bytes) -> bool:
    """Say whether two records are one message by themselves, wherever they stand: by id, by date or by their texts.

    Dates of old, which are only as fine as a minute, prove nothing.
    """
    first, second = jsontext.decode(one), jsontext.decode(other)
    if identity.id_of(first) is not None and identity.id_of(first) == identity.id_of(second):
        return True
    date = first.get("send_date")
    if isinstance(date, str) and _WITH_SECONDS.search(date) and date_key(one) == date_key(other):
        return True
    mine, theirs = Texts(one), Texts(other)
    return mine.role == theirs.role and mine.is_like(theirs)


class Texts:
    """The texts of a record, ready to be compared several times."""

    def __init__(self, raw: bytes) -> None:
        data = jsontext.decode(raw)
        self.role = role(data)
        self._text = _text(data)
        swipes = data.get("swipes")
        self._all = {text for text in (swipes if isinstance(swipes, list) else ()) if isinstance(text, str)}
        self._all.add(self._text)
        self._all.discard("")

    @cached_property
    def _pieces(self) -> set[str]:
        text = self._text[:COMPARED_LENGTH]
        return {text[start : start + PIECE] for start in range(max(1, len(text) - PIECE + 1))}

    def is_like(self, other: Texts) -> bool:
        """Say whether a text stands in both (a swiped answer lists the old one) or the shown texts are similar."""
        if not self._all.isdisjoint(other._all):
            return True
        common = len(self._pieces & other._pieces)
        return 2 * common >= SHARE * (len(self._pieces) + len(other._pieces))


class LikenessSearch:
    """Pairs records of one role that stand in the same gap and have a common or similar text (step 5)."""

    def __init__(self, matching: Matching) -> None:
        self._matching = matching
        self._left = MOST_COMPARISONS

    def pair(self) -> None:
        """Make the pairs. After `MOST_COMPARISONS` there are no more, so that the cost is bounded."""
        for gap in self._matching.gaps():
            if self._left and gap.other:
                small = max(map(len, gap)) <= LARGEST_GAP
                (self._pair_in_order if small else self._pair_in_turn)(gap)

    def _pair_in_order(self, gap: Gap) -> None:
        """Give each base record the first other one that is like it, behind the last one taken."""
        candidates = _by_role([(index, Texts(self._matching.other[index])) for index in gap.other])
        last = -1
        for index in gap.base:
            mine = Texts(self._matching.base[index])
            ahead = candidates[mine.role]
            while ahead and ahead[0][0] <= last:
                ahead.popleft()
            partner = next((place for place, theirs in ahead if self._are_one(index, mine, place, theirs)), None)
            if partner is not None:
                self._matching.pair(index, partner)
                last = partner

    def _pair_in_turn(self, gap: Gap) -> None:
        """Compare the k-th record of a role only with the k-th, reading no more than that takes."""
        ahead: defaultdict[str, deque[tuple[int, Texts]]] = defaultdict(deque)
        unread = iter(gap.other)
        for index in gap.base:
            if not self._left:
                return
            mine = Texts(self._matching.base[index])
            while not ahead[mine.role] and (place := next(unread, None)) is not None:
                theirs = Texts(self._matching.other[place])
                ahead[theirs.role].append((place, theirs))
            if ahead[mine.role]:
                partner, theirs = ahead[mine.role].popleft()
                if self._are_one(index, mine, partner, theirs):
                    self._matching.pair(index, partner)

    def _are_one(self, index: int, mine: Texts, partner: int, theirs: Texts) -> bool:
        if not self._left or not self._matching.may_pair(index, partner):
            return False
        self._left -= 1
        return mine.is_like(theirs)


def _by_role(records: Iterable[tuple[int, Texts]]) -> defaultdict[str, deque[tuple[int, Texts]]]:
    grouped: defaultdict[str, deque[tuple[int, Texts]]] = defaultdict(deque)
    for place, texts in records:
        grouped[texts.role].append((place, texts))
    return grouped


def _text(data: dict[str, Any]) -> str:
    value = data.get(facts.TEXT_FIELD)
    return value if isinstance(value, str) else ""


def _token(data: dict[str, Any], name: str) -> Hashable:
    """Return a field as something to compare type-strictly; a missing one is a value of its own."""
    if name not in data:
        return None
    value = data[name]
    return value if isinstance(value, str) else canonical(value)
