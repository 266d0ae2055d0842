"""Training of the model that reads whole instructions, on little text: a whole model comes out."""

import pytest

from zkagent.models.catalogue import InstructionModel, load_model
from zkagent.models.encoding.book import ContactBook, plain_book
from zkagent.models.encoding.context import Context
from zkagent.models.instructions.packing import Verdict, said
from zkagent.models.wallet.text.tagged import tagged
from zkagent.models.wallet.text.written import messages

torch = pytest.importorskip("torch")

OWNER = "0x" + "0d" * 20


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> InstructionModel:
    from zkagent.models.training.gated import GatedSizes
    from zkagent.models.training.gated_training import Recipe
    from zkagent.models.wallet.train_text import train_wallet_text

    out = tmp_path_factory.mktemp("trained") / "wallet-text"
    sizes = GatedSizes(units=6, seen=4, hidden=8)
    return train_wallet_text(
        out, 3, lambda line: None, written=messages()[:400], recipe=Recipe(epochs=2), sizes=sizes
    )


def test_it_is_loaded_again_as_it_was_written(trained: InstructionModel) -> None:
    found = load_model(trained.directory, InstructionModel)
    assert (found.digest, found.name) == (trained.digest, "wallet-text")
    assert found.manifest.training["messages"] == sum(1 for m in tagged(messages()[:400]) if m)
    assert {"whole_runs", "near_misses_acted_on"} <= found.manifest.accuracy.keys()


def test_every_message_that_can_be_read_has_numbers_that_say_something(
    trained: InstructionModel,
) -> None:
    book, contacts = plain_book(["USDC", "DAI"]), ContactBook((("tunde", "0x" + "0e" * 20),))
    for read in filter(None, tagged(messages()[:60])):
        context = Context(read.text, (), book, contacts, OWNER)
        told = said(trained.infer(trained.encode(context)), len(trained.parse(context)))
        assert told.other in set(Verdict) - {Verdict.ACT}
        assert trained.decide(context).kind
