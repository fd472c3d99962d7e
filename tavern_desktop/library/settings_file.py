"""SillyTavern's `settings.json`, read only and tolerantly: it is somebody else's file and may be half written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from tavern_desktop.library.data_root import DataRoot


def read_settings(root: DataRoot) -> dict[str, Any]:
    """Return the settings, `{}` where there are none or they cannot be read."""
    try:
        settings = orjson.loads(root.settings.read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return {}
    return settings if isinstance(settings, dict) else {}


def power_user(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of the settings with the personas and the display options."""
    part = settings.get("power_user")
    return part if isinstance(part, dict) else {}


def chat_truncation(settings: Mapping[str, Any]) -> int | None:
    """Return how many messages SillyTavern shows first (0 means all), None where it does not say."""
    value = power_user(settings).get("chat_truncation")
    return value if type(value) is int and value >= 0 else None
