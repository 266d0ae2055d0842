"""From what was found out about a circuit to its line in the results: as much as is known."""

from zkagent.executor.bench.proving import Entry
from zkagent.executor.bench.results import Case, Share
from zkagent.executor.bench.verification_gas import CallCost


def case_of(
    entry: Entry,
    cost: CallCost | None = None,
    stock: CallCost | None = None,
    agreement: Share | None = None,
    accuracy: Share | None = None,
) -> Case:
    """cost: of its verifier. stock: of the one that ezkl writes for it. None: not measured."""
    settings, prepared = entry.prepared.read_settings(), entry.prepared
    return Case(
        network=entry.subject.name,
        form=entry.form,
        batch=entry.batch,
        circuit=prepared.digest,
        logrows=settings["run_args"]["logrows"],
        columns=settings["run_args"].get("num_inner_cols"),
        rows=settings["num_rows"],
        cells=settings.get("total_assignments"),
        instances=len(entry.instances) or None,
        setup_s=entry.timing("setup_s"),
        witness_s=entry.timing("witness_s"),
        prove_s=entry.timing("prove_s"),
        verify_s=entry.timing("verify_s"),
        setup_peak_bytes=entry.setup_peak_bytes or None,
        prove_peak_bytes=entry.prove_peak_bytes or None,
        pk_bytes=prepared.pk.stat().st_size,
        vk_bytes=prepared.vk.stat().st_size,
        proof_bytes=len(entry.proof) or None,
        calldata_bytes=cost.calldata_bytes if cost else None,
        calldata_gas=cost.calldata_gas if cost else None,
        verify_gas=cost.execution_gas if cost else None,
        stock_verify_gas=stock.execution_gas if stock else None,
        deploy_gas=cost.deploy_gas if cost else None,
        code_bytes=cost.code_bytes if cost else None,
        agreement=agreement,
        accuracy=accuracy,
    )


__all__ = ["case_of"]
