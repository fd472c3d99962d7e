"""Another program that writes one chat over and over, as SillyTavern does: it reads, changes, writes beside, replaces.

    python -m tests.faults.foreign_writer CHAT SEED

Writes once for each line of its input. Says on its output what it adds (`+ text`) and takes out (`- text`), and when it
has written (`.`).
"""

from __future__ import annotations

import json
import os
import random
import sys
from pathlib import Path
from typing import Any


class Writer:
    """What it does is chosen by chance."""

    def __init__(self, chat: Path, seed: int) -> None:
        self._chat = chat
        self._chance = random.Random(seed)
        self._number = seed * 10_000

    def write(self) -> None:
        lines = self._chat.read_bytes().split(b"\n")
        header, records = lines[0], [json.loads(line) for line in lines[1:] if line]
        self._chance.choice([self._append, self._append, self._edit, self._delete, self._respell])(records)
        text = b"\n".join([header, *(json.dumps(record).encode() for record in records)])
        if self._chance.random() < 0.2:  # delete and create
            self._chat.unlink()
            self._chat.write_bytes(text)
        else:
            beside = self._chat.with_name(self._chat.name + ".12345")
            beside.write_bytes(text)
            os.replace(beside, self._chat)

    def _append(self, records: list[dict[str, Any]]) -> None:
        text = self._new()
        date = f"2026-02-01T{text}"
        records.append({"name": "Mira", "is_user": False, "send_date": date, "mes": text, "extra": {}})

    def _edit(self, records: list[dict[str, Any]]) -> None:
        """Only its own: of two edits of one message ours shows, and theirs is an alternative."""
        own = [record for record in records if str(record["mes"]).startswith("theirs")]
        if own:
            record, text = self._chance.choice(own), self._new()
            self._say("-", record["mes"])
            record["mes"] = text
            record.pop("swipes", None)

    def _delete(self, records: list[dict[str, Any]]) -> None:
        own = [index for index, record in enumerate(records) if str(record["mes"]).startswith("theirs")]
        if own:
            index = self._chance.choice(own)
            self._say("-", records[index]["mes"])
            del records[index]

    def _respell(self, records: list[dict[str, Any]]) -> None:
        """As when SillyTavern shows messages: they get swipe fields."""
        for record in records:
            if not record.get("is_user"):
                record.setdefault("swipes", [record["mes"]])
                record.setdefault("swipe_id", 0)

    def _new(self) -> str:
        self._number += 1
        text = f"theirs {self._number}"
        self._say("+", text)
        return text

    def _say(self, what: str, text: str) -> None:
        print(what, text, flush=True)


def main(chat: str, seed: str) -> None:
    writer = Writer(Path(chat), int(seed))
    for _ in sys.stdin:
        try:
            writer.write()
        except (FileNotFoundError, json.JSONDecodeError) as error:  # we never leave such a file
            print("!", type(error).__name__, flush=True)
        print(".", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
