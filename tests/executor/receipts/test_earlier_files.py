"""Files that earlier versions wrote: read, or refused by name with what does read them.

Those in tests/support/earlier were written by the version that their names' numbers are of.
"""

from pathlib import Path

import pytest

from tests.support.checkout import ROOT
from zkagent.executor.errors import MalformedReceipt
from zkagent.executor.receipts import format as receipts
from zkagent.executor.receipts.format import load_receipt
from zkagent.verifier_contracts.deployment import record
from zkagent.verifier_contracts.deployment.record import load_deployment
from zkagent.verifier_contracts.errors import DeploymentFileError

EARLIER = ROOT / "tests" / "support" / "earlier"


def test_a_receipt_of_the_first_format_names_who_verifies_it() -> None:
    with pytest.raises(
        MalformedReceipt, match=r"zkagent-receipt-1: verify it with zkagent 0\.1\.0"
    ):
        load_receipt(EARLIER / "receipt-1.json")


def test_every_earlier_format_of_a_receipt_has_an_example_that_is_refused() -> None:
    number = int(receipts.FORMAT.rpartition("-")[2])
    formats = {f"zkagent-receipt-{earlier}" for earlier in range(1, number)}
    assert set(receipts.EARLIER) == formats
    for name in formats:
        assert (EARLIER / f"{name.removeprefix('zkagent-')}.json").is_file()


def test_a_deployment_of_the_first_format_is_read() -> None:
    read = load_deployment(EARLIER / "deployment-1.json")
    assert (read.chain_id, read.model_id) == (31337, 1)
    assert [symbol for symbol in ("USDC", "DAI") if read.token(symbol)] == ["USDC", "DAI"]


def test_a_deployment_of_another_format_is_refused_by_name(tmp_path: Path) -> None:
    text = (EARLIER / "deployment-1.json").read_text()
    (tmp_path / "later.json").write_text(text.replace(record.FORMAT, "zkagent-deployment-99"))
    with pytest.raises(DeploymentFileError, match="zkagent-deployment-99"):
        load_deployment(tmp_path / "later.json")
