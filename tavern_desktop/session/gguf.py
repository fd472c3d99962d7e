"""What the head of a GGUF file says of the model in it: enough to size its context."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from tavern_desktop.backends.errors import BackendError

_MAGIC = b"GGUF"
_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_TEXT, _ARRAY = 8, 9
_LONGEST_TEXT = 16 * 1024 * 1024
_LONGEST_ARRAY = 1024**3
_MOST_KEYS = 10_000


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A model file. `context` is the context size it was trained for, None where it does not say."""

    path: Path
    context: int | None

    @property
    def name(self) -> str:
        """What people know it by: the name of the file, which says size and quantisation too."""
        return self.path.stem


class _Damaged(ValueError):
    """The head cannot be read."""


def read_model_file(path: Path) -> ModelFile:
    """Read the head of a GGUF file. Raises BackendError connection with what is wrong with it."""
    try:
        with path.open("rb") as file:
            if file.read(4) != _MAGIC:
                raise BackendError("connection", f"{path.name} is no model file (GGUF).")
            facts = _facts(file)
    except FileNotFoundError:
        raise BackendError("connection", f"The model file {path} does not exist.") from None
    except OSError as error:
        reason = error.strerror or error
        raise BackendError("connection", f"The model file {path.name} cannot be read: {reason}.") from None
    except _Damaged:
        raise BackendError("connection", f"The model file {path.name} is damaged: its head cannot be read.") from None
    architecture = facts.get("general.architecture", "")
    context = facts.get(f"{architecture}.context_length")
    return ModelFile(path, context if isinstance(context, int) and context > 0 else None)


def _facts(file: BinaryIO) -> dict[str, Any]:
    """Read names and values up to those of the tokenizer, which are long and come last."""
    version, _, count = _unpack(file, "<IQQ")
    if version not in (2, 3) or count > _MOST_KEYS:
        raise _Damaged
    facts: dict[str, Any] = {}
    for _ in range(count):
        name = _text(file)
        if name.startswith("tokenizer."):
            break
        (kind,) = _unpack(file, "<I")
        if kind == _ARRAY:
            _pass_over_array(file)
        else:
            facts[name] = _value(file, kind)
    return facts


def _value(file: BinaryIO, kind: int) -> Any:
    if kind == _TEXT:
        return _text(file)
    if kind not in _NUMBERS:
        raise _Damaged
    return _unpack(file, f"<{_NUMBERS[kind]}")[0]


def _pass_over_array(file: BinaryIO) -> None:
    kind, count = _unpack(file, "<IQ")
    if kind in _NUMBERS:
        _pass_over(file, count * struct.calcsize(f"<{_NUMBERS[kind]}"))
    elif kind == _TEXT:
        for _ in range(count):
            (length,) = _unpack(file, "<Q")
            _pass_over(file, length)
    else:
        raise _Damaged


def _pass_over(file: BinaryIO, length: int) -> None:
    if length > _LONGEST_ARRAY:
        raise _Damaged
    file.seek(length, 1)


def _text(file: BinaryIO) -> str:
    (length,) = _unpack(file, "<Q")
    if length > _LONGEST_TEXT:
        raise _Damaged
    return _exactly(file, length).decode("utf-8", "replace")


def _unpack(file: BinaryIO, form: str) -> tuple[Any, ...]:
    return struct.unpack(form, _exactly(file, struct.calcsize(form)))


def _exactly(file: BinaryIO, length: int) -> bytes:
    data = file.read(length)
    if len(data) != length:
        raise _Damaged
    return data
