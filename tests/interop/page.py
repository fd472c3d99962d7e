"""SillyTavern's page without a browser: it holds a whole chat, and each save writes all of it."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.interop.chats import Record, let_it_save, theirs
from tests.interop.sillytavern import Server

_clock = itertools.count()


class Page:
    """One tab with a chat open. It does not watch the file: what others wrote it sees only after `reload`."""

    def __init__(self, server: Server, path: Path) -> None:
        self._server = server
        self._path = path
        self.reload()

    def reload(self) -> None:
        """Open the chat again."""
        self.chat = theirs(self._server, self._path)

    def texts(self) -> list[str]:
        """What the page shows."""
        return [message["mes"] for message in self.chat[1:]]

    def say(self, text: str) -> None:
        """The person writes a message there, which it saves at once."""
        self.chat.append(
            {
                "name": "Wanderer",
                "is_user": True,
                "is_system": False,
                "send_date": _now(),
                "mes": text,
                "extra": {"isSmallSys": False, "token_count": len(text), "reasoning": ""},
                "force_avatar": "/thumbnail?type=persona&file=user-default.png",
            }
        )
        self._save()

    def answer(self, text: str) -> None:
        """The model answers there."""
        date, extra = _now(), {"api": "llamacpp", "model": "example-8b", "reasoning": "", "token_count": len(text)}
        self.chat.append(
            {
                "extra": extra,
                "name": self._path.parent.name,
                "is_user": False,
                "send_date": date,
                "mes": text,
                "title": "",
                "swipes": [text],
                "swipe_id": 0,
                "swipe_info": [{"send_date": date, "extra": extra}],
            }
        )
        self._save()

    def swipe(self, number: int, text: str) -> None:
        """Another answer is made for a message, and shown."""
        message = self.chat[1 + number]
        message.setdefault("swipes", [message["mes"]]).append(text)
        message.setdefault("swipe_info", [{}] * (len(message["swipes"]) - 1)).append({"send_date": _now(), "extra": {}})
        message |= {"mes": text, "swipe_id": len(message["swipes"]) - 1}
        self._save()

    def edit(self, number: int, text: str) -> None:
        """A message gets another text, and so does the alternative that it is."""
        message = self.chat[1 + number]
        message["mes"] = text
        if "swipes" in message:
            message["swipes"][message["swipe_id"]] = text
        self._save()

    def delete(self, number: int) -> None:
        """A message goes."""
        del self.chat[1 + number]
        self._save()

    def _save(self) -> None:
        let_it_save(self._server, self._path, self.chat)


def _now() -> str:
    moment = datetime(2026, 3, 1, tzinfo=UTC) + timedelta(seconds=next(_clock))
    return moment.strftime("%Y-%m-%dT%H:%M:%S.000Z")


def said(chat: list[Record]) -> set[str]:
    """Return every text that stands in a chat, shown or as an alternative."""
    texts: set[str] = set()
    for message in chat[1:]:
        texts |= {message["mes"], *message.get("swipes", ())}
    return texts
