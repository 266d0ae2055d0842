"""Runs killed at random: `zkagent run` as a process, on a chain that mines late, over and over.

Each intent is killed at random moments and then left alone to finish. It must have taken effect
exactly once. `make chaos-runs` is the long form; a test does a short one. The model is evaluated on
chain, so that kills fall on signing, sending and waiting, and not on proving.
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

from tests.support.evaluated_stage import Stage, evaluated_stage
from tests.support.processes import environment
from zkagent.circuits.support.cache import cache_root
from zkagent.circuits.systems import EVALUATED
from zkagent.models.catalogue import Model, load_model
from zkagent.verifier_contracts.chain.local import Anvil

log = logging.getLogger(__name__)

COMMAND = (sys.executable, "-m", "zkagent")
BLOCK_S = 3  # from block to block
AFTER_SIGNING_S = 0.2  # in which what was signed is sent
POLL_S = 0.005
FINISHED = {0, 5}  # happened now, or before


@dataclass
class Figures:
    """effects: how often each intent happened. late: kills after which a transaction was there."""

    effects: list[int] = field(default_factory=list)
    kills: int = 0
    late: int = 0
    signed: int = 0

    def __str__(self) -> str:
        once = sum(count == 1 for count in self.effects)
        return (
            f"{len(self.effects)} intents, {self.kills} kills ({self.late} of them with a "
            f"transaction in the journal), {self.signed} signed: {once} took effect once, "
            f"{sum(c == 0 for c in self.effects)} never, {sum(c > 1 for c in self.effects)} twice"
        )


@dataclass
class Chaos:
    """One owner's home and target, and what draws the moments."""

    stage: Stage
    folder: Path
    draw: random.Random
    figures: Figures = field(default_factory=Figures)
    longest_s: float = 0.0

    def calibrate(self) -> None:
        """How long a run takes that nobody kills."""
        began = time.monotonic()
        if self._finish("deposit 0.5 USDC") != 0:
            raise SystemExit((self.folder / "log").read_text())
        self.longest_s = time.monotonic() - began

    def intent(self, number: int, kills: int) -> None:
        """Deposit `number` millionths of a USDC, killed so many times, and then let be.

        A repeat that ends before its moment is no kill: it is asked for again.
        """
        prompt, before = f"deposit 0.{number:06d} USDC", self.stage.usdc().pool
        killed, window_s = 0, self.longest_s
        while killed < kills:
            began = time.monotonic()
            if self._killed(prompt, window_s):
                killed += 1
                self.figures.late += bool(self._signed(prompt))
            else:  # so long it takes by now
                window_s = time.monotonic() - began
        self.figures.kills += killed
        code = self._finish(prompt)
        if code not in FINISHED:
            raise SystemExit(f"{prompt!r} did not finish: exit code {code}")
        self.figures.effects.append((self.stage.usdc().pool - before) // number)
        self.figures.signed += self._signed(prompt)

    def _start(self, prompt: str) -> subprocess.Popen[bytes]:
        where = ("--rpc", self.stage.chain.anvil.rpc_url, "--key-file", str(self.folder / "key"))
        deployment = ("--deployment", str(self.folder / "deployment.json"))
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(
                [*COMMAND, "run", prompt, *where, *deployment, "--yes"],
                env=environment(ZKAGENT_HOME=self.folder / "home"),
                stdout=subprocess.DEVNULL,
                stderr=log,
            )

    def _killed(self, prompt: str, window_s: float) -> bool:
        """Whether it was killed; it may have ended by itself before.

        At any moment; what is not signed yet, one time of three in a moment that is rarely hit:
        between signing and sending, or while it waits for its block.
        """
        with self._start(prompt) as process:
            if not self._signed(prompt) and self.draw.random() < 1 / 3:
                window_s = self.draw.choice((AFTER_SIGNING_S, BLOCK_S))
                while process.poll() is None and not self._signed(prompt):
                    time.sleep(POLL_S)
            try:
                process.wait(self.draw.uniform(0.0, window_s))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                return True
        return False

    def _finish(self, prompt: str) -> int:
        with self._start(prompt) as process:
            return process.wait(120)

    def _signed(self, prompt: str) -> int:
        files = (self.folder / "home" / "runs").glob("*.json")
        records = [json.loads(file.read_text()) for file in files]  # replaced whole, never half
        return sum(len(r["signed"]) for r in records if r["intent"]["prompt"] == prompt)


def prepared(stage: Stage, folder: Path) -> None:
    """A home with the toolchain and circuits of this machine, and a journal of its own."""
    (folder / "home").mkdir()
    for each in cache_root().iterdir():
        if each.name not in {"runs", "receipts"}:
            (folder / "home" / each.name).symlink_to(each)
    (folder / "key").write_text(bytes(stage.chain.owner.key).hex())
    (folder / "deployment.json").write_text(stage.chain.deployment.to_json())


def chaos(
    anvil: Anvil, model: Model, folder: Path, *, intents: int, kills: int, seed: int
) -> Figures:
    """What became of so many intents, each killed so many times."""
    with evaluated_stage(anvil, model, EVALUATED.build(model.onnx_path)) as stage:
        prepared(stage, folder)
        anvil.rpc("evm_setAutomine", False)
        anvil.rpc("evm_setIntervalMining", BLOCK_S)
        try:
            found = Chaos(stage, folder, random.Random(seed))
            found.calibrate()
            for number in range(1, intents + 1):
                found.intent(number, kills)
                log.info("%s of %s: %s", number, intents, found.figures)
        finally:
            anvil.rpc("evm_setIntervalMining", 0)
            anvil.rpc("evm_setAutomine", True)
    return found.figures


def main(arguments: Sequence[str] | None = None) -> None:
    """Print seed and figures; exit code 1 unless everything took effect exactly once."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--intents", type=int, default=30)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=secrets.randbits(32))
    given = parser.parse_args(arguments)
    logging.basicConfig(format="%(message)s")
    log.setLevel(logging.INFO)
    log.info("seed %s", given.seed)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="zkagent-chaos-") as folder, Anvil() as anvil:
        figures = chaos(
            anvil,
            load_model("wallet", Model),
            Path(folder),
            intents=given.intents,
            kills=given.kills,
            seed=given.seed,
        )
    print(f"{figures}; {time.monotonic() - began:.0f} s")
    sys.exit(set(figures.effects) != {1})


if __name__ == "__main__":
    os.environ.pop("ZKAGENT_RPC", None)
    main()
