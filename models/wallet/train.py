"""`zkagent model train wallet`: generate, train, write the five files. Needs torch."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from zkagent.models.catalogue import MANIFEST, Model, StepModel, load_model, save_model
from zkagent.models.encoding.encoder import Tables
from zkagent.models.encoding.manifest import (
    Action,
    Answers,
    EncoderSizes,
    Files,
    Manifest,
    Parameter,
)
from zkagent.models.encoding.vocabulary import build_vocabulary
from zkagent.models.folders import Folder, write_folder
from zkagent.models.training.architectures import PolicySizes, with_caution
from zkagent.models.training.training import Recipe, train
from zkagent.models.training.training_data import Hiding
from zkagent.models.wallet.dataset import SYMBOLS, build_dataset, common_words
from zkagent.models.wallet.evaluate import Report, evaluate_model
from zkagent.models.wallet.text.prompts import draw_prompts
from zkagent.models.wallet.told import learned_from

DEFAULT_SEED = 20240601
SAMPLES = 60_000
MOST_WORDS, KNOWN_FROM = 3000, 12
HIDING = Hiding(word=0.06, loose=0.45)
RECIPE = Recipe(epochs=14, weight_decay=0.03, dropout=0.25, margin=3.5)
#: Log-odds by which a call has to lead, chosen on the writers of whom nothing is learned. The unit
#: that takes them comes beside the hidden ones.
CAUTION, HIDDEN = 2.0, 53

_ASSET = Parameter(name="asset", type="address", slot="asset")
_AMOUNT = Parameter(name="amount", type="uint", slot="amount")
_RECIPIENT = Parameter(name="recipient", type="address", slot="recipient")

TOOLS = (
    Action(name="ViewBalance", thought="I need to know the balance.", parameters=(_ASSET,)),
    Action(name="Deploy", thought="I deposit the amount in the lending pool.",
           parameters=(_ASSET, _AMOUNT)),
    Action(name="Withdraw", thought="I withdraw the amount from the lending pool.",
           parameters=(_ASSET, _AMOUNT)),
    Action(name="Transfer", thought="I transfer the amount to the recipient.",
           parameters=(_ASSET, _AMOUNT, _RECIPIENT)),
)  # fmt: skip

ANSWERS = Answers(
    nothing="Nothing was done.",
    ask="Please say what to do with how much of which asset, and to which address.",
    decline="I only look after this wallet: balances, deposits, withdrawals and transfers.",
    missing="Please say which {name} you mean.",
    no_tool="This agent has no tool {name}.",
    zero="There is nothing to move: the amount is zero.",
    unreadable="The balance could not be understood, so nothing was done.",
)


def train_wallet(out: Path | Folder, seed: int, progress: Callable[[str], None]) -> StepModel:
    """Train the wallet model from `seed` and write it to the folder `out`."""
    started = time.monotonic()
    sizes = PolicySizes(hidden=HIDDEN)
    progress(f"writing {SAMPLES} prompts")
    samples = list(draw_prompts(SAMPLES, seed))
    written = learned_from()
    words = common_words(samples, KNOWN_FROM, written)[:MOST_WORDS]
    vocabulary = build_vocabulary(words)
    rows = (sizes.text_rows, sizes.local_rows)
    dataset = build_dataset(samples, rows, vocabulary, HIDING, seed, written=written)
    progress(f"{len(dataset.offsets) - 1} prompts, {len(dataset.prompt)} decisions, "
             f"{time.monotonic() - started:.0f} s")  # fmt: skip
    learned: dict[str, str | int | float] = {
        "seed": seed,
        "samples": SAMPLES,
        "messages": len(written),
        "caution": CAUTION,
    }
    trained = train(dataset, sizes, seed, progress, RECIPE)
    progress(f"trained in {time.monotonic() - started:.0f} s")
    tables = Tables(trained.text_table, trained.local_table, vocabulary)
    weights = with_caution(trained.weights, RECIPE.state_changing, CAUTION)
    model = save_model(out, draft_manifest(sizes, learned), tables, weights)
    return with_accuracy(model, evaluate_model(model, None, progress), out)


Trained = TypeVar("Trained", bound=Model)


def with_accuracy(model: Trained, report: Report, out: Path | Folder) -> Trained:
    """The model, which lies in `out`, with the figures of `report` written into its manifest."""
    manifest = model.manifest.model_copy(update={"accuracy": report.figures()})
    write_folder(out, {MANIFEST: manifest.to_json().encode()})
    return load_model(model.directory, type(model))


def draft_manifest(sizes: PolicySizes, training: dict[str, str | int | float]) -> Manifest:
    """The manifest but for the files' digests and the accuracy."""
    encoder = EncoderSizes(
        text_rows=sizes.text_rows, text_dimensions=32, local_rows=sizes.local_rows,
        local_dimensions=16,
    )  # fmt: skip
    return Manifest(
        format="zkagent-model-1", id="wallet",
        description="Decides what a wallet with a lending pool does about an instruction.",
        encoder=encoder, actions=TOOLS, balance_action="ViewBalance", answers=ANSWERS,
        symbols=SYMBOLS, output_bits=64,
        files=Files(onnx="0" * 64, text_table="0" * 64, local_table="0" * 64, vocabulary="0" * 64),
        training=training, accuracy={},
    )  # fmt: skip
