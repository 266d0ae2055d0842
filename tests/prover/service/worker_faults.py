"""Faults of workers: their keys, engines, circuits and clocks, and their deaths. Each is asked the
questions of faults.py.
"""

import signal
import time

from tests.prover.service.ward import MARKER, Ward
from tests.support.clocks import set_clock
from tests.support.fleet import eventually
from zkagent.prover.client import Wanted
from zkagent.prover.service.fakes.catalogue import TROUBLE, FakeCatalogue, Order
from zkagent.prover.service.wire.states import State


def troubled_keys(ward: Ward) -> None:
    """Keys that are damaged under a running worker, and mended."""
    ward.begin()
    trouble = ward.home / TROUBLE
    trouble.write_text("keys")
    ward.submit(3)
    ward.expect("keys", ready=False)  # nobody else can prove anything
    ward.submit(2)
    trouble.unlink()
    ward.expect_well()
    ward.check()


def failing_engine(ward: Ward) -> None:
    """An engine that fails for everybody is not a verdict on anybody."""
    ward.begin("--max-crashes", "8")
    trouble = ward.home / TROUBLE
    trouble.write_text("engine")
    ward.submit(3)
    time.sleep(3)
    trouble.unlink()
    ward.check()


def unlike_workers(ward: Ward) -> None:
    """Three workers that lack the circuit, and one that has it."""
    ward.fleet.options = (*ward.fleet.options, "--stale", "120")  # nobody is taken for dead
    ward.begin(slots=1)
    other = FakeCatalogue(ward.home / "other", {"another": 0.02})
    other.folder.mkdir()
    for _ in range(3):
        ward.fleet.work(catalogue=other)
    ids = ward.submit(20)
    with ward.client(120) as client:
        for proof_id in ids:
            client.wait(proof_id, timeout_s=300)
    for proof_id in ids:
        row = ward.fleet.proof(proof_id)
        if (row.crashes, row.deaths, row.generation) != (0, 0, 1):
            ward.complain(f"{proof_id}: passing on was counted")
    ward.check()


def dead_workers(ward: Ward) -> None:
    """Workers are killed and stopped; what they held is proven by others."""
    ward.begin()
    workers = [ward.fleet.work() for _ in range(2)]
    ward.submit(10)
    workers[0].kill()
    workers[1].process.send_signal(signal.SIGSTOP)
    ward.submit(5)
    time.sleep(4)
    workers[1].process.send_signal(signal.SIGCONT)
    ward.check()


def jumping_clock(ward: Ward) -> None:
    """This machine's clock jumps by hours, while proofs are tried again and a worker dies."""
    clock = set_clock(ward.home, "machine")
    ward.fleet.environment |= clock.environment
    ward.begin()
    worker = ward.fleet.work()
    for ahead_s in (-3600, 3600, -1800, 0):
        ward.submit(2, Order.CRASH_ONCE)
        ward.submit(2, deadline_s=20_000)
        clock.set(ahead_s)
        time.sleep(0.7)
    worker.kill()
    ward.expect("clock", ready=True)
    ward.check()


def skewed_clocks(ward: Ward) -> None:
    """Machines whose clocks differ by hours, and one database; some have a deadline in minutes."""
    ours = dict(ward.fleet.environment)
    workers = []
    for name, ahead_s in (("service", 0), ("late", -3600), ("early", 3600)):
        ward.fleet.environment = ours | set_clock(ward.home, name, ahead_s).environment
        workers.append(ward.fleet.work() if workers else ward.begin())
    ids = ward.submit(10, Order.CRASH_ONCE) + ward.submit(20, deadline_s=120)
    workers[-1].kill()
    ward.check()
    if any(ward.fleet.proof(proof_id).finished_at is None for proof_id in ids):
        ward.complain("not all are finished")


def refused_inputs(ward: Ward) -> None:
    """In the middle of trouble, a circuit's refusal is still the only verdict there is."""
    ward.begin()
    trouble = ward.home / TROUBLE
    trouble.write_text("disk")
    with ward.client() as client:
        refused = client.submit(Wanted.of_features("quick", [Order.REFUSE, MARKER, 2, 3]))
        time.sleep(2)
        if client.get(refused.id).state is not State.WAITING:
            ward.complain("a verdict was made in the middle of trouble")
        trouble.unlink()
        eventually(lambda: client.get(refused.id).state is State.FAILED)
    ward.check()
