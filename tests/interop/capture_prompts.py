"""Ask the real SillyTavern for the requests of all scenarios, and keep them: `python -m tests.interop.capture_prompts`.

Its own page in a headless Chromium builds them; a server of ours on this computer takes them.
"""

from __future__ import annotations

import json
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.interop.browser import Browser, Tab
from tests.interop.prompt_scenarios import SCENARIOS, Record, Scenario, laid_over
from tests.interop.sillytavern import Server, provide
from tests.make_library import png

CAPTURED = Path(__file__).resolve().parents[1] / "vectors" / "sillytavern-1.19.0" / "prompts.json"
KINDS = {"reply": "normal", "continue": "continue", "impersonate": "impersonate"}
_READY = (
    "!!window.SillyTavern?.getContext && !document.getElementById('preloader') && !document.getElementById('loader')"
)
RELOAD = 1.5
"""Seconds that the old page may take to leave."""
IDENTITY = "11111111-1111-4111-8111-111111111111"


class Recorder(BaseHTTPRequestHandler):
    """A model server that keeps what it is asked."""

    asked: list[Record] = []  # noqa: RUF012  # one for all requests

    def do_GET(self) -> None:
        self._answer({"object": "list", "data": [{"id": "lab", "object": "model"}]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        self.asked.append(body)
        said = {"message": {"role": "assistant", "content": "Well."}} if "messages" in body else {"text": " Well."}
        self._answer({"id": "x", "model": "lab", "choices": [{"index": 0, "finish_reason": "stop", **said}]})

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def _answer(self, body: Record) -> None:
        raw = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)


def capture(names: list[str]) -> dict[str, Any]:
    """Return what it sends for these scenarios: the messages, or the text."""
    model = ThreadingHTTPServer(("127.0.0.1", 0), Recorder)
    threading.Thread(target=model.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{model.server_port}"
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        user = work / "data" / "default-user"
        content = provide() / "package" / "default" / "content"
        for name in ("characters", "User Avatars", "worlds", "groups", "group chats", "chats/Mira", "backgrounds"):
            (user / name).mkdir(parents=True)
        (user / "User Avatars" / "ana.png").write_bytes(png(64, 64, (9, 90, 9), {}))
        base = laid_over(json.loads((content / "settings.json").read_text("utf-8")), _connected(address))
        prepare(user, SCENARIOS[names[0]], base)
        with Server(provide(), work / "data", work / "server") as server, Browser(work / "profile") as browser:
            tab = browser.open(server.address)
            tab.wait(_READY)
            return {name: _ask(tab, user, SCENARIOS[name], base) for name in names}


def prepare(user: Path, scenario: Scenario, base: Record) -> None:
    """Write what a scenario consists of into a data folder."""
    card = scenario.card_data()
    fields = ("name", "description", "personality", "scenario", "first_mes", "mes_example")
    whole = {name: card[name] for name in fields} | {"spec": "chara_card_v2", "spec_version": "2.0", "chat": "talk"}
    text = json.dumps(whole | {"data": card, "create_date": "2024-6-25 @15h 14m 3s 22ms"})
    (user / "characters" / "Mira.png").write_bytes(png(64, 96, (9, 9, 9), {"chara": text}))
    (user / "worlds" / "Sea.json").write_text(json.dumps(scenario.world()), "utf-8")
    head = {"chat_metadata": {"integrity": IDENTITY, **scenario.metadata}, "user_name": "x", "character_name": "x"}
    records = [record | {"send_date": "2026-03-01T00:00:00.000Z"} for record in scenario.records]
    (user / "chats" / "Mira" / "talk.jsonl").write_text("\n".join(map(json.dumps, (head, *records))), "utf-8")
    (user / "settings.json").write_text(json.dumps(scenario.over(base), indent=4), "utf-8")


def _connected(address: str) -> Record:
    text = {"type": "generic", "server_urls": {"generic": address}, "generic_model": "lab", "streaming": False}
    chat = {"chat_completion_source": "custom", "custom_url": f"{address}/v1", "custom_model": "lab"}
    return {
        "oai_settings": {**chat, "stream_openai": False},
        "textgenerationwebui_settings": {**text, "bypass_status_check": True},
    }


def _ask(tab: Tab, user: Path, scenario: Scenario, base: Record) -> Any:
    prepare(user, scenario, base)
    tab.run("location.reload();")
    time.sleep(RELOAD)  # a page that is leaving answers nothing
    tab.wait(_READY)
    tab.run(
        """
        const here = SillyTavern.getContext();
        await here.selectCharacterById(here.characters.findIndex(one => one.avatar === 'Mira.png'));
        await SillyTavern.getContext().openCharacterChat('talk');
        """
    )
    tab.wait("SillyTavern.getContext().getCurrentChatId() === 'talk'")
    tab.wait("SillyTavern.getContext().onlineStatus !== 'no_connection'")
    Recorder.asked.clear()
    tab.run(f"await SillyTavern.getContext().generate('{KINDS[scenario.action]}');")
    body = first_of(30)
    if "messages" in body:
        return [[message["role"], message.get("name", ""), message["content"]] for message in body["messages"]]
    return body["prompt"]


def first_of(seconds: float) -> Record:
    """Return the first request for a reply since `Recorder.asked` was cleared. Raises AssertionError."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for body in Recorder.asked:
            if "messages" in body or "prompt" in body:
                return body
        time.sleep(0.05)
    raise AssertionError("SillyTavern sent nothing")


def main() -> None:
    """Capture the scenarios that are named, all without names; what was captured of others stays."""
    names = sys.argv[1:] or list(SCENARIOS)
    known = json.loads(CAPTURED.read_text("utf-8")) if CAPTURED.exists() else {}
    found = {name: known[name] for name in SCENARIOS if name in known} | capture(names)
    ordered = {name: found[name] for name in SCENARIOS if name in found}
    text = json.dumps(ordered, indent=1, ensure_ascii=False) + "\n"
    CAPTURED.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
