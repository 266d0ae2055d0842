"""model.json is refused where it contradicts itself or the code."""

from pathlib import Path

import pytest

from tests.support.models import DRAFT
from zkagent.models.encoding.manifest import Manifest
from zkagent.models.errors import ManifestError


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"uint"', '"address"'),
        ('"slot": "asset"', '"slot": "recipient"'),
        ('"name": "asset"', '"name": "recipient"'),
        ('"name": "Deploy"', '"name": "Withdraw"'),
        ('"balance_action": "ViewBalance"', '"balance_action": "Nothing"'),
        ('"text_rows": 4096', '"text_rows": 4095'),
        ('"max_tokens": 64', '"max_tokens": 65'),
        ('"output_bits": 64', '"output_bits": 256'),
        ('"id"', '"surprise"'),
    ],
)
def test_a_manifest_that_contradicts_itself_or_the_code_is_refused(
    tmp_path: Path, old: str, new: str
) -> None:
    text = DRAFT.to_json()
    assert old in text
    path = tmp_path / "model.json"
    path.write_text(text)
    assert Manifest.load(path) == DRAFT
    path.write_text(text.replace(old, new))
    with pytest.raises(ManifestError):
        Manifest.load(path)
