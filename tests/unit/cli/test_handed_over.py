"""A change while a window has the data folder open is made in the window's process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tavern_desktop.cli import changes, generating
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.session import handover
from tavern_desktop.session.change_jobs import ChangeDesk
from tavern_desktop.session.file_acts import FileActs
from tavern_desktop.session.generating.generations import Generations
from tavern_desktop.session.generating.jobs import GenerateJob, Wanted
from tavern_desktop.session.generating.model_servers import ModelServers
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.session.runner import PlainRunner
from tavern_desktop.storage.own_folders import own_folders
from tests.unit.cli.conftest import Run, lines, message
from tests.unit.cli.saying import Saying, connected


class Window:
    """Stands for the window's process: owns the data root, and has a thread of its own."""

    def __init__(self, root: DataRoot) -> None:
        self.runner = PlainRunner()
        self.folder = own_folders().for_root(root.path).data
        self.chats = OpenChats(
            self.runner, self.folder / "recovery", preview_limit=0, own_folder=self.folder, root=root.path
        )
        self.asked: list[dict[str, Any]] = []
        self._servers = ModelServers(self.runner, own_folders(), self.folder, frame=0)
        self._generations = Generations(self.chats, lambda: self._servers)
        self._desk = ChangeDesk(self.chats, FileActs(self.runner, self.chats, self.folder), self._generate)
        self._ready = threading.Event()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._live)

    def __enter__(self) -> Window:
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(self, *error: object) -> None:
        self._closing.set()
        self.runner.post(lambda: None)
        self._thread.join()
        self._servers.close()

    def _live(self) -> None:
        ownership = handover.take(self.folder)
        assert ownership is not None
        ownership.serve(self.runner, self._answer)
        self._ready.set()
        self.runner.run_until(self._closing.is_set, 60)
        ownership.release()

    def _generate(self, plain: dict[str, Any]) -> GenerateJob:
        return GenerateJob(self.runner, self.chats, self._generations, msgspec.convert(plain, Wanted))

    def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        self.asked.append(request)
        return self._desk.answer(request) or {}


@pytest.fixture
def window(root: DataRoot, own_home: Path) -> Iterator[Window]:
    with Window(root) as window:
        yield window


def test_a_change_goes_to_the_window_and_is_on_disk_when_the_command_ends(
    run: Run, window: Window, chat: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "_change_here", None)  # a change in this process would fail
    result = run("chats", "edit", chat, "--message", "0", "--text", "from outside", "--json")
    assert (result.code, result.err) == (0, "")
    assert result.objects() == [{"file": str(chat), "changed": True, "messages": 8}]
    assert message(chat, 0)["mes"] == "from outside"
    assert "change" in window.asked[0]


def test_versions_are_those_of_the_window(run: Run, window: Window, chat: Path, tmp_path: Path) -> None:
    before = lines(chat)
    run("chats", "edit", chat, "--message", "0", "--text", "changed")
    listed = [version["id"] for version in run("chats", "history", chat, "--json").objects() if not version["size"]]
    assert listed == ["1", "0"]
    assert run("chats", "history", chat, "--restore", "0", "--out", tmp_path / "copy.jsonl").code == 0
    assert lines(tmp_path / "copy.jsonl")[1:] == before[1:]
    assert run("chats", "history", chat, "--restore", "0").code == 0
    assert lines(chat)[1:] == before[1:]
    assert [next(iter(request)) for request in window.asked if "job" not in request] == ["change", *["history"] * 3]
    assert run("chats", "history", chat, "--restore", "99").err.strip().endswith("There is no version 99 of this chat.")


def test_failures_in_the_window_are_told_here(run: Run, window: Window, chat: Path) -> None:
    before = chat.read_bytes()
    result = run("chats", "delete", chat, "--message", "5-20")
    assert (result.code, result.err) == (1, "There is no message 20: the chat has messages 0 to 7.\n")
    chat.write_bytes(before[:-5])
    assert run("chats", "delete", chat, "--message", "0", "--json").error()["kind"] == "bad_record"


def test_a_reply_with_tools_is_written_in_the_window_and_told_here(
    run: Run, window: Window, chat: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generating, "_send_here", None)
    with connected() as server:
        with Saying(server, lambda: server.call("roll_dice", '{"dice": "1d1+6"}'), lambda: server.say("Se", "ven.")):
            result = run("send", chat, "--text", "Roll!", "--allow-tool", "roll_dice")
        assert (result.code, result.out) == (0, "Seven.\n")
        assert result.err == '[roll_dice({"dice": "1d1+6"}) answered: 1 + 6 = 7]\n'
        assert [message(chat, index)["mes"] for index in (8, 10, 11)] == ["Roll!", "1 + 6 = 7", "Seven."]
        with Saying(server, lambda: server.say("Half of ", "it"), unplug=True):
            broken = run("send", chat, "--reply", "--json")
    assert broken.code == 1
    assert broken.objects()[0]["state"] == "failed"
    assert message(chat, 12)["mes"] == "Half of it"


def test_reading_needs_nobodys_leave(run: Run, window: Window, chat: Path) -> None:
    assert run("chats", "show", chat, "--tail", "1").code == 0
    assert run("chats", "list", "--limit", "1").code == 0
    assert run("chats", "check", chat).code == 0
    assert window.asked == []


def test_without_a_window_the_folder_is_owned_for_the_change_alone(run: Run, root: DataRoot, chat: Path) -> None:
    assert run("chats", "delete", chat, "--message", "0").code == 0
    ownership = handover.take(own_folders().for_root(root.path).data, patience=0)
    assert ownership is not None
    ownership.release()


def test_an_owner_that_does_not_answer_is_not_gone_around(run: Run, root: DataRoot, chat: Path) -> None:
    folder = own_folders().for_root(root.path).data
    program = (
        "import sys; from tavern_desktop.session import handover; from pathlib import Path;"
        "owner = handover.take(Path(sys.argv[1])); print('taken', flush=True); sys.stdin.read()"
    )
    before = lines(chat)
    with subprocess.Popen(
        [sys.executable, "-c", program, str(folder)],
        cwd=Path(__file__).parents[3],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"taken\n"
        result = run("chats", "delete", chat, "--message", "0")
        os.kill(process.pid, signal.SIGKILL)
    assert (result.code, result.out) == (1, "")
    assert "does not answer" in result.err
    assert lines(chat) == before
    assert run("chats", "delete", chat, "--message", "0").code == 0  # the lock of a killed owner is free
