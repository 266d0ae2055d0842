"""Killing, stopping and waking everybody loses nothing and proves nothing twice; see chaos.py."""

from pathlib import Path

import pytest

from tests.prover.service.chaos import OPTIONS, Chaos, Plan, Report, verify_fake
from tests.support.fleet import Fleet, postgres
from zkagent.circuits.artifacts import Circuit, Proof
from zkagent.prover.service.fakes.catalogue import FakeCatalogue
from zkagent.prover.verification import verify

PLAN = Plan(proofs=100, kills=20, massacres=2)


def assert_well(report: Report) -> None:
    assert report.failures == []
    assert report.requests >= 150
    assert report.kills >= 20
    assert report.massacres >= 2
    assert report.fenced


def run_fake(home: Path, url: str) -> Report:
    catalogue = FakeCatalogue(home, {"chaos": 0.15})
    fleet = Fleet(home, url, catalogue, OPTIONS)
    try:
        return Chaos(fleet, PLAN, "chaos", verify_fake(catalogue)).run()
    finally:
        fleet.end()


@pytest.mark.slow
def test_nothing_is_lost_or_proven_twice_on_sqlite(tmp_path: Path) -> None:
    assert_well(run_fake(tmp_path, f"sqlite:///{tmp_path}/service.sqlite"))


@pytest.mark.slow
def test_nothing_is_lost_or_proven_twice_on_postgres(tmp_path: Path) -> None:
    with postgres() as url:
        assert_well(run_fake(tmp_path, url))


@pytest.mark.slow
def test_nothing_is_lost_or_proven_twice_with_real_circuits(
    tmp_path: Path, circuit: Circuit
) -> None:
    home = circuit.directory.parent.parent
    options = (*OPTIONS, "--no-models", "--threads", "1")
    fleet = Fleet(home, f"sqlite:///{tmp_path}/service.sqlite", None, options)

    def is_true(proof: Proof) -> bool:
        return verify(proof, circuit).valid

    try:
        assert_well(Chaos(fleet, PLAN, circuit.digest, is_true).run())
    finally:
        fleet.end()
