"""Where a model is reached and how: what is kept of a connection, and the secrets that are not kept with it."""

from __future__ import annotations

import ipaddress
import re
from typing import Annotated, Literal, get_args
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from tavern_desktop.backends.errors import BackendError
from tavern_desktop.backends.settings import NO_PRESETS, Generation, PresetNames

Protocol = Literal["openai", "openai-text", "llamacpp", "koboldcpp", "ollama", "anthropic", "gemini", "local"]
"""`local` is no server yet: a model file that the program runs itself, named by the connection's model."""

PROTOCOLS: tuple[str, ...] = get_args(Protocol)

KEY_MARK = "${key}"
"""Stands in a header for the key, which is not kept with the connection."""

_Seconds = Annotated[float, Meta(gt=0, le=86_400)]
_SECRET_HEADERS = re.compile(r"authorization|cookie|api-?key|token|secret|password", re.IGNORECASE)
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


class Timeouts(msgspec.Struct, frozen=True, omit_defaults=True):
    """Seconds; None waits for ever: a processor without a graphics card reads a long prompt for minutes."""

    connect: _Seconds = 10.0
    first_byte: _Seconds | None = None
    idle: _Seconds | None = 300.0
    """Silence in the middle of a reply."""


class Connection(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One way to reach a model. Nothing secret is in here.

    `id` never changes and names the key in the key store. `provider` is an id of `providers.toml`, "" for what the
    address says. `off` are settings not to be sent, because the server refused them. `template` writes prompts out for
    servers that take text: the id of a known one, a text of one's own, or "" for the server's.
    """

    id: str
    name: str
    protocol: Protocol
    url: str = ""
    model: str = ""
    provider: str = ""
    headers: dict[str, str] = {}
    proxy: str = ""
    check_certificate: bool = True
    timeouts: Timeouts = Timeouts()
    generation: Generation = Generation()
    off: tuple[str, ...] = ()
    template: str = ""
    presets: PresetNames = NO_PRESETS


class Secrets:
    """The key of a connection and the password of its proxy, "" for none. They never show in a repr."""

    __slots__ = ("key", "proxy_password")

    def __init__(self, key: str = "", proxy_password: str = "") -> None:
        self.key = key
        self.proxy_password = proxy_password

    def __repr__(self) -> str:
        return "Secrets(…)"

    def all(self) -> list[str]:
        """Return every secret there is, for whoever has to keep them out of a text."""
        return [secret for secret in (self.key, self.proxy_password) if secret]


def check(connection: Connection) -> None:
    """Raise BackendError connection unless it can be used and holds no secret."""
    if connection.protocol == "local":
        if not connection.model:
            raise _wrong(connection, "it names no model file")
        return
    if connection.protocol not in PROTOCOLS:
        raise _wrong(connection, f"the protocol {connection.protocol!r} is not known")
    _check_address(connection, "address", connection.url, ("http", "https"))
    if connection.proxy:
        _check_address(connection, "proxy", connection.proxy, ("http", "https", "socks5", "socks5h"))
    for name, value in connection.headers.items():
        if not _HEADER_NAME.fullmatch(name) or not value.isprintable() or not value.isascii():
            raise _wrong(connection, f"the header {name!r} cannot be sent")
        if _SECRET_HEADERS.search(name) and KEY_MARK not in value:
            raise _wrong(
                connection, f"the header {name} looks like a secret: write {KEY_MARK} in it and keep the key apart"
            )


def check_key(key: str) -> str:
    """Return a key as it is sent. Raises BackendError for one that no header can hold."""
    key = key.strip()
    if not key.isascii() or not key.isprintable():
        raise BackendError("connection", "A key has only letters, digits and signs, on one line.")
    return key


def base_url(connection: Connection) -> str:
    """Return the address without a slash at its end. `localhost` is meant as the address that servers listen on."""
    url = connection.url.strip().rstrip("/")
    parts = urlsplit(url)
    if parts.hostname == "localhost":
        # Some systems try ::1 first and wait there, while local servers listen on IPv4 only.
        url = parts._replace(netloc=re.sub(r"(?i)^localhost", "127.0.0.1", parts.netloc)).geturl()
    return url


def root_url(connection: Connection) -> str:
    """Return the address without `/v1`: where a server has what is not OpenAI's."""
    return base_url(connection).removesuffix("/v1").rstrip("/")


def host(connection: Connection) -> str:
    """Return host and port, as people say them."""
    return urlsplit(base_url(connection)).netloc


def is_near(connection: Connection) -> bool:
    """Say whether the server is on this computer or in this house, where no proxy of the environment is wanted."""
    return is_near_host(urlsplit(connection.url).hostname or "")


def is_near_host(name: str) -> bool:
    """Say whether a host is on this computer or in this house."""
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return name == "localhost" or name.endswith((".local", ".localhost", ".lan", ".internal")) or "." not in name
    return not address.is_global


def _check_address(connection: Connection, what: str, url: str, schemes: tuple[str, ...]) -> None:
    try:
        parts = urlsplit(url.strip())
        is_good = parts.scheme in schemes and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_good = False
    if not is_good or not url.strip().isprintable() or " " in url.strip():
        raise _wrong(connection, f"the {what} must be like {schemes[0]}://host:port")
    if parts.password or (what == "address" and parts.username):
        raise _wrong(connection, f"the {what} holds a password: keep it apart, with the keys")
    if parts.query or parts.fragment:
        raise _wrong(connection, f"the {what} must not hold ? or #")


def _wrong(connection: Connection, why: str) -> BackendError:
    return BackendError("connection", f"The connection “{connection.name}” cannot be used: {why}.")
