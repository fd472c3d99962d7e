"""From a connection to the backend that speaks its protocol; only that protocol's module is imported."""

from __future__ import annotations

import importlib

from tavern_desktop.backends.connection import Connection, Secrets
from tavern_desktop.backends.errors import BackendError
from tavern_desktop.backends.protocol import Backend
from tavern_desktop.backends.transport import Http

_CLASSES = {
    "openai": ("openai_chat", "OpenAiChat"),
    "openai-text": ("openai_text", "OpenAiText"),
    "llamacpp": ("llamacpp", "LlamaCpp"),
    "koboldcpp": ("koboldcpp", "KoboldCpp"),
    "ollama": ("ollama", "Ollama"),
    "anthropic": ("anthropic", "Anthropic"),
    "gemini": ("gemini", "Gemini"),
}


def open_backend(connection: Connection, secrets: Secrets, http: Http) -> Backend:
    """Return the backend of a connection; nothing is sent yet. Raises BackendError connection."""
    if connection.protocol not in _CLASSES:
        raise BackendError("connection", f"The protocol {connection.protocol!r} is not known.")
    module, name = _CLASSES[connection.protocol]
    kind: type[Backend] = getattr(importlib.import_module(f"tavern_desktop.backends.{module}"), name)
    return kind(connection, secrets, http)
