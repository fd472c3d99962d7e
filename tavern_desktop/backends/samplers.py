"""Samplers that only servers of text know, from a text-completion preset to each server's own words (backends §7.2).

They are few people's matter and have no fields in the window: a preset brings them, and only those that do something.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

Samplers = dict[str, Any]
"""By SillyTavern's names."""

_NEUTRAL: dict[str, Any] = {
    "top_a": 0,
    "typical_p": 1,
    "tfs": 1,
    "rep_pen_slope": 1,
    "smoothing_factor": 0,
    "dry_multiplier": 0,
    "xtc_probability": 0,
    "nsigma": 0,
    "mirostat_mode": 0,
    "min_keep": 0,
    "ban_eos_token": False,
    "grammar_string": "",
}
"""Values by which a sampler does nothing; it and what goes with it are not sent then."""

_WITH: dict[str, tuple[str, ...]] = {
    "smoothing_factor": ("smoothing_curve",),
    "dry_multiplier": ("dry_base", "dry_allowed_length", "dry_penalty_last_n", "dry_sequence_breakers"),
    "xtc_probability": ("xtc_threshold",),
    "mirostat_mode": ("mirostat_tau", "mirostat_eta"),
}
"""What counts only with another one."""

_DYNAMIC = ("min_temp", "max_temp", "dynatemp_exponent")

_SAME = (
    "dry_multiplier", "dry_base", "dry_allowed_length", "dry_penalty_last_n", "dry_sequence_breakers",
    "xtc_threshold", "xtc_probability", "mirostat_tau", "mirostat_eta", "dynatemp_range", "dynatemp_exponent",
)  # fmt: skip

_MORE: dict[str, dict[str, str]] = {
    "koboldcpp": {
        "top_a": "top_a",
        "typical_p": "typical",
        "tfs": "tfs",
        "rep_pen_slope": "rep_pen_slope",
        "smoothing_factor": "smoothing_factor",
        "nsigma": "nsigma",
        "mirostat_mode": "mirostat",
        "grammar_string": "grammar",
        "ban_eos_token": "use_default_badwordsids",
        "sampler_order": "sampler_order",
    },
    "llamacpp": {
        "typical_p": "typical_p",
        "min_keep": "min_keep",
        "nsigma": "top_n_sigma",
        "mirostat_mode": "mirostat",
        "grammar_string": "grammar",
        "ban_eos_token": "ignore_eos",
    },
    "openai-text": {
        "top_a": "top_a",
        "typical_p": "typical_p",
        "tfs": "tfs",
        "smoothing_factor": "smoothing_factor",
        "smoothing_curve": "smoothing_curve",
        "nsigma": "nsigma",
        "mirostat_mode": "mirostat_mode",
        "grammar_string": "grammar_string",
        "ban_eos_token": "ban_eos_token",
    },
}
NAMES = {protocol: dict.fromkeys(_SAME, "") | names for protocol, names in _MORE.items()}
"""For each protocol the fields it knows, by SillyTavern's names; "" for a field of the same name."""


def samplers_of(preset: Mapping[str, Any]) -> Samplers:
    """Return the samplers of a preset that do something. A value of the wrong kind counts as not there."""
    found: Samplers = {}
    for name, neutral in _NEUTRAL.items():
        value = preset.get(name)
        if value is None or value == neutral or not isinstance(value, int | float | str):
            continue
        found[name] = value
        found |= {other: preset[other] for other in _WITH.get(name, ()) if preset.get(other) is not None}
    # An empty list is refused by some, and none is each server's own.
    breakers = _texts(found.pop("dry_sequence_breakers", None))
    found |= {"dry_sequence_breakers": breakers} if breakers else {}
    least, most = (preset.get(name) for name in _DYNAMIC[:2])
    if preset.get("dynatemp") is True and isinstance(least, int | float) and isinstance(most, int | float):
        found |= {"dynatemp_range": abs(most - least) / 2, "dynatemp_exponent": preset.get("dynatemp_exponent", 1)}
    order = preset.get("sampler_order")
    if isinstance(order, list) and all(isinstance(number, int) for number in order) and order != [6, 0, 1, 3, 4, 2, 5]:
        found["sampler_order"] = order
    return found


def dynamic_temperature(preset: Mapping[str, Any]) -> float | None:
    """Return the middle of a temperature that moves, None where it does not."""
    least, most = preset.get("min_temp"), preset.get("max_temp")
    if preset.get("dynatemp") is not True or not isinstance(least, int | float) or not isinstance(most, int | float):
        return None
    return (least + most) / 2


def fields_for(protocol: str, samplers: Samplers | None, off: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the fields of a request. `off`: fields that are not to be sent, because the server refused them."""
    names = NAMES.get(protocol, {})
    found = {names[name] or name: value for name, value in (samplers or {}).items() if name in names}
    return {field: value for field, value in found.items() if field not in off}


def _texts(value: object) -> list[str]:
    """Return a list that may be written as the text of one."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return []
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []
