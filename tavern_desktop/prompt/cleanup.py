"""What a model wrote, without what does not belong to the reply: other speakers' turns, its own name, cut marks."""

from __future__ import annotations

from collections.abc import Sequence

END_MARKS = ("<|endoftext|>", "<|im_end|>", "<|eot_id|>", "</s>")
"""Marks by which models end; some servers let them through."""


def cleaned(text: str, *, speaker: str, others: Sequence[str], stop: Sequence[str] = ()) -> tuple[str, str]:
    """Return the reply of `speaker`, and what was cut off because somebody else would speak there.

    `others` are the names of everybody else, the user among them. The cut part is for the person to look at, it is
    never thrown away unseen (B-48).
    """
    text = _until_mark(text, (*END_MARKS, *stop))
    text = _without_partial_stop(text, stop)
    own = f"{speaker}:"
    body = text.lstrip()
    if body.startswith(own):
        text = body[len(own) :].lstrip(" ")
    text, cut = _until_speaker(text, others)
    return text.strip(), cut.strip()


def _until_mark(text: str, marks: Sequence[str]) -> str:
    ends = [at for mark in marks if mark and (at := text.find(mark)) >= 0]
    return text[: min(ends)] if ends else text


def _without_partial_stop(text: str, stop: Sequence[str]) -> str:
    """Cut what is the beginning of a stop string at the very end: the stream ended in the middle of it.

    One character alone is more likely the reply's own.
    """
    sizes = [
        size for mark in stop for size in range(min(len(mark) - 1, len(text)), 1, -1) if text.endswith(mark[:size])
    ]
    return text[: len(text) - max(sizes)] if sizes else text


def _until_speaker(text: str, others: Sequence[str]) -> tuple[str, str]:
    starts = []
    for name in filter(None, others):
        at = 0 if text.startswith(f"{name}:") else text.find(f"\n{name}:")
        if at >= 0:
            starts.append(at)
    return (text[: min(starts)], text[min(starts) :]) if starts else (text, "")
