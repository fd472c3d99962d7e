"""What can be done to special messages, as commands that can be undone (structured cards §8, §10)."""

from __future__ import annotations

from typing import Any

from tavern_desktop.cards.envelope import Card, new_id, new_record, read_card, with_payload, with_yaml, without_caption
from tavern_desktop.cards.errors import PayloadError
from tavern_desktop.cards.forms import FormField, Values, filled_in, summary
from tavern_desktop.cards.payload import parse
from tavern_desktop.cards.schemas import TYPES
from tavern_desktop.cards.yaml_reading import Payload
from tavern_desktop.chat import edits, facts
from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.facts import Record
from tavern_desktop.chat.message import Message
from tavern_desktop.library.personas import Persona
from tavern_desktop.session.commands import GONE, Command, InsertMessage
from tavern_desktop.session.refusals import CommandRefused
from tavern_desktop.session.steps import Place, Presence, Replace, Step

NO_CARD = "This is no special message."
NOT_WHOLE = "This special message is not understood whole, so it is kept as it is."
DONE_WITH = "This special message was answered already."
INEXPRESSIBLE = "One of the values cannot be stored: it has half a character in it."


class InsertCard(InsertMessage):
    """A special message with this payload, kept as it is written, behind a message or, with None, at the end."""

    label = "Insert special message"

    def __init__(self, yaml: str, after_key: int | None = None) -> None:
        """Raises CommandRefused where the payload is not valid as a whole."""
        record = _checked(yaml)
        super().__init__(after_key, record)
        self._id = facts.envelope(record)["id"]  # type: ignore[index]

    def _arrival(self, chat: Chat) -> tuple[int, Record]:
        if has_card(chat, self._id):
            raise CommandRefused(f"There is a special message with the id {self._id} in this chat already.")
        return super()._arrival(chat) if self.after_key is not None else (len(chat), self.data)


def has_card(chat: Chat, card_id: str, except_key: int | None = None) -> bool:
    """Say whether another special message of the chat has this id."""
    wanted = card_id.encode("utf-8", "surrogatepass")
    for message in chat.messages:
        # Most messages do not have the id anywhere: looking for its bytes is a hundred times as quick as decoding.
        if b'"card"' in message.seen and wanted in message.seen and message.key != except_key:
            card = read_card(message.seen_data())
            if card is not None and card.id == card_id:
                return True
    return False


class _CardCommand(Command):
    """A command about one special message that is understood whole."""

    def __init__(self, key: int, *, is_copy: bool = False) -> None:
        """`is_copy`: the message is a copy of another, and gets an id of its own now (contract §3)."""
        super().__init__()
        self.key, self.is_copy = key, is_copy

    def _plan(self, chat: Chat) -> list[Step]:
        index = chat.find(self.key)
        if index is None:
            raise CommandRefused(GONE)
        message = chat.messages[index]
        data = message.seen_data()
        card = read_card(data)
        if card is None:
            raise CommandRefused(NO_CARD)
        try:
            changed = edits.rewritten(message, self._change(data, card), of_seen=True)
        except PayloadError as error:
            raise CommandRefused(error.sentence) from None
        except ValueError:
            raise CommandRefused(INEXPRESSIBLE) from None
        steps: list[Step] = [] if changed is message else [Replace((message,), (changed,))]
        return [*steps, *self._more(chat, card, index)]

    def _change(self, data: Record, card: Card) -> Record:
        """Return what the message becomes. Raises CommandRefused, PayloadError, ValueError."""
        if card.state != "full":
            raise CommandRefused(NOT_WHOLE)
        payload = self._payload(card)
        if self.is_copy and payload.get("id") == card.id:
            payload = payload | {"id": new_id()}
        return data if payload == card.payload else with_payload(data, payload)

    def _payload(self, card: Card) -> Payload:
        """Return the payload as it shall be. Raises CommandRefused."""
        return card.payload

    def _more(self, chat: Chat, card: Card, index: int) -> list[Step]:
        """Return what happens besides."""
        return []


class UpdateCard(_CardCommand):
    """Another payload: fields filled in but not submitted, parameters, a workflow's progress."""

    def __init__(
        self, key: int, payload: Payload, label: str = "Edit special message", *, is_copy: bool = False
    ) -> None:
        super().__init__(key, is_copy=is_copy)
        self.label = label
        self._new = payload

    def _payload(self, card: Card) -> Payload:
        return self._new


class EditSource(_CardCommand):
    """Another payload as somebody wrote it: kept to the letter, and good also for one that was not understood."""

    label = "Edit source of special message"

    def __init__(self, key: int, yaml: str) -> None:
        """Raises CommandRefused where the payload is not valid as a whole."""
        super().__init__(key)
        self._yaml = yaml
        _checked(yaml)

    def _change(self, data: Record, card: Card) -> Record:
        return data if self._yaml == card.yaml else with_yaml(data, self._yaml)


class CancelForm(_CardCommand):
    """A form, or a matching of columns, that will not be answered."""

    label = "Cancel form"

    def _payload(self, card: Card) -> Payload:
        _require_open(card)
        return card.payload | {"status": "cancelled"}


class ExpireForm(_CardCommand):
    """A form that can be filled in no longer: the chat went on without it."""

    label = "Let form expire"

    def _payload(self, card: Card) -> Payload:
        _require_open(card)
        return card.payload | {"status": "expired"}


class _Telling(_CardCommand):
    """A command that also has the person say something, at the end of the chat."""

    def __init__(self, key: int, persona: Persona, *, is_copy: bool = False) -> None:
        super().__init__(key, is_copy=is_copy)
        self._persona = persona
        self.told: int | None = None
        """The key of the person's message, once it is there."""

    def _more(self, chat: Chat, card: Card, index: int) -> list[Step]:
        record = edits.new_user_message(
            self._text(card), self._persona.name, force_avatar=self._persona.force_avatar() or None
        )
        mark = self._mark(card)
        if mark:
            record = edits.set_fields(record, {}, {facts.OWN_FIELD: mark})
        message = edits.created(record)
        self.told = message.key
        return [Presence(True, ((Place.around(chat, len(chat), len(chat) - 1), (message,)),))]

    def _text(self, card: Card) -> str:
        raise NotImplementedError

    def _mark(self, card: Card) -> dict[str, Any]:
        return {}


class SubmitForm(_Telling):
    """A form is submitted, once, and the conversation is told its values as the user's message: one step, one save."""

    label = "Submit form"

    def __init__(
        self, key: int, fields: tuple[FormField, ...], values: Values, persona: Persona, *, is_copy: bool = False
    ) -> None:
        """`fields` as the form's definition allows them; `values` were checked."""
        super().__init__(key, persona, is_copy=is_copy)
        self._fields, self._values = fields, values

    def _payload(self, card: Card) -> Payload:
        if card.type != "Form":
            raise CommandRefused(NO_CARD)
        _require_open(card)
        return filled_in(card.payload, self._values) | {"status": "submitted", "submittedAt": edits.now()}

    def _text(self, card: Card) -> str:
        return summary(card.title, self._fields, self._values)

    def _mark(self, card: Card) -> dict[str, Any]:
        form = {"cardId": card.id, "formId": card.payload.get("formId")}
        return {"formResult": form | {"formVersion": card.payload.get("formVersion") or 1}}


class ConfirmMapping(_Telling):
    """A matching of columns is confirmed: which column stands for which required one."""

    label = "Confirm columns"

    def __init__(self, key: int, mapping: dict[str, str | None], persona: Persona, *, is_copy: bool = False) -> None:
        super().__init__(key, persona, is_copy=is_copy)
        self._mapping = mapping

    def _payload(self, card: Card) -> Payload:
        if card.type != "ColumnMatch":
            raise CommandRefused(NO_CARD)
        _require_open(card)
        return with_mapping(card.payload, self._mapping) | {"status": "confirmed"}

    def _text(self, card: Card) -> str:
        lines = [f'Columns of "{card.title}":' if card.title else "Columns:"]
        return "\n".join(lines + [f"- {name}: {column or 'none'}" for name, column in self._mapping.items()])

    def _mark(self, card: Card) -> dict[str, Any]:
        return {"formResult": {"cardId": card.id}}


class UseParameters(_Telling):
    """The person says in the conversation what the parameters are; the message that has them stays as it is."""

    label = "Use parameters"

    def _text(self, card: Card) -> str:
        if card.type != "ParameterSet":
            raise CommandRefused(NO_CARD)
        lines = [f'Parameters "{card.title}":' if card.title else "Parameters:"]
        for item in card.payload.get("items") or ():
            unit = f" {item['unit']}" if item.get("unit") else ""
            lines.append(f"- {item['name']}: {item.get('valueText') or ''}{unit}")
        return "\n".join(lines)


class SeparateCaption(_CardCommand):
    """What another program wrote behind a special message becomes a message of its own (contract §3)."""

    label = "Make a message of its own"

    def __init__(self, key: int, name: str) -> None:
        """`name`: who said it."""
        super().__init__(key)
        self._name = name

    def _change(self, data: Record, card: Card) -> Record:
        if not card.caption:
            raise CommandRefused("There is no text besides this special message.")
        return without_caption(data)

    def _more(self, chat: Chat, card: Card, index: int) -> list[Step]:
        message: Message = edits.created(edits.new_message("assistant", card.caption, self._name))
        return [Presence(True, ((Place.around(chat, index + 1, index), (message,)),))]


def with_mapping(payload: Payload, mapping: dict[str, str | None]) -> Payload:
    """Return the payload of a matching with these columns; what it knew of an unchanged one stays."""
    former = {entry.get("required"): entry for entry in payload.get("mappings") or ()}
    entries = []
    for name, column in mapping.items():
        kept = former.get(name)
        entries.append(kept if kept and kept.get("column") == column else {"required": name, "column": column})
    return payload | {"mappings": entries}


def _require_open(card: Card) -> None:
    if card.status != "draft":
        raise CommandRefused(DONE_WITH)


def _checked(yaml: str) -> Record:
    """Return the record for a payload. Raises CommandRefused where it is not valid as a whole."""
    try:
        outcome, record = parse(yaml), new_record(yaml)
    except PayloadError as error:
        raise CommandRefused(error.sentence) from None
    if outcome.reason == "unknown_type":
        raise CommandRefused(f"There is no type {outcome.type}, but {', '.join(TYPES)}.")
    if outcome.reason == "newer_schema":
        raise CommandRefused("This schema is newer than this program knows.")
    if outcome.reason == "field":
        raise CommandRefused(f"The payload has an error at {outcome.path}.")
    return record
