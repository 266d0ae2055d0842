"""Callbacks: where they may go, how they are signed, that they arrive."""

import base64
import hmac
import json
import re
import socket
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.prover.service.receiver import Receiver, receiving
from tests.support.checkout import DOCS
from tests.support.fleet import Fleet, eventually
from zkagent.prover.client import ServiceClient, Wanted
from zkagent.prover.outbound.addresses import is_public
from zkagent.prover.outbound.hosts import check_rule
from zkagent.prover.service.errors import CallbackRefused, ServiceAnswered
from zkagent.prover.service.fakes.catalogue import Order
from zkagent.prover.service.queue.keys import Keys
from zkagent.prover.service.queue.origins import origin_of
from zkagent.prover.service.worker.callback_rules import CallbackRules
from zkagent.prover.service.worker.callbacks import signature

RULES = CallbackRules(("hooks.example.org", "*.wild.example", "http://plain.example:8000"))


@pytest.mark.parametrize(
    "url",
    [
        "https://hooks.example.org/x?y=1",
        "https://HOOKS.example.org:443/",
        "https://hooks.example.org./",
        "https://a.b.wild.example/",
        "http://plain.example:8000/x",
    ],
)
def test_allowed_hosts_are_allowed(url: str) -> None:
    RULES.check(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example/",
        "https://hooks.example.org.evil.example/",
        "https://hooks.example.org@evil.example/",
        "https://user:secret@hooks.example.org/",
        "https://evil.example/#hooks.example.org",
        "https://evil.example\\@hooks.example.org/",
        "https://wild.example/",
        "https://notwild.example/",
        "http://hooks.example.org/",
        "https://hooks.example.org:8443/",
        "http://plain.example/",
        "ftp://hooks.example.org/",
        "file:///etc/passwd",
        "https://",
        "https://[::1",
        "https://hooks.example.org:99999/",
        "hooks.example.org",
        "https://hooks.example.org/" + "x" * 2000,
        "https://hooks.example.org/a\r\nx-evil: 1",
        "https://hooks.example.org/\x00",
        "https://hooks.example.org/\t",
        "\nhttps://hooks.example.org/",
        "https://hooks.example.org/ ",
        "https://hooks.example.org/\x7f",
        "https://hooks.example.org/\u2028",
        "https://hooks\u3002example.org/",
    ],
)
def test_other_addresses_are_refused(url: str) -> None:
    with pytest.raises(CallbackRefused):
        RULES.check(url)


def test_nothing_is_allowed_by_default() -> None:
    with pytest.raises(CallbackRefused, match="--allow-callback"):
        CallbackRules().check("https://example.org/")


@pytest.mark.parametrize("host", [*RULES.hosts, "https://name.example", "http://127.0.0.1:8000/"])
def test_what_hosts_may_look_like(host: str) -> None:
    assert check_rule(host) == host


@pytest.mark.parametrize(
    "host",
    [
        *("", "http://", "*", "*.", "a.*.example", "ftp://name", "name:99999"),
        *("name/path", "name?a=1", "https://somebody@name", "https://[::1", "\nname:x"),
    ],
)
def test_hosts_that_no_address_could_match_are_refused(host: str) -> None:
    with pytest.raises(ValueError, match="host") as refused:
        check_rule(host)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "0.0.0.0",
        "100.64.0.1", "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fc00::1",
        "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::",
        "2001:0:4136:e378:8000:63bf:3fff:fdd2", "ff02::1", "fec0::1", "::127.0.0.1", "::10.0.0.1",
        "64:ff9b:1::7f00:1", "64:ff9b:1::808:808", "64:ff9b::a00:1", "2002:a00:1::",
        "::ffff:0:127.0.0.1", "::ffff:169.254.169.254", "2001:db8::1", "100::1", "5f00::1",
        "3fff::1",
        "2606:2800:220:1:0:5efe:7f00:1", "2606:2800:220:1:200:5efe:a00:1", "192.0.2.1",
        "198.18.0.1", "240.0.0.1", "192.0.0.8", "192.0.0.9", "192.88.99.1", "2002:c058:6301::",
    ],
)  # fmt: skip
def test_inner_addresses_are_not_public(address: str) -> None:
    import ipaddress

    assert not is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    "address",
    [
        "93.184.216.34", "2606:2800:220:1::1", "::ffff:8.8.8.8", "64:ff9b::808:808",
    ],
)  # fmt: skip
def test_the_internet_is_public(address: str) -> None:
    import ipaddress

    assert is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    "url",
    [
        "http://plain.example:8000/other?y",
        "http://plain.example:08000/",
        "http://PLAIN.example.:8000",
        "http://plain.example..:0008000/",
        "http://someone:secret@plain.example:8000/",
    ],
)
def test_one_host_has_one_name_however_it_is_spelled(url: str) -> None:
    assert origin_of(url) == origin_of("http://plain.example:8000/x") == "plain.example:8000"


def test_addresses_and_usual_ports_have_one_name_and_other_hosts_another() -> None:
    assert origin_of("https://[0:0::1]/") == origin_of("https://[::1]:443/x") == "::1:443"
    others = ("https://plain.example/", "http://plain.example/", "http://plain.example:8001/")
    assert len({origin_of(url) for url in (*others, "http://a.plain.example:8000/")}) == 4
    assert origin_of("http://a:b/") == "http://a:b/"


def resolving_to(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> None:
    def fake(host: str, port: int, **_: Any) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (a, port)) for a in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", fake)


@pytest.mark.parametrize("addresses", [["10.0.0.7"], ["93.184.216.34", "127.0.0.1"]])
def test_an_allowed_name_that_leads_inwards_is_refused(
    monkeypatch: pytest.MonkeyPatch, addresses: list[str]
) -> None:
    resolving_to(monkeypatch, *addresses)
    with pytest.raises(CallbackRefused, match="not a public address"):
        RULES.resolve("https://hooks.example.org/")


def test_the_address_that_was_checked_is_the_one_that_is_called(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    resolving_to(monkeypatch, "93.184.216.34")
    assert RULES.resolve("https://hooks.example.org/") == "93.184.216.34"


def test_the_signature_is_standard_webhooks() -> None:
    key = base64.b64encode(b"secret").decode()
    headers = signature(f"whsec_{key}", "id-1", '{"a":1}', now=1700000000)
    expected = hmac.new(b"secret", b'id-1.1700000000.{"a":1}', "sha256").digest()
    assert headers == {
        "webhook-id": "id-1",
        "webhook-timestamp": "1700000000",
        "webhook-signature": f"v1,{base64.b64encode(expected).decode()}",
    }


@pytest.fixture(scope="module")
def is_genuine() -> Callable[[str, dict[str, str], bytes], bool]:
    """What docs/operating.md has receivers do."""
    text = (DOCS / "operating.md").read_text()
    recipe = re.search(r"```python\n(import base64.*?)```", text, re.DOTALL)
    assert recipe
    found: dict[str, Any] = {}
    exec(recipe[1], found)
    checked: Callable[[str, dict[str, str], bytes], bool] = found["is_genuine"]
    return checked


@pytest.mark.parametrize(
    ("change", "genuine"),
    [
        ({}, True),
        ({"webhook-id": "id-2"}, False),
        ({"webhook-timestamp": "1700000000"}, False),
        ({"webhook-signature": "v1,"}, False),
    ],
)
def test_receivers_who_do_as_documented_tell_who_called(
    is_genuine: Callable[..., bool], change: dict[str, str], genuine: bool
) -> None:
    secret = f"whsec_{base64.b64encode(bytes(range(32))).decode()}"
    headers = {**signature(secret, "id-1", '{"a":1}'), **change}
    assert is_genuine(secret, headers, b'{"a":1}') == genuine
    assert not is_genuine(secret, headers, b'{"a":2}')
    assert not is_genuine(f"whsec_{base64.b64encode(bytes(32)).decode()}", headers, b'{"a":1}')


def test_what_was_signed_long_ago_is_not_taken_again(is_genuine: Callable[..., bool]) -> None:
    secret = f"whsec_{base64.b64encode(bytes(32)).decode()}"
    old = signature(secret, "id-1", "{}", now=time.time() - 301)
    assert not is_genuine(secret, old, b"{}")


@pytest.fixture
def receiver(callback_port: int) -> Iterator[Receiver]:
    with receiving(callback_port) as running:
        yield running


def test_a_finished_proof_is_called_back_once_with_a_valid_signature(
    client: ServiceClient, fleet: Fleet, receiver: Receiver, features: list[int]
) -> None:
    view = client.submit(Wanted.of_features("quick", features, callback_url=receiver.url))
    eventually(lambda: receiver.calls)
    ((headers, body),) = receiver.calls
    message = json.loads(body)
    assert (message["data"]["id"], message["data"]["state"]) == (view.id, "done")
    with fleet.database() as database:
        secret = Keys(database).callback_secret("local")
    stamp = float(headers["webhook-timestamp"])
    assert abs(time.time() - stamp) < 60
    expected = signature(secret, headers["webhook-id"], body.decode(), stamp)
    assert expected.items() <= headers.items()
    eventually(lambda: (client.get(view.id).callback or view.callback).state == "delivered")
    assert len(receiver.calls) == 1


def test_a_receiver_in_trouble_is_called_again(
    client: ServiceClient, receiver: Receiver, features: list[int]
) -> None:
    receiver.answers = [500]
    client.submit(Wanted.of_features("quick", features, callback_url=receiver.url))
    eventually(lambda: len(receiver.calls) == 2)


def test_a_failure_is_called_back_too(
    client: ServiceClient, receiver: Receiver, features: list[int]
) -> None:
    refused = [Order.REFUSE, *features[1:]]
    client.submit(Wanted.of_features("quick", refused, callback_url=receiver.url))
    eventually(lambda: receiver.calls)
    data = json.loads(receiver.calls[0][1])["data"]
    assert (data["state"], data["failure"]) == ("failed", "input")


def test_a_callback_to_elsewhere_is_refused_and_nothing_is_queued(
    client: ServiceClient, features: list[int]
) -> None:
    wanted = Wanted.of_features("quick", features, callback_url="http://169.254.169.254/latest")
    with pytest.raises(ServiceAnswered) as refused:
        client.submit(wanted)
    assert refused.value.status == 403
    del wanted.fields["callback_url"]
    before = len(list(client.proofs()))
    client.submit(wanted)
    assert len(list(client.proofs())) == before + 1
