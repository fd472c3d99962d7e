"""Colours for code: pygments, imported when the first code block has been painted, and each text only once."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

CodeTone = Literal["keyword", "string", "comment", "number", "name"]

CodeSpan = tuple[int, int, CodeTone]
"""(start, length, tone)."""

MAX_CODE = 40_000
"""Characters; longer code stays plain, colouring it would take a second."""


@lru_cache(maxsize=128)
def code_spans(code: str, language: str) -> tuple[CodeSpan, ...]:
    """Return (start, length, tone) of what stands out in a piece of code; () for a language nobody knows."""
    if not language or len(code) > MAX_CODE:
        return ()
    # Pygments comes without types.
    from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]
    from pygments.util import ClassNotFound  # type: ignore[import-untyped]

    try:
        lexer = get_lexer_by_name(language.lower(), stripnl=False, ensurenl=False)
    except ClassNotFound:
        return ()
    spans: list[CodeSpan] = []
    for start, token, text in lexer.get_tokens_unprocessed(code):
        tone = _tone(str(token))
        if tone is not None:
            spans.append((start, len(text), tone))
    return tuple(spans)


def _tone(token: str) -> CodeTone | None:
    if token.startswith(("Token.Keyword", "Token.Operator.Word", "Token.Name.Tag")):
        return "keyword"
    if token.startswith("Token.Literal.String"):
        return "string"
    if token.startswith("Token.Comment"):
        return "comment"
    if token.startswith("Token.Literal.Number"):
        return "number"
    if token.startswith(("Token.Name.Function", "Token.Name.Class", "Token.Name.Builtin", "Token.Name.Decorator")):
        return "name"
    return None
