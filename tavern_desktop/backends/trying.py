"""Trying a connection out, without making the model write anything."""

from __future__ import annotations

from tavern_desktop.backends.errors import BackendError
from tavern_desktop.backends.protocol import Backend, Model, Status


async def try_out(backend: Backend) -> Status:
    """Return what the server says of itself, once it has taken the key and has the model.

    Raises BackendError with what is wrong.
    """
    status = await backend.status()
    wanted = backend.connection.model
    if wanted:
        _require(backend, wanted, await _models(backend))
    return status


async def _models(backend: Backend) -> list[Model]:
    """Return the models, [] where the server has no list: then any name may be right."""
    try:
        return await backend.models()
    except BackendError as error:
        if error.kind in ("not_found", "unsupported"):
            return []
        raise


def _require(backend: Backend, wanted: str, models: list[Model]) -> None:
    names = [model.id for model in models]
    if not names or wanted in names or f"{wanted}:latest" in names:
        return
    some = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
    raise BackendError("not_found", f"{backend.server} has no model {wanted}. It has: {some}.")
