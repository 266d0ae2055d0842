"""Ranking of costs and the Pareto set, on figures that are easy to check by eye."""

from zkagent.circuits.halo2.tuning.objectives import Cost, Objective, pareto

FAST = Cost(seconds=1.0, peak_bytes=400, proof_bytes=9, gas=800)
CHEAP = Cost(seconds=4.0, peak_bytes=200, proof_bytes=5, gas=200)
WORSE = Cost(seconds=4.0, peak_bytes=500, proof_bytes=5, gas=200)


def axes(cost: Cost) -> tuple[float, ...]:
    return cost.seconds, cost.gas, cost.peak_bytes


def test_each_objective_prefers_what_it_names() -> None:
    assert min([FAST, CHEAP], key=Objective.LATENCY.of) is FAST
    assert min([FAST, CHEAP], key=Objective.GAS.of) is CHEAP
    assert min([FAST, CHEAP], key=Objective.MEMORY.of) is CHEAP


def test_balanced_weighs_a_share_of_each_cost_alike() -> None:
    assert Objective.BALANCED.of(FAST) == (1.0 * 800 * 400) ** (1 / 3)
    assert min([FAST, CHEAP], key=Objective.BALANCED.of) is CHEAP  # 4 * 200 * 200 is half of it


def test_equal_gas_is_decided_by_the_other_costs() -> None:
    assert min([WORSE, CHEAP], key=Objective.GAS.rank) is CHEAP


def test_the_pareto_set_leaves_out_what_another_one_beats() -> None:
    assert pareto([WORSE, FAST, CHEAP], axes) == [FAST, CHEAP]


def test_of_equal_ones_the_pareto_set_keeps_the_first() -> None:
    twins = [("first", FAST), ("second", FAST)]
    assert pareto(twins, lambda pair: axes(pair[1])) == [("first", FAST)]
