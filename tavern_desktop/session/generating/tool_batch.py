"""The calls that one reply made: checked all together, allowed or refused one by one, run off the owner.

Nothing of a batch is in the chat before every call has a result that is known. A call whose outcome nobody knows stays
open, and the person decides: run it again, or give the turn up.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from tavern_desktop.backends.loop_thread import LoopThread
from tavern_desktop.chat.signal import Signal
from tavern_desktop.prompt.messages import ToolCall
from tavern_desktop.session.runner import Runner
from tavern_desktop.tools.checking import BadArguments, read_arguments
from tavern_desktop.tools.definition import CALL_SECONDS, OutcomeUnknown, Tool, ToolContext, ToolResult

CallState = Literal["asking", "running", "done", "unknown"]

PATIENCE = 15.0
"""Seconds that a tool has beyond its limit to say itself that it is over."""
MOST_CALLS = 64
"""Calls of one reply that are looked at: a model that runs wild makes hundreds, and each is a row of the chat."""
REFUSED = "The user did not allow this call."


@dataclass
class PendingCall:
    """One call. `sentence` says of an unknown outcome why it is not known."""

    call: ToolCall
    tool: Tool | None
    given: dict[str, Any]
    state: CallState = "asking"
    result: ToolResult | None = None
    sentence: str = ""

    @property
    def title(self) -> str:
        """What people call the tool."""
        return self.tool.title if self.tool is not None else self.call.name


class ToolBatch:
    """Belongs to the owner. `changed` tells of every step, `finished` once that all calls have results."""

    def __init__(
        self,
        calls: Sequence[ToolCall],
        tools: Sequence[Tool],
        context: ToolContext,
        runner: Runner,
        loop: LoopThread,
        may_run: Callable[[Tool], bool],
    ) -> None:
        """`may_run`: whether the person allowed a tool already."""
        self.changed: Signal[()] = Signal()
        self.finished: Signal[()] = Signal()
        by_name = {tool.name: tool for tool in tools}
        self.calls = [_checked(call, by_name) for call in calls]
        self._context = context
        self._runner, self._loop = runner, loop
        self._may_run = may_run
        self._futures: dict[int, Future[ToolResult]] = {}
        self._is_over = False

    @property
    def is_waiting(self) -> bool:
        """Whether a person has to decide something before it can go on."""
        return any(each.state in ("asking", "unknown") for each in self.calls)

    def start(self) -> None:
        """Run what may run without a question."""
        for number, each in enumerate(self.calls):
            if each.state == "asking" and each.tool is not None and self._may_run(each.tool):
                self._run(number)
        self._step()

    def allow(self, number: int) -> None:
        """Run a call, and those of the same batch that may run now without a question."""
        if self.calls[number].state in ("asking", "unknown"):
            self._run(number)
            self.start()

    def refuse(self, number: int) -> None:
        """Answer a call that nobody allowed."""
        if self.calls[number].state == "asking":
            self._settle(number, ToolResult(REFUSED, is_error=True))

    def cancel(self, number: int) -> None:
        """Wait no longer for a call that runs; what it did by then nobody knows."""
        each = self.calls[number]
        if each.state == "running":
            self._drop(number)
            each.state, each.sentence = "unknown", "The call was cancelled while it ran."
            self._step()

    def close(self) -> None:
        """Give everything up: what runs is cancelled, and nothing more is told."""
        self._is_over = True
        for number in list(self._futures):
            self._drop(number)

    def _run(self, number: int) -> None:
        each = self.calls[number]
        assert each.tool is not None
        each.state, each.sentence = "running", ""
        future = self._loop.submit(_limited(each.tool, each.given, self._context))
        self._futures[number] = future
        future.add_done_callback(lambda done: self._runner.post(partial(self._ended, number, done)))

    def _ended(self, number: int, future: Future[ToolResult]) -> None:
        if self._futures.get(number) is not future:  # cancelled, or run again since
            return
        del self._futures[number]
        each = self.calls[number]
        error = None if future.cancelled() else future.exception()
        if future.cancelled():
            error = OutcomeUnknown("The program ended while it ran.")
        if error is None:
            self._settle(number, future.result())
        elif isinstance(error, OutcomeUnknown):
            each.state, each.sentence = "unknown", error.sentence
            self._step()
        else:
            told = " ".join(f"{type(error).__name__}: {error}".split())
            self._settle(number, ToolResult(f"The tool failed: {told}"[:10_000], is_error=True))

    def _settle(self, number: int, result: ToolResult) -> None:
        each = self.calls[number]
        each.state, each.result = "done", result
        self._step()

    def _step(self) -> None:
        if self._is_over:
            return
        self.changed.emit()
        if all(each.state == "done" for each in self.calls) and not self._is_over:
            self._is_over = True
            self.finished.emit()

    def _drop(self, number: int) -> None:
        future = self._futures.pop(number, None)
        if future is not None:
            future.cancel()


async def _limited(tool: Tool, given: dict[str, Any], context: ToolContext) -> ToolResult:
    try:
        async with asyncio.timeout(CALL_SECONDS + PATIENCE):
            return await tool.run(given, context)
    except TimeoutError:
        raise OutcomeUnknown(f"{tool.title} did not answer within {CALL_SECONDS:.0f} s.") from None


def _checked(call: ToolCall, by_name: Mapping[str, Tool]) -> PendingCall:
    """Return a call that may be run, or one that is answered already by what is wrong with it."""
    tool = by_name.get(call.name)
    if tool is None:
        known = ", ".join(by_name) or "none"
        wrong = ToolResult(f"There is no tool “{call.name}”. There are: {known}.", is_error=True)
        return PendingCall(call, None, {}, "done", wrong)
    try:
        return PendingCall(call, tool, read_arguments(call.arguments, tool.parameters))
    except BadArguments as error:
        return PendingCall(call, tool, {}, "done", ToolResult(str(error), is_error=True))
