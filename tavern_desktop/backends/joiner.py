"""Characters that a server cut in two: joined across the pieces of a reply (B-40)."""

from __future__ import annotations

import codecs
import re

_SURROGATE = re.compile("[\ud800-\udfff]")
_BYTES = re.compile("[\udc80-\udcff]+")
_LONE = dict.fromkeys(range(0xD800, 0xE000), "\ufffd")


class Joiner:
    """Takes the pieces of one text in order and gives them back without a half character.

    Halves come in two ways: as the two escapes of a surrogate pair in two records, and as raw bytes of a UTF-8 sequence
    in two records, which reading has kept as lone surrogates U+DC80 to U+DCFF. What stays alone becomes U+FFFD, so that
    whatever is stored is text.
    """

    def __init__(self) -> None:
        self._held = ""

    def feed(self, piece: str) -> str:
        """Return what is whole now."""
        if not self._held and not _SURROGATE.search(piece):
            return piece
        text = self._held + piece
        whole, self._held = _without_open_end(text)
        return _joined(whole)

    def end(self) -> str:
        """Return what was still held back."""
        held, self._held = self._held, ""
        return _joined(held)


def _without_open_end(text: str) -> tuple[str, str]:
    """Cut off an end that the next piece may complete: a first half, or bytes that begin a character."""
    if "\ud800" <= text[-1:] <= "\udbff":
        return text[:-1], text[-1]
    start = len(text)
    while start > 0 and len(text) - start < 4 and "\udc80" <= text[start - 1] <= "\udcff":
        start -= 1
    tail = text[start:]
    if start > 0 and "\ud800" <= text[start - 1] <= "\udbff":
        return text, ""  # the second half of a pair, not a byte
    for cut in range(len(tail)):
        if _may_go_on(tail[cut:]):
            return text[: start + cut], tail[cut:]
    return text, ""


def _may_go_on(tail: str) -> bool:
    """Say whether these bytes are the beginning of a character and not yet the whole."""
    raw = tail.encode("utf-8", "surrogateescape")
    decoder = codecs.getincrementaldecoder("utf-8")("strict")
    try:
        return decoder.decode(raw) == "" and bool(decoder.getstate()[0])
    except UnicodeDecodeError:
        return False


def _joined(text: str) -> str:
    if not _SURROGATE.search(text):
        return text
    paired = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    return _BYTES.sub(_decoded, paired).translate(_LONE)


def _decoded(run: re.Match[str]) -> str:
    return run[0].encode("utf-8", "surrogateescape").decode("utf-8", "replace")
