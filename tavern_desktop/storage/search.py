"""Search in a chat file by scanning its bytes (storage contract §10.4). Runs on any thread, loads nothing whole.

Only lines that may hold something wanted are decoded, and only what a person has read or written counts as a hit;
a chat that matches in other values alone, such as a model's name, gives the first place of each word. A *raw*
query is the contract's own: the lines as they stand, keys and metadata too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from tavern_desktop.chat import facts, jsontext
from tavern_desktop.chat.jsontext import JsonTextError
from tavern_desktop.chat.searched import Place, all_strings, header_texts, message_texts
from tavern_desktop.storage import format as chat_format
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.format import BLANK, BOM, ChatKind
from tavern_desktop.storage.fragments import Fragment
from tavern_desktop.storage.names import SUFFIX
from tavern_desktop.storage.reader import BLOCK_SIZE, SIZE_LIMIT, Cancelled, blocks, opened

TITLE, RECORD = "title", "record"
"""Fields beside those of `chat.searched`: the file's name, and a line that is searched as it stands."""

SNIPPET, BEFORE = 200, 40
"""Characters of a snippet, and of those at most so many before the first hit."""
_NAMES = re.compile(rb'"name":"[^"\\]*"')
_LEAD_BLOCK = 16 * 1024
_WORDS = re.compile(r'"([^"]*[^"\s][^"]*)"(?!\S)|(\S+)')
_CONTROLS = re.compile("[\x00-\x1f\x7f\x85\u2028\u2029]")


class Query:
    """What is looked for: words that must all occur in a chat, in any order; "words in quotes" as they stand.

    `raw` splits at whitespace alone, knows no quotes and takes the lines as they stand.
    """

    def __init__(self, text: str, *, exact_case: bool = False, raw: bool = False) -> None:
        words = text.split() if raw else [_phrase(found) for found in _WORDS.finditer(text)]
        self.raw = raw
        made = (Fragment(word, exact_case=exact_case, escapes=not raw) for word in dict.fromkeys(words))
        self.fragments = sorted(made, key=lambda fragment: -fragment.rarity)
        self._lowers = any(fragment.needs_lowering for fragment in self.fragments)

    def prepare(self, data: bytes) -> bytes:
        """Return bytes as fragments want them."""
        return data.lower() if self._lowers else data


@dataclass(frozen=True, slots=True)
class Hit:
    """A text that holds what was looked for.

    `index` is the message's number from 0, None for the header and the title. `swipe` counts from 1, of `swipes`;
    0 where the text belongs to none. `marks` are (start, end) in `snippet`, which is one line. `found` is the first
    thing found, as it is written there.
    """

    file: str
    index: int | None
    field: str
    swipe: int
    swipes: int
    hidden: bool
    name: str
    snippet: str
    marks: tuple[tuple[int, int], ...]
    found: str


def search_file(
    path: Path,
    query: Query,
    *,
    kind: ChatKind = "character",
    cancelled: Cancelled | None = None,
    advanced: Callable[[int], object] | None = None,
) -> Iterator[Hit]:
    """Yield the hits in a chat in the order of the file, if every fragment occurs in its stem or in some record.

    `advanced` is told how many bytes have been read. Raises StorageError as reading does; for a first line that is
    no header only at the end, after the hits.
    """
    stem = path.name.removesuffix(SUFFIX)
    wanted = [fragment for fragment in query.fragments if fragment.find(stem) is None]
    if not query.fragments:
        return
    if not wanted:
        yield _hit(path, None, {}, Place(TITLE, 0, stem), query.fragments)
        wanted = query.fragments
    try:
        with opened(path, SIZE_LIMIT) as (file, signature):
            lead, problem = _read_lead(file, signature.size, path, kind)
            scan = _Scan(path, file, query, wanted, lead)
            yield from scan.run(blocks(file, signature.size, BLOCK_SIZE, path, cancelled), advanced)
        if problem is not None:
            raise problem
    except StorageError as error:
        raise error.with_facts(chat_ref=path) from None


@dataclass(slots=True)
class _Lead:
    """Where numbering begins, and whether record 0 is a header."""

    start: int
    has_header: bool


def _read_lead(file: BinaryIO, size: int, path: Path, kind: ChatKind) -> tuple[_Lead, StorageError | None]:
    try:
        lead = chat_format.read_lead(blocks(file, size, _LEAD_BLOCK, path), kind)
        found, problem = _Lead(max(lead.line_start, 0), lead.header is not None), None
    except StorageError as error:
        if error.kind not in ("bad_header", "bad_encoding"):
            raise
        found, problem = _Lead(0, kind == "character"), error
    file.seek(0)
    return found, problem


class _Scan:
    """One pass over a file."""

    def __init__(self, path: Path, file: BinaryIO, query: Query, wanted: list[Fragment], lead: _Lead) -> None:
        self._path = path
        self._file = file
        self._query = query
        self._wanted = wanted
        self._lead = lead
        self._places: dict[Fragment, Hit] = {}
        self._lesser: dict[Fragment, Hit] = {}
        self._has_hits = False
        self._records: int | None = None  # before the part in hand; not counted until somebody asks
        self._offset = 0

    def run(self, blocks_read: Iterable[bytes], advanced: Callable[[int], object] | None) -> Iterator[Hit]:
        """Yield hits as they are found; at the end, where no text holds all fragments, the first place of each."""
        for data, start, end in _whole_lines(blocks_read):
            yield from self._look(data, start, end)
            if self._records is not None:
                self._records += self._count(data, start, end, self._offset)
            self._offset += end - start
            if advanced is not None:
                advanced(self._offset)
        if not self._has_hits:
            yield from self._first_places()

    def _look(self, data: bytes, start: int, end: int) -> Iterator[Hit]:
        prepared = self._query.prepare(data)
        first, *others = self._wanted
        counted, number = start, 0
        for line_start, line_end in first.lines(prepared, start, end):
            line = prepared[line_start:line_end] if others or first in self._lesser else b""
            if first in self._lesser and not first.may_be_in(_NAMES.sub(b"", line)):
                continue  # nothing more than that is in the speaker's name
            if all(other.may_be_in(line) for other in others) or first not in self._places:
                number += self._count(data, counted, line_start, self._offset + counted - start)
                counted = line_start
                yield from self._judge(data[line_start:line_end], self._number() + number, self._wanted)
        for other in others:
            if other not in self._places and not self._has_hits:
                self._find_place(other, data, prepared, start, end)

    def _find_place(self, fragment: Fragment, data: bytes, prepared: bytes, start: int, end: int) -> None:
        for line_start, line_end in fragment.lines(prepared, start, end):
            number = self._number() + self._count(data, start, line_start, self._offset)
            for hit in self._judge(data[line_start:line_end], number, [fragment]):
                self._places[fragment] = hit
                return

    def _judge(self, line: bytes, record: int, wanted: list[Fragment]) -> Iterator[Hit]:
        """Yield the texts of a record that hold all of `wanted`; note where single fragments stand."""
        index = record - self._lead.has_header
        data, places = self._texts(line, index)
        numbered = index if index >= 0 else None
        for place in places:
            found = [fragment for fragment in wanted if fragment.find(place.text) is not None]
            if len(found) == len(wanted):
                if wanted is self._wanted:
                    self._has_hits = True
                yield _hit(self._path, numbered, data, place, wanted)
            for fragment in found:
                if fragment not in self._places:
                    self._places[fragment] = _hit(self._path, numbered, data, place, [fragment])
        if not self._has_hits:
            self._note_lesser(data, numbered)

    def _texts(self, line: bytes, index: int) -> tuple[dict[str, Any], Iterable[Place]]:
        raw = line.strip(BLANK)
        if not self._query.raw:
            try:
                data = jsontext.decode(raw.removeprefix(BOM))
            except JsonTextError:
                pass
            else:
                return data, header_texts(data) if index < 0 else message_texts(data)
        return {}, [Place(RECORD, 0, raw.decode("utf-8", "replace"))]

    def _note_lesser(self, data: dict[str, Any], index: int | None) -> None:
        """Note what occurs in other values of a record, such as the speaker's name."""
        missing = [one for one in self._wanted if one not in self._places and one not in self._lesser]
        if not missing:
            return
        for place in all_strings(data):
            for fragment in missing:
                if fragment.find(place.text) is not None:
                    self._lesser.setdefault(fragment, _hit(self._path, index, data, place, [fragment]))

    def _first_places(self) -> Iterator[Hit]:
        found = self._lesser | self._places
        if len(found) < len(self._wanted):
            return
        hits: dict[tuple[int | None, str, int], Hit] = {}
        for hit in sorted(found.values(), key=lambda hit: -1 if hit.index is None else hit.index):
            hits.setdefault((hit.index, hit.field, hit.swipe), hit)
        yield from hits.values()

    # -- numbering --------------------------------------------------------------------------------------

    def _number(self) -> int:
        """Return the number of the first record of the part in hand, reading what lies before it once."""
        if self._records is None:
            here = self._file.tell()
            self._file.seek(0)
            before = blocks(self._file, self._offset, BLOCK_SIZE, self._path)
            offset = self._records = 0
            for data, first, end in _whole_lines(before):
                self._records += self._count(data, first, end, offset)
                offset += end - first
            self._file.seek(here)
        return self._records

    def _count(self, data: bytes, start: int, end: int, offset: int) -> int:
        """Return how many records stand in some lines; what lies before record 0 is none."""
        start = max(start, start + self._lead.start - offset)
        if start >= end:
            return 0
        return sum(1 for line in data[start:end].split(b"\n") if line.strip(BLANK))


def _whole_lines(blocks_read: Iterable[bytes]) -> Iterator[tuple[bytes, int, int]]:
    """Yield (data, start, end): pieces of the file that begin and end at line borders, none left out."""
    rest: list[bytes] = []
    for block in blocks_read:
        first = block.find(b"\n") + 1
        if not first:
            rest.append(block)
            continue
        seam = b"".join((*rest, block[:first]))
        yield seam, 0, len(seam)
        last = block.rfind(b"\n") + 1
        if last > first:
            yield block, first, last
        rest = [block[last:]]
    if any(rest):
        seam = b"".join(rest)
        yield seam, 0, len(seam)


def _hit(path: Path, index: int | None, data: dict[str, Any], place: Place, wanted: list[Fragment]) -> Hit:
    snippet, marks = snippet_of(place.text, wanted)
    is_message = index is not None and bool(data)
    spans = [span for fragment in wanted if (span := fragment.find(place.text)) is not None]
    start, end = min(spans)
    return Hit(
        str(path),
        index,
        place.field,
        place.swipe,
        len(facts.swipes(data)) if is_message else 0,
        is_message and facts.is_hidden(data),
        facts.name(data) if is_message else "",
        snippet,
        marks,
        place.text[start:end],
    )


def snippet_of(text: str, wanted: list[Fragment]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Return one line of `text` around the first hit, … where it is cut, and where the hits stand in it."""
    first = min((span[0] for one in wanted if (span := one.find(text)) is not None), default=0)
    start = max(0, first - BEFORE)
    if start:
        start = text.find(" ", start, first) + 1 or start
    cut = text[start : start + SNIPPET]
    ellipsis = "…" if start else ""
    tail = "…" if start + SNIPPET < len(text) else ""
    marks = sorted({span for one in wanted for span in one.find_all(cut)})
    shown = _CONTROLS.sub(" ", f"{ellipsis}{cut}{tail}")
    return shown, tuple((begin + len(ellipsis), end + len(ellipsis)) for begin, end in marks)


def _phrase(found: re.Match[str]) -> str:
    phrase, word = found.groups()
    return " ".join(phrase.split()) if phrase is not None else word
