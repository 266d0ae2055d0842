"""Python, the contracts, onnxruntime and ezkl's witness say the same about the shipped model.

For each context: features by Python's encoder and by the encoder contract; outputs by onnxruntime
and by the circuit; the decision on those by Python's decoder and by the decoder contract. What one
side refuses the other refuses, with the same error and the same arguments.
"""

import random
from collections import Counter
from collections.abc import Sequence

import pytest

from tests.support.agreement import assert_agreement
from tests.support.contexts import instructed_context, random_context
from tests.support.encoding_chain import EncodingChain, Question
from tests.support.hostile_contexts import hostile_contexts
from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.halo2.ezkl_engine import witness
from zkagent.models.catalogue import Model
from zkagent.models.encoding.context import Context
from zkagent.models.errors import RefusedText
from zkagent.models.networks.bounds import INT16_MAX
from zkagent.verifier_contracts.chain.local import Anvil

RANDOM, INSTRUCTED, HOSTILE = 1000, 1600, 500
REFUSALS_OF_TEXTS = {
    "EmptyPrompt",
    "PromptTooLong",
    "PromptNotAscii",
    "TooManyTokens",
    "TooManyCandidates",
    "AddressChecksum",
}


def outputs(model: Model, circuit: Circuit, context: Context) -> tuple[int, ...]:
    """onnxruntime's, and exactly the circuit's; zeros for a context that has no features."""
    try:
        x = model.encode(context)
    except RefusedText:
        return (0,) * model.manifest.output_count
    y = model.infer(x)
    assert witness(circuit, x) == y, context
    return y


def agreed(
    model: Model, circuit: Circuit, contracts: EncodingChain, contexts: Sequence[Context]
) -> Counter[str]:
    """How often each kind of decision and refusal was the outcome."""
    asked = [Question(c, model.tools, outputs(model, circuit, c)) for c in contexts]
    return Counter(assert_agreement(contracts, model.manifest, model.tables, asked))


@pytest.fixture
def contracts(wallet: Model, chain: Anvil) -> EncodingChain:
    return EncodingChain(chain, wallet.manifest, wallet.tables)


@pytest.mark.slow
def test_all_four_agree_on_random_contexts(
    wallet: Model, wallet_circuit: Circuit, contracts: EncodingChain
) -> None:
    rng = random.Random(11)
    contexts = [random_context(rng, wallet.manifest) for _ in range(RANDOM)]
    contexts += [instructed_context(rng, wallet.manifest) for _ in range(INSTRUCTED)]
    kinds = agreed(wallet, wallet_circuit, contracts, contexts)
    assert kinds.total() == RANDOM + INSTRUCTED
    assert kinds["call"] > 100  # whatever the model has learned, it calls tools
    assert kinds["call with an observed amount"] > 10


@pytest.mark.slow
def test_all_four_agree_on_hostile_contexts(
    wallet: Model, wallet_circuit: Circuit, contracts: EncodingChain
) -> None:
    contexts = list(hostile_contexts(random.Random(12), wallet.manifest, HOSTILE))
    kinds = agreed(wallet, wallet_circuit, contracts, contexts)
    assert kinds.total() == HOSTILE
    assert sum(kinds[name] for name in REFUSALS_OF_TEXTS) < HOSTILE / 2
    assert set(kinds) >= REFUSALS_OF_TEXTS


@pytest.mark.slow
def test_the_circuit_computes_what_onnxruntime_does_at_the_ends_of_every_feature(
    wallet: Model, wallet_circuit: Circuit
) -> None:
    """Features that no context has, too: all that fits the 16 bits that the contract packs."""
    rng, ends = random.Random(13), (-INT16_MAX - 1, INT16_MAX)
    count = wallet.manifest.input_count
    vectors = [(end,) * count for end in ends]
    vectors += [tuple(rng.choices((*ends, 0), k=count)) for _ in range(100)]
    for x in vectors:
        assert witness(wallet_circuit, x) == wallet.infer(x), x
