"""Pictures of messages in the data folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tavern_desktop.library.attachments import picture_kind, read_picture, store_picture
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.pictures import resolve_picture
from tavern_desktop.storage.errors import StorageError

PNG = b"\x89PNG\r\n\x1a\n....."


@pytest.fixture
def root(tmp_path: Path) -> DataRoot:
    return DataRoot(tmp_path, "default-user")


def test_a_picture_is_found_again_by_its_address(root: DataRoot) -> None:
    url = store_picture(root, "Mira / the “Wise”?", PNG)
    found = resolve_picture(root, url)
    assert found is not None
    assert (found.read_bytes(), found.suffix) == (PNG, ".png")
    assert url.startswith("/user/images/Mira  the “Wise”/")


def test_the_same_picture_is_one_file(root: DataRoot) -> None:
    assert store_picture(root, "Mira", PNG) == store_picture(root, "Mira", PNG)


@pytest.mark.parametrize("owner", ["..", "", "/", "a/../../b"])
def test_no_name_leads_out_of_the_folder(root: DataRoot, owner: str) -> None:
    url = store_picture(root, owner, PNG)
    found = resolve_picture(root, url)
    assert found is not None
    assert found.parent.parent == (root.user_folder / "user" / "images").resolve()


@pytest.mark.parametrize(
    ("data", "kind"),
    [(PNG, "png"), (b"\xff\xd8\xff\xe0", "jpg"), (b"RIFF1234WEBPVP8", "webp"), (b"GIF89a", "gif"), (b"<html>", "")],
)
def test_a_picture_is_known_by_its_content(data: bytes, kind: str) -> None:
    assert picture_kind(data) == kind


def test_what_is_no_picture_is_refused(root: DataRoot, tmp_path: Path) -> None:
    page = tmp_path / "error.png"
    page.write_bytes(b"<html>")
    for attempt in (lambda: read_picture(page), lambda: store_picture(root, "Mira", b"<html>")):
        with pytest.raises(StorageError, match="no picture"):
            attempt()
    assert not (root.user_folder / "user").exists()
