"""What `bootstrap.py install` puts into a user's folder, and takes away again."""

from __future__ import annotations

import configparser
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LINUX = ROOT / "packaging" / "linux"
CHAT = "application/x-sillytavern-chat"


@pytest.fixture
def data_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's folder for application data, with a character in its name that needs quoting."""
    folder = tmp_path / "the user's data"
    monkeypatch.setenv("XDG_DATA_HOME", str(folder))
    return folder


@pytest.fixture
def installed(data_home: Path) -> Path:
    assert _install() == 0
    return data_home


def _install(*args: str) -> int:
    call = f"import sys, pathlib, desktop_entry; sys.exit(desktop_entry.install(pathlib.Path({str(ROOT)!r}), "
    call += f"pathlib.Path('/opt/the \"$100\" \\\\ 5% tree/python'), {list(args)!r}))"
    return subprocess.run([sys.executable, "-c", call], cwd=ROOT / "packaging", check=False).returncode


def _entry(path: Path) -> configparser.SectionProxy:
    parser = configparser.RawConfigParser(strict=True)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(path, encoding="utf-8")
    return parser["Desktop Entry"]


def test_every_file_is_registered_and_removed_again(installed: Path) -> None:
    names = {"tavern-desktop.desktop", "tavern-desktop.svg", "io.tavern_desktop.tavern_desktop.metainfo.xml"}
    assert {path.name for path in installed.rglob("*") if path.is_file()} >= {*names, "tavern-desktop.xml"}
    assert _install("--remove") == 0
    assert not [path for path in installed.rglob("tavern*") if path.is_file()]


def test_the_entry_starts_this_tree_whatever_its_path_is(installed: Path) -> None:
    line = _entry(installed / "applications" / "tavern-desktop.desktop")["Exec"]
    line = line.replace("\\\\", "\\").replace("%%", "%")  # the file format's own escapes; the rest is the shell's
    shown = subprocess.run(["sh", "-c", f"printf '%s\\n' {line}"], capture_output=True, text=True, check=True)
    assert shown.stdout.splitlines() == [
        '/opt/the "$100" \\ 5% tree/python',
        "-P",
        "-m",
        "tavern_desktop",
        "%f",
    ]


def test_unknown_words_are_refused(data_home: Path) -> None:
    assert _install("--purge") == 2
    assert not data_home.exists()


def test_entry_type_and_metadata_name_the_same_things() -> None:
    entry = _entry(LINUX / "tavern-desktop.desktop")
    assert entry["MimeType"].rstrip(";") == CHAT
    metainfo = ElementTree.parse(next(LINUX.glob("*.metainfo.xml")))
    assert metainfo.findtext("provides/mediatype") == CHAT
    assert metainfo.findtext("launchable") == "tavern-desktop.desktop"
    assert (ROOT / "resources" / "icons" / "app" / f"{entry['Icon']}.svg").is_file()


@pytest.mark.parametrize(
    "command",
    [["desktop-file-validate"], ["appstreamcli", "validate", "--no-net"]],
    ids=["entry", "metadata"],
)
def test_the_system_s_own_validators_agree(command: list[str]) -> None:
    files = LINUX.glob("*.desktop" if command[0] == "desktop-file-validate" else "*.metainfo.xml")
    program = shutil.which(command[0])
    assert program, f"{command[0]} is missing: bootstrap.py test installs it as root"
    done = subprocess.run([program, *command[1:], *files], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("first_line", "expected"),
    [
        (b'{"chat_metadata":{},"user_name":"unused"}\n{"mes":"x"}', CHAT),
        (b'\xef\xbb\xbf{"user_name":"Wren","character_name":"Ilka"}', CHAT),
        (b'{"prompt":"a training set"}\n', "application/jsonl"),
    ],
    ids=["chat", "old chat with a BOM", "other JSON Lines"],
)
def test_only_chats_are_ours(installed: Path, tmp_path: Path, first_line: bytes, expected: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(first_line)
    # In a process of its own: Qt reads the types once.
    ask = f"from PySide6.QtCore import QMimeDatabase; print(QMimeDatabase().mimeTypeForFile({str(path)!r}).name())"
    answer = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == expected
