"""Quoted speech: where it lies in a paragraph. Within one line, shortest match, never in code."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tavern_desktop.ui.chat.blocks import Run, Style

_SPEECH = re.compile(
    r'(?<![0-9])"[^"\n]+"|“[^”\n]+”|«[^»\n]+»|「[^」\n]+」|『[^』\n]+』|＂[^＂\n]+＂'  # a digit before " means inches
)
_CODE = "\ufffc"


def speech_spans(text: str) -> list[tuple[int, int]]:
    """Return (start, end) of each quotation in `text`, marks included."""
    return [match.span() for match in _SPEECH.finditer(text)]


def mark_speech(runs: Iterable[Run]) -> tuple[Run, ...]:
    """Return `runs` cut at the edges of quotations, those inside them styled as speech."""
    runs = tuple(runs)
    spans = speech_spans("".join(_CODE * len(r.text) if r.style & Style.CODE else r.text for r in runs))
    if not spans:
        return runs
    marked: list[Run] = []
    offset = 0
    for run in runs:
        marked.extend(_cut(run, offset, spans))
        offset += len(run.text)
    return tuple(marked)


def _cut(run: Run, offset: int, spans: list[tuple[int, int]]) -> Iterable[Run]:
    """Yield the pieces of `run`, which starts at `offset` of the text that `spans` speaks of."""
    end = offset + len(run.text)
    at = offset
    for start, stop in spans:
        if stop <= at or start >= end:
            continue
        if start > at:
            yield _piece(run, at - offset, start - offset)
            at = start
        inside = _piece(run, at - offset, min(stop, end) - offset)
        yield inside if run.style & Style.CODE else inside._replace(style=run.style | Style.SPEECH)
        at = min(stop, end)
    if at < end:
        yield _piece(run, at - offset, end - offset)


def _piece(run: Run, start: int, end: int) -> Run:
    return Run(run.text[start:end], run.style, run.href, run.colour)
