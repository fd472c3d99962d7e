"""Tables from CSV files: read whatever program wrote them, kept as far as a payload may be large."""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tavern_desktop.cards.errors import PayloadError
from tavern_desktop.cards.yaml_reading import MOST_BYTES, MOST_NODES, Payload, plain_value
from tavern_desktop.cards.yaml_writing import write_payload

MOST_COLUMNS = 200
MOST_CELL = 4_000
"""Characters of a cell that are kept."""
SNIFFED = 20_000
SAMPLES = 3
ENDINGS = (".csv", ".tsv")

_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,17})(\.[0-9]+)?")
"""What is kept as a number: nothing that loses a zero or a sign by it, as article numbers and telephones would."""
_FORBIDDEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff]")


class NoTable(Exception):
    """A file is no table; the text is a sentence for people."""


@dataclass(frozen=True, slots=True)
class CsvTable:
    """What a CSV file says: the names of the columns, and all its rows, each as long as the names."""

    names: tuple[str, ...]
    rows: list[list[Any]]


def read_csv(data: bytes) -> CsvTable:
    """Return the table of a CSV file: UTF-8 or Latin letters, any usual separator, the first line the names.

    Raises NoTable.
    """
    text = _FORBIDDEN.sub("", _text(data))
    lines = csv.reader(io.StringIO(text), _dialect(text[:SNIFFED]))
    try:
        found = [line for line in lines if line]
    except csv.Error:
        raise NoTable("This is no CSV file.") from None
    if not found:
        raise NoTable("This CSV file is empty.")
    width = max(len(found[0]), 1)
    if width > MOST_COLUMNS:
        raise NoTable(f"This CSV file has more than {MOST_COLUMNS} columns.")
    names = tuple(name.strip()[:MOST_CELL] or f"Column {at + 1}" for at, name in enumerate(found[0]))
    return CsvTable(names, [_row(line, width) for line in found[1:]])


def table_payload(table: CsvTable, title: str, own_id: str) -> Payload:
    """Return the payload that shows a table: as many of its rows as may be in one, and how many there are."""
    payload: Payload = {"type": "Table", "id": own_id, "title": title[:500], "columnNames": list(table.names)}
    most = (MOST_NODES - len(table.names) - 50) // (len(table.names) + 1)
    kept = len(list(itertools.takewhile(lambda size: size < MOST_BYTES * 9 // 10, _sizes(table.rows[:most]))))
    while True:
        made = payload | {"rows": table.rows[:kept], "totalRowCount": len(table.rows)}
        try:
            write_payload(made)
        except PayloadError as error:
            if error.detail != "too_large" or not kept:
                raise
            kept = kept * 3 // 4
        else:
            return made


def match_payload(table: CsvTable, wanted: Sequence[Payload], title: str, own_id: str) -> Payload:
    """Return the payload that matches the columns of a table with those that are `wanted`.

    What has the same name, but for case, blanks and signs, is matched already.
    """
    names = list(dict.fromkeys(table.names))
    by_name = {_key(name): name for name in reversed(names)}
    found = []
    for name in names:
        at = table.names.index(name)
        found.append({"name": name[:128], "samples": [row[at] for row in table.rows[:SAMPLES]]})
    mappings = []
    for column in wanted:
        same = by_name.get(_key(column["name"]))
        mappings.append({"required": column["name"], "column": same[:128] if same else None})
        if same:
            mappings[-1]["confidence"] = 1 if same == column["name"] else 0.9
    payload: Payload = {"type": "ColumnMatch", "id": own_id, "title": title[:500]}
    payload |= {"requiredColumns": [dict(column) for column in wanted], "previewColumns": found, "mappings": mappings}
    return payload | {"status": "draft"}


def _sizes(rows: Sequence[Sequence[Any]]) -> itertools.accumulate[int]:
    """Return how many bytes the rows take in a payload, at the most, up to each of them."""
    return itertools.accumulate(5 + sum(10 + 2 * len(str(cell).encode()) for cell in row) for row in rows)


def _text(data: bytes) -> str:
    for encoding in ("utf-8-sig", "utf-16") if data[:2] in (b"\xff\xfe", b"\xfe\xff") else ("utf-8-sig",):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("cp1252", "replace")


def _dialect(start: str) -> type[csv.Dialect]:
    try:
        return csv.Sniffer().sniff(start, ",;\t|")
    except csv.Error:
        return csv.excel


def _row(line: list[str], width: int) -> list[Any]:
    cells = [_cell(text) for text in line[:width]]
    return cells + [None] * (width - len(cells))


def _cell(text: str) -> Any:
    text = text.strip()
    if not text:
        return None
    return plain_value(text) if _NUMBER.fullmatch(text) else text[:MOST_CELL]


def _key(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())
