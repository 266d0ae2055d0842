"""An operator killed at random: `zkagent operate` as a process, at a desk on a chain that mines
late, loses blocks, and becomes dear now and then. Some of the requests wait for a tool that answers
later, in transactions that are lost as well.

Each request must come to one end: its effect happened once and its fee is the operator's, or it did
not and the fee is the requester's. `make chaos-requests` is the long form; a test does a short one.
The model is evaluated on chain, so that what is measured is all but proving.
"""

import argparse
import json
import logging
import os
import random
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.desk_stage import DeskStage, desk_stage
from tests.support.processes import environment
from zkagent.circuits.support.cache import cache_root
from zkagent.circuits.systems import EVALUATED
from zkagent.executor.chain.abi import Method
from zkagent.executor.chain.agent import ContractCall
from zkagent.executor.chain.desk import ANSWERED, PLACE, Posted, Status
from zkagent.executor.chain.resumed_run import ResumedRun
from zkagent.executor.chain.web3_desk import Web3Desk
from zkagent.executor.chain.web3_sender import Web3Sender
from zkagent.executor.errors import NoAgentThere
from zkagent.models.catalogue import Model, load_model
from zkagent.verifier_contracts.chain.local import Anvil
from zkagent.verifier_contracts.errors import ChainError

log = logging.getLogger(__name__)

ANSWER = Method("answer", ("int256", "string"))
SAID = "The balance is: 0 USDC in the pool, 1 USDC in the wallet"

COMMAND = (sys.executable, "-m", "zkagent")
OWN = {"runs", "receipts", "answers", "requests"}  # folders that a home of its own has
FEE = 2 * 10**16
BLOCK_S = 1
DEPTH = 3  # blocks that a reorganisation replaces
SPIKE_WEI = 150 * 10**9
IMPOSSIBLE = 10  # one of so many can never be answered
LATE = 10  # one of so many waits for a tool, unless told otherwise
LATE_UNITS = 1_000_000  # what each of them deposits, by what the tool says
LATE_WORDS = "deposit all my"
LIFETIME_S = 24 * 3600
STALLED_S = 600


@dataclass
class Figures:
    """What became of the requests, and what was done to their operator."""

    requests: int = 0
    answered: int = 0
    late: int = 0
    refunded: int = 0
    lost: int = 0
    twice: int = 0
    wrong: list[str] = field(default_factory=list)
    kills: int = 0
    reorganisations: int = 0
    spikes: int = 0
    signed: int = 0
    posted_again: int = 0
    seconds: float = 0.0

    def __str__(self) -> str:
        each = self.seconds / max(self.answered, 1)
        return (
            f"{self.requests} requests, {self.kills} kills, {self.reorganisations} "
            f"reorganisations of {DEPTH} blocks, {self.spikes} fee spikes: {self.answered} "
            f"answered, {self.late} of them by a tool's late word, {self.refunded} refunded, "
            f"{self.lost} lost, {self.twice} paid twice; "
            f"{self.signed} transactions signed, {self.posted_again} requests posted again after "
            f"their block was gone; {each:.2f} s for each answer, kills included, with blocks of "
            f"{BLOCK_S} s" + "".join(f"; {each}" for each in self.wrong)
        )

    @property
    def good(self) -> bool:
        whole = self.answered + self.refunded == self.requests
        return whole and not (self.lost or self.twice or self.wrong)


@dataclass
class Chaos:
    """A desk, an operator's home, and what draws the moments."""

    stage: DeskStage
    folder: Path
    draw: random.Random
    late: int = LATE
    figures: Figures = field(default_factory=Figures)
    _process: subprocess.Popen[bytes] | None = None

    @property
    def desk(self) -> Web3Desk:
        return Web3Desk(self.stage.anvil.web3, self.stage.desk)

    def run(self, requests: int, kills: int, reorganisations: int, spikes: int) -> None:
        self.figures.requests = requests
        moments = ["kill"] * kills + ["reorganise"] * reorganisations + ["spike"] * spikes
        self.draw.shuffle(moments)
        total = len(moments)  # spread over the whole
        began = changed = time.monotonic()
        before = -1
        try:
            while True:
                self._start()
                self._post_what_is_missing()
                self._have_the_tool_answer()
                done = self._answered()
                if done != before:
                    before, changed = done, time.monotonic()
                    log.info("%s answered, %s moments to come", done, len(moments))
                if not moments and done == len(self._possible()):
                    break
                if time.monotonic() - changed > STALLED_S:
                    self.figures.wrong.append(f"nothing was answered for {STALLED_S} s")
                    break
                if moments and done * total >= (total - len(moments)) * len(self._possible()):
                    self._do(moments.pop())
                time.sleep(0.5)
        finally:
            self.figures.seconds = time.monotonic() - began
            self._kill()
        self._refund_the_rest()
        self._judge()

    # What happens to the operator

    def _do(self, moment: str) -> None:
        log.info(moment)
        anvil = self.stage.anvil
        if moment == "kill":
            time.sleep(self.draw.uniform(0.0, 6.0))
            self.figures.kills += self._kill()
        elif moment == "reorganise":
            anvil.rpc("anvil_reorg", DEPTH, [])
            self.figures.reorganisations += 1
        else:
            anvil.rpc("anvil_setNextBlockBaseFeePerGas", hex(SPIKE_WEI))
            self.figures.spikes += 1

    def _start(self) -> None:
        if self._process and self._process.poll() is None:
            return
        where = ("--rpc", self.stage.anvil.rpc_url, "--desk", self.stage.desk)
        how = ("--interval", "0.2", "--confirmations", str(DEPTH + 2))
        with (self.folder / "log").open("ab") as told:
            self._process = subprocess.Popen(
                [*COMMAND, "operate", *where, "--key-file", str(self.folder / "key"), *how],
                env=environment(ZKAGENT_HOME=self.folder / "home"),
                stdout=subprocess.DEVNULL,
                stderr=told,
            )

    def _kill(self) -> bool:
        """Whether there was anything to kill."""
        if self._process is None or self._process.poll() is not None:
            return False
        self._process.kill()
        self._process.wait()
        return True

    # What the requester does

    def _prompt(self, number: int) -> bytes:
        if number % IMPOSSIBLE == 0:
            return f"withdraw 9{number:05d} USDC".encode()  # more than there is
        if self._is_late(number):
            return _spelled(number).encode()
        return f"deposit 0.{number:06d} USDC".encode()

    def _is_late(self, number: int) -> bool:
        return number % self.late == 1

    def _possible(self) -> Sequence[int]:
        return [n for n in range(1, self.figures.requests + 1) if n % IMPOSSIBLE]

    def _posted(self) -> dict[bytes, list[Posted]]:
        desk = self.desk
        found: dict[bytes, list[Posted]] = {}
        for posted in desk.posted(0, desk.head().number):
            found.setdefault(posted.request.order.prompt, []).append(posted)
        return found

    def _post_what_is_missing(self) -> None:
        """In blocks of the chain as it is: what a lost block took is posted again, under the nonce
        that it had, so that there is one of each."""
        sender = Web3Sender(self.stage.anvil.web3, self.stage.desk, self.stage.user)
        used, pending = sender.transactions_by(sender.height()), sender.next_nonce()
        if pending != used:
            return
        there = self._posted()
        missing = [n for n in range(1, self.figures.requests + 1) if self._prompt(n) not in there][
            :5
        ]
        for nonce, number in enumerate(missing, used):
            order = self.stage.order(self._prompt(number).decode(), FEE, LIFETIME_S)
            call = ContractCall(PLACE.call(order.fields), order.fee)
            try:
                fees = sender.fees()
                sender.broadcast(sender.sign(call, gas=300_000, fees=fees, nonce=nonce))
            except ChainError as exc:
                log.info("posting: %s", exc)
                return
            self.figures.posted_again += number in self._seen
            self._seen.add(number)

    def __post_init__(self) -> None:
        self._seen: set[int] = set()

    def _have_the_tool_answer(self) -> None:
        """One call of those that wait now, also again where a block with the answer is gone."""
        anvil, keeper = self.stage.anvil, self.stage.anvil.accounts[0]
        sender = Web3Sender(anvil.web3, self.stage.tool, keeper)
        try:
            used = sender.transactions_by(sender.height())
            if sender.next_nonce() != used or not (calls := self._unanswered()):
                return
            data = ANSWER.call(self.draw.choice(calls), SAID.encode())
            raw = sender.sign(ContractCall(data), gas=300_000, fees=sender.fees(), nonce=used)
            sender.broadcast(raw)
        except (ChainError, NoAgentThere) as exc:
            log.info("answering: %s", exc)

    def _unanswered(self) -> list[int]:
        """What runs wait for, by the tool's numbers."""
        head, found = self.desk.head(), []
        for every in self._posted().values():
            for posted in every:
                if self.desk.status(posted.id, head) is Status.WAITING:
                    run = ResumedRun(
                        self.stage.anvil.web3, self.stage.agent, self.stage.desk, posted.id
                    )
                    awaited = run.awaited(head)
                    found += [] if awaited.answered else [awaited.call]
        return found

    def _answered(self) -> int:
        """By events, which are one question: each of them is looked into at the end."""
        wanted = {"fromBlock": 0, "address": self.stage.desk, "topics": [ANSWERED.topic]}
        logs = self.stage.anvil.web3.eth.get_logs(wanted)  # type: ignore[arg-type]
        return len({bytes(log["topics"][1]) for log in logs})

    def _refund_the_rest(self) -> None:
        anvil = self.stage.anvil
        anvil.rpc("evm_setIntervalMining", 0)
        anvil.rpc("evm_setAutomine", True)
        anvil.rpc("anvil_dropAllTransactions")
        anvil.rpc("anvil_setNextBlockBaseFeePerGas", hex(10**9))
        anvil.rpc("evm_increaseTime", LIFETIME_S + 60)
        anvil.rpc("evm_mine")
        requester = self.stage.requesting(self.folder)
        for every in self._posted().values():
            for posted in every:
                if requester.outcome(posted).status in {Status.PENDING, Status.WAITING}:
                    requester.refund(posted)

    # What came of it

    def _judge(self) -> None:
        desk, figures = self.desk, self.figures
        head, units = desk.head(), 0
        posted = self._posted()
        for number in range(1, figures.requests + 1):
            every = posted.get(self._prompt(number), [])
            status = [desk.status(each.id, head) for each in every]
            answers = status.count(Status.DELIVERED)
            figures.answered += answers == 1
            figures.refunded += status == [Status.REFUNDED]
            figures.lost += not status or not all(each.ended for each in status)
            figures.twice += answers > 1 or len(every) > 1
            figures.late += answers == 1 and self._is_late(number)
            if answers:
                units += LATE_UNITS if self._is_late(number) else number
        self._expect("the pool", self.stage.pooled(), units)
        self._expect("the operator", self.stage.owed(self.stage.operator), figures.answered * FEE)
        self._expect("the requester", self.stage.owed(self.stage.user), 0)
        held = self.stage.anvil.web3.eth.get_balance(self.stage.desk)  # type: ignore[arg-type]
        self._expect("the desk", held, figures.answered * FEE)
        for file in (self.folder / "home" / "answers").glob("*/*.json"):
            figures.signed += len(json.loads(file.read_text())["signed"])

    def _expect(self, who: str, has: int, expected: int) -> None:
        if has != expected:
            self.figures.wrong.append(f"{who} has {has}, expected {expected}")


def _spelled(number: int) -> str:
    """The same instruction to any reader, and another one for each number."""
    letters = [letter for letter in LATE_WORDS if letter != " "]
    bits = iter(f"{number:0{len(letters)}b}")
    words = "".join(c if c == " " or next(bits) == "0" else c.upper() for c in LATE_WORDS)
    return f"{words} USDC"


def prepared(stage: DeskStage, folder: Path) -> None:
    """A home with the toolchain and circuits of this machine, and a journal of its own."""
    (folder / "home").mkdir()
    for each in cache_root().iterdir():
        if each.name not in OWN:
            (folder / "home" / each.name).symlink_to(each)
    (folder / "key").write_text(bytes(stage.operator.key).hex())


def chaos(
    anvil: Anvil,
    model: Model,
    folder: Path,
    *,
    requests: int,
    kills: int,
    reorganisations: int,
    spikes: int,
    seed: int,
    late: int = LATE,
) -> Figures:
    """What became of so many requests."""
    with desk_stage(anvil, model, EVALUATED.build(model.onnx_path), late=True) as stage:
        prepared(stage, folder)
        anvil.rpc("anvil_mine", hex(2 * DEPTH))  # the desk itself is not to be lost
        anvil.rpc("evm_setAutomine", False)
        anvil.rpc("evm_setIntervalMining", BLOCK_S)
        try:
            found = Chaos(stage, folder, random.Random(seed), late)
            found.run(requests, kills, reorganisations, spikes)
        finally:
            anvil.rpc("evm_setIntervalMining", 0)
            anvil.rpc("evm_setAutomine", True)
    return found.figures


def main(arguments: Sequence[str] | None = None) -> None:
    """Print seed and figures; exit code 1 unless each request came to one end."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=200)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--reorganisations", type=int, default=5)
    parser.add_argument("--spikes", type=int, default=5)
    parser.add_argument("--late", type=int, default=LATE, help="one of so many waits for a tool")
    parser.add_argument("--seed", type=int, default=secrets.randbits(32))
    given = parser.parse_args(arguments)
    logging.basicConfig(format="%(message)s")
    log.setLevel(logging.INFO)
    log.info("seed %s", given.seed)
    with tempfile.TemporaryDirectory(prefix="zkagent-chaos-") as folder, Anvil() as anvil:
        figures = chaos(
            anvil,
            load_model("wallet", Model),
            Path(folder),
            requests=given.requests,
            kills=given.kills,
            reorganisations=given.reorganisations,
            spikes=given.spikes,
            seed=given.seed,
            late=given.late,
        )
    print(figures)
    sys.exit(not figures.good)


if __name__ == "__main__":
    os.environ.pop("ZKAGENT_RPC", None)
    main()
