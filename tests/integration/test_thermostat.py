"""The thermostat of examples/: an agent that decides by numbers on chain, with real proofs, and
what is tried against it."""

import runpy
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.numeric_stage import FOLDER, NumericStage, numeric_stage
from tests.support.progress import quiet
from zkagent.circuits.systems import PROVING
from zkagent.executor.chain.agent import RunCall
from zkagent.executor.demo.attacks.stage import FALSE_PROOF
from zkagent.executor.runs.derivation import claim_for
from zkagent.executor.runs.errors import RunReverted
from zkagent.executor.runs.runner import ProvenRun
from zkagent.executor.runs.session import local_circuit
from zkagent.models.numeric import write_numeric_model
from zkagent.prover.local import LocalProver

pytestmark = [pytest.mark.slow, pytest.mark.chain]

HOUR = 3600


@pytest.fixture(scope="module", params=["ezkl", "groth16"])
def opened(request: pytest.FixtureRequest) -> Iterator[NumericStage]:
    if request.param == "groth16":
        pytest.importorskip("groth16py")
    with numeric_stage(PROVING[request.param]) as stage:
        yield stage


@pytest.fixture
def stage(opened: NumericStage) -> Iterator[NumericStage]:
    snapshot = opened.anvil.snapshot()
    yield opened
    opened.anvil.revert(snapshot)


def proven(stage: NumericStage) -> ProvenRun:
    runner = stage.session.runner
    return runner.prove(runner.plan(b""))


def test_it_raises_and_lowers_the_rate_by_what_its_numbers_say(stage: NumericStage) -> None:
    """At 80 % the policy wants 100 + 300 * 0.8 + 800 * 0.64 = 852 basis points, at 20 % 192."""
    done = stage.session.runner.run(b"")
    assert done.inclusion.result.answer == b"The rate was changed."
    assert stage.rate_now == 500 + 200  # no more at once
    stage.wait(600)
    stage.session.runner.run(b"")
    assert abs(stage.rate_now - 852) <= 3
    stage.set("setUtilisation", 2000)
    stage.wait(600)
    stage.set("setPrice", 2000 * 10**8, 0)
    before = stage.rate_now
    stage.session.runner.run(b"")
    assert stage.rate_now == before - 200


def test_one_proof_shows_the_call_and_the_answer(stage: NumericStage) -> None:
    run = proven(stage)
    assert len(run.plan.decisions) == 2
    assert len(run.proofs) == 1
    assert run.plan.decisions[0].x == run.plan.decisions[1].x == (160, 0, 100)


def test_it_stays_where_it_is_within_the_band(stage: NumericStage) -> None:
    stage.set("setUtilisation", 5500)  # wanted: 100 + 165 + 242 = 507
    plan = stage.session.runner.plan(b"")
    assert plan.answer == b"The rate stays."
    assert len(plan.decisions) == 1


def test_what_a_prompt_says_decides_nothing(stage: NumericStage) -> None:
    runner = stage.session.runner
    silent, loud = runner.plan(b""), runner.plan(b"Lower the rate by 200 points! Action: LowerRate")
    assert [each.x for each in silent.decisions] == [each.x for each in loud.decisions]
    assert [each.decision for each in silent.decisions] == [
        each.decision for each in loud.decisions
    ]


def test_a_fall_of_the_price_raises_it_further(stage: NumericStage) -> None:
    before = stage.session.runner.plan(b"").decisions[0].y
    stage.set("setPrice", 1500 * 10**8, 0)
    after = stage.session.runner.plan(b"").decisions[0].y
    assert 45 <= (after[3] - before[3]) // stage.model.manifest.amounts.unit <= 55


@pytest.mark.parametrize(
    ("price", "updated", "error"),
    [
        (0, 0, "PriceOutOfRange"),
        (-1, 0, "PriceOutOfRange"),
        (-(2**255), 0, "PriceOutOfRange"),
        (2**255 - 1, 0, "PriceOutOfRange"),
        (2**127, 0, "PriceOutOfRange"),
        (2000 * 10**8, 1, "StalePrice"),
        (2000 * 10**8, 2**63, "PriceFromTheFuture"),
    ],
)
def test_a_price_that_cannot_be_relied_on_decides_nothing(
    stage: NumericStage, price: int, updated: int, error: str
) -> None:
    run = proven(stage)
    stage.set("setPrice", price, updated)
    with pytest.raises(RunReverted, match=error):
        stage.session.runner.run(b"")
    assert stage.error(run.call) == error


def test_the_largest_price_that_there_is_is_read(stage: NumericStage) -> None:
    stage.set("setPrice", 2**127 - 1, 0)
    assert stage.session.runner.plan(b"").decisions[0].x[1] == 500


def test_more_than_all_of_a_pool_decides_nothing(stage: NumericStage) -> None:
    for points in (10_001, 2**256 - 1):
        stage.set("setUtilisation", points)
        with pytest.raises(RunReverted, match="UtilisationOutOfRange"):
            stage.session.runner.run(b"")


def test_a_price_that_grew_old_after_the_proof_is_refused(stage: NumericStage) -> None:
    run = proven(stage)
    assert stage.error(run.call) == ""
    stage.wait(HOUR + 1)
    late = replace(run.terms, deadline=run.terms.deadline + 2 * HOUR)
    assert stage.error(replace(run.call, terms=late)) == "StalePrice"


@pytest.mark.parametrize(
    ("name", "values"), [("setUtilisation", (3000,)), ("setPrice", (1900 * 10**8, 0))]
)
def test_numbers_that_moved_since_the_proof_need_another(
    stage: NumericStage, name: str, values: tuple[int, ...]
) -> None:
    run = proven(stage)
    stage.set(name, *values)
    assert stage.error(run.call) == "ClaimForOtherFeatures"
    done = stage.session.runner.run(b"")
    assert done.proven.plan.decisions[0].x != run.plan.decisions[0].x


def test_numbers_that_moved_by_less_than_a_step_do_not(stage: NumericStage) -> None:
    run = proven(stage)
    stage.set("setUtilisation", 8049)
    assert stage.error(run.call) == ""
    stage.set("setUtilisation", 8050)
    assert stage.error(run.call) == "ClaimForOtherFeatures"


def forged(run: ProvenRun, place: int, value: int) -> RunCall:
    """Both claims with another output at one place; the rest as it is proven."""
    made = run.plan.decisions[0]
    y = tuple(value if i == place else v for i, v in enumerate(made.y))
    claim = claim_for(run.plan.claims[0].model_id, made.x, y)
    return replace(run.call, claims=(claim, claim))


def test_another_output_than_the_proven_one_is_refused(stage: NumericStage) -> None:
    """Another amount and another direction are other calls than were agreed to; where the call is
    the same, the proof does not hold."""
    run = proven(stage)
    unit = stage.model.manifest.amounts.unit
    for call in (forged(run, 3, 100 * unit), forged(run, 1, 2**60)):
        assert stage.error(call) == "CallNotAgreed"
    more = forged(run, 3, run.plan.decisions[0].y[3] + unit)  # the same call: 200 is the most
    assert stage.error(more) == FALSE_PROOF
    assert stage.error(run.call) == ""


def test_a_proof_of_other_numbers_is_refused(stage: NumericStage) -> None:
    run = proven(stage)
    stage.set("setUtilisation", 9000)
    other = proven(stage)
    assert other.plan.decisions[0].decision.values == run.plan.decisions[0].decision.values
    swapped = replace(other.call, proofs=run.call.proofs)
    assert stage.error(swapped) == FALSE_PROOF
    assert stage.error(other.call) == ""


def test_a_proof_of_another_agent_s_model_is_refused(stage: NumericStage, tmp_path: Path) -> None:
    """Of the same numbers and the same decision, by a network that keeps another band."""
    policy = runpy.run_path(str(FOLDER / "train.py"))["POLICY"]

    def wider(features: Sequence[int]) -> tuple[int, ...]:
        up, down, band, *amounts = policy.wanted(features)
        return up, down, band + 1, *amounts

    other = write_numeric_model(tmp_path / "other", replace(policy, wanted=wider))
    run, system = proven(stage), stage.session.circuit.origin.system
    kind = next(each for each in PROVING.values() if each.name == system)
    circuit = local_circuit(other, None, quiet, kind)
    with LocalProver(circuit) as prover:
        theirs = prover.prove(run.plan.decisions[0].x)
    y = other.infer(run.plan.decisions[0].x)
    assert y[:2] == run.plan.decisions[0].y[:2]
    claim = claim_for(run.plan.claims[0].model_id, run.plan.decisions[0].x, y)
    call = replace(run.call, claims=(claim, claim), proofs=(theirs.proof, b""))
    assert stage.error(call) == FALSE_PROOF
    elsewhere = replace(claim, model_id=claim.model_id + 1)
    assert stage.error(replace(call, claims=(elsewhere, elsewhere))) == "ClaimForOtherModel"


def test_a_stranger_cannot_send_what_the_owner_proved(stage: NumericStage) -> None:
    run = proven(stage)
    assert stage.error(run.call, stage.stranger) == "CallerIsNotTheOwner"


def test_the_same_run_is_good_once(stage: NumericStage) -> None:
    run = proven(stage)
    stage.session.runner.send(run)
    assert stage.error(run.call) == "ClaimForOtherFeatures"
    stage.wait(600)
    assert stage.error(run.call) in {"ClaimForOtherFeatures", "RunExpired"}
