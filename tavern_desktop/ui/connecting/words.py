"""What people are told of connections: kinds of servers, places, states. One sentence or a few words each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from tavern_desktop.backends.connection import Connection, Protocol
from tavern_desktop.backends.providers import CUSTOM, providers
from tavern_desktop.session.generating.reach import Reach
from tavern_desktop.ui.icons import Tone

_KEY_PLACES = {
    "system": QT_TRANSLATE_NOOP("Connecting", "key in the system’s key store"),
    "file": QT_TRANSLATE_NOOP("Connecting", "key in a file only your account can read"),
    "environment": QT_TRANSLATE_NOOP("Connecting", "key from the environment"),
    "session": QT_TRANSLATE_NOOP("Connecting", "key for this session only"),
}
_SILENT = QT_TRANSLATE_NOOP("Connecting", "does not answer")
_FAILURES: dict[str, object] = {
    "connection": QT_TRANSLATE_NOOP("Connecting", "is not set up rightly"),
    "key": QT_TRANSLATE_NOOP("Connecting", "refuses the key"),
    "not_found": QT_TRANSLATE_NOOP("Connecting", "does not know the model or address"),
    "server": QT_TRANSLATE_NOOP("Connecting", "has a fault"),
    "silent": QT_TRANSLATE_NOOP("Connecting", "takes its time"),
    "disconnected": QT_TRANSLATE_NOOP("Connecting", "broke off"),
    "certificate": QT_TRANSLATE_NOOP("Connecting", "cannot be trusted"),
    "proxy": QT_TRANSLATE_NOOP("Connecting", "cannot be reached through the proxy"),
}
"""What the foot of the window says of a server that failed, by the kind of failure."""


def tr(text: object) -> str:
    """Return a text in the person's language."""
    return QCoreApplication.translate("Connecting", str(text))


@dataclass(frozen=True, slots=True)
class ServerKind:
    """A kind of server that can be chosen for a new connection. `wants_key`: it is not one on this computer."""

    name: str
    protocol: Protocol
    provider: str = ""
    url: str = ""
    wants_key: bool = False


def server_kinds() -> list[ServerKind]:
    """Return the kinds in the order in which they are offered: on this computer, elsewhere, any other."""
    near: list[ServerKind] = []
    far: list[ServerKind] = []
    for provider in providers():
        if provider.id == CUSTOM:
            continue
        is_openai = provider.protocol == "openai"
        is_far = bool(provider.url) and not _is_here(provider.url)
        kind = ServerKind(provider.name, provider.protocol, provider.id if is_openai else "", provider.url, is_far)
        (far if is_far else near).append(kind)
    text_kind = ServerKind(tr("Another server that completes text (OpenAI’s way)"), "openai-text")
    return [*near, *far, ServerKind(tr("Another server that speaks OpenAI’s protocol"), "openai"), text_kind]


def kind_of(connection: Connection, kinds: list[ServerKind]) -> int:
    """Return which kind a connection is of."""

    def score(kind: ServerKind) -> tuple[bool, bool, bool]:
        is_same_host = bool(kind.url) and urlsplit(kind.url).hostname == urlsplit(connection.url).hostname
        return kind.protocol == connection.protocol, kind.provider == connection.provider, is_same_host

    return max(range(len(kinds)), key=lambda number: score(kinds[number]))


def place_words(connection: Connection) -> str:
    """Return where a connection leads, in few words."""
    if connection.protocol == "local":
        return tr("runs here")
    return urlsplit(connection.url).netloc


def model_words(connection: Connection, reach: Reach) -> str:
    """Return the model's name, "" if it is not known."""
    if connection.protocol == "local":
        return Path(connection.model).stem
    return connection.model or reach.model


def details(connection: Connection, reach: Reach, place: str | None) -> str:
    """Return a quiet line about a connection: its model, where it leads, where its key is."""
    key = tr(_KEY_PLACES[place]) if place else ""
    model = model_words(connection, reach)
    if model == connection.name:
        model = ""
    return " · ".join(filter(None, (model, place_words(connection), key)))


def state_words(reach: Reach) -> tuple[str, Tone]:
    """Return how a connection is, with the tone to say it in."""
    if reach.state == "connected":
        return tr("connected"), "ok"
    if reach.state == "failed":
        return reach.sentence, "danger"
    if reach.state == "loading":
        return reach.sentence, "muted"
    return (tr("asking…") if reach.state == "asking" else ""), "muted"


def status_line(connection: Connection | None, reach: Reach) -> str:
    """Return what the foot of the window says: "llama.cpp · tiny · connected"."""
    if connection is None:
        return tr("No model connected")
    model = model_words(connection, reach)
    state = tr(_FAILURES.get(reach.kind, _SILENT)) if reach.state == "failed" else state_words(reach)[0]
    return " · ".join(filter(None, (connection.name, model if model != connection.name else "", state)))


def writes_itself(server: str) -> str:
    """Return why no template is needed."""
    return tr("{server} takes messages and writes them out itself.").format(server=server)


def answered(model: str, context: int | None) -> str:
    """Return what a server said when it was tried out."""
    if not model:
        return tr("It answers; no model is loaded or chosen yet.")
    if context:
        return tr("It answers: {model}, {tokens} tokens.").format(model=model, tokens=f"{context:,}")
    return tr("It answers: {model}.").format(model=model)


def _is_here(url: str) -> bool:
    return urlsplit(url).hostname in ("127.0.0.1", "localhost")
