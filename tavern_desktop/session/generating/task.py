"""One generation: it belongs to the session of its chat, not to a window, and goes on whoever looks (entry §1, §4).

It follows the stream of a model, keeps what has come on disk, and puts the reply into the chat as one command that
can be undone: when it is complete, when it is stopped, and when the connection breaks.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import msgspec

from tavern_desktop.backends.errors import BackendError
from tavern_desktop.backends.events import Event
from tavern_desktop.backends.loop_thread import LoopThread
from tavern_desktop.chat import edits, facts
from tavern_desktop.chat.message import Message
from tavern_desktop.chat.signal import Signal
from tavern_desktop.library.attachments import store_picture
from tavern_desktop.library.data_root import root_of
from tavern_desktop.prompt.cleanup import cleaned
from tavern_desktop.prompt.messages import Prompt, PromptError
from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.generating.event_log import EventLog
from tavern_desktop.session.generating.events import EventType
from tavern_desktop.session.generating.incoming import Alternative, Incoming, Item
from tavern_desktop.session.generating.keeping import StreamKeeper
from tavern_desktop.session.generating.pump import FRAME, Pump
from tavern_desktop.session.generating.reply import (
    NAMESPACE,
    STOPPED,
    AddAlternative,
    AddReply,
    ContinueMessage,
    Reply,
    Speaker,
    nearest_surviving,
)
from tavern_desktop.session.generating.tool_batch import MOST_CALLS, ToolBatch
from tavern_desktop.session.generating.tool_round import AddToolRound, Answers
from tavern_desktop.session.refusals import CommandRefused, Refused
from tavern_desktop.session.runner import Runner
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.storage.reply_stream import StreamHead, now_ms
from tavern_desktop.tools.definition import Tool, ToolContext

LATELY = 50
"""Newest messages whose speakers count as members of a group."""

Kind = Literal["reply", "swipe", "continue", "impersonate"]
State = Literal["running", "done", "failed", "stopped"]
WhyStopped = Literal["user", "closing"]


@dataclass(frozen=True, slots=True)
class Prompted:
    """The request that goes out: what comes before the first event of the model. `api` is for the message's record."""

    prompt: Prompt
    api: str
    model: str
    tools: tuple[Tool, ...] = ()
    """Those that the reply may call."""


Put = Callable[["Event | Prompted"], None]
Produce = Callable[[Put], Coroutine[Any, Any, None]]
"""Builds the request and streams the reply, on the loop of the model servers; hands everything to `put`."""


class NoModel(Refused):
    """No connection is chosen, so nothing can be generated."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a generation ended before its time: one sentence, and what kind of thing is at fault."""

    kind: str
    sentence: str
    retry_after: float | None = None
    setting: str = ""
    """The setting of the generation that the server does not take, by our name."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where the reply goes: behind `before`'s last message, or into the message `key` (swipe, continue)."""

    kind: Kind
    before: tuple[Message, ...]
    key: int | None = None


@dataclass(frozen=True, slots=True)
class Means:
    """What tasks are given to work with. `frame`: see `Pump`. `streams`: our folder for replies being written.

    `may_run`: whether a tool runs in a chat without a question; the person is asked for all others.
    """

    runner: Runner
    loop: LoopThread
    streams: Path | None
    frame: float = FRAME
    may_run: Callable[[ChatSession, Tool], bool] = lambda session, tool: not tool.asks_first


class GenerationTask:
    """A reply under way. Belongs to the owner."""

    def __init__(self, session: ChatSession, target: Target, speaker: Speaker, user: str, means: Means) -> None:
        self.id = uuid.uuid4().hex
        self.session = session
        self.target = target
        self.speaker = speaker
        self.log = EventLog(self.id)
        self.state: State = "running"
        self.failure: Failure | None = None
        self.prompt: Prompt | None = None
        self.text = ""
        """For "impersonate": what was written, for the composer."""
        self.cut_off = ""
        """What the model wrote for others behind its own turn; not in the chat."""
        self.ended: Signal[()] = Signal()
        """`state` is no longer "running", and what came of it is in the chat."""
        self.prompted: Signal[()] = Signal()
        """`prompt` is there."""
        self.landing: Signal[()] = Signal()
        """The reply is about to be put into the chat."""
        self.batch: ToolBatch | None = None
        """The tools that the reply calls, while they are asked about and run."""
        self.batch_changed: Signal[()] = Signal()
        """Something became of `batch`, which may be None again."""
        self.goes_on = False
        """What tools answered is in the chat, and the model is asked again."""
        self.key = target.key if target.key is not None else Message.new({}).key
        """Of the message that grows, or that is to come."""
        self.landed: int | None = None
        """The key of the message that has the reply, once it ended; None if nothing came."""
        self._user = user
        self._means = means
        self._incoming = Incoming()
        self.started = edits.now()
        self._api = self._model = ""
        self._tools: tuple[Tool, ...] = ()
        self.answers: Answers = ()
        """What the tools that the reply called have answered."""
        self._why_stopped: WhyStopped = "user"
        self._pump: Pump[Event | Prompted] = Pump(means.runner, self._take, means.frame)
        self._is_stopping = False
        self._stream: asyncio.Future[None] | None = None
        """On the loop's thread only."""
        card = speaker.card if speaker.in_group else ""
        head = StreamHead(str(session.path), target.kind, speaker.name, len(target.before) - 1, now_ms(), card=card)
        self._keeper = StreamKeeper(means.runner, means.streams, self.id, head, session.notice.emit)

    @property
    def is_running(self) -> bool:
        """Say whether more may come."""
        return self.state == "running"

    @property
    def tokens_per_second(self) -> float | None:
        """How fast the model writes, by its own count; None where it does not say."""
        usage = self._incoming.usage
        return usage.tokens_per_second if usage is not None else None

    @property
    def reasoning_ms(self) -> int | None:
        """How long the model has thought, None if it did not."""
        return self._incoming.reasoning_ms

    @property
    def seconds_writing(self) -> float:
        """How long ago the first piece came, 0 while nothing has."""
        return self._incoming.seconds_writing

    @property
    def usage_prompt_tokens(self) -> int | None:
        """How many tokens the server counted in the prompt, None where it does not say."""
        usage = self._incoming.usage
        return usage.prompt if usage is not None else None

    def start(self, produce: Produce) -> None:
        """Begin. Whatever becomes of it, `ended` is emitted once."""
        self.log.append([("message_start", "", None)])
        future = self._means.loop.submit(self._run(produce))
        future.add_done_callback(lambda future: self._means.runner.post(partial(self._finished, future)))

    def stop(self, why: WhyStopped = "user") -> None:
        """End it now and keep what has come. Too late or twice does nothing."""
        if not self.is_running or self._is_stopping:
            return
        self._why_stopped, self._is_stopping = why, True
        if self.batch is not None:  # all has been written; what tools did so far stays out of the chat
            self._end_batch()
            self._conclude("stopped")
        else:
            self._means.loop.submit(self._cancel())

    # -- on the loop of the model servers -------------------------------------------------------------------

    async def _run(self, produce: Produce) -> None:
        self._stream = asyncio.ensure_future(produce(self._pump.put))
        await self._stream

    async def _cancel(self) -> None:
        """Cancel the stream itself: the task has ended only when the server has been told and nothing more comes."""
        if self._stream is not None:
            self._stream.cancel()

    # -- while it runs --------------------------------------------------------------------------------------

    def _take(self, arrived: list[Event | Prompted]) -> None:
        events: list[Event] = []
        for item in arrived:
            if isinstance(item, Prompted):
                self.prompt, self._api, self._model = item.prompt, item.api, item.model
                self._tools = item.tools
                self._keeper.head = msgspec.structs.replace(self._keeper.head, api=item.api, model=item.model)
                self.prompted.emit()
            else:
                events.append(item)
        self._show(self._incoming.take(events))

    def _show(self, items: list[Item]) -> None:
        text = "".join(item[1] for item in items if item[0] == "text_chunk")
        thoughts = "".join(item[1] for item in items if item[0] == "thinking_chunk")
        self._keeper.add(text, thoughts)
        for choice, beside, thought in self._incoming.take_beside():
            self._keeper.add(beside, thought, choice)
        if items:
            self.log.append(items)

    # -- at the end -----------------------------------------------------------------------------------------

    def _finished(self, future: Future[None]) -> None:
        self._pump.flush()
        self._show(self._incoming.end())
        fault: BaseException | None = None
        try:
            future.result()
        except (CancelledError, asyncio.CancelledError):
            self._conclude("stopped")
        except (PromptError, BackendError) as error:
            self._conclude("failed", Failure(error.kind, error.sentence, getattr(error, "retry_after", None)))
        except StorageError as error:
            self._conclude("failed", Failure(error.kind, sentence(error)))
        except Refused as refusal:
            kind = "no_model" if isinstance(refusal, NoModel) else "no_tool"
            self._conclude("failed", Failure(kind, refusal.sentence))
        except BaseException as error:  # a fault of ours: the reply is kept, and the fault is for all to see
            fault = error
            self._conclude("failed", Failure("fault", "Something went wrong inside the program; the reply ends here."))
        else:
            failed = self._incoming.failed
            if failed is None and self._calls_tools():
                self._begin_batch()
            elif failed is None:
                self._conclude("done")
            else:
                self._conclude("failed", Failure(failed.kind, failed.sentence, failed.retry_after, failed.setting))
        if fault is not None:
            raise fault

    # -- tools ----------------------------------------------------------------------------------------------

    def _calls_tools(self) -> bool:
        return (
            not self._is_stopping and self.target.kind == "reply" and bool(self._tools) and bool(self._incoming.calls)
        )

    def _begin_batch(self) -> None:
        """Have the tools run that the reply calls: asked about first where nobody allowed them."""
        means, session = self._means, self.session
        calls = self._incoming.calls
        if len(calls) > MOST_CALLS:
            session.notice.emit(f"The reply called {len(calls):,} tools at once; only the first {MOST_CALLS} count.")
        context = ToolContext(self.target.before, partial(_store, session.path, self.speaker.name))
        may_run = partial(means.may_run, session)
        batch = self.batch = ToolBatch(calls[:MOST_CALLS], self._tools, context, means.runner, means.loop, may_run)
        batch.changed.connect(self._tell_batch)
        batch.finished.connect(self._take_answers)
        batch.start()

    def _take_answers(self) -> None:
        assert self.batch is not None
        self.answers = [(each.call, each.result) for each in self.batch.calls if each.result is not None]
        self._end_batch()
        self.goes_on = True
        self._keep(self._reply("done"), "done", None)

    def _end_batch(self) -> None:
        if self.batch is not None:
            self.batch.close()
            self.batch = None
            self._tell_batch()

    def _tell_batch(self) -> None:
        self.batch_changed.emit()

    def _conclude(self, state: State, failure: Failure | None = None) -> None:
        """Put what came into the chat, now or when it can be changed again, and tell that it ended."""
        reply = self._reply(state)
        if self.target.kind == "impersonate":
            self.text = reply.text
            self._end(state, failure, None)
        elif reply.is_empty:
            if state == "done":
                state, failure = "failed", Failure("empty", "The model sent an empty reply.")
            self._end(state, failure, None)
        else:
            self._keep(reply, state, failure)

    def _keep(self, reply: Reply, state: State, failure: Failure | None) -> None:
        session = self.session
        if session.state == "loading":  # reloaded just now: as soon as it is there

            def again() -> None:
                if session.state != "loading":
                    session.state_changed.disconnect(again)
                    self._keep(reply, state, failure)

            session.state_changed.connect(again)
            return
        try:
            key = self._put_into_chat(reply)
        except CommandRefused as refusal:
            self.goes_on = False
            lost = Failure("refused", f"The reply could not be put into the chat: {refusal.sentence} It is kept.")
            self._end("failed", failure or lost, None, is_kept=True)
        else:
            self._end(state, failure, key)

    def _put_into_chat(self, reply: Reply) -> int | None:
        """Return the key of the message that has it. Raises CommandRefused."""
        chat = self.session.chat
        if chat is None:
            raise CommandRefused("The chat is no longer open.")
        target = self.target
        there = target.key if target.key is not None and chat.find(target.key) is not None else None
        command: ContinueMessage | AddAlternative | AddReply
        after = nearest_surviving(chat, target.before)
        if there is not None and target.kind == "continue":
            command = ContinueMessage(there, reply, joint_before(reply.text, chat.messages[_index(chat.find(there))]))
        elif there is not None:
            command = AddAlternative(there, reply)
        elif self.answers:
            command = AddToolRound(after, reply, self.speaker, self._free_key(), self.answers)
        else:
            command = AddReply(after, reply, self.speaker, self._free_key())
        self.landing.emit()
        self.session.do(command)
        return command.arrived if isinstance(command, AddReply) else there

    def _free_key(self) -> int:
        """Return the key for a message of its own: another one where what it was to grow in came back by an undo."""
        return self.key if self.target.key is None else Message.new({}).key

    def _reply(self, state: State) -> Reply:
        incoming = self._incoming
        text, self.cut_off = self._cleaned(incoming.main.text)
        finished = edits.now()
        extra: dict[str, Any] = {"api": self._api, "model": incoming.model or self._model}
        reasoning = incoming.main.reasoning if incoming.signature else incoming.main.reasoning.strip()
        if reasoning.strip():
            extra |= {"reasoning": reasoning, "reasoning_duration": incoming.reasoning_ms, "reasoning_type": "model"}
        if incoming.signature:
            extra["reasoning_signature"] = incoming.signature
        if incoming.first_token_ms is not None:
            extra["time_to_first_token"] = incoming.first_token_ms
        if incoming.usage is not None and incoming.usage.reply is not None:
            extra["token_count"] = incoming.usage.reply
        who = "error" if state == "failed" else self._why_stopped
        mark = {NAMESPACE: {STOPPED: who}} if state != "done" else {}
        others = tuple(self._other(other, extra, mark, finished) for other in incoming.others)
        extra |= {} if incoming.main.finish else mark
        kept = tuple(one for one in others if not one.is_empty)
        metadata = self.prompt.metadata if self.prompt is not None else {}
        return Reply(text, reasoning, self.started, finished, extra, kept, metadata)

    def _other(self, alternative: Alternative, of_main: dict[str, Any], mark: dict[str, Any], finished: str) -> Reply:
        """Return an alternative that came beside the main one; `mark` is for one that is not whole."""
        extra = {name: of_main[name] for name in ("api", "model")} | ({} if alternative.finish else mark)
        reasoning = alternative.reasoning.strip()
        if reasoning:
            extra |= {"reasoning": reasoning, "reasoning_type": "model"}
        return Reply(self._cleaned(alternative.text)[0], reasoning, self.started, finished, extra)

    def _others(self) -> tuple[str, ...]:
        """Return the names of the other members of a group; where they are not known, of those who spoke lately."""
        if not self.speaker.in_group or self.speaker.others:
            return self.speaker.others
        lately = (message.seen_data() for message in self.target.before[-LATELY:])
        return tuple(dict.fromkeys(facts.name(data) for data in lately if facts.kind(data) == "character"))

    def _cleaned(self, text: str) -> tuple[str, str]:
        """Return the text without what others would say in it; one that goes on keeps the blanks it begins with."""
        stop = self.prompt.stop if self.prompt is not None else ()
        speaker, other = self.speaker.name, self._user
        if self.target.kind == "impersonate":
            speaker, other = other, speaker
        others = (other, *(name for name in self._others() if name != speaker))
        reply, cut = cleaned(text, speaker=speaker, others=others, stop=stop)
        if self.target.kind == "continue":
            reply = text[: len(text) - len(text.lstrip())] + reply
        return reply, cut

    def _end(self, state: State, failure: Failure | None, key: int | None, *, is_kept: bool = False) -> None:
        self.state, self.failure, self.landed = state, failure, key
        self._keeper.end(is_kept=is_kept)
        last: EventType = "done" if state == "done" else "stopped" if state == "stopped" else "failed"
        said = failure.sentence if failure is not None else ""
        self.log.append([("message_end", "", None), (last, said, {"message_key": key})])
        self.ended.emit()


def joint_before(added: str, message: Message) -> str:
    """Return what stands between a message and its continuation: a blank where words would run together."""
    before = facts.text(message.seen_data())
    if not before or not added or before[-1].isspace() or not (added[0].isalnum() and before[-1] in '.!?…"”*'):
        return ""
    return " "


def _store(chat: Path, owner: str, data: bytes) -> str:
    """Put a picture into the data folder of a chat. Raises StorageError."""
    root = root_of(chat)
    if root is None:
        raise StorageError("validation", "argument", "This chat is in no data folder.")
    return store_picture(root, owner, data)


def _index(index: int | None) -> int:
    if index is None:
        raise AssertionError("the message was there a moment ago")
    return index
