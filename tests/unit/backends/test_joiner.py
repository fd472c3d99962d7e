"""Characters in two pieces."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tavern_desktop.backends.joiner import Joiner


def joined(pieces: list[str]) -> str:
    joiner = Joiner()
    found = [joiner.feed(piece) for piece in pieces]
    assert all(letter < "\ud800" or letter > "\udfff" for piece in found for letter in piece), (
        "half a character came out"
    )
    return "".join([*found, joiner.end()])


@given(st.text(st.characters(blacklist_categories=("Cs",))))
def test_bytes_in_a_piece_each_make_the_text_again(text: str) -> None:
    assert joined([bytes([byte]).decode("utf-8", "surrogateescape") for byte in text.encode()]) == text


@given(st.text(st.characters(blacklist_categories=("Cs",))))
def test_utf_16_units_in_a_piece_each_make_the_text_again(text: str) -> None:
    units = text.encode("utf-16-le")
    pieces = [units[at : at + 2].decode("utf-16-le", "surrogatepass") for at in range(0, len(units), 2)]
    # A second half that could be a byte is one only where no first half stands before it.
    assert joined(pieces) == text


@given(st.lists(st.text(max_size=4), max_size=10))
def test_whatever_comes_what_goes_out_is_text(pieces: list[str]) -> None:
    joined(pieces).encode("utf-8")


def test_whole_pieces_are_given_on_as_they_are() -> None:
    piece = "whole 🚀"
    assert Joiner().feed(piece) is piece
