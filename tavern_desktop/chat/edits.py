"""Changes of one message record, and records for new messages, as SillyTavern would have them (chat files §10, §11).

The functions take a record and return another; none changes its argument.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from tavern_desktop.chat import facts, jsontext, swipes
from tavern_desktop.chat.facts import Record, Role
from tavern_desktop.chat.message import ID_FIELD, Message

ABSENT: Final = object()
"""In `set_fields`: take the field out."""


def rewritten(message: Message, data: Record, *, of_seen: bool = False) -> Message:
    """Return the message saying `data`: itself if that is what it says, its original bytes if those say it.

    `of_seen`: `data` was made from what is seen of the message (`Message.seen_data`).
    """
    said = message.seen_data() if of_seen else message.data()
    return message if jsontext.same(data, said) else saying(message, data, of_seen=of_seen)


def saying(message: Message, data: Record, *, of_seen: bool = False) -> Message:
    """Return the message saying `data`, which is known to differ from what it says.

    The one place where a message that we rewrite gets its id (D1, D2).
    """
    data = _with_id(data)
    return message.saying_seen(data) if of_seen else message.saying(data)


def with_own_id(message: Message, *, of_seen: bool = False) -> Message:
    """Return a message that was rewritten with an id of its own in the place of one that another message has."""
    data = message.seen_data() if of_seen else message.data()
    data = {field: value for field, value in data.items() if field != ID_FIELD}
    return saying(message, data, of_seen=of_seen)


def created(data: Record) -> Message:
    """Return a message for a record of ours, with an id."""
    return Message.new(_with_id(data))


def set_text(data: Record, text: str) -> Record:
    """Return the record saying `text`, its shown alternative too (known failures B-28).

    A translation of the old text goes with it.
    """
    if text == facts.text(data):
        return data
    shown = facts.swipes(data)
    if isinstance(data.get("swipes"), list) and data["swipes"]:
        if not shown.is_recorded:
            data = swipes.settled(data)
        slots = list(data["swipes"])
        slots[shown.current] = text
        data = data | {"swipes": slots}
    data = data | {facts.TEXT_FIELD: text}
    more = facts.extra(data)
    if "display_text" not in more:
        return data
    more = {field: value for field, value in more.items() if field != "display_text"}
    return swipes.mirror_current(data | {"extra": more})


def set_fields(data: Record, fields: Mapping[str, Any], extra: Mapping[str, Any] | None = None) -> Record:
    """Return the record with other fields, and other parts of `extra`; ABSENT takes one out.

    Not for the text and the swipes, which have functions of their own.
    """
    changed = _updated(data, fields)
    if extra:
        changed["extra"] = _updated(facts.extra(data), extra)
    return swipes.mirror_current(changed)


def set_hidden(data: Record, hidden: bool) -> Record:
    """Return the record kept out of prompts, or let in again; itself where that is so already."""
    return data if facts.is_hidden(data) == hidden else data | {"is_system": hidden}


def copy_of(data: Record, *, send_date: str | None = None) -> Record:
    """Return a record for a copy of the message: the same with an id and a date of its own."""
    copied = {field: value for field, value in data.items() if field != ID_FIELD}
    return _with_id(swipes.mirror_current(copied | {"send_date": send_date or now()}))


def new_user_message(text: str, name: str, *, force_avatar: str | None = None, send_date: str | None = None) -> Record:
    """Return a record for what the user says; `force_avatar` is the persona's picture."""
    data: Record = {"name": name, "is_user": True, "is_system": False, "send_date": send_date or now()}
    data |= {"mes": text, "extra": {"isSmallSys": False}}
    return data | ({"force_avatar": force_avatar} if force_avatar else {})


def new_message(role: Role, text: str, name: str, *, send_date: str | None = None) -> Record:
    """Return a record for a message of a role; `facts.role` of it is that role again."""
    if role == "user":
        return new_user_message(text, name, send_date=send_date)
    date = send_date or now()
    data: Record = {"name": name, "is_user": False, "is_system": role != "assistant", "send_date": date, "mes": text}
    data["extra"] = {}
    if role == "tool":
        return data | {"role": "tool"}
    return data | {"swipe_id": 0, "swipes": [text], "swipe_info": [{"send_date": date, "extra": {}}]}


def now() -> str:
    """Return the time as SillyTavern writes it: ISO 8601, UTC, milliseconds."""
    return _written(datetime.now(UTC))


def at(milliseconds: int) -> str:
    """Return a time, in milliseconds since 1970, as SillyTavern writes it."""
    return _written(datetime.fromtimestamp(milliseconds / 1000, UTC))


def _written(time: datetime) -> str:
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _with_id(data: Record) -> Record:
    return data if ID_FIELD in data else data | {ID_FIELD: f"msg_{uuid.uuid4().hex}"}


def _updated(data: Mapping[str, Any], fields: Mapping[str, Any]) -> Record:
    merged = {**data, **fields}
    return {field: value for field, value in merged.items() if value is not ABSENT}
