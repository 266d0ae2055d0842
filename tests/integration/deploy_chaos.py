"""`zkagent deploy` as a process that ends by SIGKILL around a broadcast, and is started again.

However often that happens, each step is carried out once and no contract is lost. `make
chaos-deploys` is the long form, at random moments; a test does a short one.
"""

import argparse
import io
import itertools
import json
import multiprocessing
import os
import random
import re
import secrets
import signal
import sys
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from eth_account.signers.local import LocalAccount
from eth_utils.address import to_checksum_address
from web3.eth import Eth
from web3.types import Nonce
from web3.utils.address import get_create_address

from tests.support.command_line import exit_code
from zkagent.verifier_contracts.chain.local import Anvil
from zkagent.verifier_contracts.deployment import rehearsal
from zkagent.verifier_contracts.deployment.journal import journal_path
from zkagent.verifier_contracts.deployment.journalled import JournalledCarrier
from zkagent.verifier_contracts.deployment.record import Deployment, load_deployment

#: Imported once, and not by each life.
LATE = (
    "zkagent.executor.cli.deploy",
    "zkagent.executor.runs.session",
    "zkagent.executor.chain.embedded",
    "zkagent.verifier_contracts.deployment.foundations",
    "zkagent.verifier_contracts.deployment.journalled",
)
NEVER = 0
Moment = tuple[Literal["before", "after"], int]


def life(moment: Moment, arguments: Sequence[str]) -> None:
    """The command, ended around its so many-th broadcast. What it costs is told once, by
    `Target.steps`, and not before each life."""
    when, last = moment
    broadcast, sent = Eth.send_raw_transaction, itertools.count(1)

    def send(self: Eth, raw: Any) -> Any:
        if next(sent) != last:
            return broadcast(self, raw)
        if when == "after":
            broadcast(self, raw)
        return os.kill(os.getpid(), signal.SIGKILL)

    setattr(Eth, "send_raw_transaction", send)  # noqa: B010  (this process is nobody else's)
    setattr(rehearsal, "rehearse", lambda *_: ())  # noqa: B010
    setattr(JournalledCarrier, "bind", lambda *_: None)  # noqa: B010  (to nothing of it)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    os.dup2(2, 1)
    sys.exit(exit_code("deploy", *arguments))


@dataclass(frozen=True)
class Target:
    """Whose deployment it is, and where."""

    anvil: Anvil
    owner: LocalAccount
    folder: Path

    @property
    def out(self) -> Path:
        return self.folder / "deployment.json"

    @property
    def nonce(self) -> int:
        return int(self.anvil.web3.eth.get_transaction_count(self.owner.address))

    @property
    def arguments(self) -> list[str]:
        key = self.folder / "key"
        key.write_text(bytes(self.owner.key).hex())
        where = ["--rpc", self.anvil.rpc_url, "--key-file", str(key), "--out", str(self.out)]
        return [*where, "--yes"]

    def steps(self) -> int:
        """How many transactions a deployment that nobody disturbs has, as --dry-run says."""
        printed = io.StringIO()
        with redirect_stdout(printed):
            assert exit_code("deploy", *self.arguments, "--dry-run") == 0
        found = re.search(r"in all +(\d+) ", printed.getvalue())
        assert found, printed.getvalue()
        return int(found[1])

    def live(self, moment: Moment) -> int:
        """The exit code of one life, which ends around its so many-th broadcast."""
        processes = multiprocessing.get_context("forkserver")
        processes.set_forkserver_preload(list(LATE))
        process = processes.Process(target=life, args=(moment, self.arguments))
        process.start()
        process.join(120)
        assert process.exitcode is not None
        return process.exitcode


def killed(target: Target, moments: Iterable[Moment]) -> Deployment:
    """What is deployed when each of these lives but the last ended too early."""
    steps, before = target.steps(), target.nonce
    for moment in moments:
        assert target.live(moment) == -signal.SIGKILL, moment
        assert not target.out.exists()
        check_journal(target, before)
    assert target.live(("before", NEVER)) == 0
    assert target.nonce - before == steps
    assert not journal_path(target.out).exists()
    made = load_deployment(target.out)
    check_contracts(target, made, range(before, before + steps))
    return made


def check_journal(target: Target, before: int) -> None:
    """Each step was signed once, all nonces in a row, and what is mined is in it."""
    _, *lines = journal_path(target.out).read_text().splitlines()
    signed = [json.loads(line) for line in lines]
    assert len({each["step"] for each in signed}) == len(signed)
    assert [each["nonce"] for each in signed] == list(range(before, before + len(signed)))
    assert target.nonce - before <= len(signed)


def check_contracts(target: Target, made: Deployment, nonces: range) -> None:
    """All of them were made by these transactions of the owner's, and stand on the chain."""
    contracts = made.contracts
    found = [made.registry, made.executor, made.pool, made.symbol_book, made.agent]
    found += [contracts.encoder, contracts.decoder, contracts.verifier]
    found += [token.address for token in made.tokens]
    address = to_checksum_address(target.owner.address)
    assert set(found) <= {get_create_address(address, Nonce(nonce)) for nonce in nonces}
    assert all(target.anvil.web3.eth.get_code(to_checksum_address(each)) for each in found)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the seed; end with an error unless every deployment came out whole."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deployments", type=int, default=10)
    parser.add_argument("--kills", type=int, default=6)
    parser.add_argument("--seed", type=int, default=secrets.randbits(32))
    given = parser.parse_args(arguments)
    print("seed", given.seed, flush=True)
    draw = random.Random(given.seed)
    with Anvil() as anvil:
        for number in range(given.deployments):
            moments: list[Moment] = [
                (draw.choice(("before", "after")), draw.randint(1, 4)) for _ in range(given.kills)
            ]
            with tempfile.TemporaryDirectory(prefix="zkagent-chaos-") as folder:
                killed(Target(anvil, anvil.accounts[number % 8], Path(folder)), moments)
            print(f"{number + 1} of {given.deployments} deployments, {moments}", flush=True)


if __name__ == "__main__":
    main()
