"""A service among failing disks, keys, clocks, databases and peers; see faults.py. How fast it
answers meanwhile is for `make faults` to say."""

from pathlib import Path

import pytest

from tests.prover.service import faults


@pytest.mark.slow
@pytest.mark.alone
@pytest.mark.parametrize("name", faults.SHORT)
def test_a_fault_ends_without_a_wrong_verdict_or_a_lost_request(tmp_path: Path, name: str) -> None:
    report = faults.run(tmp_path, f"sqlite:///{tmp_path}/db/service.sqlite", name)
    assert report.failures == []
