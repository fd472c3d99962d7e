"""How many tokens a text has: the server's count where there is one, else an estimate that errs to the safe side."""

from __future__ import annotations

import math
from typing import Protocol

BYTES_PER_TOKEN = 3.35
"""What the field's programs reckon with for texts whose tokenizer is unknown."""

FRAMING = 4
"""Tokens that a message costs beside its text: role, separators."""

IMAGE = 800
"""Tokens that a picture is reckoned at; models differ, and most take fewer."""

MARGIN = 0.03
"""Part of the context that is kept free where tokens are estimated."""

LEAST_RATIO, MOST_RATIO = 0.25, 4.0
"""How far a calibration may go: a server that counts otherwise than this counts something else."""


class TokenCounter(Protocol):
    """Counts tokens. Pure and quick: it is asked for every message of a prompt."""

    @property
    def is_estimate(self) -> bool:
        """Whether the counts may be wrong, so that a margin is kept."""

    def count(self, text: str) -> int:
        """Return the tokens of a text."""


class Estimate:
    """Tokens by the length of the text, calibrated by what the server said of earlier prompts."""

    is_estimate = True

    def __init__(self, ratio: float = 1.0) -> None:
        """`ratio`: tokens that the server counted for one that was estimated."""
        self.ratio = min(max(ratio, LEAST_RATIO), MOST_RATIO)

    def count(self, text: str) -> int:
        """Return the estimated tokens; at least one for a text that is not empty."""
        size = len(text.encode("utf-8", "surrogatepass"))
        return math.ceil(size / BYTES_PER_TOKEN * self.ratio)

    def calibrated(self, estimated: int, counted: int) -> Estimate:
        """Return an estimate that has learnt from a prompt for which the server counted `counted` tokens."""
        if estimated <= 0 or counted <= 0:
            return self
        return Estimate(self.ratio * (0.5 + 0.5 * counted / estimated))


def usable(context: int, reply: int, *, is_estimate: bool) -> int:
    """Return how many tokens a prompt may have, so that the reply fits."""
    margin = math.ceil(context * MARGIN) if is_estimate else 0
    return context - reply - margin
