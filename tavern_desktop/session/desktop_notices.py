"""Notices on the desktop, by the service that free desktops share (org.freedesktop.Notifications), over D-Bus."""

from __future__ import annotations

import asyncio
import contextlib
import html
import sys
from collections.abc import Callable
from typing import Any

PATIENCE = 5.0
"""Seconds that the desktop may take for an answer; one that takes longer shows nothing."""
OPEN = "default"
"""The action that a click anywhere on a notice stands for."""
PROGRAM = "Tavern Desktop"
ICON = "tavern-desktop"


class DesktopNotices:
    """One notice for each key; a later one takes the place of an earlier. Belongs to a loop, as do all its calls."""

    def __init__(self, activated: Callable[[str], object]) -> None:
        """`activated` is called on the loop with the key of a notice that was clicked."""
        self._activated = activated
        self._ids: dict[str, int] = {}
        self._takes_markup = False
        self._router: Any = None
        self._closing = contextlib.AsyncExitStack()
        self._is_absent = sys.platform in ("win32", "darwin")
        self._connecting = asyncio.Lock()
        self._showing = asyncio.Lock()
        """Held until the number of a notice is known: it may be clicked before that."""

    async def show(self, key: str, title: str, text: str, action: str) -> bool:
        """Show a notice; return whether there is a desktop that shows them. `action` names what a click does."""
        if not await self._connect():
            return False
        body = html.escape(text, quote=False) if self._takes_markup else text
        hints = {"desktop-entry": ("s", ICON), "category": ("s", "im.received")}
        arguments = (PROGRAM, self._ids.get(key, 0), ICON, title, body, [OPEN, action], hints, -1)
        async with self._showing:
            answer = await self._call("Notify", "susssasa{sv}i", arguments)
            if answer is not None:
                self._ids[key] = answer[0]
        return answer is not None

    async def withdraw(self, key: str) -> None:
        """Take a notice away, if it is still there."""
        number = self._ids.pop(key, None)
        if number is not None:
            await self._call("CloseNotification", "u", (number,))

    async def aclose(self) -> None:
        """Let go of the desktop."""
        with contextlib.suppress(OSError, EOFError, asyncio.CancelledError):  # how listening ended
            await self._closing.aclose()
        self._router, self._is_absent = None, True

    async def _connect(self) -> bool:
        async with self._connecting:
            if self._router is None and not self._is_absent:
                try:
                    await asyncio.wait_for(self._open(), PATIENCE)
                except Exception:  # no desktop, an old one, a broken address: there are many ways of having none
                    self._is_absent = True
            return self._router is not None and not self._is_absent

    async def _open(self) -> None:
        from jeepney import MatchRule, message_bus
        from jeepney.io.asyncio import DBusRouter, Proxy, open_dbus_connection

        connection = await open_dbus_connection(bus="SESSION")
        self._closing.push_async_callback(connection.close)
        router = await self._closing.enter_async_context(DBusRouter(connection))
        rule = MatchRule(type="signal", interface=_INTERFACE, path=_PATH)
        signals: asyncio.Queue[Any] = asyncio.Queue()
        self._closing.enter_context(router.filter(rule, queue=signals))
        await Proxy(message_bus, router).AddMatch(rule)
        self._router = router
        capabilities = await self._call("GetCapabilities", "", ())
        self._is_absent = capabilities is None
        self._takes_markup = capabilities is not None and "body-markup" in capabilities[0]
        listening = asyncio.create_task(self._listen(signals))
        self._closing.callback(listening.cancel)

    async def _call(self, method: str, signature: str, arguments: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """Return what the desktop answers, None where it does not, or refuses."""
        from jeepney import DBusAddress, MessageType, new_method_call

        address = DBusAddress(_PATH, bus_name=_INTERFACE, interface=_INTERFACE)
        message = new_method_call(address, method, signature or None, arguments)
        try:
            reply = await asyncio.wait_for(self._router.send_and_get_reply(message), PATIENCE)
        except Exception:  # the desktop went, or is hung: `show` says that there is none
            return None
        body: tuple[Any, ...] = reply.body
        return body if reply.header.message_type is MessageType.method_return else None

    async def _listen(self, signals: asyncio.Queue[Any]) -> None:
        from jeepney import HeaderFields

        while True:
            signal = await signals.get()
            name = signal.header.fields.get(HeaderFields.member)
            async with self._showing:
                key = next((key for key, number in self._ids.items() if number == signal.body[0]), None)
            if key is not None and name == "NotificationClosed":
                self._ids.pop(key)
            elif key is not None and name == "ActionInvoked":
                self._activated(key)


_INTERFACE = "org.freedesktop.Notifications"
_PATH = "/org/freedesktop/Notifications"
