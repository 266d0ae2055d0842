"""A deployment that is killed at any moment is resumed by doing it again; no step happens twice."""

import errno
import itertools
import json
import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from eth_account.typed_transactions.typed_transaction import TypedTransaction
from eth_utils.crypto import keccak
from hexbytes import HexBytes

from zkagent.verifier_contracts.chain.local import Anvil, call, connect
from zkagent.verifier_contracts.chain.signing import Fees
from zkagent.verifier_contracts.deployment import journalled
from zkagent.verifier_contracts.deployment.carrier import Carrier, Step, create
from zkagent.verifier_contracts.deployment.journal import Journal
from zkagent.verifier_contracts.deployment.journalled import JournalledCarrier
from zkagent.verifier_contracts.deployment.rehearsal import by_part, rehearse
from zkagent.verifier_contracts.errors import (
    AnswerRefused,
    ChainError,
    JournalDamaged,
    JournalInUse,
    JournalRefused,
    RevertError,
    StepContradicted,
    StepNotAgreed,
    StepPending,
)
from zkagent.verifier_contracts.toolchain.compile import Contract, compile_source

COUNTER = """
pragma solidity ^0.8.28;

contract Counter {
    error Full(uint256 count);

    uint256 public count;

    constructor(uint256 start) { count = start; }
    function add(uint256 amount) external {
        if (count + amount > 9) revert Full(count);
        count += amount;
    }
}
"""
STEPS = 4


class Killed(BaseException):
    """Nobody catches it."""


@pytest.fixture(scope="module")
def counter(toolchain: object) -> Contract:
    return compile_source("Counter", COUNTER)


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journalled, "POLL_S", 0.01)


def work(carrier: Carrier, counter: Contract) -> tuple[Any, Any]:
    """Two contracts, and two calls of the second, which depends on the first by its argument."""
    one = create(carrier, Step("contracts", "one"), counter, 1)
    start = call(carrier.web3, one.functions.count()) + 1
    other = create(carrier, Step("contracts", "other"), counter, start)
    carrier.carry(Step("calls", "add 3"), other.functions.add(3))
    carrier.carry(Step("calls", "add 4"), other.functions.add(4))
    return one, other


class Deployment:
    """The same command, started as often as one likes."""

    def __init__(self, chain: Anvil, path: Path, counter: Contract) -> None:
        self.chain, self.path, self.counter = chain, path, counter
        self.signer, self.web3 = chain.accounts[4], connect(chain.rpc_url)
        self.ask: Callable[[Any, Any], Any] = chain.web3.provider.make_request
        self.limits: dict[str, int] | None = None

    def start(self, **subject: str | int) -> tuple[Any, Any]:
        about = {"chain": 31337, "account": self.signer.address, "model": "a", **subject}
        with Journal(self.path, about) as journal:
            timeout_s = 300 if self.chain.rpc("anvil_getAutomine") else 1
            carrier = JournalledCarrier(
                self.web3, self.signer, journal, timeout_s=timeout_s, patience_s=0.05
            )
            if self.limits is not None:
                carrier.bind(self.limits)
            made = work(carrier, self.counter)
            journal.finish()
        return made

    def die_at(self, number: int, *, answered: bool) -> None:
        """The process ends at this request from now on, before the node has it or after."""
        left = itertools.count(1)

        def request(method: Any, parameters: Any) -> Any:
            last = next(left) == number
            if last and not answered:
                raise Killed
            response = self.ask(method, parameters)
            if last:
                raise Killed
            return response

        self.intercept(request)

    def intercept(self, request: Callable[[Any, Any], Any]) -> None:
        """From now on all requests go through `request`."""
        self.web3 = connect(self.chain.rpc_url)
        provider: Any = self.web3.provider
        provider.make_request, provider._request_func_cache = request, (None, None)

    def live(self) -> None:
        self.web3 = connect(self.chain.rpc_url)

    @property
    def nonce(self) -> int:
        return int(self.chain.web3.eth.get_transaction_count(self.signer.address))


@pytest.fixture
def deployment(chain: Anvil, tmp_path: Path, counter: Contract) -> Deployment:
    return Deployment(chain, tmp_path / "deployment.json.part", counter)


def counts(deployment: Deployment, made: tuple[Any, Any]) -> list[int]:
    """Asked of a node that nobody cuts off."""
    web3 = deployment.chain.web3
    there = [web3.eth.contract(address=each.address, abi=each.abi) for each in made]
    return [call(web3, each.functions.count()) for each in there]


def check(deployment: Deployment, made: tuple[Any, Any]) -> None:
    assert deployment.nonce == STEPS
    assert counts(deployment, made) == [1, 2 + 3 + 4]
    assert not deployment.path.exists()


def test_a_deployment_leaves_no_journal(deployment: Deployment) -> None:
    check(deployment, deployment.start())


@pytest.mark.parametrize("answered", [False, True])
def test_killed_at_every_request_in_turn_it_ends_with_the_same_contracts(
    deployment: Deployment, answered: bool
) -> None:
    """Each life ends one request later than the one before, until one ends by itself."""
    for number in itertools.count(1):
        deployment.die_at(number, answered=answered)
        try:
            made = deployment.start()
        except Killed:
            continue
        break
    assert number > STEPS
    check(deployment, made)


def test_the_block_of_a_step_is_known_once_one_has_it(deployment: Deployment) -> None:
    deployment.die_at(20, answered=True)
    with pytest.raises(Killed):
        deployment.start()
    deployment.live()
    about = {"chain": 31337, "account": deployment.signer.address, "model": "a"}
    with Journal(deployment.path, about) as journal:
        carrier = JournalledCarrier(deployment.web3, deployment.signer, journal)
        blocks = [carrier.made_in(name) for name in ("one", "other", "add 3", "add 4")]
        done = [block for block in blocks if block is not None]
        assert done == sorted(set(done))
        assert blocks == done + [None] * (STEPS - len(done))
        assert len(done) in range(1, STEPS)


@pytest.mark.parametrize("seed", range(4))
def test_killed_at_random_moments_no_step_happens_twice(deployment: Deployment, seed: int) -> None:
    choose = random.Random(seed)
    for _ in range(6):
        deployment.die_at(choose.randint(1, 30), answered=choose.random() < 0.5)
        try:
            made = deployment.start()
            break
        except Killed:
            pass
    else:
        deployment.live()
        made = deployment.start()
    check(deployment, made)


def test_a_transaction_is_on_disk_before_the_node_has_it(deployment: Deployment) -> None:
    ask, sent = deployment.ask, []

    def request(method: Any, parameters: Any) -> Any:
        if method == "eth_sendRawTransaction":
            lines = deployment.path.read_text().splitlines()
            sent.append(json.loads(lines[-1])["raw"] == parameters[0])
        return ask(method, parameters)

    deployment.intercept(request)
    deployment.start()
    assert sent == [True] * STEPS


def test_what_cannot_be_journalled_is_not_sent(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, full = os.pwrite, False

    def pwrite(file: int, data: bytes, offset: int) -> int:
        if full:
            return write(file, data[:20], offset)
        return write(file, data, offset)

    monkeypatch.setattr(os, "pwrite", pwrite)
    begin(deployment)
    full = True
    before = deployment.path.read_bytes()
    with pytest.raises(OSError, match="No space left") as caught:
        deployment.start()
    assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, str(deployment.path))
    assert deployment.path.read_bytes() == before
    full = False
    check(deployment, deployment.start())


def begin(deployment: Deployment, steps: int = 1) -> None:
    """Leave a journal of so many steps."""
    last = f'"step": "{["one", "other", "add 3", "add 4"][steps]}"'.encode()
    add = Journal.add

    def stop(self: Journal, signed: Any) -> None:
        if last in json.dumps({"step": signed.step}).encode():
            raise Killed
        add(self, signed)

    Journal.add = stop  # type: ignore[method-assign]
    try:
        deployment.start()
    except Killed:
        pass
    finally:
        Journal.add = add  # type: ignore[method-assign]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"chain": 1}, "chain there: 31337, here: 1;"),
        ({"account": "0x1"}, "account there: 0x"),
        ({"model": "b"}, "model there: a, here: b;"),
    ],
)
def test_a_journal_of_another_deployment_is_refused_by_what_differs(
    deployment: Deployment, change: dict[str, Any], said: str
) -> None:
    begin(deployment, 2)
    before, nonce = deployment.path.read_bytes(), deployment.nonce
    with pytest.raises(JournalRefused, match=said):
        deployment.start(**change)
    assert (deployment.path.read_bytes(), deployment.nonce) == (before, nonce)


def test_a_step_that_carries_something_else_now_is_refused(
    deployment: Deployment, counter: Contract
) -> None:
    begin(deployment)
    deployment.counter = compile_source("Counter", COUNTER.replace("> 9", "> 10"))
    with pytest.raises(JournalRefused, match=r"step 'one' there: .* \(made by another version"):
        deployment.start()
    assert deployment.nonce == 1


def test_a_last_line_that_was_cut_off_stands_for_nothing(deployment: Deployment) -> None:
    begin(deployment, 2)
    text = deployment.path.read_bytes()
    with deployment.path.open("ab") as file:
        file.write(text.splitlines()[-1][:200])
    check(deployment, deployment.start())


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace('"hash": "0x', '"hash": "0x00', 1),
        lambda text: text.replace('"nonce": ', '"number": ', 1),
        lambda text: text.replace("journal-1", "journal-9", 1),
        lambda text: "{\n" + text,
        lambda text: "[]\n",
    ],
)
def test_a_damaged_journal_is_refused_and_left_as_it_is(
    deployment: Deployment, change: Callable[[str], str]
) -> None:
    begin(deployment, 2)
    deployment.path.write_text(change(deployment.path.read_text()))
    before = deployment.path.read_bytes()
    with pytest.raises(JournalDamaged):
        deployment.start()
    assert deployment.path.read_bytes() == before
    assert deployment.nonce == 2


@pytest.mark.parametrize("other", ["transaction", "nonce"])
def test_a_journal_that_says_something_else_than_was_signed_is_refused(
    deployment: Deployment, counter: Contract, other: str
) -> None:
    """Whoever put it there took another transaction of the account's, which everybody may read."""
    deployment.counter = compile_source("Counter", COUNTER.replace("> 9", "> 1000000"))
    begin(deployment)
    header, old = map(json.loads, deployment.path.read_text().splitlines())
    deployment.path.unlink()
    deployment.counter = counter
    begin(deployment)
    _, new = map(json.loads, deployment.path.read_text().splitlines())
    forged = {
        "transaction": {**new, "raw": old["raw"], "hash": old["hash"], "nonce": old["nonce"]},
        "nonce": {**new, "nonce": new["nonce"] + 7},
    }[other]
    deployment.path.write_text("".join(f"{json.dumps(line)}\n" for line in (header, forged)))
    with pytest.raises(JournalDamaged, match="'one' is something else than it says"):
        deployment.start()
    assert deployment.nonce == 2


@pytest.mark.parametrize("step", ["one", "zzz"])
@pytest.mark.parametrize("other", [1, 31338, 0])
def test_what_was_signed_for_another_chain_is_no_step_of_this_one(
    deployment: Deployment, other: int, step: str
) -> None:
    """What a step carries is the same on all of them, and the account's own transactions there may
    be read by everybody."""
    begin(deployment)
    header, line = map(json.loads, deployment.path.read_text().splitlines())
    fields = dict(TypedTransaction.from_bytes(HexBytes(line["raw"])).as_dict())
    for name in ("type", "v", "r", "s", "accessList"):
        fields.pop(name)
    signed = deployment.signer.sign_transaction({**fields, "chainId": other, "type": 2})
    moved = {"raw": signed.raw_transaction.to_0x_hex(), "hash": signed.hash.to_0x_hex()}
    lines = (header, {**line, "step": step, **moved})
    deployment.path.write_text("".join(f"{json.dumps(each)}\n" for each in lines))
    before = deployment.path.read_bytes()
    words = f"chain there: {other or 'none'}, here: 31337"
    with pytest.raises(JournalRefused, match=words):
        deployment.start()
    assert deployment.path.read_bytes() == before
    assert deployment.nonce == 1


NO_TRANSACTIONS = ["0x", "0x00", "0x02c0", "0x09c0", "0xc0"]
OTHERS = [{"raw": raw, "hash": f"0x{keccak(hexstr=raw).hex()}"} for raw in NO_TRANSACTIONS]
OTHERS += [{"nonce": nonce} for nonce in ("0", 0.0, False, None, -1, 1, 1_000_000, 10**30)]
OTHERS += [{"content": "x"}, {"content": None}]


@pytest.mark.parametrize("step", ["one", "zzz", 7])
@pytest.mark.parametrize("other", OTHERS, ids=str)
def test_every_line_of_a_journal_is_what_was_signed_whatever_its_step(
    deployment: Deployment, other: dict[str, Any], step: object
) -> None:
    begin(deployment)
    header, line = map(json.loads, deployment.path.read_text().splitlines())
    lines = (header, {**line, "step": step, **other})
    deployment.path.write_text("".join(f"{json.dumps(each)}\n" for each in lines))
    before = deployment.path.read_bytes()
    with pytest.raises(JournalDamaged, match="restore it, or name another file"):
        deployment.start()
    assert deployment.path.read_bytes() == before
    assert deployment.nonce == 1


@pytest.mark.parametrize("how", ["link", "hard link", "link to nothing", "folder", "pipe"])
def test_a_journal_is_a_file_of_its_own(deployment: Deployment, how: str) -> None:
    """Somebody else's folder may have it lead to a key."""
    key = deployment.path.with_name("key")
    key.write_text("ab" * 32)
    make: Callable[[], None] = {
        "link": lambda: deployment.path.symlink_to(key),
        "hard link": lambda: deployment.path.hardlink_to(key),
        "link to nothing": lambda: deployment.path.symlink_to(key.with_name("nothing")),
        "folder": deployment.path.mkdir,
        "pipe": lambda: os.mkfifo(deployment.path),
    }[how]
    make()
    with pytest.raises(JournalDamaged):
        deployment.start()
    assert key.read_text() == "ab" * 32
    assert os.path.lexists(deployment.path)
    assert not key.with_name("nothing").exists()
    assert deployment.nonce == 0


@pytest.mark.parametrize("text", ["ab" * 32, '{"version": 3}\n', '{"a": 1}\nrest', "{"])
def test_what_is_no_journal_is_left_as_it_is(deployment: Deployment, text: str) -> None:
    deployment.path.write_text(text)
    if text == "{":  # as a journal's first line begins
        deployment.start()
        return
    with pytest.raises((JournalDamaged, JournalRefused)):
        deployment.start()
    assert deployment.path.read_text() == text


def test_two_at_once_are_refused(deployment: Deployment) -> None:
    about = {"chain": 31337, "account": deployment.signer.address, "model": "a"}
    with Journal(deployment.path, about), pytest.raises(JournalInUse):
        deployment.start()
    assert deployment.nonce == 0
    assert not deployment.path.exists()


@pytest.fixture
def idle(toolchain: object, tmp_path: Path, counter: Contract) -> Iterator[Deployment]:
    """On a chain of its own that mines when it is told to."""
    with Anvil(options=["--no-mining"]) as own:
        yield Deployment(own, tmp_path / "deployment.json.part", counter)


def test_a_fee_that_no_longer_does_is_raised_under_the_same_nonce(idle: Deployment) -> None:
    with pytest.raises(StepPending, match="'one' is not included after 1 s"):
        idle.start()
    idle.chain.rpc("anvil_setNextBlockBaseFeePerGas", hex(20 * 10**9))
    idle.chain.rpc("anvil_dropAllTransactions")
    idle.chain.rpc("evm_mine")
    idle.chain.rpc("evm_setAutomine", True)
    check(idle, idle.start())


def test_a_late_block_is_waited_for_by_the_next_start(idle: Deployment) -> None:
    with pytest.raises(StepPending):
        idle.start()
    idle.chain.rpc("evm_mine")
    idle.chain.rpc("evm_setAutomine", True)
    check(idle, idle.start())


def test_a_step_whose_nonce_went_to_something_else_is_signed_anew(idle: Deployment) -> None:
    with pytest.raises(StepPending):
        idle.start()
    idle.chain.rpc("anvil_dropAllTransactions")
    idle.chain.rpc("evm_setAutomine", True)
    from zkagent.verifier_contracts.chain.local import send

    send(idle.chain.web3, {"to": idle.signer.address, "data": "0x"}, idle.signer)
    _, other = idle.start()
    assert idle.nonce == STEPS + 1
    assert call(idle.chain.web3, other.functions.count()) == 9


def test_a_transaction_that_failed_is_signed_anew_when_it_can_succeed(
    deployment: Deployment, counter: Contract, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The chain changed between estimate and inclusion."""
    gas = journalled.gas_limit
    monkeypatch.setattr(journalled, "gas_limit", lambda web3, estimate, margin: estimate - 1)
    with pytest.raises(RevertError):
        deployment.start()
    assert deployment.nonce == 1
    monkeypatch.setattr(journalled, "gas_limit", gas)
    _, other = deployment.start()
    assert deployment.nonce == STEPS + 1
    assert call(deployment.chain.web3, other.functions.count()) == 9


@pytest.mark.parametrize("step", [None, 1, ["one"], {"one": 1}])
def test_a_step_that_is_no_text_is_damage(deployment: Deployment, step: Any) -> None:
    begin(deployment)
    header, line = map(json.loads, deployment.path.read_text().splitlines())
    deployment.path.write_text(f"{json.dumps(header)}\n{json.dumps({**line, 'step': step})}\n")
    with pytest.raises(JournalDamaged, match="is something else than it says"):
        deployment.start()


LOST = ("its nonce went to another", "failed")


def losing(deployment: Deployment, lost: str, lines: list[int], *, code: bool) -> None:
    """By a node that knows otherwise of what these lines of the journal are about. Without `code`
    it hides all traces."""
    entries = [json.loads(line) for line in deployment.path.read_text().splitlines()[1:]]
    hashes, ask = {entries[line]["hash"] for line in lines}, deployment.ask

    def request(method: Any, parameters: Any) -> Any:
        response = ask(method, parameters)
        if method == "eth_getTransactionReceipt" and parameters[0] in hashes:
            told = response["result"]
            return {**response, "result": None if "nonce" in lost else {**told, "status": "0x0"}}
        if method == "eth_getCode" and not code:
            return {**response, "result": "0x"}
        if method == "eth_getBlockByNumber" and parameters[1] and not code:
            return {**response, "result": {**response["result"], "transactions": []}}
        return response

    deployment.intercept(request)


@pytest.mark.parametrize("lost", LOST)
@pytest.mark.parametrize("line", [0, 1])
def test_a_step_that_others_were_built_on_is_never_signed_anew(
    deployment: Deployment, lost: str, line: int
) -> None:
    begin(deployment, 3)
    before = deployment.path.read_bytes()
    losing(deployment, lost, [line], code=False)
    for _ in range(2):
        with pytest.raises(StepContradicted, match=r"steps after it are signed.*\(--rpc\)"):
            deployment.start()
    assert (deployment.nonce, deployment.path.read_bytes()) == (3, before)
    deployment.live()
    check(deployment, deployment.start())


@pytest.mark.parametrize("lost", LOST)
def test_a_contract_that_stands_at_its_address_is_not_made_again(
    deployment: Deployment, lost: str
) -> None:
    begin(deployment)
    before = deployment.path.read_bytes()
    losing(deployment, lost, [0], code=True)
    with pytest.raises(StepContradicted, match=r"a block has it|its contract is at 0x"):
        deployment.start()
    assert (deployment.nonce, deployment.path.read_bytes()) == (1, before)
    deployment.live()
    check(deployment, deployment.start())


def forgetting(deployment: Deployment) -> None:
    """The node keeps no state but the last one."""
    ask = deployment.web3.provider.make_request

    def request(method: Any, parameters: Any) -> Any:
        if method == "eth_getTransactionCount" and parameters[1] not in ("latest", "pending"):
            return {"jsonrpc": "2.0", "id": 1, "error": {"code": -32000, "message": "pruned"}}
        return ask(method, parameters)

    deployment.intercept(request)


def test_a_node_that_forgot_the_past_is_not_followed_where_a_contract_stands(
    deployment: Deployment,
) -> None:
    begin(deployment)
    losing(deployment, LOST[0], [0], code=True)
    forgetting(deployment)
    with pytest.raises(StepContradicted, match=r"its contract is at 0x.* one that keeps the past"):
        deployment.start()
    assert deployment.nonce == 1
    deployment.live()
    check(deployment, deployment.start())


def speeded_up(deployment: Deployment, **other: Any) -> None:
    """What hangs is signed again by the key's owner under its nonce, for more."""
    last = json.loads(deployment.path.read_text().splitlines()[-1])
    read = TypedTransaction.from_bytes(HexBytes(last["raw"])).as_dict()
    deployment.chain.rpc("anvil_dropAllTransactions")
    deployment.chain.rpc("evm_setAutomine", True)
    fields = {
        "nonce": last["nonce"],
        "data": "0x" + bytes(read["data"]).hex(),
        "gas": 1_000_000,
        "maxFeePerGas": 2 * int(read["maxFeePerGas"]),
        "maxPriorityFeePerGas": int(read["maxPriorityFeePerGas"]),
        "chainId": 31337,
        "value": 0,
        **({"to": bytes(read["to"])} if read["to"] else {}),
        **other,
    }
    raw = deployment.signer.sign_transaction(fields).raw_transaction
    deployment.chain.rpc("eth_sendRawTransaction", "0x" + bytes(raw).hex())


@pytest.mark.parametrize("done", range(STEPS))
@pytest.mark.parametrize("blocks", [0, 1, 300])
def test_what_a_wallet_speeded_up_counts_as_the_step(
    deployment: Deployment, done: int, blocks: int
) -> None:
    begin(deployment, done) if done else None
    deployment.chain.rpc("evm_setAutomine", False)
    with pytest.raises(StepPending):
        deployment.start()
    speeded_up(deployment)
    if blocks:
        deployment.chain.rpc("anvil_mine", hex(blocks))
    check(deployment, deployment.start())


def mined_meanwhile(deployment: Deployment, **other: Any) -> list[Any]:
    """What hangs is signed again by the key's owner, and mined just before ours comes. What was
    sent of ours, which the node refuses."""
    ask, sent = deployment.web3.provider.make_request, list[Any]()

    def request(method: Any, parameters: Any) -> Any:
        if method == "eth_sendRawTransaction" and not sent:
            sent.append(parameters)
            speeded_up(deployment, **other)
            deployment.chain.rpc("anvil_mine", "0x1")
        return ask(method, parameters)

    deployment.intercept(request)
    return sent


@pytest.mark.parametrize("done", range(STEPS))
def test_what_a_wallet_speeded_up_counts_though_it_is_mined_just_before_ours_comes(
    deployment: Deployment, done: int
) -> None:
    begin(deployment, done) if done else None
    deployment.chain.rpc("evm_setAutomine", False)
    with pytest.raises(StepPending):
        deployment.start()
    sent = mined_meanwhile(deployment)
    made = deployment.start()
    assert sent
    check(deployment, made)


def test_another_content_that_is_mined_just_before_ours_comes_is_no_step(idle: Deployment) -> None:
    with pytest.raises(StepPending):
        idle.start()
    mined_meanwhile(idle, data="0x6001600c60003960016000f300")
    with pytest.raises(ChainError, match="nonce too low"):
        idle.start()
    idle.live()
    _, other = idle.start()
    assert idle.nonce == STEPS + 1
    assert call(idle.chain.web3, other.functions.count()) == 9


@pytest.mark.parametrize("done", range(STEPS))
def test_what_a_wallet_speeded_up_waits_for_a_node_that_keeps_the_past(
    deployment: Deployment, done: int
) -> None:
    begin(deployment, done) if done else None
    deployment.chain.rpc("evm_setAutomine", False)
    with pytest.raises(StepPending):
        deployment.start()
    speeded_up(deployment)
    before = deployment.path.read_bytes()
    forgetting(deployment)
    for _ in range(2):
        with pytest.raises(StepContradicted, match=r"\(--rpc\), one that keeps the past"):
            deployment.start()
    assert deployment.path.read_bytes() == before
    deployment.live()
    check(deployment, deployment.start())


def test_a_contract_of_another_content_under_the_nonce_is_no_step(idle: Deployment) -> None:
    with pytest.raises(StepPending):
        idle.start()
    speeded_up(idle, data="0x6001600c60003960016000f300")  # leaves one byte of code
    _, other = idle.start()
    assert idle.nonce == STEPS + 1
    assert call(idle.chain.web3, other.functions.count()) == 9


def emptied(method: str, parameters: Any) -> Any:
    """Blocks without their transactions, as where those were pruned, or in a reorganisation."""
    return {"transactions": []} if method == "eth_getBlockByNumber" and parameters[1] else {}


def without_past(method: str, parameters: Any) -> Any:
    """Today's nonce for every block, so that the first one seems to have used it."""
    return "latest" if method == "eth_getTransactionCount" else None


@pytest.mark.parametrize("done", [2, 3])
@pytest.mark.parametrize("liar", [emptied, without_past])
def test_a_block_that_shows_nothing_of_ours_is_no_reason_to_sign_a_call_again(
    deployment: Deployment, done: int, liar: Callable[[str, Any], Any]
) -> None:
    """The wallet's faster one did the call: another would do it twice, and be paid for."""
    begin(deployment, done)
    deployment.chain.rpc("evm_setAutomine", False)
    with pytest.raises(StepPending):
        deployment.start()
    speeded_up(deployment)
    deployment.chain.rpc("anvil_mine", "0x5")
    before, ask = deployment.path.read_bytes(), deployment.web3.provider.make_request

    def request(method: Any, parameters: Any) -> Any:
        told = liar(method, parameters)
        if isinstance(told, str):
            return ask(method, [parameters[0], told])
        response = ask(method, parameters)
        return {**response, "result": {**response["result"], **told}} if told else response

    deployment.intercept(request)
    for _ in range(2):
        with pytest.raises(StepContradicted, match="it does not tell what used its nonce"):
            deployment.start()
    assert deployment.nonce == done + 1
    assert deployment.path.read_bytes() == before
    deployment.live()
    check(deployment, deployment.start())


def test_a_block_that_shows_nothing_of_ours_says_nothing_of_a_contract_that_stands(
    deployment: Deployment,
) -> None:
    begin(deployment)
    losing(deployment, LOST[0], [0], code=True)
    ask = deployment.web3.provider.make_request

    def request(method: Any, parameters: Any) -> Any:
        response = ask(method, parameters)
        if method == "eth_getBlockByNumber" and parameters[1]:
            response["result"]["transactions"] = []
        return response

    deployment.intercept(request)
    with pytest.raises(StepContradicted, match="its contract is at 0x"):
        deployment.start()
    assert deployment.nonce == 1


@pytest.mark.parametrize("lost", LOST)
@pytest.mark.parametrize("then", [1, 2, 3])
def test_what_was_made_twice_by_a_lie_is_used_once_whoever_is_asked_then(
    deployment: Deployment, lost: str, then: int
) -> None:
    """An honest node tells of both; what later steps were built on counts."""
    begin(deployment)
    losing(deployment, lost, [0], code=False)
    begin(deployment, then)
    deployment.live()
    made = deployment.start()
    assert deployment.nonce == STEPS + 1
    assert counts(deployment, made) == [1, 2 + 3 + 4]
    assert not deployment.path.exists()


@pytest.mark.parametrize("sent", [False, True])
def test_a_lie_that_ends_before_its_second_transaction_is_sent_leaves_no_gap(
    deployment: Deployment, sent: bool
) -> None:
    begin(deployment)
    losing(deployment, LOST[0], [0], code=False)
    lying = deployment.web3.provider.make_request

    def request(method: Any, parameters: Any) -> Any:
        if method == "eth_sendRawTransaction":
            if sent:
                lying(method, parameters)
            raise Killed
        return lying(method, parameters)

    deployment.intercept(request)
    with pytest.raises(Killed):
        deployment.start()
    losing(deployment, LOST[0], [1] if sent else [], code=False)  # tells of the first again
    begin(deployment, 2)
    deployment.live()
    made = deployment.start()
    assert deployment.nonce == STEPS + 1
    assert counts(deployment, made) == [1, 2 + 3 + 4]


@pytest.mark.parametrize("sent", [False, True])
def test_a_journal_that_has_an_early_step_twice_is_finished_with_the_first(
    deployment: Deployment, sent: bool
) -> None:
    """As versions before this one left it: later steps are between the two."""
    begin(deployment, 2)
    header, first, other = map(json.loads, deployment.path.read_text().splitlines())
    read = dict(TypedTransaction.from_bytes(HexBytes(first["raw"])).as_dict())
    for name in ("type", "v", "r", "s", "accessList"):
        read.pop(name)
    signed = deployment.signer.sign_transaction({**read, "nonce": 2, "type": 2})
    moved = {"raw": signed.raw_transaction.to_0x_hex(), "hash": signed.hash.to_0x_hex()}
    lines = (header, first, other, {**first, "nonce": 2, **moved})
    deployment.path.write_text("".join(f"{json.dumps(each)}\n" for each in lines))
    if sent:
        deployment.chain.web3.eth.send_raw_transaction(signed.raw_transaction)
    made = deployment.start()
    assert deployment.nonce == STEPS + sent
    assert counts(deployment, made) == [1, 2 + 3 + 4]


def test_another_contract_at_the_address_of_a_step_is_not_the_step_s(
    idle: Deployment, counter: Contract
) -> None:
    """Two deployments of one account at once: one nonce, and one of them gets it."""
    with pytest.raises(StepPending):
        idle.start()
    idle.chain.rpc("anvil_dropAllTransactions")
    idle.chain.rpc("evm_setAutomine", True)
    from zkagent.verifier_contracts.chain.local import deploy

    other = compile_source("Counter", COUNTER.replace("> 9", "> 10"))
    deploy(idle.chain.web3, other, idle.signer, 1)
    made = idle.start()
    assert idle.nonce == STEPS + 1
    assert counts(idle, made) == [1, 2 + 3 + 4]


def test_a_node_that_names_another_address_is_not_believed(deployment: Deployment) -> None:
    ask = deployment.ask

    def request(method: Any, parameters: Any) -> Any:
        response = ask(method, parameters)
        if method == "eth_getTransactionReceipt" and response.get("result"):
            response["result"]["contractAddress"] = "0x" + "42" * 20
        return response

    deployment.intercept(request)
    with pytest.raises(AnswerRefused, match="0x4242"):
        deployment.start()


def test_a_rehearsal_costs_what_the_deployment_costs(
    deployment: Deployment, counter: Contract
) -> None:
    steps = rehearse(31337, deployment.signer.address, lambda carrier: work(carrier, counter))
    deployment.start()
    eth = deployment.chain.web3.eth
    blocks = range(eth.block_number - STEPS + 1, eth.block_number + 1)
    assert [each.gas for each in steps] == [eth.get_block(block)["gasUsed"] for block in blocks]
    parts = [(cost.part, cost.transactions) for cost in by_part(steps)]
    assert parts == [("contracts", 2), ("calls", 2)]


def test_a_rehearsal_on_a_fork_finds_what_is_on_the_chain(
    deployment: Deployment, counter: Contract
) -> None:
    one, _ = deployment.start()
    again = Step("calls", "add 3 once more")
    rpc, account = deployment.chain.rpc_url, deployment.signer.address
    (found,) = rehearse(
        31337, account, lambda carrier: carrier.carry(again, one.functions.add(3)), rpc
    )
    assert found.step == again
    assert 21_000 < found.gas < found.limit < 60_000
    assert call(deployment.chain.web3, one.functions.count()) == 1


def rehearsed(deployment: Deployment) -> dict[str, int]:
    """The limits that somebody is told and agrees to."""
    account, counter = deployment.signer.address, deployment.counter
    steps = rehearse(31337, account, lambda carrier: work(carrier, counter))
    assert all(each.gas < each.limit for each in steps)
    return {each.step.name: each.limit for each in steps}


def estimating(deployment: Deployment, change: Callable[[int], int]) -> None:
    """By a node that has its own idea of gas."""
    ask = deployment.ask

    def request(method: Any, parameters: Any) -> Any:
        response = ask(method, parameters)
        if method == "eth_estimateGas":
            response["result"] = hex(change(int(response["result"], 16)))
        return response

    deployment.intercept(request)


@pytest.mark.parametrize("change", [lambda gas: gas, lambda gas: gas - 1_000, lambda gas: 21_000])
def test_what_was_agreed_is_signed_whatever_the_node_estimates_below(
    deployment: Deployment, change: Callable[[int], int]
) -> None:
    deployment.limits = rehearsed(deployment)
    estimating(deployment, change)
    made = deployment.start()
    eth = deployment.chain.web3.eth
    blocks = range(eth.block_number - STEPS + 1, eth.block_number + 1)
    sent = [eth.get_transaction_by_block(block, 0) for block in blocks]
    assert [each["gas"] for each in sent] == list(deployment.limits.values())
    check(deployment, made)


@pytest.mark.parametrize("change", [lambda gas: 2 * gas, lambda gas: 20_000_000])
def test_a_step_that_takes_more_gas_than_was_agreed_is_not_signed(
    deployment: Deployment, change: Callable[[int], int]
) -> None:
    deployment.limits = rehearsed(deployment)
    estimating(deployment, change)
    with pytest.raises(StepNotAgreed, match=r"step 'one' takes .* gas by the node's word"):
        deployment.start()
    assert deployment.nonce == 0
    deployment.live()
    check(deployment, deployment.start())


@pytest.mark.parametrize("agreed", range(STEPS))
def test_a_step_that_nobody_was_told_of_is_not_signed(deployment: Deployment, agreed: int) -> None:
    limits = rehearsed(deployment)
    deployment.limits = dict(list(limits.items())[:agreed])
    with pytest.raises(StepNotAgreed, match=f"step '{list(limits)[agreed]}' had taken effect"):
        deployment.start()
    assert deployment.nonce == agreed
    deployment.limits = limits
    check(deployment, deployment.start())


def test_a_step_that_nobody_was_told_of_is_not_broadcast_again_either(idle: Deployment) -> None:
    """It was signed before, and the node said just now that it was made."""
    with pytest.raises(StepPending):
        idle.start()
    idle.chain.rpc("anvil_dropAllTransactions")
    idle.limits = {}
    with pytest.raises(StepNotAgreed, match="step 'one' had taken effect"):
        idle.start()
    idle.chain.rpc("evm_mine")
    assert idle.nonce == 0


def test_what_is_on_its_way_costs_at_most_what_was_signed(idle: Deployment) -> None:
    with pytest.raises(StepPending):
        idle.start()
    about = {"chain": 31337, "account": idle.signer.address, "model": "a"}
    with Journal(idle.path, about) as journal:
        carrier = JournalledCarrier(idle.web3, idle.signer, journal)
        (signed,) = journal.of("one")
        read = TypedTransaction.from_bytes(HexBytes(signed.raw)).as_dict()
        most = read["gas"] * read["maxFeePerGas"]
        cheap, dear = Fees(1, 2, 1), Fees(1, 2 * read["maxFeePerGas"], 1)
        assert carrier.most_wei("one", read["gas"], cheap) == most
        assert carrier.most_wei("one", read["gas"], dear) == 2 * most
        assert carrier.most_wei("other", 1_000, cheap) == 2_000
