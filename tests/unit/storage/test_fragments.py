"""Fragments: found in text whatever the case and the form, found in bytes wherever the text has them."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tavern_desktop.storage.fragments import Fragment, folded

ALPHABET = "abijkqsSKßẞſKİıiIéÉe\u0301中文あプ\u0430АбБΣςσøØ😀\"\\/<>&'+.,-0"
TEXTS = st.text(ALPHABET, max_size=12)
WORDS = st.text(ALPHABET, min_size=1, max_size=4)


@pytest.mark.parametrize(
    ("word", "text", "found"),
    [
        ("harbour", "The HARBOUR", "HARBOUR"),
        ("straße", "DIE STRASSE", "STRASSE"),
        ("STRASSE", "die Straße", "Straße"),
        ("strassenmasse", "Straßenmasse", "Straßenmasse"),
        ("cafe\u0301", "ein Café", "Café"),
        ("café", "ein cafe\u0301!", "cafe\u0301"),
        ("東京", "今は東京にいる", "東京"),
        ("привет", "ПриВет!", "ПриВет"),
        ("ΣΟΦΟΣ", "σοφος, σοφος", "σοφος"),
        ("istanbul", "ISTANBUL", "ISTANBUL"),
        ("🦊", "a 🦊 ran", "🦊"),
        ("two words", "two\n  words", "two\n  words"),
        ("k", "5 \u212a", "\u212a"),
        ("harbor", "The harbour", None),
    ],
)
def test_what_is_found_in_a_text(word: str, text: str, found: str | None) -> None:
    span = Fragment(word).find(text)
    assert (text[slice(*span)] if span else None) == found


def test_exact_case_means_exact_case() -> None:
    exact = Fragment("Rose", exact_case=True)
    assert exact.find("rose") is None
    assert exact.find("a Rose") == (2, 6)
    assert Fragment("café", exact_case=True).find("cafe\u0301") == (0, 5)


def test_every_occurrence() -> None:
    assert Fragment("an").find_all("Banana AN") == [(1, 3), (3, 5), (7, 9)]


@given(TEXTS)
def test_folding_keeps_the_length(text: str) -> None:
    assert len(folded(text)) == len(text)


def written(text: str) -> list[str]:
    """The ways in which programs write a text as JSON."""
    plain, ascii_only = json.dumps(text, ensure_ascii=False)[1:-1], json.dumps(text)[1:-1]
    ways = [plain, ascii_only, plain.replace("/", "\\/"), ascii_only.replace("<", "\\u003c").replace("&", "\\u0026")]
    return ways


def finds(fragment: Fragment, line: bytes, *, exact: bool) -> bool:
    data = b"first\n" + line + b"\nlast"
    prepared = data if exact else data.lower()
    found = [prepared[start:end] for start, end in fragment.lines(prepared, 0, len(data))]
    expected = line if exact else line.lower()
    return expected in found and fragment.may_be_in(expected)


@given(TEXTS, WORDS, TEXTS, st.booleans())
@example("", "kiss", "", False)
@example("", "ki\u1e9e", "", False)
@example("", "\u212aelvin", "", False)
@example("0", "jq", "j" * 3, False)
def test_bytes_let_through_whatever_the_text_has(before: str, word: str, after: str, exact: bool) -> None:
    fragment = Fragment(word, exact_case=exact)
    for shown in {word, unicodedata.normalize("NFD", word), unicodedata.normalize("NFC", word)}:
        text = before + shown + after
        if not exact:
            text = text.swapcase() if len(text.swapcase()) == len(text) else text
        if fragment.find(text) is None:
            continue
        for way in written(text):
            assert finds(fragment, way.encode(), exact=exact), way


@given(TEXTS, WORDS, TEXTS, st.sampled_from([str.upper, str.lower, str.title, str]))
def test_what_lower_casing_both_sides_finds_is_found(before: str, word: str, after: str, change: object) -> None:
    # A dot that belongs to the İ before it is no beginning of a word.
    text = change(before + word + after)  # type: ignore[operator]
    if word.lower() in text.lower() and not word.startswith("\u0307"):
        raw = Fragment(word.lower(), escapes=False)
        assert raw.find(text) is not None
        assert finds(raw, text.encode(), exact=False)


def test_a_rare_letter_that_is_common_here_is_given_up() -> None:
    data = b"j" * 5_000 + b"jam\n"
    assert list(Fragment("jam").lines(data, 0, len(data))) == [(0, 5_003)]


def test_lines_are_told_once_and_in_order() -> None:
    data = "中 中\nb\n\\u4e2d\n中".encode()
    lines = [data[start:end] for start, end in Fragment("中").lines(data, 0, len(data))]
    assert lines == ["中 中".encode(), b"\\u4e2d", "中".encode()]
