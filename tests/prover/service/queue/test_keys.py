"""API keys, their limits, and a service that needs them."""

import hmac
import math
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import sqlalchemy as sa

from tests.support.command_line import exit_code
from tests.support.fleet import Fleet, eventually
from zkagent.prover.client import ServiceClient, Wanted
from zkagent.prover.service.api.connections import NEW_S
from zkagent.prover.service.api.limiter import Limiter
from zkagent.prover.service.errors import (
    KeyNameRefused,
    KeyRefused,
    KeyUnknown,
    QuotaExceeded,
    ServiceAnswered,
)
from zkagent.prover.service.fakes.catalogue import RELEASED, FakeCatalogue, Order
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.keys import Allowance, Caller, Keys
from zkagent.prover.service.queue.tables import keys as key_table


def test_a_key_identifies_its_caller(database: Database) -> None:
    keys = Keys(database)
    text = keys.create("alice", Allowance(per_minute=5))
    caller = keys.authenticate(text)
    assert (caller.key_id, caller.allowance.per_minute) == (text.split("_")[1], 5)


@pytest.mark.parametrize(
    "name", ["", " ", "a ", "a\n0123  valid  root", "\x1b[2J", "x" * 65, "\udcff"]
)
def test_a_name_that_cannot_be_read_in_a_list_is_refused(database: Database, name: str) -> None:
    with pytest.raises(KeyNameRefused, match="cannot be a key's name: use 1 to 64 printable"):
        Keys(database).create(name)
    assert Keys(database).all() == []
    Keys(database).create("x" * 64)
    Keys(database).create("Müller & sons")
    assert len(Keys(database).all()) == 2


def test_a_name_that_is_in_the_database_already_makes_no_row_of_its_own(
    database: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    if database.is_postgres:
        pytest.skip("a command leaves its connections to the end of its process")
    Keys(database).create("alice")
    with database.write() as connection:
        connection.execute(sa.update(key_table).values(name="a\n0123456789ab  valid    root"))
    url = database.url.render_as_string(hide_password=False)
    assert exit_code("key", "list", "--database", url) == 0
    assert capsys.readouterr().out.count("\n") == 1


def test_secrets_are_kept_as_hashes_only(database: Database) -> None:
    text = Keys(database).create("alice")
    secret = text.split("_", 2)[2]
    with database.read() as connection:
        stored = str(connection.execute(sa.select(key_table)).all())
    assert secret not in stored
    if not database.is_postgres:
        assert secret.encode() not in Path(str(database.url.database)).read_bytes()


@pytest.mark.parametrize("change", ["", "x", "zk_", "last", "id", "prefix", "\N{SNOWMAN}"])
def test_anything_but_the_key_is_refused(database: Database, change: str) -> None:
    keys = Keys(database)
    text = keys.create("alice")
    flipped = "A" if text[-1] != "A" else "B"
    wrong = {"last": text[:-1] + flipped, "id": f"zk_000{text[6:]}", "prefix": f"xx{text[2:]}"}
    with pytest.raises(KeyRefused):
        keys.authenticate(wrong.get(change, change))
    keys.authenticate(text)


def test_a_revoked_key_is_refused_and_cannot_be_revoked_again(database: Database) -> None:
    keys = Keys(database)
    text = keys.create("alice")
    keys.revoke(text.split("_")[1])
    with pytest.raises(KeyRefused):
        keys.authenticate(text)
    with pytest.raises(KeyUnknown):
        keys.revoke(text.split("_")[1])
    assert not keys.any_valid()


def test_secrets_are_compared_in_constant_time_whoever_asks(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = Keys(database)
    text, revoked = keys.create("alice"), keys.create("bob")
    keys.revoke(revoked.split("_")[1])
    compared: list[tuple[int, int]] = []
    genuine = hmac.compare_digest

    def watch(one: str, other: str) -> bool:
        compared.append((len(one), len(other)))
        return genuine(one, other)

    monkeypatch.setattr(hmac, "compare_digest", watch)
    keys.authenticate(text)
    for wrong in (f"{text}x", f"zk_ffffffffffff_{text[16:]}", revoked, "zk__"):
        with pytest.raises(KeyRefused):
            keys.authenticate(wrong)
    assert compared == [(64, 64)] * 5


def test_each_key_has_its_own_lasting_callback_secret(database: Database) -> None:
    first, again, other = (Keys(database).callback_secret(name) for name in ("a", "a", "b"))
    assert first == again != other


def test_the_limiter_admits_a_burst_and_then_one_per_interval() -> None:
    now = [0.0]
    limiter = Limiter(lambda: now[0])
    caller, other = (Caller(name, Allowance(per_minute=6)) for name in ("a", "b"))
    for _ in range(6):
        limiter.admit(caller)
    with pytest.raises(QuotaExceeded) as refused:
        limiter.admit(caller)
    assert refused.value.retry_after_s == pytest.approx(10)
    limiter.admit(other)
    now[0] = 10.5
    limiter.admit(caller)
    with pytest.raises(QuotaExceeded):
        limiter.admit(caller)


def test_whoever_comes_back_when_told_to_is_admitted() -> None:
    now = [0.0]
    limiter, caller = Limiter(lambda: now[0]), Caller("a", Allowance(per_minute=1))
    limiter.admit(caller)
    now[0] = 30.0
    with pytest.raises(QuotaExceeded) as refused:
        limiter.admit(caller)
    now[0] += math.ceil(refused.value.retry_after_s)
    limiter.admit(caller)


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory, catalogue: FakeCatalogue) -> Iterator[Fleet]:
    """A service that wants keys."""
    home = tmp_path_factory.mktemp("guarded")
    fleet = Fleet(home, f"sqlite:///{home}/service.sqlite", catalogue)
    fleet.prepare()
    with fleet.database() as database:
        Keys(database).create("first")
    fleet.serve("--require-keys")
    yield fleet
    fleet.end()


@pytest.fixture
def keys(guarded: Fleet) -> Iterator[Keys]:
    with guarded.database() as database:
        yield Keys(database)


def test_without_a_key_everything_but_health_is_refused(guarded: Fleet) -> None:
    with httpx.Client(base_url=guarded.url) as http:
        for path in ("/v1/proofs", "/v1/circuits", "/metrics", f"/v1/proofs/{'0' * 64}"):
            answer = http.get(path)
            assert answer.status_code == 401
            assert answer.headers["www-authenticate"] == "Bearer"
        wrong = http.get("/v1/proofs", headers={"authorization": "Basic Zm9vOmJhcg=="})
        assert wrong.status_code == 401
        assert http.get("/healthz").status_code == 200


def test_a_revoked_key_queues_nothing(guarded: Fleet, keys: Keys, features: list[int]) -> None:
    text = keys.create("mallory")
    wanted = Wanted.of_features("quick", features)
    with guarded.client(text) as client:
        view = client.prove(wanted, timeout_s=300)
        keys.revoke(text.split("_")[1])
        with pytest.raises(ServiceAnswered) as refused:
            client.submit(Wanted.of_features("quick", [0, *features[1:]]))
    assert refused.value.status == 401
    with guarded.client(keys.create("alice")) as client:
        assert list(client.proofs()) == []
        with pytest.raises(ServiceAnswered) as unknown:
            client.get(view.id)
    assert unknown.value.status == 404


def test_two_keys_share_the_proof_and_not_the_handle(
    guarded: Fleet, keys: Keys, features: list[int]
) -> None:
    wanted = Wanted.of_features("quick", [Order.HELD, *features[1:]])
    released = guarded.home / RELEASED
    with guarded.client(keys.create("a")) as alice, guarded.client(keys.create("b")) as bob:
        ids = {alice.submit(wanted).id, bob.submit(wanted).id}
        assert len(ids) == 1
        (proof_id,) = ids
        assert alice.cancel(proof_id).state == "cancelled"
        assert bob.get(proof_id).state != "done"
        released.touch()
        assert bob.wait(proof_id, timeout_s=300).state == "done"
        assert alice.get(proof_id).state == "cancelled"
        assert alice.get(proof_id).result is None


def test_requests_beyond_the_limit_are_told_when_to_come_back(guarded: Fleet, keys: Keys) -> None:
    headers = {"authorization": f"Bearer {keys.create('busy', Allowance(per_minute=3))}"}
    with httpx.Client(base_url=guarded.url, headers=headers) as http:
        answers = [http.get("/v1/circuits") for _ in range(5)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429, 429]
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 20


def test_a_quota_is_refused_over_http(guarded: Fleet, keys: Keys, features: list[int]) -> None:
    key = keys.create("small", Allowance(per_day=1))
    with ServiceClient(guarded.url, key=key, patience_s=0) as client:
        client.prove(Wanted.of_features("quick", features), timeout_s=300)
        with pytest.raises(ServiceAnswered) as refused:
            client.submit(Wanted.of_features("quick", [0, 0, *features[2:]]))
    assert refused.value.status == 429


def test_a_revoked_keys_stream_and_its_long_wait_end(
    guarded: Fleet, keys: Keys, features: list[int]
) -> None:
    text = keys.create("mallory")
    headers = bearer(text)
    body = {"model": "quick", "features": [Order.SLOW, *features[1:]]}
    with httpx.Client(base_url=guarded.url, headers=headers, timeout=120) as http:
        proof_id = http.post("/v1/proofs", json=body).json()["id"]
        with http.stream("GET", f"/v1/proofs/{proof_id}/events") as answer:
            keys.revoke(text.split("_")[1])
            lines = list(answer.iter_lines())
        assert lines
        assert http.get(f"/v1/proofs/{proof_id}", params={"wait_s": 20}).status_code == 401
    eventually(lambda: guarded.proof(proof_id).state == "cancelled")


@pytest.mark.parametrize("urgent", [False, True])
def test_urgent_is_for_keys_that_have_the_right(
    guarded: Fleet, keys: Keys, features: list[int], urgent: bool
) -> None:
    headers = bearer(keys.create("bob", Allowance(urgent=urgent)))
    body = {"model": "quick", "features": features, "priority": "urgent"}
    answer = httpx.post(f"{guarded.url}/v1/proofs", json=body, headers=headers)
    assert answer.is_success is urgent
    if not urgent:
        assert answer.status_code == 403
        assert answer.json()["type"] == "urn:zkagent:problem:priority-refused"


def test_who_has_no_key_is_refused_before_any_body_is_read(guarded: Fleet) -> None:
    head = b"POST /v1/proofs HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
    for key in (b"", b"authorization: Bearer zk_wrong_key\r\n"):
        with socket.create_connection(("127.0.0.1", guarded.port), 120) as connection:
            connection.sendall(head + key + b"content-length: 1000000\r\n\r\n{")
            assert connection.recv(4096).startswith(b"HTTP/1.1 401")


def test_it_does_not_listen_to_the_world_without_keys(
    tmp_path: Path, catalogue: FakeCatalogue
) -> None:
    fleet = Fleet(tmp_path, f"sqlite:///{tmp_path}/service.sqlite", catalogue)
    with pytest.raises(AssertionError, match="needs API keys, and there are none"):
        fleet.serve("--host", "0.0.0.0")
    assert fleet.members[0].process.wait(120) == 1
    fleet.end()
    assert not list(tmp_path.glob("service.sqlite*"))


def test_it_listens_to_the_world_with_keys_and_refuses_strangers(
    tmp_path: Path, catalogue: FakeCatalogue, features: list[int]
) -> None:
    fleet = Fleet(tmp_path, f"sqlite:///{tmp_path}/service.sqlite", catalogue)
    fleet.prepare()
    with fleet.database() as database:
        key = Keys(database).create("alice")
    service = fleet.serve("--host", "0.0.0.0", "--log-json", "--connections", "4")
    assert httpx.get(f"{fleet.url}/v1/circuits").status_code == 401
    assert httpx.get(f"{fleet.url}/v1/circuits", headers=bearer(f"{key}x")).status_code == 401
    with fleet.client(key) as client:
        client.prove(Wanted.of_features("quick", features), timeout_s=300)
    _too_many_connections(fleet)
    assert service.stop() == 0
    assert key.split("_", 2)[2] not in service.log.read_text()
    fleet.end()


def bearer(key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"}


def _too_many_connections(fleet: Fleet) -> None:
    """Of six the service turns the oldest away, with a problem document, and goes on."""

    def another() -> socket.socket:
        return socket.create_connection(("127.0.0.1", fleet.port), 120)

    def told() -> bytes:
        several = [another() for _ in range(5)]
        try:
            time.sleep(NEW_S + 0.2)  # until then each may still have something to say
            several.append(another())
            return several[0].recv(65536)
        finally:
            for connection in several:
                connection.close()

    words = told()
    while b"408 " in words[:16]:  # where we take long to come they are told that they are too slow
        words = told()
    assert b"urn:zkagent:problem:too-many-connections" in words
    eventually(lambda: httpx.get(f"{fleet.url}/healthz").status_code == 200)


def test_the_command_makes_lists_and_revokes_keys(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/service.sqlite"

    def run(*words: str) -> str:
        command = ["-m", "zkagent", "key", *words, "--database", url]
        done = subprocess.run([_python(), *command], check=True, capture_output=True, text=True)
        return done.stdout

    key = run("create", "alice", "--per-day", "7").strip()
    key_id = key.split("_")[1]
    assert f"{key_id}  valid    alice" in run("list")
    assert key.split("_", 2)[2] not in run("list", "--json")
    run("revoke", key_id, "--yes")
    assert f"{key_id}  revoked  alice" in run("list")


def _python() -> str:
    import sys

    return sys.executable
