"""The hashes that agents pin, of models with odd words."""

import pytest

from zkagent.verifier_contracts.deployment.model_hashes import bound_hash

WORD, AT = b"\x11" * 32, "0x" + "22" * 20
BINDING = (AT, AT, AT, [AT], WORD, WORD, 137, 28)


def hash_of(uri: str) -> bytes:
    return bound_hash((WORD, WORD, WORD, b"\x01\x02\x03\x04", uri), BINDING)


def test_the_bytes_of_a_uri_count_however_they_are_written() -> None:
    assert hash_of("\udcc3\udca9") == hash_of("\u00e9")
    assert len({hash_of("\udcff"), hash_of("\udcfe"), hash_of(""), hash_of("\u00ff")}) == 4
    with pytest.raises(UnicodeEncodeError):
        hash_of("\ud800")
