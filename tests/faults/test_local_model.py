"""The model that runs as our child: it ends with us, and what goes wrong with it is a sentence."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tavern_desktop.backends.connection import Connection
from tavern_desktop.backends.errors import BackendError
from tavern_desktop.session import local_model
from tavern_desktop.session.local_model import LocalModel, Progress, why_not
from tavern_desktop.storage.own_folders import own_folders
from tests.tiny_model import make_tiny_model


class Heard:
    """What a local model tells of itself, on threads of its own."""

    def __init__(self) -> None:
        self.all: list[Progress] = []
        self.has_ended = threading.Event()

    def __call__(self, progress: Progress) -> None:
        self.all.append(progress)
        if progress.state == "ended":
            self.has_ended.set()


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny_model(tmp_path_factory.mktemp("model") / "tiny.gguf")


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest.fixture
def model(heard: Heard) -> Iterator[LocalModel]:
    model = LocalModel(own_folders(), heard)
    yield model
    model.close()


def on(file: Path) -> Connection:
    return Connection(id="1", name="Mine", protocol="local", model=str(file))


def children() -> list[psutil.Process]:
    return [child for child in psutil.Process().children() if "local_server" in " ".join(child.cmdline())]


def test_it_tells_how_far_it_is_and_is_started_once(model: LocalModel, heard: Heard, file: Path) -> None:
    connection, secrets = model.ready(on(file))
    assert [progress.state for progress in heard.all[:3]] == ["reading", "loading", "ready"]
    assert heard.all[0].share == 1.0
    assert (connection.protocol, connection.provider, connection.model) == ("openai", "llamacpp", "tiny")
    assert model.ready(on(file))[0] == connection
    (child,) = children()
    assert secrets.key not in " ".join(child.cmdline())
    model.close()
    assert not child.is_running()
    assert heard.all[-1] == Progress("ended", "tiny")


def test_another_file_takes_its_place(model: LocalModel, file: Path, tmp_path: Path) -> None:
    model.ready(on(file))
    other = tmp_path / "other.gguf"
    other.write_bytes(file.read_bytes())
    assert model.ready(on(other))[0].model == "other"
    assert len(children()) == 1


def test_a_crash_is_a_sentence_and_the_next_wish_starts_it_again(model: LocalModel, heard: Heard, file: Path) -> None:
    model.ready(on(file))
    (child,) = children()
    child.kill()
    assert heard.has_ended.wait(60)
    reason = "it was ended by signal 9" if sys.platform != "win32" else "exit code"
    assert heard.all[-1].sentence.startswith(f"The model tiny ended: {reason}")
    model.ready(on(file))
    assert children() != [child]


@pytest.mark.parametrize(
    ("content", "kind", "says"),
    [
        (None, "connection", "does not exist"),
        (b"not a model", "connection", "is no model file (GGUF)"),
        (b"GGUF\x03\0\0\0", "connection", "its head cannot be read"),
    ],
)
def test_what_is_no_model_is_told_before_anything_starts(
    model: LocalModel, tmp_path: Path, content: bytes | None, kind: str, says: str
) -> None:
    wrong = tmp_path / "wrong.gguf"
    if content is not None:
        wrong.write_bytes(content)
    with pytest.raises(BackendError) as caught:
        model.ready(on(wrong))
    assert caught.value.kind == kind
    assert says in caught.value.sentence
    assert children() == []


def test_a_cut_model_fails_with_the_library_s_own_words(model: LocalModel, file: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(file.read_bytes()[:200_000])
    with pytest.raises(BackendError, match=r"The model cut could not be loaded: .*corrupted or incomplete"):
        model.ready(on(cut))


def test_without_the_package_the_sentence_says_what_to_install(
    model: LocalModel, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert why_not() == ""
    monkeypatch.setattr(local_model.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(BackendError, match=r"pip install tavern-desktop\[local\]"):
        model.ready(on(file))


@pytest.mark.parametrize("end", [signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)])
def test_it_ends_with_the_program_however_that_ends(file: Path, end: signal.Signals) -> None:
    words = (
        "import sys, threading\n"
        "from tavern_desktop.backends.connection import Connection\n"
        "from tavern_desktop.session.local_model import LocalModel\n"
        "from tavern_desktop.storage.own_folders import own_folders\n"
        "model = LocalModel(own_folders())\n"
        "model.ready(Connection(id='1', name='M', protocol='local', model=sys.argv[1]))\n"
        "print('ready', flush=True)\n"
        "threading.Event().wait()\n"
    )
    with subprocess.Popen([sys.executable, "-c", words, str(file)], stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        (child,) = psutil.Process(program.pid).children()
        os.kill(program.pid, end)
        child.wait(60)
    assert not child.is_running()
