"""How much a server of tools may send in one message: the SDK keeps one in memory until its end has come."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextvars import ContextVar
from typing import Any

MOST_IN_ONE = 32 * 1024 * 1024
"""Characters or bytes of one message: more than the largest picture takes that is kept."""

TOO_LONG: ContextVar[Callable[[], object]] = ContextVar("what is called once a child has sent a line that is too long")


class WholeLines:
    """Stands in for the SDK's reading of a child's output: gives whole lines only, and ends at one that is too long.

    The SDK joins what it has with every piece that comes, without a limit: a line of 100 MB would hold the loop, and
    with it every reply that is being written, for a minute.
    """

    def __init__(self, pieces: AsyncIterator[str], too_long: Callable[[], object]) -> None:
        self._stream, self._too_long = pieces, too_long

    async def __aiter__(self) -> AsyncIterator[str]:
        begun: list[str] = []
        length = 0
        async for piece in self._stream:
            end = piece.rfind("\n") + 1
            if end:
                yield "".join([*begun, piece[:end]])
                begun, length = [], 0
            begun.append(piece[end:])
            length += len(piece) - end
            if length > MOST_IN_ONE:
                self._too_long()
                return


def limit_lines(stdio: Any) -> None:
    """Have the SDK's module for children read within the limit. Whoever opens a way sets TOO_LONG before."""
    if not isinstance(stdio.TextReceiveStream, _Reading):
        stdio.TextReceiveStream = _Reading(stdio.TextReceiveStream)


class _Reading:
    """Makes what reads a child's output, as the SDK asks for it."""

    def __init__(self, kind: Callable[..., AsyncIterator[str]]) -> None:
        self._kind = kind

    def __call__(self, *args: Any, **more: Any) -> WholeLines:
        return WholeLines(self._kind(*args, **more), TOO_LONG.get())


async def limited(stream: Any, too_long: Callable[[], object]) -> AsyncIterator[bytes]:
    """Yield the pieces of a body, which ends where it is too long for one message."""
    length = 0
    async for piece in stream:
        length += len(piece)
        if length > MOST_IN_ONE:
            too_long()
            return
        yield piece
