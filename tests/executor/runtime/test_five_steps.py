"""A task of five steps over HTTP, values by key, SQL and a chain: killed with SIGKILL at each
boundary and within each call, and gone on with in another process."""

import asyncio
import json
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from web3 import Web3
from web3.contract import Contract

from tests.executor.runtime.five_steps import EUR, Stage, courier
from tests.support.local_http import Asked, LocalHttp, local_http
from tests.support.processes import environment
from zkagent.executor.runtime.durable.database import open_runs
from zkagent.executor.runtime.durable.store import RunStore
from zkagent.executor.runtime.memory.sqlite import open_sqlite
from zkagent.executor.runtime.replays.replaying import replay
from zkagent.executor.runtime.replays.report import ReplayReport
from zkagent.verifier_contracts.chain.local import Anvil
from zkagent.verifier_contracts.chain.transactions import deploy, send
from zkagent.verifier_contracts.toolchain.compile import compile_all

pytestmark = pytest.mark.slow
KEY = "ab" * 32
KILLED = -signal.SIGKILL
CALLED = [f"{step}.{part}" for step in range(4) for part in ("plan", "begin.1", "call.1")]
RECORDS = ["start", *CALLED, "4.plan", "finish"]
#: Killed on both sides of a record's transaction, one after the other; then in the midst of calls.
BOUNDARIES = [[f"before {name}", f"after {name}"] for name in RECORDS]
CALLS = [["in order_post"], ["in kv_put"], ["in order_note"], ["in usdc_transfer"]]
#: The proven planner's turn: after three calls and the step that hands over to it.
PROVEN = ["4.plan", "4.begin.1", "4.call.1", "5.plan", "finish"]
PROVEN_POINTS = [[f"before {name}", f"after {name}"] for name in PROVEN]

Attempts = Callable[[Stage, list[str]], list[int]]


@pytest.fixture(scope="module")
def attempts() -> Iterator[Attempts]:
    words = [sys.executable, "-m", "tests.executor.runtime.five_steps"]
    pipe, known = subprocess.PIPE, environment(ZKAGENT_RUNTIME_KEY=KEY, ZKAGENT_MEMORY_KEY=KEY)
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, text=True, env=known) as process:
        assert process.stdin
        assert process.stdout
        asked, answered = process.stdin, process.stdout

        def made(stage: Stage, points: list[str]) -> list[int]:
            print(json.dumps([asdict(stage), points]), file=asked, flush=True)
            return list(json.loads(answered.readline()))

        yield made
        asked.close()


@pytest.fixture(scope="module")
def shop() -> Iterator[LocalHttp]:
    """Answers each request alike; its orders are counted by their idempotency keys, as a shop that
    honours them counts."""

    def order(asked: Asked) -> tuple[int, dict[str, str], bytes]:
        return 200, {"content-type": "application/json"}, b'{"number": 17}'

    with local_http(order) as server:
        yield server


@pytest.fixture(scope="module")
def token(anvil: Anvil) -> Iterator[Contract]:
    snapshot, owner = anvil.snapshot(), anvil.accounts[0]
    made = deploy(anvil.web3, compile_all()["DemoToken"], owner, "USD Coin", "USDC", 6)
    send(anvil.web3, made.functions.mint(anvil.accounts[3].address, 10**12), owner)
    yield made
    anvil.revert(snapshot)


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ZKAGENT_RUNTIME_KEY", KEY)
    monkeypatch.setenv("ZKAGENT_MEMORY_KEY", KEY)


@pytest.fixture
def stage(
    shop: LocalHttp, token: Contract, anvil: Anvil, tmp_path: Path, request: pytest.FixtureRequest
) -> Stage:
    """Each test has a payee and a run of its own."""
    with sqlite3.connect(tmp_path / "orders.sqlite") as orders:
        orders.execute("CREATE TABLE orders (number INTEGER, eur INTEGER)")
    name = sha256(request.node.nodeid.encode()).hexdigest()
    key = bytes(anvil.accounts[3].key).hex()
    return Stage(
        folder=str(tmp_path),
        shop=shop.origin,
        rpc=anvil.rpc_url,
        token=str(token.address),
        key=key,
        payee=f"0x{name[:40]}",
        planner="scripted",
        rule="keys",
        run=f"run-{name[:16]}",
    )


@dataclass(frozen=True)
class Effects:
    """What there is of a run in the world. orders: different keys, posts: requests with
    them."""

    orders: int
    posts: int
    kept: Any
    notes: int
    paid: int


ONCE = Effects(orders=1, posts=1, kept=17, notes=1, paid=EUR * 10**6)


@pytest.fixture
def effects(stage: Stage, shop: LocalHttp, token: Contract) -> Callable[[], Effects]:
    def found() -> Effects:
        posts = [asked for asked in shop.asked if asked.path == f"/{stage.run}"]
        keys = {asked.headers["idempotency-key"] for asked in posts}
        kept: Any = asyncio.run(_kept(stage))
        with closing(sqlite3.connect(stage.place / "orders.sqlite")) as orders:
            (notes,) = orders.execute("SELECT count(*) FROM orders").fetchone()
        payee = Web3.to_checksum_address(stage.payee)
        paid = token.functions.balanceOf(payee).call()
        return Effects(len(keys), len(posts), kept and kept["value"], notes, paid)

    return found


async def _kept(stage: Stage) -> Any:
    store = open_sqlite(stage.place / "memory.sqlite")
    try:
        return await store.collections().read(f"kv:{stage.run}", "order")
    finally:
        await store.close()


def came_to(stage: Stage) -> Any:
    """The result; None: the run did not end in a process that could tell."""
    file = stage.place / "result.json"
    return json.loads(file.read_text()) if file.exists() else None


def replayed(stage: Stage) -> ReplayReport:
    database = open_runs(stage.place / "runs.sqlite")
    try:
        verify = stage.planner == "proven"
        return replay(stage.run, RunStore(database), [courier(stage)], verify=verify)
    finally:
        database.close()


@pytest.mark.parametrize("points", [*BOUNDARIES, ["before end"], *CALLS], ids=" ".join)
def test_the_run_comes_to_the_same_wherever_it_is_killed(
    attempts: Attempts, stage: Stage, effects: Callable[[], Effects], points: list[str]
) -> None:
    assert attempts(stage, [*points, ""]) == [KILLED] * len(points) + [0]
    result = came_to(stage)
    assert result["result"] == {"order": 17, "states": ["ok"] * 4}, result["error"]
    assert replace(effects(), posts=1) == ONCE
    report = replayed(stage)
    assert (report.agrees, report.ended) == (True, "finished: success")
    assert [step.outcome for step in report.steps] == ["same"] * 5


def test_a_run_that_is_killed_when_all_is_kept_has_its_result(
    attempts: Attempts, stage: Stage, effects: Callable[[], Effects]
) -> None:
    assert attempts(stage, ["after end"]) == [KILLED]
    assert effects() == ONCE
    assert replayed(stage).agrees


@pytest.mark.parametrize("points", [*PROVEN_POINTS, ["in usdc_transfer"]], ids=" ".join)
def test_steps_of_a_proven_planner_are_the_same_and_verified_wherever_it_is_killed(
    attempts: Attempts, stage: Stage, effects: Callable[[], Effects], points: list[str]
) -> None:
    stage = replace(stage, planner="proven")
    assert attempts(stage, [*points, ""]) == [KILLED] * len(points) + [0]
    result = came_to(stage)
    transfer = result["actions"][4]["output"]["transaction"]
    assert result["success"], result["error"]
    assert transfer in result["result"]
    assert effects() == ONCE
    report = replayed(stage)
    assert report.agrees, report
    assert [step.proof for step in report.steps] == [None] * 4 + ["verified"] * 2


#: What becomes of the order by its rule: the number, the state of its step, how many requests.
RULES = {
    "fail": (0, "unknown", 1),
    "ask": (0, "unknown", 1),  # nobody is there to answer
    "retry": (17, "ok", 2),
}


@pytest.mark.parametrize("rule", RULES)
def test_a_call_whose_key_nobody_honours_ends_by_its_rule(
    attempts: Attempts, stage: Stage, effects: Callable[[], Effects], rule: str
) -> None:
    number, first, posts = RULES[rule]
    stage = replace(stage, rule=rule)
    assert attempts(stage, ["in order_post", ""]) == [KILLED, 0]
    assert came_to(stage)["result"] == {"order": number, "states": [first, "ok", "ok", "ok"]}
    assert replace(effects(), orders=1) == replace(ONCE, posts=posts, kept=number)
    assert replayed(stage).agrees


def test_a_run_that_is_killed_again_and_again_comes_to_its_end(
    attempts: Attempts, stage: Stage, effects: Callable[[], Effects]
) -> None:
    points = ["in order_post", "after 1.begin.1", "in order_note", "before 3.call.1", "before end"]
    assert attempts(stage, [*points, ""]) == [KILLED] * 5 + [0]
    assert came_to(stage)["result"] == {"order": 17, "states": ["ok"] * 4}
    assert replace(effects(), posts=1) == ONCE
    assert replayed(stage).agrees
