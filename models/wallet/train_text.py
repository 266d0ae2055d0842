"""`zkagent model train wallet-text`: learn from the writers' messages, write the three files. Needs
torch."""

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from zkagent.models.agents.instructions import save_instruction_model
from zkagent.models.catalogue import InstructionModel
from zkagent.models.folders import Folder
from zkagent.models.instructions.calls import slot_of
from zkagent.models.instructions.manifest import (
    InstructionAnswers,
    InstructionFiles,
    InstructionManifest,
    ReaderSizes,
)
from zkagent.models.instructions.reader import read
from zkagent.models.training.examples import Aside, Example, Place
from zkagent.models.training.gated import GatedSizes
from zkagent.models.training.gated_training import Recipe, train_gated
from zkagent.models.training.products import ProductSizes
from zkagent.models.wallet.evaluate import evaluate_model
from zkagent.models.wallet.text.beside import Aside as Written
from zkagent.models.wallet.text.beside import asides
from zkagent.models.wallet.text.filled import filled
from zkagent.models.wallet.text.tagged import names_of, tagged, with_addresses
from zkagent.models.wallet.text.written import SYMBOLS, Message, messages
from zkagent.models.wallet.train import ANSWERS, TOOLS, with_accuracy

TEXT_SEED = 20261124
SIZES = GatedSizes(
    units=20,
    seen=2,
    seen_sum=255,
    score_weight=31,
    tag_weight=15,
    tag_worth=2.0,
    products=ProductSizes(),
)
RECIPE = Recipe(epochs=40, learning_rate=0.006, hidden=0.08)
#: Hundredths of a log-odd; an agent's owner may choose another.
CAUTION = 150


def train_wallet_text(
    out: Path | Folder,
    seed: int,
    progress: Callable[[str], None],
    *,
    written: Sequence[Message] | None = None,
    beside: Sequence[Written] | None = None,
    recipe: Recipe = RECIPE,
    sizes: GatedSizes = SIZES,
) -> InstructionModel:
    """Train the model that reads whole instructions from `seed` and write it to the folder `out`.
    written: what it learns from, all writers' messages and the older corpus by default; those that
    no tags say are left out. beside: what may stand in orders, all of asides/ by default."""
    started = time.monotonic()
    found = tagged((*messages(), *filled()) if written is None else written)
    learned = [each for each in found if each]
    examples = [Example(each.text, each.tokens, each.verdict, each.tags) for each in learned]
    progress(f"{len(examples)} messages, {time.monotonic() - started:.0f} s")
    trained = train_gated(examples, sizes, recipe, seed, progress, asides=list(asides_read(beside)))
    progress(f"trained in {time.monotonic() - started:.0f} s")
    draft = draft_manifest(trained.score_unit, {"seed": seed, "messages": len(examples)})
    model = save_instruction_model(out, draft, trained.codebook, trained.weights)
    return with_accuracy(model, evaluate_model(model, None, progress), out)


def asides_read(beside: Sequence[Written] | None = None) -> Iterator[Aside]:
    """Those that can be read, and of those that change nothing the ones that fill no slot."""
    names = names_of(frozenset())
    for each in asides() if beside is None else beside:
        said = with_addresses(each.text).encode()
        tokens = read(said, names)
        if tokens and (each.stops or all(slot_of(token) is None for token in tokens)):
            yield Aside(said, tokens, Place(each.place), each.stops)


def draft_manifest(margin_unit: int, training: dict[str, str | int | float]) -> InstructionManifest:
    """The manifest but for the files' digests, the codes by kind and the accuracy."""
    return InstructionManifest(
        format="zkagent-instructions-1", id="wallet-text",
        description="Reads what a wallet with a lending pool is told, up to four calls at once.",
        reader=ReaderSizes(kinds=("0x" + "0" * 60,) * 3), margin_unit=margin_unit, caution=CAUTION,
        actions=TOOLS,
        answers=InstructionAnswers(
            **ANSWERS.model_dump(),
            help="I view balances, deposit, withdraw and send: try 'withdraw 5 USDC'.",
            short="There is less than is to be left, so nothing was done.",
            doubtful="Please say exactly what you mean by: ",
            done="Done: ",
        ),
        symbols=SYMBOLS, output_bits=64,
        files=InstructionFiles(onnx="0" * 64, words="0" * 64), training=training, accuracy={},
    )  # fmt: skip


__all__ = ["RECIPE", "SIZES", "TEXT_SEED", "draft_manifest", "train_wallet_text"]
