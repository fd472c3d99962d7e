"""A reply that is complete, or as far as it came, and the commands that put it into a chat (chat files §10)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from tavern_desktop.chat import edits, facts, swipes
from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.facts import Record
from tavern_desktop.chat.message import Message
from tavern_desktop.session.commands import AddSwipe, EditFields, InsertMessage
from tavern_desktop.session.steps import Step, Taint

NAMESPACE = "tavern_desktop"
STOPPED = "stopped"
"""In `extra.tavern_desktop` of a reply that is not whole: who stopped it, "user", "error" or "closing"."""


@dataclass(frozen=True, slots=True)
class Speaker:
    """Who a reply is by; in groups its card and picture go with the message."""

    name: str
    card: str = ""
    """File name of the character's card."""
    in_group: bool = False
    others: tuple[str, ...] = field(default=(), compare=False)
    """In a group the names of the other members: a reply ends where one of them begins to speak in it."""

    def fields(self) -> dict[str, Any]:
        """Return what a message of a group says of its speaker."""
        if not self.in_group or not self.card:
            return {}
        avatar = f"/thumbnail?type=avatar&file={quote(self.card, safe='')}"
        return {"force_avatar": avatar, "original_avatar": self.card}


@dataclass(frozen=True, slots=True)
class Reply:
    """What a generation brought. Times as SillyTavern writes them; `others` are alternatives that came with it,
    which have none of their own."""

    text: str
    reasoning: str = ""
    started: str = ""
    finished: str = ""
    extra: dict[str, Any] = field(default_factory=dict)
    others: tuple[Reply, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """Fields that the chat's metadata gets with it."""

    @property
    def is_empty(self) -> bool:
        """Say whether nothing came that is worth keeping."""
        return not (self.text.strip() or self.reasoning.strip())

    def info(self) -> Record:
        """Return the side data of the alternative."""
        return {
            "send_date": self.finished or edits.now(),
            "gen_started": self.started,
            "gen_finished": self.finished,
            "extra": dict(self.extra),
        }


class AddReply(InsertMessage):
    """A reply as a new message, with its alternatives, behind the message it answers."""

    label = "Reply"

    def __init__(self, after_key: int | None, reply: Reply, speaker: Speaker, key: int) -> None:
        """`key`: of the message to come, by which it is known while it is written."""
        super().__init__(after_key, record_of(reply, speaker))
        self._key = key
        self._metadata = reply.metadata

    def _plan(self, chat: Chat) -> list[Step]:
        return _with_metadata(chat, super()._plan(chat), self._metadata)

    def _message(self, data: Record) -> Message:
        return super()._message(data)._replace(key=self._key)


class AddAlternative(AddSwipe):
    """A reply as another alternative of a message, shown at once (D25)."""

    label = "New alternative"

    def __init__(self, key: int, reply: Reply) -> None:
        super().__init__(key, reply.text, reply.info())
        self._reply = reply

    def _plan(self, chat: Chat) -> list[Step]:
        return _with_metadata(chat, super()._plan(chat), self._reply.metadata)

    def _swipe(self, data: Record, pristine: bool) -> Record:
        shown = super()._swipe(data, pristine)
        for other in self._reply.others:
            shown = swipes.add(shown, other.text, other.info(), send_date=other.finished, show=False, pristine=pristine)
        return shown


class ContinueMessage(EditFields):
    """More of a message: the text grows, in its shown alternative too."""

    def __init__(self, key: int, reply: Reply, joint: str = "") -> None:
        """`joint` stands between what was there and what came."""
        fields = {"gen_started": reply.started, "gen_finished": reply.finished}
        super().__init__(key, fields, _more(reply), "Continue message")
        self._added = joint + reply.text
        self._reply = reply

    def _plan(self, chat: Chat) -> list[Step]:
        return _with_metadata(chat, super()._plan(chat), self._reply.metadata)

    def _change(self, chat: Chat, data: Record) -> Record:
        grown = edits.set_text(data, facts.text(data) + self._added)
        # How long the first token took is said of a reply that was written in one go; of this one no longer.
        of_whole = {"token_count": self._tokens(data), "time_to_first_token": edits.ABSENT}
        mark = _marked(data, stopped_by({"extra": self._reply.extra}))
        return super()._change(chat, edits.set_fields(grown, {}, of_whole | mark))

    def _tokens(self, data: Record) -> Any:
        """Return how many tokens the message has now, ABSENT where one of its parts was not counted."""
        counts = (facts.extra(data).get("token_count"), self._reply.extra.get("token_count"))
        return sum(counts) if all(type(count) is int for count in counts) else edits.ABSENT


def stopped_by(data: Record) -> str:
    """Return who stopped a reply before it was whole: "user", "error" or "closing"; "" for one that is whole."""
    own = facts.extra(data).get(NAMESPACE)
    who = own.get(STOPPED) if isinstance(own, dict) else None
    return who if isinstance(who, str) else ""


def nearest_surviving(chat: Chat, before: tuple[Message, ...]) -> int | None:
    """Return the key of the last of these messages that is still in the chat, None if none is: the top."""
    return next((message.key for message in reversed(before) if chat.find(message.key) is not None), None)


def record_of(reply: Reply, speaker: Speaker) -> Record:
    """Return the record of a reply as a message of its own."""
    record = edits.new_message("assistant", reply.text, speaker.name, send_date=reply.finished or edits.now())
    info = reply.info()
    record |= {"gen_started": reply.started, "gen_finished": reply.finished, "extra": dict(reply.extra)}
    record |= {"swipe_info": [info]} | speaker.fields()
    for other in reply.others:
        record = swipes.add(record, other.text, other.info(), send_date=other.finished, show=False)
    return record


def _with_metadata(chat: Chat, steps: list[Step], metadata: Mapping[str, Any]) -> list[Step]:
    """Let fields of the chat's metadata come and go with a change of its messages."""
    if not metadata or not steps:
        return steps
    header = next((step.after for step in reversed(steps) if isinstance(step, Taint)), chat.header)
    return [*steps, Taint(header, header.with_metadata({**header.metadata(), **metadata}))]


def _more(reply: Reply) -> dict[str, Any]:
    kept = {"api", "model"}
    more = {name: value for name, value in reply.extra.items() if name in kept}
    if reply.reasoning:
        more["reasoning"] = reply.reasoning
    return more


def _marked(data: Record, who: str) -> dict[str, Any]:
    """Return what of ours a message's `extra` says once its text went on, "" for to its end (`edits.set_fields`)."""
    own = facts.extra(data).get(NAMESPACE)
    kept = {name: value for name, value in own.items() if name != STOPPED} if isinstance(own, dict) else {}
    if who:
        kept[STOPPED] = who
    return {NAMESPACE: kept or edits.ABSENT}
