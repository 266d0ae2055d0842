"""A model of whole instructions whose network was written by hand: small, and right about what it
knows.

It knows four verbs. The first amount, asset or payee behind a verb begins a call of it, the others
are its arguments. It acts where there is a call, views where there is a view, and declines the
rest.
"""

from pathlib import Path

import numpy as np

from zkagent.models.agents.instructions import InstructionModel, save_instruction_model
from zkagent.models.instructions.calls import Tag
from zkagent.models.instructions.codes import CODE_BITS, FILLING_WORDS, PRESENT, Codebook
from zkagent.models.instructions.manifest import (
    InstructionAnswers,
    InstructionFiles,
    InstructionManifest,
    ReaderSizes,
)
from zkagent.models.instructions.packing import Verdict
from zkagent.models.instructions.reader import AMOUNTS, BY_TEXT, PAYEES, Kind
from zkagent.models.networks.gated import DIRECTIONS, FILLING_PLACE, WINDOW, GatedWeights
from zkagent.models.wallet.train import ANSWERS, TOOLS

VERBS = {"deposit": 0, "withdraw": 1, "send": 2, "show": 3}
TAGS = (Tag.DEPOSIT, Tag.WITHDRAW, Tag.TRANSFER, Tag.VIEW)
#: Bits of a code, from the highest on: there is a token, what fills a slot, the verbs.
SLOT_BIT, VERB_BITS = FILLING_PLACE, (2, 3, 4, 5)
#: Units: the last verb, whether nothing stood behind it yet, whether a call of a verb begins here.
LAST, OPEN, BEGINS = (0, 1, 2, 3), 4, (5, 6, 7, 8)
UNITS = 9
#: A log-odd, and by how much each call speaks for acting.
MARGIN_UNIT, EACH_CALL, DECLINED = 64, 300, 100
#: Below what one call comes to, and what none does.
CAUTION = 200
#: Each tag is surer than any verdict.
TAG_UNIT = 10_000


def scripted_model(directory: Path) -> InstructionModel:
    return save_instruction_model(directory, _draft(), _codebook(), _weights())


def _code(*bits: int) -> int:
    return PRESENT | sum(1 << (CODE_BITS - 1 - bit) for bit in bits)


def _codebook() -> Codebook:
    words = {verb.encode(): _code(VERB_BITS[place]) for verb, place in VERBS.items()}
    words |= {word: _code(SLOT_BIT) for word in FILLING_WORDS}
    filling = {*AMOUNTS, *PAYEES, Kind.SYMBOL}
    others = [kind for kind in Kind if kind not in BY_TEXT]
    kinds = {kind: _code(SLOT_BIT) if kind in filling else _code() for kind in others}
    return Codebook(words, {}, {}, _code(), kinds)


def _weights() -> GatedWeights:
    """The other direction sees nothing."""
    gates = np.zeros((DIRECTIONS, 2 * UNITS, WINDOW * CODE_BITS + UNITS), np.int64)
    bias = np.zeros((DIRECTIONS, 2 * UNITS), np.int64)
    here, before = CODE_BITS, WINDOW * CODE_BITS
    verbs, slot = [here + bit for bit in VERB_BITS], here + SLOT_BIT
    whether, what = gates[0, :UNITS], gates[0, UNITS:]
    whether[np.ix_(LAST, verbs)] = 1
    whether[OPEN, [*verbs, slot]] = 1
    whether[BEGINS, here] = 1
    what[LAST, verbs] = 1
    what[OPEN, verbs] = 1
    for verb, unit in enumerate(BEGINS):
        what[unit, [slot, before + OPEN, before + LAST[verb]]] = 1
        bias[0, UNITS + unit] = -2
    seen = np.zeros((1, 2 * UNITS + CODE_BITS), np.int64)
    seen[0, 2 * UNITS + SLOT_BIT] = 1
    hidden = np.zeros((2, 1 + 4 * UNITS), np.int64)
    hidden[0, [1 + unit for unit in BEGINS[:3]]] = 1
    hidden[1, 1 + BEGINS[3]] = 1
    scores = np.zeros((len(Verdict), 2), np.int64)
    scores[Verdict.ACT, 0] = scores[Verdict.VIEW, 1] = EACH_CALL
    score_bias = np.zeros(len(Verdict), np.int64)
    score_bias[Verdict.DECLINE] = DECLINED
    tags = np.zeros((len(Tag), 2 * UNITS + 1), np.int64)
    tags[Tag.ARGUMENT, 2 * UNITS] = 2
    tags[TAGS, BEGINS] = 4
    tag_bias = np.zeros(len(Tag), np.int64)
    tag_bias[Tag.NONE] = 1
    nothing = np.zeros(1, np.int64), np.zeros(2, np.int64)
    return GatedWeights(
        gates, bias, seen, nothing[0], hidden, nothing[1], scores, score_bias, tags, tag_bias,
        TAG_UNIT,
    )  # fmt: skip


def _draft() -> InstructionManifest:
    return InstructionManifest(
        format="zkagent-instructions-1", id="scripted-text", description="Knows four verbs.",
        reader=ReaderSizes(kinds=("0x" + "0" * 60,) * 3), margin_unit=MARGIN_UNIT, caution=CAUTION,
        actions=TOOLS,
        answers=InstructionAnswers(
            **ANSWERS.model_dump(), help="I deposit, withdraw, send and show.",
            short="There is less than is to be left.",
            doubtful="Please say exactly what you mean by: ", done="Done: ",
        ),
        symbols=("USDC", "DAI"), output_bits=64,
        files=InstructionFiles(onnx="0" * 64, words="0" * 64), training={}, accuracy={},
    )  # fmt: skip


__all__ = ["CAUTION", "EACH_CALL", "MARGIN_UNIT", "scripted_model"]
