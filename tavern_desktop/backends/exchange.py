"""One exchange with a server: a request out, records in, every failure a BackendError.

A request is sent again only before the first byte of its answer, and only where that may help. Keys go into headers
here and nowhere else.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any

from tavern_desktop.backends import answers
from tavern_desktop.backends.connection import KEY_MARK, Connection, Secrets, check, check_key, host
from tavern_desktop.backends.errors import BackendError
from tavern_desktop.backends.events import Waiting
from tavern_desktop.backends.failures import from_transport
from tavern_desktop.backends.framing import EventStream, Framing, JsonLines, RecordTooLong, WholeBody
from tavern_desktop.backends.parsing import BadJson, parse, to_json
from tavern_desktop.backends.transport import Http

if TYPE_CHECKING:
    import httpx2

SMALL_SECONDS = 30.0
"""How long a small question (models, status, counts) may take."""

SMALL_BYTES = 64 * 1024 * 1024
ERROR_BYTES = 256 * 1024
RETRIES = 3
LONGEST_WAIT = 60.0
"""Seconds: a server that asks to wait longer is told of, not waited for."""

DONE: dict[str, Any] = {}
"""The record that stands for the end mark of OpenAI's streams; known by being this very object."""

log = logging.getLogger(__name__)


class Exchange:
    """What goes out to one server and what comes back. Raises BackendError, and nothing else but cancellation."""

    def __init__(self, connection: Connection, secrets: Secrets, http: Http, headers: Mapping[str, str]) -> None:
        """`headers` are those of the protocol; the connection's own win over them. `${key}` in either is the key."""
        check(connection)
        self.connection = connection
        self._key = check_key(secrets.key)
        self._secrets = secrets
        self._http = http
        self._headers = self._filled({**headers, **connection.headers})

    @property
    def server(self) -> str:
        """What people call the server."""
        return self.connection.name or host(self.connection)

    @property
    def has_key(self) -> bool:
        return bool(self._key)

    def error_in(self, record: Mapping[str, Any]) -> BackendError | None:
        """Return the failure that a record tells of."""
        return answers.error_in(record, self.server, self._secrets.all())

    async def ask(
        self, method: str, url: str, body: dict[str, Any] | None = None, *, seconds: float = SMALL_SECONDS
    ) -> Any:
        """Return the JSON value a server answers to a small question."""
        try:
            async with asyncio.timeout(seconds), self._opened(method, url, body, connect=seconds) as response:
                raw = await self._read(response, SMALL_BYTES)
        except TimeoutError:
            raise BackendError("silent", f"{self.server} did not answer within {seconds:.0f} s.") from None
        try:
            return parse(raw) if raw.strip() else {}
        except BadJson:
            raise self.bad_reply("its answer is not JSON") from None

    async def records(self, url: str, body: dict[str, Any]) -> AsyncGenerator[Waiting | dict[str, Any], None]:
        """Send a request and yield what comes, sent again before the first byte where that helps."""
        wait = self._http.first_wait
        for attempt in range(RETRIES + 1):
            has_begun = False
            try:
                async with contextlib.aclosing(self._records_once(url, body)) as found:
                    async for record in found:
                        has_begun = True
                        yield record
                return
            except BackendError as error:
                pause = max(wait, error.retry_after or 0.0)
                if has_begun or attempt == RETRIES or not _is_passing(error) or pause > LONGEST_WAIT:
                    raise
                log.info("a model server failed before the first byte: %s", error.for_log())
                yield Waiting(f"{error.sentence} Trying again.", pause)
            await asyncio.sleep(pause)
            wait *= 2

    def bad_reply(self, why: str) -> BackendError:
        """Return the error for a reply that makes no sense."""
        return BackendError("bad_reply", f"{self.server} sent something unexpected: {why}.")

    async def _records_once(self, url: str, body: dict[str, Any]) -> AsyncGenerator[dict[str, Any], None]:
        timeouts = self.connection.timeouts
        async with self._opened("POST", url, body, connect=timeouts.connect, first=timeouts.first_byte) as response:
            framing = _framing(response.headers.get("content-type", ""))
            pieces = self._pieces(response)
            try:
                async with contextlib.aclosing(pieces):
                    async for piece in pieces:
                        for event in framing.feed(piece):
                            yield self._record(event.name, event.data)
                for event in framing.end():
                    yield self._record(event.name, event.data)
            except RecordTooLong:
                raise self.bad_reply("one record has no end") from None

    def _record(self, name: str, data: bytes) -> dict[str, Any]:
        if data.strip() == b"[DONE]":
            return DONE
        try:
            value = parse(data)
        except BadJson:
            value = {"error": data.decode("utf-8", "replace")} if name == "error" else None
        if not isinstance(value, dict):
            raise self.bad_reply("a record of its stream is no JSON object")
        if name == "error" and "error" not in value:
            value = {"error": value}
        error = self.error_in(value)
        if error is not None:
            raise error
        return value

    @contextlib.asynccontextmanager
    async def _opened(
        self,
        method: str,
        url: str,
        body: dict[str, Any] | None,
        *,
        connect: float,
        first: float | None = None,
    ) -> AsyncIterator[httpx2.Response]:
        """Send and give the response with its headers read, once its status is known to be good."""
        import httpx2

        client = self._http.client(self.connection, self._secrets.proxy_password)
        content = None if body is None else to_json(body)
        headers = self._headers if body is None else {**self._headers, "Content-Type": "application/json"}
        limits = httpx2.Timeout(None, connect=connect)
        try:
            request = client.build_request(method, url, content=content, headers=headers, timeout=limits)
            async with asyncio.timeout(first):
                response = await client.send(request, stream=True)
            try:
                if not response.is_success:
                    raise await self._refused(response)
                yield response
            finally:
                await response.aclose()
        except TimeoutError:
            raise self._silent(first) from None
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError) as error:
            raise from_transport(error, self.connection, self.server) from None

    async def _pieces(self, response: httpx2.Response) -> AsyncGenerator[bytes, None]:
        """Yield the bytes of a body, and mind how long it is silent."""
        import httpx2

        timeouts = self.connection.timeouts
        limit, has_begun = timeouts.first_byte, False
        pieces = response.aiter_bytes()
        while True:
            try:
                async with asyncio.timeout(limit):
                    piece = await anext(pieces)
            except StopAsyncIteration:
                return
            except TimeoutError:
                raise self._silent(limit, has_begun=has_begun) from None
            except httpx2.HTTPError as error:
                raise from_transport(error, self.connection, self.server, has_begun=has_begun) from None
            limit, has_begun = timeouts.idle, True
            yield piece

    async def _read(self, response: httpx2.Response, limit: int) -> bytes:
        body = bytearray()
        async for piece in response.aiter_bytes():
            body += piece
            if len(body) > limit:
                raise self.bad_reply("its answer has no end")
        return bytes(body)

    async def _refused(self, response: httpx2.Response) -> BackendError:
        """Return the error for a bad status, with what of its body can be had in a moment."""
        import httpx2

        body = bytearray()
        with contextlib.suppress(httpx2.HTTPError, TimeoutError):
            async with asyncio.timeout(SMALL_SECONDS):
                async for piece in response.aiter_bytes():
                    body += piece
                    if len(body) > ERROR_BYTES:
                        break
        secrets = self._secrets.all()
        place = response.headers.get("location")
        if response.is_redirect and place:
            body = bytearray(f"it sends on to {place}".encode())
        return answers.error_for(
            response.status_code, response.headers, bytes(body), self.server, secrets, has_key=self.has_key
        )

    def _silent(self, limit: float | None, *, has_begun: bool = False) -> BackendError:
        what = "stopped in the middle of the reply and was silent for" if has_begun else "sent nothing for"
        return BackendError("silent", f"{self.server} {what} {limit or 0:.0f} s.")

    def _filled(self, headers: Mapping[str, str]) -> dict[str, str]:
        """Put the key into headers; those that are nothing without it are left out where there is none."""
        return {
            name: value.replace(KEY_MARK, self._key)
            for name, value in headers.items()
            if self._key or KEY_MARK not in value
        }


def _framing(content_type: str) -> Framing:
    """Choose by what the server says it sends; streams are events where it says nothing that helps."""
    kind = content_type.partition(";")[0].strip().lower()
    if kind in ("application/x-ndjson", "application/jsonl", "application/json-lines"):
        return JsonLines()
    return WholeBody() if kind == "application/json" else EventStream()


def _is_passing(error: BackendError) -> bool:
    """Say whether the same request may well succeed in a moment."""
    return error.kind in ("busy", "rate_limit") or (error.kind == "disconnected" and error.status is None)
