"""By what circuits are proven where nobody says: by what the model can be proven by."""

from pathlib import Path

import click
import pytest

from tests.support.scripted_reader import scripted_model
from zkagent.executor.cli.options import usual_proof_system


def test_a_model_of_single_bits_is_proven_by_groth16_and_nothing_else(tmp_path: Path) -> None:
    folder = str(scripted_model(tmp_path / "scripted").directory)
    assert usual_proof_system(folder, None) == "groth16"
    assert usual_proof_system("wallet-text", "groth16") == "groth16"
    with pytest.raises(click.UsageError, match="cannot be proven by ezkl"):
        usual_proof_system(folder, "ezkl")


@pytest.mark.parametrize("model", ["wallet", "none.onnx", "0a1b2c", "no-such-model"])
def test_all_else_is_proven_by_ezkl_unless_asked(model: str) -> None:
    assert usual_proof_system(model, None) == "ezkl"
    assert usual_proof_system(model, "groth16") == "groth16"
