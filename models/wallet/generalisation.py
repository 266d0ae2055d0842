"""What `wallet-text` makes of words that it has never read:

    python -m zkagent.models.wallet.generalisation

The held-out set was written around words that an earlier generator had to leave out. By now other
writers use them, so the shipped model has read most. Here the same pipeline is trained without any
message or aside that has one, and judged on that set beside the shipped model. Takes twenty
minutes.
"""

import json
import sys
import tempfile
from pathlib import Path

from zkagent.models.agents.instructions import InstructionModel
from zkagent.models.catalogue import load_model
from zkagent.models.wallet.evaluation.dataset import held_out_words
from zkagent.models.wallet.text.beside import asides
from zkagent.models.wallet.text.filled import filled
from zkagent.models.wallet.text.written import messages, without
from zkagent.models.wallet.train_text import TEXT_SEED, train_wallet_text


def main() -> None:
    written = (*messages(), *filled())
    kept, beside = without(held_out_words(), written), without(held_out_words(), asides())
    _say(f"{len(kept)} of {len(written)} messages have no held-out word")
    _say(f"{len(beside)} of {len(asides())} asides have none")
    with tempfile.TemporaryDirectory(prefix="zkagent-") as folder:
        ignorant = train_wallet_text(
            Path(folder) / "model", TEXT_SEED, _say, written=kept, beside=beside
        )
    shipped = load_model("wallet-text", InstructionModel)
    found = {"without": ignorant.manifest.accuracy, "shipped": shipped.manifest.accuracy}
    sys.stdout.write(json.dumps(found, indent=1) + "\n")


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")


if __name__ == "__main__":
    main()
