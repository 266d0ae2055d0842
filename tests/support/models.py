"""Small made-up models for tests: random tables and weights in the wallet model's shapes."""

from pathlib import Path

import numpy as np

from zkagent.models.catalogue import Model, save_model
from zkagent.models.encoding.encoder import Tables
from zkagent.models.encoding.manifest import Manifest
from zkagent.models.encoding.vocabulary import build_vocabulary
from zkagent.models.networks.policy import PolicyWeights

ADDRESS = {"type": "address"}
UINT = {"type": "uint"}
DRAFT = Manifest.model_validate(
    {
        "format": "zkagent-model-1",
        "id": "random",
        "description": "A wallet model with random weights.",
        "encoder": {
            "text_rows": 4096,
            "text_dimensions": 32,
            "local_rows": 1024,
            "local_dimensions": 16,
        },
        "actions": [
            {
                "name": name,
                "thought": f"I should use {name}.",
                "parameters": [
                    {"name": slot, "slot": slot, **(UINT if slot == "amount" else ADDRESS)}
                    for slot in slots
                ],
            }
            for name, slots in (
                ("ViewBalance", ["asset"]),
                ("Deploy", ["asset", "amount"]),
                ("Withdraw", ["asset", "amount"]),
                ("Transfer", ["asset", "amount", "recipient"]),
            )
        ],
        "balance_action": "ViewBalance",
        "answers": {
            "nothing": "Nothing was done.",
            "ask": "Please say more.",
            "decline": "I cannot help with that.",
            "missing": "Please say which {name}.",
            "no_tool": "I have no tool named {name}.",
            "zero": "Nothing to do: the amount is zero.",
            "unreadable": "I could not read the balance.",
        },
        "symbols": ["USDC", "DAI", "WETH"],
        "output_bits": 64,
        "files": {
            "onnx": "0" * 64,
            "text_table": "0" * 64,
            "local_table": "0" * 64,
            "vocabulary": "0" * 64,
        },
        "training": {},
        "accuracy": {},
    }
)


WORDS = (b"send", b"withdraw", b"to", b"my", b"all", b"the", b"pool", b"at", b"of", b"token")


def random_tables(rng: np.random.Generator, peak: int = 20) -> Tables:
    return Tables(
        rng.integers(-peak, peak + 1, (4096, 32)).astype(np.int8),
        rng.integers(-peak, peak + 1, (1024, 16)).astype(np.int8),
        build_vocabulary(WORDS),
    )


def random_weights(rng: np.random.Generator, hidden: int = 40, slots: int = 14) -> PolicyWeights:
    def draw(*shape: int) -> np.ndarray:
        return rng.integers(-7, 8, shape).astype(np.int64)

    return PolicyWeights(
        draw(41, hidden),
        draw(hidden) * 100,
        draw(hidden, 10),
        draw(10) * 1000,
        draw(16, slots),
        draw(slots) * 10,
        draw(slots, 3),
        draw(3) * 100,
    )


def random_model(directory: Path, seed: int = 0) -> Model:
    rng = np.random.default_rng(seed)
    return save_model(directory, DRAFT, random_tables(rng), random_weights(rng))
