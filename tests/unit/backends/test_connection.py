"""What a connection may say, and what it must not hold."""

from __future__ import annotations

import msgspec
import pytest

from tavern_desktop.backends.connection import Connection, Secrets, base_url, check, check_key, is_near, root_url
from tavern_desktop.backends.errors import BackendError
from tavern_desktop.backends.settings import Generation


def a_connection(**fields: object) -> Connection:
    return Connection(**{"id": "1", "name": "Mine", "protocol": "openai", "url": "http://localhost:8080/v1/", **fields})


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"url": "localhost:8080"}, "the address must be like http://host:port"),
        ({"url": "ftp://host"}, "the address must be like http://host:port"),
        ({"url": "http://"}, "the address must be like http://host:port"),
        ({"url": "http://a b/"}, "the address must be like http://host:port"),
        ({"url": "http://host:99999"}, "the address must be like http://host:port"),
        ({"url": "http://me:secret@host"}, "the address holds a password: keep it apart, with the keys"),
        ({"url": "http://host/?key=secret"}, "the address must not hold ? or #"),
        ({"proxy": "http://me:secret@proxy"}, "the proxy holds a password: keep it apart, with the keys"),
        ({"headers": {"X-Api-Key": "abc"}}, "the header X-Api-Key looks like a secret"),
        ({"headers": {"X A": "b"}}, "the header 'X A' cannot be sent"),
        ({"headers": {"X": "a\nb"}}, "the header 'X' cannot be sent"),
    ],
)
def test_what_cannot_be_used_is_refused_with_the_reason(fields: dict[str, object], why: str) -> None:
    with pytest.raises(BackendError, match=r"The connection “Mine” cannot be used") as caught:
        check(a_connection(**fields))
    assert why in caught.value.sentence
    assert caught.value.kind == "connection"


def test_what_can_be_used_passes() -> None:
    check(a_connection(proxy="socks5://me@proxy:1080", headers={"X-Auth": "Token ${key}", "X-Title": "mine"}))


def test_addresses_are_brought_into_one_form() -> None:
    assert base_url(a_connection()) == "http://127.0.0.1:8080/v1"
    assert root_url(a_connection()) == "http://127.0.0.1:8080"
    assert root_url(a_connection(url="https://example.org/api/v1")) == "https://example.org/api"


@pytest.mark.parametrize(
    ("url", "near"),
    [
        ("http://localhost:1", True),
        ("http://127.0.0.1:1", True),
        ("http://[::1]:1", True),
        ("http://192.168.1.4", True),
        ("http://box.local", True),
        ("http://box", True),
        ("http://100.64.0.1", True),
        ("https://api.openai.com", False),
        ("http://8.8.8.8", False),
    ],
)
def test_servers_nearby_are_told_from_those_far_away(url: str, near: bool) -> None:
    assert is_near(a_connection(url=url)) is near


def test_keys_are_trimmed_and_must_fit_into_a_header() -> None:
    assert check_key(" sk-1\n") == "sk-1"
    for bad in ("sk\n1", "schlüssel"):
        with pytest.raises(BackendError):
            check_key(bad)


def test_secrets_show_nothing() -> None:
    assert "hidden" not in repr(Secrets("hidden", "hidden"))
    assert not hasattr(Secrets("hidden"), "__dict__")


def test_a_chat_s_settings_come_before_the_connection_s() -> None:
    both = Generation(temperature=0.0, stop=()).over(Generation(temperature=1.0, top_k=40, stop=("a",)))
    assert both == Generation(temperature=0.0, top_k=40, stop=())


@pytest.mark.parametrize("fields", [{"temperature": -1}, {"top_p": 1.5}, {"reply_tokens": 0}, {"seed": -1}])
def test_settings_that_mean_nothing_are_refused(fields: dict[str, object]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(fields, Generation)
