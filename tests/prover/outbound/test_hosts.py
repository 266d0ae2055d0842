"""Whom to call, at which address; callbacks are in ../service/worker/test_callbacks.py."""

import ipaddress
import socket

import pytest

from zkagent.prover.errors import AddressRefused, AddressUnresolved
from zkagent.prover.outbound.addresses import is_never
from zkagent.prover.outbound.hosts import HostRules


def answering(*addresses: str) -> object:
    return lambda *_, **__: [
        (socket.AF_INET6 if ":" in a else socket.AF_INET, 1, 6, "", (a, 443)) for a in addresses
    ]


def test_all_addresses_of_a_host_are_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", answering("1.1.1.1", "2606:4700::1111", "1.1.1.1"))
    assert HostRules(("a.example",)).resolve("https://a.example/") == ("1.1.1.1", "2606:4700::1111")


@pytest.mark.parametrize("inner", ["10.0.0.1", "::1", "::ffff:127.0.0.1", "169.254.169.254"])
def test_one_inner_address_among_them_is_enough_to_refuse(
    monkeypatch: pytest.MonkeyPatch, inner: str
) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", answering("1.1.1.1", inner))
    with pytest.raises(AddressRefused, match="not a public address"):
        HostRules(("a.example",)).resolve("https://a.example/")


@pytest.mark.parametrize(
    ("address", "never"),
    [
        ("127.0.0.1", False),
        ("10.0.0.1", False),
        ("::1", False),
        ("fd00::1", False),
        ("::ffff:10.0.0.1", False),
        ("169.254.169.254", True),
        ("::ffff:169.254.169.254", True),
        ("64:ff9b::a9fe:a9fe", True),
        ("2002:a9fe:a9fe::1", True),
        ("fe80::1", True),
        ("fd00:ec2::254", True),
        ("100.100.100.200", True),
        ("0.0.0.0", True),
        ("::", True),
        ("224.0.0.1", True),
        ("255.255.255.255", True),
    ],
)
def test_where_clouds_keep_secrets_is_never_called_even_if_private_hosts_are(
    monkeypatch: pytest.MonkeyPatch, address: str, never: bool
) -> None:
    assert is_never(ipaddress.ip_address(address)) is never
    monkeypatch.setattr(socket, "getaddrinfo", answering(address))
    rules = HostRules(("a.example",), private=True)
    if never:
        with pytest.raises(AddressRefused, match="nobody may be sent to"):
            rules.resolve("https://a.example/")
    else:
        assert rules.resolve("https://a.example/") == (str(ipaddress.ip_address(address)),)


def test_a_name_that_nobody_knows_may_be_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror("no such name")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(AddressUnresolved, match="no such name"):
        HostRules(("a.example",)).resolve("https://a.example/")
