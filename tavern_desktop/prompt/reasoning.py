"""Reasoning that a model writes into its text, told apart while it streams.

A text that begins with the opening mark is reasoning up to the closing mark; marks later in the text are text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from tavern_desktop.chat.facts import index_of


class ReasoningMarks(NamedTuple):
    """What stands before and behind the reasoning."""

    opening: str
    closing: str


THINK = ReasoningMarks("<think>", "</think>")
KNOWN_MARKS = (THINK, ReasoningMarks("<thinking>", "</thinking>"), ReasoningMarks("<|channel>thought\n", "<channel|>"))


@dataclass(frozen=True, slots=True)
class ReasoningForm:
    """How the reasoning of earlier replies is sent with them: that of the newest `most`, 0 for none (prompt §9)."""

    before: str
    after: str
    separator: str = ""
    most: int = 0

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> ReasoningForm | None:
        """Return the form that SillyTavern's settings of reasoning describe, None where they have no marks."""

        def text(key: str) -> str:
            value = data.get(key)
            return value.replace("\r", "") if isinstance(value, str) else ""

        if not text("prefix") or not text("suffix"):
            return None
        most = index_of(data.get("max_additions"))
        adds = data.get("add_to_prompts") is True
        return cls(
            text("prefix"), text("suffix"), text("separator"), (1 if most is None else max(most, 0)) if adds else 0
        )

    def written(self, reasoning: str) -> str:
        """Return what stands in front of a reply's text."""
        return f"{self.before}{reasoning}{self.after}{self.separator}"


class ReasoningParser:
    """Takes pieces of a reply, gives back what is text and what is reasoning in each.

    What may still become a mark is held back until it is clear; `end` gives out the rest.
    """

    def __init__(self, marks: tuple[ReasoningMarks, ...] = KNOWN_MARKS, *, is_open: bool = False) -> None:
        """`is_open`: the prompt already ended with the opening mark of the first marks."""
        self._marks = marks
        self._held = ""
        self._inside: ReasoningMarks | None = marks[0] if is_open else None
        self._may_begin = not is_open
        self._is_after = False

    def feed(self, piece: str) -> tuple[str, str]:
        """Return (text, reasoning) that this piece completes."""
        self._held += piece
        if self._may_begin and not self._begin():
            return "", ""
        if self._inside is not None:
            return self._within(self._inside)
        return self._text(), ""

    def end(self) -> tuple[str, str]:
        """Return what was held back; a block that was never closed was reasoning."""
        held, self._held = self._held, ""
        return ("", held) if self._inside is not None else (held, "")

    def _begin(self) -> bool:
        """Decide whether the reply begins with reasoning; False while that is open."""
        start = self._held.lstrip()
        for marks in self._marks:
            if start.startswith(marks.opening):
                self._held = start[len(marks.opening) :]
                self._inside, self._may_begin = marks, False
                return True
        if any(marks.opening.startswith(start) for marks in self._marks):
            return False
        self._may_begin = False
        return True

    def _within(self, marks: ReasoningMarks) -> tuple[str, str]:
        at = self._held.find(marks.closing)
        if at >= 0:
            reasoning, self._held = self._held[:at], self._held[at + len(marks.closing) :]
            self._inside, self._is_after = None, True
            return self._text(), reasoning
        keep = _overlap(self._held, marks.closing)
        reasoning, self._held = self._held[: len(self._held) - keep], self._held[len(self._held) - keep :]
        return "", reasoning

    def _text(self) -> str:
        """Give out the text; blanks between the reasoning and the text belong to neither."""
        text, self._held = self._held, ""
        if self._is_after:
            text = text.lstrip()
            self._is_after = not text
        return text


def _overlap(text: str, mark: str) -> int:
    """Return how many characters at the end of `text` may be the beginning of `mark`."""
    return next((size for size in range(min(len(mark) - 1, len(text)), 0, -1) if text.endswith(mark[:size])), 0)


def split_reasoning(text: str, marks: tuple[ReasoningMarks, ...] = KNOWN_MARKS) -> tuple[str, str]:
    """Return (text, reasoning) of a whole reply, both trimmed where there is reasoning."""
    parser = ReasoningParser(marks)
    first, rest = parser.feed(text), parser.end()
    said, thought = first[0] + rest[0], first[1] + rest[1]
    return (said.strip(), thought.strip()) if thought else (text, "")
