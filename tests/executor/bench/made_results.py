"""Results made by hand: two networks whose costs are round numbers."""

from collections.abc import Sequence
from typing import Any

from zkagent.executor.bench.results import (
    Case,
    IterationCost,
    Machine,
    Network,
    Results,
    Run,
    Share,
    Timing,
)

MACHINE = Machine(
    processor="Some processor",
    cores=2,
    memory_bytes=8_000_000_000,
    system="Linux x86_64",
    load_before=0.2,
    load_after=1.1,
)


def timing(*values: float) -> Timing:
    return Timing(values=values)


def network(name: str, **fields: Any) -> Network:
    given: dict[str, Any] = {
        "title": f"the {name} network",
        "family": name,
        "onnx": "ab" * 32,
        "inputs": 64,
        "outputs": 8,
        "exact": True,
        **fields,
    }
    return Network(name=name, **given)


def proven(name: str, form: str = "zkagent", batch: int = 1, **fields: Any) -> Case:
    """A case with every figure of a circuit; 2,000 cells for each decision."""
    given: dict[str, Any] = {
        "circuit": "cd" * 32 if form == "zkagent" else None,
        "logrows": 12,
        "columns": 1,
        "rows": 2000 * batch,
        "cells": 2000 * batch,
        "instances": 72 * batch,
        "setup_s": timing(0.2, 0.3, 0.25),
        "witness_s": timing(0.004),
        "prove_s": timing(0.4 * batch, 0.38 * batch, 0.44 * batch),
        "verify_s": timing(0.005),
        "setup_peak_bytes": 60_000_000,
        "prove_peak_bytes": 70_000_000,
        "pk_bytes": 7_600_000,
        "vk_bytes": 5_400,
        "proof_bytes": 1856,
        "calldata_bytes": 4288,
        "calldata_gas": 55_000,
        "verify_gas": 300_000 + 20_000 * batch,
        "deploy_gas": 2_080_000,
        "code_bytes": 9_380,
        **fields,
    }
    return Case(network=name, form=form, batch=batch, **given)


def evaluated(name: str, gas: int) -> Case:
    return Case(network=name, form="evm", proof_bytes=0, verify_gas=gas, deploy_gas=1_000_000)


def results(networks: Sequence[Network] = (), cases: Sequence[Case] = (), **fields: Any) -> Results:
    given: dict[str, Any] = {
        "suite": "quick",
        "started": "2030-01-02T03:04:05+00:00",
        "duration_s": 321.0,
        "complete": True,
        "rounds": 3,
        "threads": None,
        "machine": MACHINE,
        "versions": {"python": "3.11.7", "ezkl": "23.0.5"},
        "networks": tuple(networks),
        "cases": tuple(cases),
        **fields,
    }
    return Results(**given)


def two_networks() -> Results:
    """`small` in batches of 1, 4 and 16, beside ezkl's defaults and the EVM; `wide` for the line
    between them: the EVM needs 10 gas for a multiply-add."""
    names = ("square-8", "square-2048")
    return results(
        [
            network(
                "mlp-square",
                family="64-32-8 MLP",
                multiply_adds=2_000,
                accuracy=Share(hits=994, total=1000),
                accuracy_of="1,000 points",
            ),
            network(names[0], family="width", multiply_adds=1_000),
            network(names[1], family="width", multiply_adds=50_000),
        ],
        [
            *(proven("mlp-square", batch=batch) for batch in (1, 4, 16)),
            proven(
                "mlp-square",
                "ezkl-defaults",
                prove_s=timing(4.0, 4.2, 3.9),
                cells=20_000,
                agreement=Share(hits=990, total=1000),
                accuracy=Share(hits=985, total=1000),
            ),
            evaluated("mlp-square", 20_000),
            proven(names[0]),
            evaluated(names[0], 10_000),
            evaluated(names[1], 500_000),
        ],
        runs=(
            Run(
                network="wallet",
                form="zkagent",
                prompt="withdraw",
                transaction_gas=1_300_000,
                shared_gas=100_000,
                iterations=(
                    IterationCost(decide=200_000, verify=350_000, act=50_000),
                    IterationCost(decide=210_000, verify=350_000, act=40_000),
                ),
            ),
        ),
        notes=("the forest was not measured: ezkl lacks an operator",),
    )
