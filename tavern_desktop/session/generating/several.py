"""Several alternatives of one reply: those that the server does not make at once are written one after another."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from tavern_desktop.backends.events import Event, Failed, Reasoning, Started, Text, Usage, Waiting
from tavern_desktop.session.generating.task import Produce, Prompted, Put


def several(produce: Callable[[int], Produce], count: int) -> Produce:
    """Return what streams `count` alternatives; `produce` is given how many are wanted of one request.

    A failure ends it, and so does a request that brings nothing; what came before stays good.
    """

    async def run(put: Put) -> None:
        written: set[int] = set()
        has_failed = False

        def note(event: Event | Prompted) -> None:
            nonlocal has_failed
            has_failed = has_failed or isinstance(event, Failed)
            if isinstance(event, Text | Reasoning):
                written.add(event.choice)
            put(event)

        await produce(count)(note)
        while 0 < len(written) < count and not has_failed:
            number = max(written) + 1
            put(Waiting(f"Writing {number + 1} of {count}…", 0.0))
            await produce(1)(_as(number, note))
            if number not in written:
                return

    return run


def _as(number: int, put: Put) -> Put:
    """Return what takes the events of a request of its own as those of the alternative `number`."""

    def take(event: Event | Prompted) -> None:
        if isinstance(event, Prompted | Started | Usage):
            return  # of the first request: what they say is said of the whole
        put(msgspec.structs.replace(event, choice=number) if hasattr(event, "choice") else event)

    return take
