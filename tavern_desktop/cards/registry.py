"""The forms that can be filled in here: registered by parts of the program, or read from YAML files in our own folder.

A definition never comes from a chat file (contract §10): a chat only names one, and its limits win over the chat's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tavern_desktop.cards.errors import PayloadError
from tavern_desktop.cards.forms import FieldError, FormField, Values, check_all, fields_of
from tavern_desktop.cards.payload import judge
from tavern_desktop.cards.yaml_reading import MOST_BYTES, Payload, read_payload

ENDING = ".yaml"

Handler = Callable[[Values], object]
"""What submitting does besides telling the conversation. Called once the submission is on disk."""


@dataclass(frozen=True)
class FormDefinition:
    """A form as this program knows it. `entries` are its fields as a payload lists them, without values."""

    form_id: str
    version: int
    title: str
    entries: tuple[Payload, ...]
    submit_label: str = ""
    description: str = ""
    columns: tuple[Payload, ...] = ()
    """The columns of a table that it asks for: a CSV file that is dropped while it is open is matched with them."""
    wants_reply: bool = False
    """The character answers what was submitted."""
    expires: bool = False
    """It can be filled in only until the person says something else."""
    handler: Handler | None = None
    """None: the values go into the conversation, and that is all."""

    @property
    def fields(self) -> tuple[FormField, ...]:
        """The fields."""
        return fields_of({"fields": list(self.entries)})

    def validate(self, values: Values) -> dict[str, FieldError]:
        """Return what keeps these values from being submitted, by the names of the fields."""
        return check_all(self.fields, values)

    def payload(self, own_id: str) -> Payload:
        """Return the payload of a new message that shows this form."""
        made: Payload = {"type": "Form", "id": own_id, "title": self.title}
        if self.description:
            made["description"] = self.description
        made |= {"formId": self.form_id, "formVersion": self.version, "status": "draft"}
        return made | {"fields": [dict(entry) for entry in self.entries]}


class FormRegistry:
    """What forms there are. Belongs to one thread."""

    def __init__(self) -> None:
        self._forms: dict[tuple[str, int], FormDefinition] = {}
        self.problems: list[tuple[Path, str]] = []
        """Files that are no forms, and a sentence why."""

    def register(self, definition: FormDefinition) -> None:
        """Make a form known; one of the same id and version gives way."""
        self._forms[definition.form_id, definition.version] = definition

    def get(self, form_id: str, version: int | None = None) -> FormDefinition | None:
        """Return a form, without a version its newest; None where there is none."""
        if version is not None:
            return self._forms.get((form_id, version))
        found = [form for (own_id, _), form in self._forms.items() if own_id == form_id]
        return max(found, key=lambda form: form.version, default=None)

    def of(self, payload: Payload) -> FormDefinition | None:
        """Return the form that a payload shows, None where this program has none of its id and version."""
        version = payload.get("formVersion")
        return self.get(str(payload.get("formId")), version if isinstance(version, int) else 1)

    def __iter__(self) -> Iterator[FormDefinition]:
        return iter(sorted(self._forms.values(), key=lambda form: (form.title.casefold(), form.version)))

    def read_folder(self, folder: Path) -> None:
        """Register every form file of a folder; what is no form is named in `problems` and changes nothing else."""
        try:
            files = sorted(path for path in folder.iterdir() if path.suffix == ENDING)
        except FileNotFoundError:
            return
        for path in files:
            try:
                self.register(read_definition(path))
            except (OSError, UnicodeDecodeError, FormFileError) as error:
                self.problems.append((path, str(error)))


class FormFileError(Exception):
    """A file is no form; the text is a sentence for people."""


def read_definition(path: Path) -> FormDefinition:
    """Return the form that a file describes. Raises FormFileError, OSError, UnicodeDecodeError."""
    with path.open("rb") as file:
        text = file.read(MOST_BYTES + 1).decode("utf-8")
    try:
        return definition_of(read_payload(text))
    except PayloadError as error:
        raise FormFileError(error.sentence) from None


def definition_of(data: Payload) -> FormDefinition:
    """Return the form that a file's fields describe: those of a payload without values, and `reply`, `expires` and
    `columns` besides.

    Raises FormFileError: what a form file says is judged like the payload of a form.
    """
    payload = {"type": "Form", "id": "definition", **{key: data[key] for key in data if key not in ("type", "id")}}
    columns = [{"name": entry} if isinstance(entry, str) else entry for entry in data.get("columns") or ()]
    asked: Payload = {"type": "ColumnMatch", "id": "definition", "requiredColumns": columns}
    wrong = judge(payload).path or (judge(asked).path or "").replace("requiredColumns", "columns") or None
    if wrong is not None:
        raise FormFileError(f"This form has an error at {wrong}.")
    entries = tuple(
        {key: item[key] for key in item if key not in ("value", "filled")} for item in data.get("fields") or ()
    )
    version = data.get("formVersion")
    return FormDefinition(
        form_id=data["formId"],
        version=version if isinstance(version, int) else 1,
        title=data.get("title") or data["formId"],
        entries=entries,
        submit_label=data.get("submitLabel") or "",
        description=data.get("description") or "",
        columns=tuple(columns),
        wants_reply=data.get("reply") is True,
        expires=data.get("expires") is True,
    )


def known_forms(*folders: Path, registered: Iterable[FormDefinition] = ()) -> FormRegistry:
    """Return the forms of these folders and those that parts of the program bring; the later of two counts."""
    registry = FormRegistry()
    for folder in folders:
        registry.read_folder(folder)
    for definition in registered:
        registry.register(definition)
    return registry
