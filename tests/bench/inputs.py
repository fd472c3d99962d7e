"""What the benchmark works on: chats and libraries from a generator with fixed seeds."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.make_library import NAMES, Teller, card, chat_records, png, write_chat

SEED = 7
CHATS_EACH = 10
CHAT_LENGTHS = (10, 20, 40, 80)
START = datetime(2024, 1, 1, tzinfo=UTC)


def chat_root(folder: Path, messages: int) -> Path:
    """Return a data root with one character and one chat of so many messages, made once; about 2 KB a message."""
    root = folder / f"chat-{messages}"
    path = chat_in(root)
    if not path.exists():
        teller = Teller(SEED)
        _write_card(root, teller, NAMES[0], path.stem)
        unfinished = path.with_suffix(".part")
        write_chat(unfinished, chat_records(teller, NAMES[0], "Wanderer", messages, START, 0))
        unfinished.rename(path)
    return root


def chat_in(root: Path) -> Path:
    """Return the chat of a root made by `chat_root`."""
    return root / "default-user" / "chats" / NAMES[0] / "benchmark.jsonl"


def library_root(folder: Path, chats: int) -> Path:
    """Return a data root with so many chats of 10 to 80 messages, ten to a character, made once."""
    root = folder / f"library-{chats}"
    mark = root / "complete"
    if mark.exists():
        return root
    teller = Teller(SEED)
    for number in range(chats):
        serial, name = number // CHATS_EACH, NAMES[number // CHATS_EACH % len(NAMES)]
        stem = f"{name} {serial}"
        title = f"chat {number}"
        if number % CHATS_EACH == 0:
            _write_card(root, teller, stem, title)
        begin = START + timedelta(hours=7 * number)
        length = teller.random.choice(CHAT_LENGTHS)
        path = root / "default-user" / "chats" / stem / f"{title}.jsonl"
        write_chat(path, chat_records(teller, stem, "Wanderer", length, begin, 0))
    mark.touch()
    return root


def _write_card(root: Path, teller: Teller, name: str, chat: str) -> None:
    picture = root / "default-user" / "characters" / f"{name}.png"
    picture.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(card(teller, name, chat), ensure_ascii=False)
    picture.write_bytes(png(160, 240, (90, 70, 120), {"chara": text}))
    settings = root / "default-user" / "settings.json"
    settings.write_text(json.dumps({"username": "Wanderer", "power_user": {"chat_truncation": 100}}), encoding="utf-8")
