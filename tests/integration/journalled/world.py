"""An owner whose every command is a new process as far as the journal knows, on a chain that may
mine late, and how such a process is killed."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

import zkagent
from tests.support.evaluated_stage import Stage
from zkagent.executor.runs import records
from zkagent.executor.runs.journal import Journal
from zkagent.executor.runs.records import RunRecord
from zkagent.verifier_contracts.chain.local import Anvil

PROMPT = "deposit 5 USDC"
FIVE = 5 * 10**6


class Killed(BaseException):
    """What SIGKILL does, as far as files and the chain see it: nothing is cleaned up."""


@dataclass
class World:
    """One owner, whose every command is a new process as far as the journal knows."""

    stage: Stage
    key: Path
    folder: Path

    @property
    def anvil(self) -> Anvil:
        return self.stage.chain.anvil

    def run(self, prompt: str = PROMPT, *, rpc: str = "", **how: Any) -> zkagent.Run:
        waiting = {name: how.pop(name) for name in ("confirmations", "timeout_s") if name in how}
        with self.agent(rpc, **waiting) as agent:
            return agent.run(prompt, **how)

    def agent(self, rpc: str = "", **how: Any) -> Any:
        where = rpc or self.anvil.rpc_url
        return zkagent.agent(
            where, deployment=self.stage.chain.deployment, key_file=self.key, **how
        )

    @property
    def journal(self) -> Journal:
        return Journal(self.folder)

    def record(self) -> RunRecord:
        return self.journal.records()[-1]

    def give_up(self, record: RunRecord | None = None) -> RunRecord:
        """What `zkagent runs forget` does to the newest record, or to this one."""
        found = replace(record or self.record(), state="forgotten")
        self.journal.write(found)
        return found

    def mine_alone(self, record: RunRecord) -> None:
        """Its transaction, whoever sends it."""
        self.anvil.web3.eth.send_raw_transaction(record.signed[-1].raw)

    def pass_deadline(
        self, record: RunRecord, monkeypatch: pytest.MonkeyPatch, *, seconds: int = 1
    ) -> None:
        """By both clocks; mines a block."""
        pass_deadline(self.anvil, record, monkeypatch, seconds)

    def mine_late(self) -> None:
        self.anvil.rpc("evm_setAutomine", False)

    def mine(self, blocks: int = 1) -> None:
        self.anvil.rpc("anvil_mine", hex(blocks))

    def mine_at_once(self) -> None:
        self.anvil.rpc("evm_setAutomine", True)
        self.mine()


def killing(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, *, after: bool) -> None:
    """The next call of this method ends the process, before it does anything or afterwards."""
    real = getattr(owner, name)

    def once(*arguments: Any, **named: Any) -> Any:
        monkeypatch.setattr(owner, name, real)
        if after:
            real(*arguments, **named)
        raise Killed

    monkeypatch.setattr(owner, name, once)


def pass_deadline(
    anvil: Anvil, record: RunRecord, monkeypatch: pytest.MonkeyPatch, seconds: int = 1
) -> None:
    """By both clocks; mines a block."""
    anvil.rpc("evm_setNextBlockTimestamp", record.deadline + seconds)
    anvil.rpc("anvil_mine", hex(1))
    monkeypatch.setattr(records, "own_clock", lambda: float(record.deadline + seconds))
