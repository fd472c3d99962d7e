"""A desktop that shows notices, as small as can be: a D-Bus of its own with one service on it (freedesktop.org)."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from pathlib import Path
from typing import Any, NamedTuple

from jeepney import DBusAddress, HeaderFields, Message, MessageType, Parser, new_error, new_method_return, new_signal

from tavern_desktop.backends.loop_thread import LoopThread

SECONDS = 20.0
NAME, PATH = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"


class Shown(NamedTuple):
    """A notice as it is on the screen."""

    title: str
    body: str
    actions: list[str]


class MiniDesktop:
    """Runs on a thread of its own. `shown`: the notices on the screen, by their numbers."""

    def __init__(self, folder: Path, *, capabilities: tuple[str, ...] = ("body",), refuses: bool = False) -> None:
        self.shown: dict[int, Shown] = {}
        self.address = f"unix:path={folder / 'bus'}"
        self.clicks_at_once = False
        """Whether a notice is clicked before its sender is told its number."""
        self._capabilities = list(capabilities)
        self._refuses = refuses
        self._last = 0
        self._serial = 0
        self._writer: asyncio.StreamWriter | None = None
        self._loop = LoopThread("mini-desktop")
        self._server: asyncio.Server = self._loop.submit(self._listen(folder / "bus")).result(SECONDS)

    def click(self, number: int) -> None:
        """Click a notice; as on most desktops it goes then."""
        self._do(self._click(number)).result(SECONDS)

    def end(self) -> None:
        """The desktop goes."""
        self._loop.close(self._end)

    def _do(self, work: Any) -> Future[Any]:
        return self._loop.submit(work)

    async def _listen(self, place: Path) -> asyncio.Server:
        return await asyncio.start_unix_server(self._serve, place)

    async def _end(self) -> None:
        self._server.close()
        if self._writer is not None:
            self._writer.close()
            await self._writer.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.write(b"OK 0123456789abcdef0123456789abcdef\r\n")
        await reader.readline()
        self._writer = writer
        try:
            await self._read(reader, Parser())
        except asyncio.CancelledError:
            pass  # the desktop goes
        finally:
            writer.close()

    async def _read(self, reader: asyncio.StreamReader, parser: Parser) -> None:
        while data := await reader.read(4096):
            parser.add_data(data)
            while (message := parser.get_next_message()) is not None:
                await self._answer(message)

    async def _answer(self, message: Message) -> None:
        member = message.header.fields.get(HeaderFields.member)
        if member == "Hello":
            await self._send(new_method_return(message, "s", (":1.7",)))
        elif member == "AddMatch":
            await self._send(new_method_return(message))
        elif self._refuses:
            await self._send(new_error(message, "org.freedesktop.DBus.Error.ServiceUnknown", "s", ("nobody",)))
        elif member == "GetCapabilities":
            await self._send(new_method_return(message, "as", (self._capabilities,)))
        elif member == "Notify":
            await self._notify(message)
        elif member == "CloseNotification":
            self.shown.pop(message.body[0], None)
            await self._send(new_method_return(message))

    async def _notify(self, message: Message) -> None:
        _program, replaces, _icon, title, body, actions, _hints, _timeout = message.body
        number = replaces or self._last + 1
        self._last = max(self._last, number)
        self.shown[number] = Shown(title, body, actions)
        answer = new_method_return(message, "u", (number,))
        await self._send(answer)
        if self.clicks_at_once:  # in one piece with the answer, so that both are there at the same moment
            await self._click(number)

    async def _click(self, number: int) -> None:
        self.shown.pop(number, None)
        sender = DBusAddress(PATH, interface=NAME)
        await self._send(new_signal(sender, "ActionInvoked", "us", (number, "default")))
        await self._send(new_signal(sender, "NotificationClosed", "uu", (number, 2)))

    async def _send(self, message: Message) -> None:
        assert self._writer is not None
        assert message.header.message_type in MessageType
        self._serial += 1
        self._writer.write(message.serialise(self._serial))
