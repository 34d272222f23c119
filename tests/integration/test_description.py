"""How an integration is described, and what is wrong with a description."""

import socket
from contextlib import ExitStack
from typing import Any
from urllib.parse import urlsplit

import pytest

from pix_conformance.integration.description import EXAMPLE, read_description
from pix_conformance.model.vocabulary import Api, UsageError


def test_nothing_configured_is_the_example_shop() -> None:
    described = read_description({})
    assert described.name == EXAMPLE
    assert set(described.hooks) == set(Api)
    assert {"start", "order", "credited", "wallet", "transfer", "cancel", "wait"} == set(described.commands)


def test_an_address_alone_is_enough() -> None:
    described = read_description({"hook": {"business": "https://127.0.0.1:8443/hook"}, "within": "0.5"})
    assert described.hooks == {Api.BUSINESS: "https://127.0.0.1:8443/hook"}
    assert described.commands == {}
    assert described.within == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ({"hook": "http://h/"}, "name the API of each"),
        ({"hook": {"other": "http://h/"}}, "name the API of each"),
        ({"hook": {"business": "h/hook"}}, "give an http or https address"),
        ({"hook": {"business": "http://[::1/hook"}}, "give an http or https address"),
        ({"hook": {"business": "http://h:80000/hook"}}, "give an http or https address"),
        ({"orders": "x"}, "unknown settings: orders"),
        ({"credited": "x"}, "names neither hook nor order"),
        ({"order": "x", "within": "soon"}, "a number of seconds above 0"),
        ({"order": "x", "sandbox": "8080"}, "give host:port"),
    ],
)
def test_a_wrong_description_is_a_usage_error(rows: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        read_description(rows)


def test_the_port_of_the_example_shop_is_none_that_another_program_may_get_meanwhile() -> None:
    ports = {urlsplit(address).port for address in read_description({}).hooks.values()}
    given = set()
    with ExitStack() as open_sockets:
        for _ in range(200):
            listening = open_sockets.enter_context(socket.socket())
            listening.bind(("127.0.0.1", 0))
            given.add(listening.getsockname()[1])
    assert {port for port in ports if port} == ports
    assert max(port or 0 for port in ports) < min(given)
