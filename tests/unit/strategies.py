"""Arbitrary chats for property tests, spelled in every way that JSON allows."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

TEXTS = st.text(st.characters(), max_size=20)
"""Any text, lone surrogates included: SillyTavern writes them."""

NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(TEXTS, VALUES, max_size=4)


@st.composite
def json_texts(draw: st.DrawFn) -> bytes:
    """The JSON text of a record, compact or loose, with escapes or without."""
    data: dict[str, Any] = draw(OBJECTS)
    separators = draw(st.sampled_from([(",", ":"), (", ", ": "), (" ,\t", " : ")]))
    text = json.dumps(data, ensure_ascii=draw(st.booleans()), separators=separators)
    return text.encode("utf-8", "backslashreplace")


BLANKS = st.sampled_from([b"", b" ", b"\t", b"\r", b" \t\r"])
HEADERS = st.sampled_from([b'{"chat_metadata":{}}', b'{"chat_metadata":{"integrity":"a"},"n":1.10}', b"{}"])


@st.composite
def chat_files(draw: st.DrawFn) -> tuple[bytes, bytes, list[bytes]]:
    """A chat file, and what is in it: its bytes, its header and its records."""
    header = draw(HEADERS)
    records = draw(st.lists(json_texts(), max_size=6))
    lead = draw(st.sampled_from([b"", b"\xef\xbb\xbf", b"\n", b" \r\n\xef\xbb\xbf\n"]))
    lines = [lead + header]
    for record in records:
        lines += [draw(BLANKS)] * draw(st.integers(0, 2))
        lines.append(draw(BLANKS) + record + draw(BLANKS))
    ending = draw(st.sampled_from([b"", b"\n", b"\r\n\n"]))
    return b"\n".join(lines) + ending, header, records
