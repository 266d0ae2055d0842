"""The verdict on a receipt."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import partial

from zkagent.executor.api.arguments import AnyPath, file_of, model_of, setup_file
from zkagent.executor.audit.run import RunContracts
from zkagent.executor.chain.reader import MOST_ANSWERED, Allowance, ContractReader
from zkagent.executor.chain.web3_agent import Web3Agent
from zkagent.executor.receipts import verify_run
from zkagent.executor.receipts.circuits import LocalCircuits
from zkagent.executor.receipts.format import Receipt, load_receipt
from zkagent.executor.receipts.verdicts import Check, Report
from zkagent.executor.receipts.verify_run import ModelSource, Sources
from zkagent.models.agents.reader import SHIPPED
from zkagent.models.catalogue import (
    Model,
    load_decider,
    load_model,
    shipped_deciders,
    shipped_models,
)
from zkagent.models.errors import UnknownModel
from zkagent.verifier_contracts.chain.local import connect


def verify_receipt(
    receipt: Receipt | AnyPath,
    *,
    rpc: str | None = None,
    model: Model | AnyPath | None = None,
    srs: AnyPath | None = None,
    trust: Collection[str] = (),
) -> Report:
    """Check a run again: every proof, every feature vector, every decision.

        >>> report = zkagent.verify_receipt(run.receipt)
        >>> report.accepted, report.problems
        (True, ())

    rpc: compare with this chain as well; offline nothing shows that the recorded state was the
    chain's. model: instead of the shipped one that the receipt names. srs: the set-up file of its
    circuit, where that has to be built. trust: contracts whose code nobody here compiled and that
    the caller vouches for: `address` of a token or pool, `role=address` of others (ROLES); without
    it a run that touches them has the verdict unknown. A receipt that does not hold is a report
    that is not accepted (and false); raises MalformedReceipt, CannotVerify, ModelError,
    CircuitError, ContractsError when there is no telling.
    """
    found = receipt if isinstance(receipt, Receipt) else load_receipt(file_of("receipt", receipt))
    circuits = LocalCircuits(setup_file(srs))
    models = _models(model)
    sources = Sources(models, circuits)
    if rpc is not None:
        allowed = Allowance(MOST_ANSWERED)  # one, whoever asks
        reader = ContractReader(connect(rpc, found.chain_id), allowed)
        contracts = RunContracts(reader, models, circuits, {each.lower() for each in trust})
        chain = partial(Web3Agent, reader.web3, allowance=allowed)
        sources = replace(sources, chain=chain, contracts=contracts)
    report = verify_run.verify_receipt(found, sources)
    notes = _vouched(models(found.runs[0].model.name)) if model is not None else ()
    return replace(report, checks=(*report.checks, *notes), development_srs=circuits.development)


def _models(given: Model | AnyPath | None) -> ModelSource:
    """Without a model given, a receipt can name shipped ones alone: its name might be a path, and
    what lies there a stranger's, too."""
    if given is None:
        return _shipped
    chosen = model_of(given)
    return lambda name: chosen


def _shipped(name: str) -> Model:
    """An agent's model by its folder's name, the reader by its own, which has its digest. Raises
    UnknownModel."""
    if name in (known := shipped_models()):
        return load_model(name, Model)
    if (reader := load_decider(SHIPPED)).name == name:
        return reader
    raise UnknownModel(name, [*known, reader.name])


def _vouched(model: Model) -> Iterator[Check]:
    """Which model a verdict is about, where that is the asker's word."""
    if all(shipped.digest != model.digest for shipped in shipped_deciders()):
        note = f"not shipped: the model of --model, whose manifest has the digest {model.digest}"
        yield Check("model", "is the one that was asked for", "", note=note)


__all__ = ["verify_receipt"]
