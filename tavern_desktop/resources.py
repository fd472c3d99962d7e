"""Where the program's own data files are: icons, themes, translations, the sample library."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


@cache
def _base() -> Path:
    """The wheel and the bundle carry the files inside the package, the source tree beside it."""
    packaged = _PACKAGE / "data"
    return packaged if packaged.is_dir() else _PACKAGE.parent / "resources"


def resource_path(*parts: str) -> Path:
    """Return the path of a data file or folder, `resource_path("icons", "send.svg")`.

    Raises FileNotFoundError where there is none: a resource that is missing is a fault of ours, to be seen at once.
    """
    path = _base().joinpath(*parts)
    if not path.exists():
        raise FileNotFoundError(f"the program lacks its file {'/'.join(parts)}")
    return path
