"""What the real SillyTavern sends for each scenario, taken down at a model server of ours.

python -m tests.interop.capture_lore [NAME …]      writes tests/unit/prompt/as_sillytavern/*.json anew
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.interop import sillytavern
from tests.interop.browser import Browser, Tab
from tests.interop.capture_prompts import Recorder, first_of
from tests.interop.lore_scenarios import CHAT, SCENARIOS, WHO, Scenario, write
from tests.interop.real_page import _READY
from tests.interop.sillytavern import Server

CAPTURED = Path(__file__).parents[1] / "unit" / "prompt" / "as_sillytavern"
SECONDS = 40.0
_ACTIONS = {
    "reply": "document.getElementById('send_but').click();",
    "continue": "document.getElementById('option_continue').click();",
    "swipe": "document.querySelector('#chat .last_mes .swipe_right').click();",
}


class Capture:
    """One SillyTavern and one browser for all scenarios."""

    def __init__(self, server: Server, browser: Browser, model: str) -> None:
        """`model`: where the server is that takes its requests."""
        self._server, self._browser, self._model = server, browser, model
        self._tab: Tab | None = None

    def messages(self, scenario: Scenario) -> list[dict[str, Any]]:
        """Return the messages that SillyTavern sends."""
        if self._tab is not None:
            self._tab.go("about:blank")  # it saves its settings while it is open
        write(self._server.user_folder, scenario, self._model)
        tab = self._tab = self._tab or self._browser.open("about:blank")
        tab.go(self._server.address)
        tab.wait(_READY)
        tab.run("document.getElementById('api_button_openai').click();")
        tab.wait("SillyTavern.getContext().onlineStatus !== 'no_connection'")
        avatar = json.dumps(f"{WHO}.png")
        tab.run(
            f"""
            const here = SillyTavern.getContext();
            await here.selectCharacterById(here.characters.findIndex(one => one.avatar === {avatar}));
            """
        )
        tab.wait(
            f"SillyTavern.getContext().getCurrentChatId() === {json.dumps(CHAT)}"
            f" && SillyTavern.getContext().chat.length === {len(scenario.chat)}",
            SECONDS,
        )
        Recorder.asked.clear()
        tab.run(
            f"""
            const here = SillyTavern.getContext();
            window.isDone = false;
            here.eventSource.once(here.eventTypes.GENERATION_ENDED, () => window.isDone = true);
            {_ACTIONS[scenario.action]}
            """
        )
        found: list[dict[str, Any]] = first_of(SECONDS)["messages"]
        tab.wait("window.isDone", SECONDS)
        tab.run("await SillyTavern.getContext().saveChat();")  # nothing of it is written once the next begins
        return found


@contextmanager
def capturing(work: Path) -> Iterator[Capture]:
    """Have SillyTavern, a browser and the recorder run. Raises Unavailable."""
    app = sillytavern.provide()
    data_root = work / "data"
    data_root.mkdir()
    model = ThreadingHTTPServer(("127.0.0.1", 0), Recorder)
    threading.Thread(target=model.serve_forever, daemon=True).start()
    with model, Server(app, data_root, work / "server") as server, Browser(work / "profile") as browser:
        yield Capture(server, browser, f"http://127.0.0.1:{model.server_port}/v1")
        model.shutdown()


def file_of(name: str) -> Path:
    return CAPTURED / f"{re.sub(r'[^a-z0-9]+', '-', name.lower()).strip('-')}.json"


def main(names: list[str]) -> None:
    CAPTURED.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as work, capturing(Path(work)) as capture:
        for name in names or SCENARIOS:
            messages = capture.messages(SCENARIOS[name])
            text = json.dumps({"name": name, "messages": messages}, ensure_ascii=False, indent=1)
            file_of(name).write_text(f"{text}\n", encoding="utf-8")
            print(f"{name}: {len(messages)} messages", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
