"""The real SillyTavern, for tests: fetched by npm once, started on a data folder, asked through its own API.

Nothing of it is kept in this repository. It lies in a cache outside ($TAVERN_TEST_CACHE, else
~/.cache/tavern-desktop-tests), which survives between runs: the first install takes about two minutes, the
first start half a minute (it bundles its page), later starts a few seconds.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import tarfile
import urllib.error
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Any

VERSION = "1.19.0"
NODE_MAJOR = 20
START_SECONDS = 240

# Only what differs from the package's own settings: no browser, no network, no questions.
CONFIG = """\
listen: false
protocol: {{ipv4: true, ipv6: false}}
port: {port}
browserLaunch: {{enabled: false}}
whitelistMode: false
disableCsrfProtection: true
securityOverride: true
skipContentCheck: true
logging: {{enableAccessLog: false, minLogLevel: 0}}
extensions: {{enabled: true, autoUpdate: false, models: {{autoDownload: false}}}}
enableDownloadableTokenizers: false
enableServerPlugins: false
"""


class Unavailable(Exception):
    """SillyTavern cannot be had on this computer; the text says why."""


def provide() -> Path:
    """Return the folder of an installed SillyTavern, installing it first where it is not in the cache yet.

    Raises Unavailable.
    """
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            raise Unavailable(f"{program} is not installed")
    found = _output("node", "--version").strip()
    if int(found.lstrip("v").split(".")[0]) < NODE_MAJOR:
        raise Unavailable(f"node {found} is older than {NODE_MAJOR}")
    app = cache_folder() / f"sillytavern-{VERSION}"
    if not (app / ".installed").exists():
        _install(app)
    return app


def cache_folder() -> Path:
    named = os.environ.get("TAVERN_TEST_CACHE")
    folder = Path(named) if named else Path.home() / ".cache" / "tavern-desktop-tests"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _install(app: Path) -> None:
    """Fetch the package and its dependencies; the mark comes last, so that half an install is done again."""
    shutil.rmtree(app, ignore_errors=True)
    app.mkdir()
    try:
        archive = app / _output("npm", "pack", f"sillytavern@{VERSION}", "--silent", cwd=app).strip()
        with tarfile.open(archive) as packed:
            packed.extractall(app, filter="data")
        package = app / "package"
        _output("npm", "install", "--omit=dev", "--no-audit", "--no-fund", "--ignore-scripts", cwd=package)
    except subprocess.CalledProcessError as error:
        last_words = (error.stderr or "").strip().splitlines()[-1:] or ["no reason given"]
        raise Unavailable(f"npm cannot fetch sillytavern {VERSION}: {last_words[0]}") from error
    archive.unlink()
    (app / ".installed").touch()


def _output(*command: str, cwd: Path | None = None) -> str:
    return subprocess.run(command, cwd=cwd, check=True, capture_output=True, text=True).stdout


class Server:
    """One SillyTavern on a free port of 127.0.0.1, with a data root of its own; a context manager."""

    def __init__(self, app: Path, data_root: Path, work: Path) -> None:
        self.user_folder = data_root / "default-user"
        self._app = app / "package"
        self._data_root = data_root
        self._work = work
        self._port = _free_port()
        self.address = self._url("/")
        """What a browser opens."""
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Server:
        self._work.mkdir(parents=True, exist_ok=True)
        config = self._work / "config.yaml"
        config.write_text(CONFIG.format(port=self._port), encoding="utf-8")
        command = ["node", "server.js", "--configPath", str(config), "--dataRoot", str(self._data_root)]
        command += ["--port", str(self._port)]
        with (self._work / "server.log").open("wb") as log:
            self._process = subprocess.Popen(
                command,
                cwd=self._app,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=os.environ | {"NODE_ENV": "production"},
                start_new_session=True,
            )
        try:
            self._wait_until_it_answers()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    def stop(self) -> None:
        """End it: kindly, then for certain, with whatever it started."""
        process, self._process = self._process, None
        if process is None or process.poll() is not None:
            return
        os.killpg(process.pid, signal.SIGINT)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(10)

    def ask(self, path: str, body: dict[str, Any] | None = None) -> Any:
        """POST `body` as JSON and return the reply, parsed where it is JSON. Raises HTTPError."""
        return self._post(path, json.dumps(body or {}).encode(), "application/json")

    def create_character(self, name: str) -> str:
        """Let it make a character with its own picture; return the avatar file name."""
        fields = {"ch_name": name, "first_mes": f"I am {name}.", "talkativeness": "0.5", "extensions": "{}"}
        return str(self._send_form("/api/characters/create", fields))

    def create_chat(self, character: str, name: str) -> Path:
        """Let it make a character and an empty chat of it; return the chat's file."""
        avatar = self.create_character(character)
        empty = [{"chat_metadata": {"integrity": "b9f8"}}]
        self.ask("/api/chats/save", {"avatar_url": avatar, "file_name": name, "chat": empty})
        return self.user_folder / "chats" / avatar.removesuffix(".png") / f"{name}.jsonl"

    def import_chats(self, avatar: str, character: str, user: str, kind: str, content: bytes) -> list[str]:
        """Let it import chats for a character, as its page does with a file; return the names of the new files."""
        fields = {"file_type": kind, "avatar_url": avatar, "character_name": character, "user_name": user}
        reply = self._send_form("/api/chats/import", fields, content)
        return list(reply["fileNames"])

    def _send_form(self, path: str, fields: dict[str, str], upload: bytes | None = None) -> Any:
        boundary = "tavern-desktop-test"
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="'
        parts = [f'{head}{key}"\r\n\r\n{value}\r\n'.encode() for key, value in fields.items()]
        if upload is not None:
            kind = "Content-Type: application/octet-stream"
            parts += [f'{head}avatar"; filename="chat"\r\n{kind}\r\n\r\n'.encode(), upload, b"\r\n"]
        body = b"".join([*parts, f"--{boundary}--\r\n".encode()])
        return self._post(path, body, f"multipart/form-data; boundary={boundary}")

    def _post(self, path: str, body: bytes, content_type: str) -> Any:
        request = urllib.request.Request(self._url(path), body, {"Content-Type": content_type})
        with _opener().open(request, timeout=120) as reply:
            text = reply.read().decode("utf-8", "surrogatepass")
        try:
            return json.loads(text)
        except ValueError:
            return text

    def _url(self, path: str) -> str:
        return f"http://127.0.0.1:{self._port}{path}"

    def _wait_until_it_answers(self) -> None:
        assert self._process is not None
        for _ in range(START_SECONDS * 10):
            try:
                with _opener().open(self._url("/version"), timeout=20):
                    return
            except OSError:
                pass
            try:
                code = self._process.wait(0.1)
            except subprocess.TimeoutExpired:
                continue
            log = (self._work / "server.log").read_text(encoding="utf-8", errors="replace")
            raise RuntimeError(f"SillyTavern ended with {code}:\n{log[-2000:]}")
        raise RuntimeError(f"SillyTavern did not answer within {START_SECONDS} s")


def _opener() -> urllib.request.OpenerDirector:
    """Loopback never goes through a proxy, whatever the environment says."""
    return urllib.request.build_opener(urllib.request.ProxyHandler({}))


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
