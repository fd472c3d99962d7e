"""What special messages and their parts are called, in the person's language."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from tavern_desktop.cards.envelope import Card
from tavern_desktop.cards.forms import FieldError, FormField
from tavern_desktop.cards.payload import workflow_status


def tr(text: str) -> str:
    return QCoreApplication.translate("SpecialMessage", text)


def type_name(kind: str) -> str:
    """Return what a type of special message is called; the word itself for one that is not known."""
    names = {
        "Form": tr("Form"),
        "ParameterSet": tr("Parameters"),
        "Table": tr("Table"),
        "ColumnMatch": tr("Columns"),
        "WorkflowStatus": tr("Workflow"),
    }
    return names.get(kind) or kind or tr("Special message")


def status_name(card: Card, *, is_running: bool = False) -> str:
    """Return how a special message stands, "" where there is nothing to say; `is_running`: see `in_words`."""
    names = {
        "submitted": tr("Submitted"),
        "cancelled": tr("Cancelled"),
        "expired": tr("Expired"),
        "confirmed": tr("Confirmed"),
    }
    if card.type == "WorkflowStatus":
        return step_name(workflow_status(card.payload), interrupted=not is_running)
    return names.get(card.status, "") if card.type in ("Form", "ColumnMatch") else ""


def step_name(status: str, *, interrupted: bool = False) -> str:
    """Return how a step, or a whole workflow, stands."""
    if status == "running" and interrupted:
        return tr("Interrupted")
    names = {
        "pending": tr("Waiting"),
        "running": tr("Running"),
        "done": tr("Done"),
        "failed": tr("Failed"),
        "skipped": tr("Skipped"),
        "cancelled": tr("Cancelled"),
    }
    return names.get(status, status)


def problem_words(error: FieldError) -> str:
    """Return the sentence that stands below a field."""
    limit = f"{error.limit:g}" if error.limit is not None else ""
    sentences = {
        "required": tr("This must be filled in."),
        "number": tr("This must be a number."),
        "integer": tr("This must be a whole number."),
        "least": tr("This must be at least {limit}."),
        "most": tr("This must be at most {limit}."),
        "long": tr("This must have at most {limit} characters."),
        "choice": tr("Choose one of the choices."),
        "date": tr("This must be a date, such as 2026-03-14."),
        "datetime": tr("This must be a date and a time, such as 2026-03-14 18:30."),
        "file": tr("This must be a file of the data folder."),
    }
    return sentences[error.problem].format(limit=limit)


def field_label(field: FormField) -> str:
    """Return a field's label, marked where it must be filled in."""
    return f"{field.label} *" if field.required else field.label


def what_is_wrong(card: Card) -> str:
    """Return why a special message is not shown as what it is, "" where it is."""
    if card.state == "error":
        sentence = card.error.sentence if card.error is not None else ""
        return tr("Unreadable special message. {reason}").format(reason=sentence)
    if card.state == "placeholder":
        return tr("Made by a newer version or another feature.")
    if card.state == "degraded" and card.outcome is not None:
        return tr("This card has an error at {path}.").format(path=card.outcome.path)
    return ""


def in_words(card: Card, *, is_running: bool = False) -> str:
    """Return a special message as somebody would tell it: what it is, its title and how it stands.

    `is_running`: something works on it now.
    """
    status = status_name(card, is_running=is_running)
    parts = [part for part in (card.title, status, what_is_wrong(card), card.caption) if part]
    return ". ".join(parts) or type_name(card.type)
