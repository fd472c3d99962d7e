"""Handing things to the process that owns a data folder."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tavern_desktop.session import handover
from tavern_desktop.session.runner import PlainRunner

ASK = """
import json, sys
from pathlib import Path
from tavern_desktop.session import handover
print(json.dumps(handover.ask(Path(sys.argv[1]), {"open": "x"})))
"""
OWN = """
import sys
from pathlib import Path
from tavern_desktop.session import handover
owner = handover.take(Path(sys.argv[1]))
print("owned" if owner else "taken", flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def short_socket_folder(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("r")))


def answering(folder: Path, answer: handover.Answer) -> tuple[handover.Ownership, PlainRunner]:
    ownership = handover.take(folder)
    assert ownership is not None
    runner = PlainRunner()
    ownership.serve(runner, answer)
    return ownership, runner


def test_nobody_to_ask(tmp_path: Path) -> None:
    assert handover.ask(tmp_path, {"open": None}) is None


def test_a_request_of_another_process_is_answered_on_the_owners_thread(tmp_path: Path) -> None:
    seen: list[tuple[handover.Message, threading.Thread]] = []

    def answer(request: handover.Message) -> handover.Message:
        seen.append((request, threading.current_thread()))
        return {"ok": True}

    ownership, runner = answering(tmp_path, answer)
    try:
        with subprocess.Popen([sys.executable, "-c", ASK, str(tmp_path)], stdout=subprocess.PIPE) as process:
            assert runner.run_until(lambda: bool(seen), 30)
            output, _ = process.communicate(timeout=30)
    finally:
        ownership.release()
    assert json.loads(output) == {"ok": True}
    assert seen == [({"open": "x"}, threading.current_thread())]


def test_only_one_process_owns_a_folder_and_its_end_frees_it(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", OWN, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == "owned"
        assert handover.take(tmp_path, patience=0) is None
        process.kill()
        process.wait(30)
        ownership = handover.take(tmp_path)
        assert ownership is not None
        ownership.release()


def test_an_owner_that_does_not_answer_is_not_waited_for(tmp_path: Path) -> None:
    ownership, runner = answering(tmp_path, lambda request: {"ok": True})
    try:
        assert handover.ask(tmp_path, {"open": None}, patience=0.05) is None  # nobody runs the owner's calls
    finally:
        runner.run_until_idle()
        ownership.release()


def test_a_process_that_does_not_know_the_key_is_refused(tmp_path: Path) -> None:
    ownership, runner = answering(tmp_path, lambda request: {"ok": True})
    key = tmp_path / "owner.key"
    right = key.read_bytes()
    try:
        assert key.stat().st_mode & 0o077 == 0
        key.write_bytes(b"guessed")
        assert handover.ask(tmp_path, {"open": None}) is None
        key.write_bytes(right)
        replies: list[handover.Message | None] = []

        def ask_again() -> None:
            reply = handover.ask(tmp_path, {"open": None})
            runner.post(lambda: replies.append(reply))

        thread = threading.Thread(target=ask_again)
        thread.start()
        assert runner.run_until(lambda: bool(replies), 30)
        thread.join()
    finally:
        key.write_bytes(right)
        ownership.release()
    assert replies == [{"ok": True}]
