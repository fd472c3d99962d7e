"""A special message as it stands in a chat: a message like any other, with its payload in `extra` (contract §3).

The YAML is kept as it was received. It is written anew only by an edit of that card, and never where it was not
understood whole. The message's text is the phrase of §6.2; what somebody wrote behind it, or in its place, is the
caption.
"""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass
from typing import Any, Literal

from tavern_desktop.cards.errors import PayloadError
from tavern_desktop.cards.payload import Outcome, parse
from tavern_desktop.cards.phrase import UNREADABLE, phrase
from tavern_desktop.cards.schemas import TYPE
from tavern_desktop.cards.yaml_reading import Payload
from tavern_desktop.cards.yaml_writing import write_payload
from tavern_desktop.chat import edits, facts
from tavern_desktop.chat.facts import Record

VERSION = 1
NAME = "Note"
"""The speaker of a special message: no user's and no character's."""

State = Literal["full", "degraded", "placeholder", "error"]

_OUR_PHRASE = re.compile(
    r"\[(Form (shown|submitted|cancelled|expired)|Parameters shown|Table shown|Column matching shown|Workflow|Card)"
    r"[^\[\]]*\]"
)


@dataclass(frozen=True, slots=True)
class Card:
    """What a special message turns out to be. `outcome` is None, and `error` says why, where it cannot be read.

    A message made by a newer version is a placeholder with neither: nothing in it is judged.
    """

    type: str
    """"" where nobody can tell."""
    id: str
    yaml: str
    state: State
    phrase: str
    """What stands for it in prompts."""
    caption: str
    """What the message says besides the phrase."""
    outcome: Outcome | None = None
    error: PayloadError | None = None

    @property
    def payload(self) -> Payload:
        """The payload, empty where it cannot be read."""
        return self.outcome.payload if self.outcome is not None else {}

    @property
    def title(self) -> str:
        """The title of a payload that could be read, else ""."""
        return self.outcome.title if self.outcome is not None else ""

    @property
    def status(self) -> str:
        """How far it has come, for the types that have a status; "draft" is where it begins."""
        status = self.payload.get("status")
        return status if isinstance(status, str) else "draft"

    @property
    def has_comments(self) -> bool:
        """Say whether the YAML has comments, which an edit would lose; a `#` within a text may look like one."""
        return any(re.search(r"(^|\s)#", line) for line in self.yaml.splitlines())


def read_card(data: Record) -> Card | None:
    """Return what the special message `data` is, None for any other message. Never raises."""
    envelope = facts.envelope(data)
    if envelope is None:
        return None
    yaml, kind, own_id = envelope.get("yaml"), _text(envelope.get("type")), _text(envelope.get("id"))
    kind = kind if TYPE.fullmatch(kind) else ""
    if _version(envelope) > VERSION:
        said = f"[Card: {kind}]" if kind else UNREADABLE
        return Card(kind, own_id, _text(yaml), "placeholder", said, caption(facts.text(data), said))
    try:
        if not isinstance(yaml, str):
            raise PayloadError("yaml")
        outcome = parse(yaml)
    except PayloadError as error:
        text = caption(facts.text(data), UNREADABLE)
        return Card(kind, own_id, _text(yaml), "error", UNREADABLE, text, error=error)
    said = phrase_of(outcome)
    return Card(outcome.type, outcome.id, yaml, outcome.state, said, caption(facts.text(data), said), outcome)


def phrase_of(outcome: Outcome) -> str:
    """Return the phrase for a payload; of what is not understood nothing but its type is quoted."""
    return f"[Card: {outcome.type}]" if outcome.state == "placeholder" else phrase(outcome.payload)


def caption(text: str, said: str) -> str:
    """Return what a message says besides its phrase `said`, or one that it had before."""
    return text[_phrase_end(text, said) :].strip()


def _phrase_end(text: str, said: str) -> int:
    """Return where the phrase ends that a text begins with, 0 where somebody wrote over it."""
    if text.startswith(said):
        return len(said)
    former = _OUR_PHRASE.match(text)
    return former.end() if former else 0


def new_record(yaml: str) -> Record:
    """Return the record of a special message with this payload, kept as it is. Raises PayloadError."""
    outcome = parse(yaml)
    envelope = {"v": VERSION, "type": outcome.type, "id": outcome.id, "yaml": yaml}
    record: Record = {"name": NAME, "is_user": False, "is_system": True, "send_date": edits.now()}
    record["mes"] = phrase_of(outcome)
    return record | {"extra": {"isSmallSys": True, facts.OWN_FIELD: {"card": envelope}}}


def with_payload(data: Record, payload: Payload) -> Record:
    """Return the special message `data` with another payload, written anew; a caption stays as it is.

    Raises PayloadError where the payload cannot be written, ValueError for a value that YAML cannot express.
    """
    return with_yaml(data, write_payload(payload))


def with_yaml(data: Record, yaml: str) -> Record:
    """Return the special message `data` with another payload, kept as it is written. Raises PayloadError."""
    outcome = parse(yaml)
    card, envelope = read_card(data), facts.envelope(data)
    if card is None or envelope is None:
        raise ValueError("this is no special message")
    own = facts.extra(data)[facts.OWN_FIELD]
    envelope = envelope | {"v": VERSION, "type": outcome.type, "id": outcome.id, "yaml": yaml}
    text = facts.text(data)
    end = _phrase_end(text, card.phrase)
    if end:  # one that somebody wrote over is a caption and stays
        data = edits.set_text(data, phrase_of(outcome) + text[end:])
    return edits.set_fields(data, {}, {facts.OWN_FIELD: own | {"card": envelope}})


def without_caption(data: Record) -> Record:
    """Return the special message saying only its phrase."""
    card = read_card(data)
    return data if card is None else edits.set_text(data, card.phrase)


def new_id() -> str:
    """Return an id for a new special message."""
    return f"c_{uuid.uuid4().hex[:16]}"


def _version(envelope: Record) -> int:
    number = envelope.get("v")
    return number if isinstance(number, int) and not isinstance(number, bool) else VERSION


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
