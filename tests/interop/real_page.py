"""SillyTavern's own page in a browser, with one chat open: what its code does when a person uses it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.interop.browser import Browser
from tests.interop.sillytavern import Server

_READY = (
    "!!window.SillyTavern?.getContext && !document.getElementById('preloader') && !document.getElementById('loader')"
)


class RealPage:
    """One tab on a character's chat. It saves by itself, always all that it holds."""

    def __init__(self, browser: Browser, server: Server, path: Path) -> None:
        self._tab = browser.open(server.address)
        self._tab.wait(_READY)
        self._path = path
        self.reload()

    def reload(self) -> None:
        """Open the chat again, from its file."""
        avatar, name = json.dumps(f"{self._path.parent.name}.png"), json.dumps(self._path.stem)
        self._do(
            f"""
            const here = SillyTavern.getContext();
            await here.selectCharacterById(here.characters.findIndex(one => one.avatar === {avatar}));
            await SillyTavern.getContext().openCharacterChat({name});
            """
        )
        self._tab.wait(f"SillyTavern.getContext().getCurrentChatId() === {name}")

    def texts(self) -> list[str]:
        """What the page holds."""
        found: list[str] = self._do("return SillyTavern.getContext().chat.map(message => message.mes);")
        return found

    def say(self, text: str) -> None:
        """Write a message, which is not answered: no model is connected."""
        self._command(f"/send {text}")

    def answer(self, text: str) -> None:
        """Let the character say something."""
        self._command(f'/sendas name="{self._path.parent.name}" {text}')

    def swipe_last(self, text: str) -> None:
        """Give the newest answer an alternative."""
        self._command(f"/addswipe switch=true {text}")

    def edit(self, number: int, text: str) -> None:
        """Change a message in the page's own editor."""
        row = f"#chat .mes[mesid='{number}']"
        self._do(f'document.querySelector("{row} .mes_edit").click();')
        self._tab.wait("!!document.getElementById('curEditTextarea')")
        self._do(
            f"""
            const field = document.getElementById('curEditTextarea');
            field.value = {json.dumps(text)};
            field.dispatchEvent(new Event('input', {{bubbles: true}}));
            document.querySelector("{row} .mes_edit_done").click();
            """
        )
        self._tab.wait("!document.getElementById('curEditTextarea')")
        self._save()

    def delete(self, number: int) -> None:
        """Take a message out."""
        self._command(f"/cut {number}")

    def wait_until_saved(self, *, fewer_than: int) -> None:
        """Wait until the file holds fewer lines than this."""
        body = json.dumps({"avatar_url": f"{self._path.parent.name}.png", "file_name": self._path.stem})
        options = f"{{method: 'POST', headers: {{'Content-Type': 'application/json'}}, body: {json.dumps(body)}}}"
        self._tab.wait(f"(await (await fetch('/api/chats/get', {options})).json()).length < {fewer_than}")

    def _command(self, text: str) -> None:
        self._do(f"await SillyTavern.getContext().executeSlashCommandsWithOptions({json.dumps(text)});")
        self._save()

    def _save(self) -> None:
        """Have it saved now, not a second later."""
        self._do("await SillyTavern.getContext().saveChat();")

    def _do(self, script: str) -> Any:
        return self._tab.run(script)
