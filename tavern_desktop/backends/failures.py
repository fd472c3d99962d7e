"""What the HTTP library could not do, as one of our errors."""

from __future__ import annotations

import ssl
from urllib.parse import urlsplit

from tavern_desktop.backends.connection import Connection, base_url
from tavern_desktop.backends.errors import BackendError


def from_transport(error: Exception, connection: Connection, server: str, *, has_begun: bool = False) -> BackendError:
    """Return the error for a failure below HTTP's own answers. `has_begun`: part of a reply had come."""
    import httpx2

    where = base_url(connection)
    if isinstance(error, httpx2.InvalidURL | httpx2.UnsupportedProtocol | httpx2.LocalProtocolError):
        return BackendError("connection", f"The address {where} cannot be used.")
    if isinstance(error, httpx2.ProxyError):
        return BackendError("proxy", f"The proxy {_proxy(connection)} does not let us through to {server}.")
    if isinstance(error, httpx2.ConnectTimeout):
        seconds = connection.timeouts.connect
        return BackendError("unreachable", f"{server} did not answer at {where} within {seconds:.0f} s.")
    if isinstance(error, httpx2.ConnectError):
        return _unreached(error, connection, server)
    if isinstance(error, httpx2.DecodingError):
        return BackendError("bad_reply", f"{server} sent something unexpected: its compression is damaged.")
    if has_begun:
        return BackendError("disconnected", f"The connection to {server} was lost in the middle of the reply.")
    return BackendError("disconnected", f"{server} closed the connection without an answer.")


def _unreached(error: Exception, connection: Connection, server: str) -> BackendError:
    reason: BaseException | None = error
    while reason is not None:
        if isinstance(reason, ssl.SSLCertVerificationError):
            why = reason.verify_message or "it is not valid"
            return BackendError("certificate", f"The certificate of {server} cannot be trusted: {why}.")
        if isinstance(reason, ssl.SSLError):
            return BackendError("certificate", f"{server} does not speak HTTPS at {base_url(connection)}.")
        reason = reason.__cause__ or reason.__context__
    if connection.proxy:
        return BackendError("proxy", f"The proxy {_proxy(connection)} cannot be reached.")
    return BackendError("unreachable", f"{server} cannot be reached at {base_url(connection)}. Is it running?")


def _proxy(connection: Connection) -> str:
    """Return the proxy's place without who uses it."""
    return urlsplit(connection.proxy).netloc.rpartition("@")[2]
