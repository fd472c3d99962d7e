"""A headless Chromium that is told what to do over two pipes, with nothing but the standard library."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.interop.sillytavern import Unavailable

NAMES = ("chromium", "chromium-browser", "google-chrome")
OPTIONS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--remote-debugging-pipe",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--window-size=1280,900",
)


class Browser:
    """One browser with a profile of its own; a context manager. Raises Unavailable where there is none."""

    def __init__(self, profile: Path) -> None:
        program = next(filter(None, map(shutil.which, NAMES)), None)
        if program is None:
            raise Unavailable("chromium is not installed")
        command_read, self._commands = os.pipe()
        self._replies, reply_write = os.pipe()
        # It reads commands from descriptor 3 and answers on 4; of shells only some know descriptors beyond 9.
        shell = f'exec "$0" "$@" 3<&{command_read} 4>&{reply_write}'
        self._process = subprocess.Popen(
            ["bash", "-c", shell, program, *OPTIONS, f"--user-data-dir={profile}", "about:blank"],
            pass_fds=(command_read, reply_write),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(command_read)
        os.close(reply_write)
        self._number = 0
        self._rest = b""

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._process.terminate()
        self._process.wait(20)
        os.close(self._commands)
        os.close(self._replies)

    def open(self, url: str) -> Tab:
        """Open an address in a tab of its own."""
        target = self.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        session = self.call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        self.call("Page.navigate", {"url": url}, session)
        return Tab(self, session)

    def call(self, method: str, parameters: dict[str, Any], session: str | None = None) -> Any:
        """Call a method of the browser and return what it answers; what it tells meanwhile is ignored."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while True:
            reply = self._next()
            if reply.get("id") == self._number:
                assert "error" not in reply, reply["error"]
                return reply["result"]

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            block = os.read(self._replies, 1 << 20)
            assert block, "the browser ended"
            self._rest += block
        line, _, self._rest = self._rest.partition(b"\0")
        reply: dict[str, Any] = json.loads(line)
        return reply


class Tab:
    """One page."""

    def __init__(self, browser: Browser, session: str) -> None:
        self._browser = browser
        self._session = session

    def go(self, url: str) -> None:
        """Leave the page for another address, and wait until it is there."""
        self._browser.call("Page.navigate", {"url": url}, self._session)
        while True:
            try:
                if str(self.run("return location.href;")).startswith(url):
                    return
            except AssertionError:  # asked of the page that was just left
                continue

    def run(self, script: str) -> Any:
        """Run the body of an async function in the page and return what it returns."""
        parameters = {"expression": f"(async () => {{ {script} }})()", "awaitPromise": True, "returnByValue": True}
        reply = self._browser.call("Runtime.evaluate", parameters, self._session)
        assert "exceptionDetails" not in reply, reply["exceptionDetails"]
        return reply["result"].get("value")

    def wait(self, condition: str, seconds: float = 120) -> None:
        """Wait until an expression is true in the page."""
        script = f"""
            const end = Date.now() + {seconds * 1000};
            while (!({condition})) {{
                if (Date.now() > end) throw new Error('waited in vain for: ' + {json.dumps(condition)});
                await new Promise(done => setTimeout(done, 100));
            }}
        """
        self.run(script)
