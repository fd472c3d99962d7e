"""Reading and searching in one chat that is in memory, for scripts and tools (storage contract §14.2).

Pure functions over its messages: nothing here reads a file, changes a chat or moves a view.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tavern_desktop.chat import facts
from tavern_desktop.chat.facts import Record, Role
from tavern_desktop.chat.message import Message
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.fragments import Fragment
from tavern_desktop.storage.pages import require_limit
from tavern_desktop.storage.search import snippet_of

SCAN_LIMIT = 2000
"""Messages that `find_last` looks at unless told otherwise."""

HEAVIEST = 8
"""Characters from which on a longer word counts no more."""

_EAST_ASIAN = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_WORDS = re.compile(rf"([{_EAST_ASIAN}]+)|[^\s{_EAST_ASIAN}]+")


@dataclass(frozen=True, slots=True)
class MessageText:
    """What a script reads of a message. `send_date` is as recorded, whatever its form; "" where there is none."""

    index: int
    role: Role
    name: str
    send_date: str
    text: str


@dataclass(frozen=True, slots=True)
class Match:
    """A message that holds at least one of the words looked for; a `score` of 1 means all of them."""

    index: int
    score: float
    role: Role
    name: str
    snippet: str


def read(messages: Sequence[Message], indices: Iterable[int]) -> list[MessageText]:
    """Return these messages in the order asked for. Raises validation/argument for an index that is none."""
    found = []
    for index in indices:
        if type(index) is not int or not 0 <= index < len(messages):
            raise StorageError("validation", "argument", f"There is no message {index}", index=_number(index))
        found.append(_text_of(index, messages[index].seen_data()))
    return found


def find_last(
    messages: Sequence[Message],
    *,
    role: Role | None = None,
    has_keys: Iterable[str] = (),
    has_extra_keys: Iterable[str] = (),
    scan_limit: int = SCAN_LIMIT,
) -> MessageText | None:
    """Return the newest message of a role that has all these fields, and these in `extra`; None if there is none.

    Only the newest `scan_limit` messages are looked at. Raises validation/limit.
    """
    require_limit(scan_limit)
    wanted, wanted_extra = frozenset(has_keys), frozenset(has_extra_keys)
    for index in range(len(messages) - 1, max(len(messages) - 1 - scan_limit, -1), -1):
        data = messages[index].seen_data()
        is_of_role = role is None or facts.role(data) == role
        if is_of_role and wanted <= data.keys() and wanted_extra <= facts.extra(data).keys():
            return _text_of(index, data)
    return None


def search_messages(
    messages: Sequence[Message],
    query: str,
    limit: int,
    *,
    role: Role | None = None,
    start: int = 0,
    end: int | None = None,
    scan_limit: int | None = None,
) -> list[Match]:
    """Return the messages between `start` and `end` (not included) that hold words of the query, the best first.

    The score is the weight of the words found by that of all; of equal ones the later message comes first. Only the
    newest `scan_limit` messages of the range are looked at. Raises validation/argument for a query without words,
    validation/limit.
    """
    require_limit(limit)
    if scan_limit is not None:
        require_limit(scan_limit)
    fragments = [Fragment(word) for word in words(query)]
    if not fragments:
        raise StorageError("validation", "argument", "There is nothing to search for")
    last = len(messages) if end is None else min(end, len(messages))
    first = max(start, 0 if scan_limit is None else last - scan_limit, 0)
    matches = [_match(index, messages[index], fragments, role) for index in range(first, last)]
    found = sorted(filter(None, matches), key=lambda match: (-match.score, -match.index))
    return found[:limit]


def words(query: str) -> list[str]:
    """Return the words of a query, each once, without the punctuation around them.

    Where words are not set apart, as in Japanese, every two neighbouring characters stand for one.
    """
    found: list[str] = []
    for match in _WORDS.finditer(unicodedata.normalize("NFC", query)):
        word = match[0]
        if match[1] and len(word) > 2:
            found += [word[at : at + 2] for at in range(len(word) - 1)]
        else:
            found.append(_without_punctuation(word))
    return list(dict.fromkeys(filter(None, found)))


def _match(index: int, message: Message, fragments: list[Fragment], role: Role | None) -> Match | None:
    prepared = message.seen.lower()
    if not any(fragment.may_be_in(prepared) for fragment in fragments):
        return None
    data = message.seen_data()
    text = facts.text(data)
    found = [fragment for fragment in fragments if fragment.find(text) is not None]
    if not found or (role is not None and facts.role(data) != role):
        return None
    score = sum(map(_weight, found)) / sum(map(_weight, fragments))
    return Match(index, score, facts.role(data), facts.name(data), snippet_of(text, found)[0])


def _weight(fragment: Fragment) -> int:
    return min(HEAVIEST, len(fragment.text))


def _without_punctuation(word: str) -> str:
    inner = [at for at, character in enumerate(word) if not unicodedata.category(character).startswith("P")]
    return word[inner[0] : inner[-1] + 1] if inner else ""


def _text_of(index: int, data: Record) -> MessageText:
    date = data.get("send_date")
    send_date = date if isinstance(date, str) else "" if date is None else str(date)
    return MessageText(index, facts.role(data), facts.name(data), send_date, facts.text(data))


def _number(value: object) -> int | None:
    return value if type(value) is int else None
