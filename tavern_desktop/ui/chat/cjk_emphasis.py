"""Emphasis beside Chinese, Japanese and Korean: `**「你好」**世界`.

CommonMark asks for a blank or a sign on the other side of a sign, and those scripts write no blanks; so here a CJK
character counts as such a neighbour too.
"""

from __future__ import annotations

from markdown_it import MarkdownIt
from markdown_it.common.utils import isMdAsciiPunct, isPunctChar, isWhiteSpace
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_inline.state_inline import Scanned, StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType
from typing_extensions import override


class CjkStateInline(StateInline):
    """The inline state with that one rule changed."""

    @override
    def scanDelims(self, start: int, canSplitWord: bool) -> Scanned:
        end = start
        while end < self.posMax and self.src[end] == self.src[start]:
            end += 1
        before = self.src[start - 1] if start > 0 else " "
        after = self.src[end] if end < self.posMax else " "
        left = _flanks(after, before)
        right = _flanks(before, after)
        return Scanned(
            left and (canSplitWord or not right or _is_sign(before)),
            right and (canSplitWord or not left or _is_sign(after)),
            end - start,
        )


class CjkInlineParser(ParserInline):
    """The inline parser that uses it."""

    @override
    def parse(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> list[Token]:
        state = CjkStateInline(src, md, env, tokens)
        self.tokenize(state)
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens


def _flanks(inner: str, outer: str) -> bool:
    """Say whether a marker between `outer` and `inner` leans on `inner`."""
    if isWhiteSpace(ord(inner)):
        return False
    return not _is_sign(inner) or isWhiteSpace(ord(outer)) or _is_sign(outer) or _is_cjk(outer)


def _is_sign(character: str) -> bool:
    return isMdAsciiPunct(ord(character)) or isPunctChar(character)


def _is_cjk(character: str) -> bool:
    code = ord(character)
    return (
        0x2E80 <= code <= 0xA4CF or 0xAC00 <= code <= 0xD7AF or 0xF900 <= code <= 0xFAFF or 0x20000 <= code <= 0x3FFFF
    )
