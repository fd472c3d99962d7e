"""J1 to J3: what the journal of a chat costs on disk, and how quickly earlier versions are there."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from time import perf_counter

from tavern_desktop.chat import facts
from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.header import Header
from tavern_desktop.chat.recorder import Recorder
from tavern_desktop.session.commands import EditText
from tavern_desktop.storage.journal import Entry, Journal
from tavern_desktop.storage.journal_versions import records_at
from tavern_desktop.storage.reader import load
from tests.bench.inputs import chat_in
from tests.bench.sample import Sample

VERSIONS = 1000


def bytes_of_an_edit(root: Path) -> Sample:
    """J1: what one edit of one word adds to the journal, on average."""
    _, journal = edited_chat(root)
    return Sample(journal.size / VERSIONS)


def list_of_versions(root: Path) -> Sample:
    """J2: the list of a thousand versions, from disk."""
    _, written = edited_chat(root)
    began = perf_counter()
    assert len(Journal(written.folder).metas()) == VERSIONS
    return Sample(perf_counter() - began)


def oldest_version(root: Path) -> Sample:
    """J3: the whole chat as it was a thousand versions ago."""
    chat, written = edited_chat(root)
    records = [message.raw for message in chat.messages]
    began = perf_counter()
    assert len(records_at(Journal(written.folder), 0, chat.header.raw, records)[1]) == len(records)
    return Sample(perf_counter() - began)


def edited_chat(root: Path) -> tuple[Chat, Journal]:
    """Return a chat in which a word was added to a message again and again, and its journal."""
    loaded = load(chat_in(root))
    assert isinstance(loaded.header, Header)
    chat = Chat(loaded.header, loaded.messages)
    recorder = Recorder(chat)
    folder = root / "journal"
    shutil.rmtree(folder, ignore_errors=True)
    journal = Journal(folder)
    chance = random.Random(11)
    entries = []
    for number in range(1, VERSIONS + 1):
        message = chance.choice(chat.messages)
        words = facts.text(message.data()).split(" ")
        words.insert(chance.randrange(len(words)), f"word{number}")
        EditText(message.key, " ".join(words)).do(chat)
        pending = recorder.take()
        assert pending is not None
        entries.append(Entry(number, 1_790_000_000_000 + number, "command", EditText.label, pending.delta()))
    journal.append(entries)
    journal.sync()
    return chat, journal
