"""Why a payload cannot be read at all."""

from __future__ import annotations

from typing import Literal

Detail = Literal[
    "yaml",
    "tag",
    "alias",
    "multi_document",
    "duplicate_key",
    "bad_key",
    "not_mapping",
    "missing_type",
    "missing_id",
    "too_large",
    "too_deep",
    "too_many_nodes",
]

SENTENCES: dict[Detail, str] = {
    "yaml": "This is not valid YAML.",
    "tag": "Tags and directives are not allowed.",
    "alias": "Anchors and aliases are not allowed.",
    "multi_document": "There must be one document only.",
    "duplicate_key": "A key stands twice in one mapping.",
    "bad_key": "Keys must be texts of at most 128 characters.",
    "not_mapping": "The payload must be a mapping.",
    "missing_type": "The payload does not say its type.",
    "missing_id": "The payload has no id.",
    "too_large": "The payload is too large: show fewer rows.",
    "too_deep": "The payload is nested too deeply.",
    "too_many_nodes": "The payload has too many entries.",
}


class PayloadError(Exception):
    """A payload that cannot be read. `line` and `column` count from 1, None where they do not apply."""

    def __init__(self, detail: Detail, line: int | None = None, column: int | None = None) -> None:
        super().__init__(detail, line, column)
        self.detail: Detail = detail
        self.line = line
        self.column = column

    @property
    def sentence(self) -> str:
        """What is wrong, and where."""
        where = f" (line {self.line}, column {self.column})" if self.line is not None else ""
        return SENTENCES[self.detail].removesuffix(".") + where + "."
