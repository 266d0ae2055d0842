"""What `wallet-text` makes of words that it has never read:

    python -m zkagent.models.wallet.generalisation

The held-out set was written around words that an earlier generator had to leave out. By now other
writers use them, so the shipped model has read most. Here the same pipeline is trained without any
message that has one, and judged on that set beside the shipped model. Takes twenty minutes.
"""

import json
import re
import sys
import tempfile
from collections.abc import Collection, Sequence
from pathlib import Path

from zkagent.models.agents.instructions import InstructionModel
from zkagent.models.catalogue import load_model
from zkagent.models.wallet.evaluation.dataset import held_out_words
from zkagent.models.wallet.text.filled import filled
from zkagent.models.wallet.text.written import Message, messages
from zkagent.models.wallet.train_text import TEXT_SEED, train_wallet_text

WORD = re.compile(r"[a-z]+(?:'[a-z]+)*")


def without(words: Collection[str], written: Sequence[Message]) -> list[Message]:
    """Those that have none of these words, small letters or capitals."""
    left_out = frozenset(words)
    return [m for m in written if left_out.isdisjoint(WORD.findall(m.text.lower()))]


def main() -> None:
    written = (*messages(), *filled())
    kept = without(held_out_words(), written)
    _say(f"{len(kept)} of {len(written)} messages have no held-out word")
    with tempfile.TemporaryDirectory(prefix="zkagent-") as folder:
        ignorant = train_wallet_text(Path(folder) / "model", TEXT_SEED, _say, written=kept)
    shipped = load_model("wallet-text", InstructionModel)
    found = {"without": ignorant.manifest.accuracy, "shipped": shipped.manifest.accuracy}
    sys.stdout.write(json.dumps(found, indent=1) + "\n")


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")


if __name__ == "__main__":
    main()

__all__ = ["without"]
