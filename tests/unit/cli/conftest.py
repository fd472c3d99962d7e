"""Running commands in this process, as the entry point does."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.__main__ import main
from tavern_desktop.library.data_root import DataRoot


@dataclass(frozen=True)
class Result:
    """What a command printed and returned."""

    code: int
    out: str
    err: str

    def objects(self) -> list[dict[str, Any]]:
        """Return the JSON objects it printed, one a line."""
        return [json.loads(line) for line in self.out.splitlines()]

    def error(self) -> dict[str, Any]:
        """Return the error object, which must be all that is on the error stream."""
        assert self.out == ""
        error: dict[str, Any] = json.loads(self.err)["error"]
        return error


Run = Callable[..., Result]


@pytest.fixture
def run(own_home: Path, root: DataRoot, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs a command on the data root of the test."""

    def run(*words: str | Path) -> Result:
        capsys.readouterr()
        code = main(["--data-root", str(root.path), *map(str, words)])
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        return Result(code, captured.out, captured.err)

    return run


@pytest.fixture
def chat(root: DataRoot) -> Path:
    """A chat of eight messages that every test may change."""
    path = root.chats / "Aria Vale" / "talk.jsonl"
    records: list[dict[str, Any]] = [
        {"chat_metadata": {"integrity": "abc"}, "user_name": "unused", "character_name": "unused"}
    ]
    for number in range(4):
        date = f"2026-01-05T08:0{number}:00.000Z"
        records.append(
            {"name": "Aria", "is_user": False, "is_system": False, "send_date": date, "mes": f"answer {number}",
             "extra": {}, "swipe_id": 1, "swipes": ["other", f"answer {number}"],
             "swipe_info": [{"send_date": date, "extra": {}}, {"send_date": date, "extra": {}}]}
        )  # fmt: skip
        records.append(
            {"name": "Mira", "is_user": True, "is_system": False, "send_date": date, "mes": f"question {number}",
             "extra": {}}
        )  # fmt: skip
    path.write_text("\n".join(json.dumps(record, ensure_ascii=False) for record in records), "utf-8")
    return path


def lines(path: Path) -> list[bytes]:
    """Return the lines of a chat file."""
    return path.read_bytes().split(b"\n")


def message(path: Path, index: int) -> dict[str, Any]:
    """Return a message of a chat file."""
    record: dict[str, Any] = json.loads(lines(path)[index + 1])
    return record
