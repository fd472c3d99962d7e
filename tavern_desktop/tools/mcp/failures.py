"""What went wrong with a server of tools, as one of our errors: the SDK raises groups of everything that broke."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from urllib.parse import urlsplit

from tavern_desktop.tools.mcp.errors import ToolServerError
from tavern_desktop.tools.mcp.limits import MOST_IN_ONE
from tavern_desktop.tools.mcp.results import Answer
from tavern_desktop.tools.mcp.server import ToolServer
from tavern_desktop.tools.mcp.transports import Trouble

_CLOSED = -32000
_TIMED_OUT = -32001
_NO_SESSION = "Session terminated"
_UNSAID = "Server returned an error response"
"""What the SDK says of an HTTP status that had no words."""


def rejection(error: BaseException) -> Answer | None:
    """Return what a server said when it refused a call, None where the call did not get so far."""
    code, text = _protocol_error(error)
    if code is None or code in (_CLOSED, _TIMED_OUT) or text in (_NO_SESSION, _UNSAID):
        return None
    return Answer(f"The tool server refused the call: {text}"[:10_000], is_error=True)


def is_lost(error: BaseException) -> bool:
    """Say whether the session is over, so that another must be begun."""
    code, text = _protocol_error(error)
    return code == _CLOSED or text == _NO_SESSION


def error_of(
    error: BaseException, server: ToolServer, trouble: Trouble, seconds: float | None = None
) -> ToolServerError:
    """Return the error for whatever broke. `seconds`: the limit of the call that was under way, None at the start."""
    for each in _parts(error):
        if isinstance(each, ToolServerError):
            return each
    name, said = server.name, trouble.said
    if trouble.is_too_long:
        text = f"“{name}” sent more than {MOST_IN_ONE // 1024**2} MB in one message, so it was ended."
        return ToolServerError("ended", text, said=said, is_of_start=seconds is None)
    if server.transport == "http":
        if trouble.failure is not None and _never_sent(trouble.failure):
            place = urlsplit(server.url).netloc
            return ToolServerError("unreachable", f"“{name}” cannot be reached at {place}. Is it running?")
        if trouble.status in (401, 403):
            return ToolServerError("refused", f"“{name}” does not let us in: it wants another key in its headers.")
        if trouble.status in (404, 405) and seconds is None:
            return ToolServerError("refused", f"There is no tool server at {server.url}.")
    if seconds is not None:
        return _of_call(error, name, said, seconds)
    return _of_start(error, server, said)


def _of_call(error: BaseException, name: str, said: str, seconds: float) -> ToolServerError:
    code, _ = _protocol_error(error)
    if code == _TIMED_OUT or any(isinstance(each, TimeoutError) for each in _parts(error)):
        return ToolServerError("silent", f"“{name}” did not answer within {seconds:.0f} s.", said=said)
    if code is None and not any(isinstance(each, OSError | EOFError) for each in _parts(error)):
        return ToolServerError("protocol", f"“{name}” answered with something that cannot be understood.", said=said)
    return ToolServerError("ended", f"“{name}” ended in the middle of the call.", said=said)


def _of_start(error: BaseException, server: ToolServer, said: str) -> ToolServerError:
    name = server.name
    for each in _parts(error):
        if isinstance(each, FileNotFoundError):
            what = f"the folder {server.folder}" if server.folder and each.filename == server.folder else server.command
            return ToolServerError("start", f"“{name}” cannot be started: “{what}” is not there.")
        if isinstance(each, TimeoutError):
            text = f"“{name}” did not get ready within {server.start_seconds:.0f} s."
            return ToolServerError("silent", text, said=said, is_of_start=True)
        if isinstance(each, OSError | ValueError) and server.transport == "stdio":
            return ToolServerError("start", f"“{name}” cannot be started: {server.command} is no program we may run.")
        if isinstance(each, asyncio.CancelledError):
            return ToolServerError("off", f"“{name}” was ended.")
    code, _ = _protocol_error(error)
    if code == _CLOSED:
        return ToolServerError("start", f"“{name}” ended before it was ready.", said=said)
    return ToolServerError("protocol", f"“{name}” does not speak the Model Context Protocol.", said=said)


def _parts(error: BaseException) -> Iterator[BaseException]:
    """Yield an error, or all that are in a group, innermost first."""
    if isinstance(error, BaseExceptionGroup):
        for each in error.exceptions:
            yield from _parts(each)
    else:
        yield error


def _protocol_error(error: BaseException) -> tuple[int | None, str]:
    """Return code and words of an error by the protocol, None where it is another."""
    for each in _parts(error):
        code = getattr(getattr(each, "error", None), "code", None)
        if isinstance(code, int):
            return code, str(getattr(each, "message", ""))
    return None, ""


def _never_sent(failure: Exception) -> bool:
    import httpx2

    return isinstance(failure, httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.ProxyError)
