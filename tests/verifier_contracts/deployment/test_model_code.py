"""A model's tables and manifest as contract code."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.encoding_chain import made_up_tables
from tests.support.models import DRAFT
from zkagent.models.encoding.encoder import Tables
from zkagent.models.encoding.manifest import Manifest
from zkagent.models.encoding.vocabulary import EVERY_WORD_UNKNOWN
from zkagent.verifier_contracts.chain.code import MAX_CODE_BYTES, creation_code
from zkagent.verifier_contracts.deployment.model_code import (
    build_model_code,
    manifest_bytes,
    table_bytes,
)
from zkagent.verifier_contracts.errors import ModelCodeError

TABLES = made_up_tables(5)


def with_rows(text: int, local: int) -> tuple[Manifest, Tables]:
    sizes = DRAFT.encoder.model_copy(update={"text_rows": text, "local_rows": local})
    tables = Tables(
        np.zeros((text, 32), np.int8), np.zeros((local, 16), np.int8), EVERY_WORD_UNKNOWN
    )
    return DRAFT.model_copy(update={"encoder": sizes}), tables


def test_a_row_has_its_halves_interleaved_and_128_added() -> None:
    row = np.arange(-8, 8, dtype=np.int8).reshape(1, 16)
    expected = [120, 128, 121, 129, 122, 130, 123, 131, 124, 132, 125, 133, 126, 134, 127, 135]
    assert list(table_bytes(row)) == expected


def test_the_text_table_takes_six_contracts_and_loses_no_row() -> None:
    code = build_model_code(DRAFT, TABLES)
    assert [len(chunk) for chunk in code.text_chunks] == [24_545] * 5 + [1 + 32 * 261]
    assert all(chunk[0] == 0 for chunk in code.text_chunks)
    assert b"".join(chunk[1:] for chunk in code.text_chunks) == table_bytes(TABLES.text)


def test_the_data_contract_holds_local_table_vocabulary_and_manifest() -> None:
    data = build_model_code(DRAFT, TABLES).data
    assert data[1:16_385] == table_bytes(TABLES.local)
    assert data[16_385:20_481] == TABLES.vocabulary.fingerprints
    assert data[20_481:] == manifest_bytes(DRAFT)
    assert len(data) <= MAX_CODE_BYTES


def test_the_directory_points_to_the_answers_and_the_actions_records() -> None:
    part = manifest_bytes(DRAFT)
    directory = 4 + int.from_bytes(part[2:4], "big")
    places = [int.from_bytes(part[i : i + 2], "big") for i in range(directory, directory + 18, 2)]
    ask = DRAFT.answers.ask.encode()
    assert part[places[1] : places[1] + 2 + len(ask)] == bytes([0, len(ask)]) + ask
    prefix = int.from_bytes(part[places[5] : places[5] + 2], "big")
    assert part[prefix + 2 :].startswith(DRAFT.prefixes[0])
    assert part[places[8] + 2 :].startswith(b"\0\x08Transfer")


def test_creation_code_copies_what_follows_it() -> None:
    code = creation_code(b"\0" * 300)
    assert code[:10].hex() == "61012c80600a5f395ff3"
    assert code[10:] == b"\0" * 300


@pytest.mark.parametrize("runtime", [b"", b"\0" * (MAX_CODE_BYTES + 1)])
def test_creation_code_refuses_what_no_contract_holds(runtime: bytes) -> None:
    with pytest.raises(ModelCodeError, match="a contract holds"):
        creation_code(runtime)


def test_tables_of_other_shapes_than_the_manifest_says_are_refused() -> None:
    with pytest.raises(ModelCodeError, match="the local table is int8"):
        build_model_code(DRAFT, replace(TABLES, local=TABLES.local[:512]))
    with pytest.raises(ModelCodeError, match="the text table is int64"):
        build_model_code(DRAFT, replace(TABLES, text=TABLES.text.astype(np.int64)))


def test_tables_that_the_contracts_cannot_hold_are_refused() -> None:
    with pytest.raises(ModelCodeError, match="needs 11 contracts"):
        build_model_code(*with_rows(8192, 1024))
    with pytest.raises(ModelCodeError, match="a contract holds 24576"):
        build_model_code(*with_rows(4096, 2048))


def test_arguments_need_an_address_for_each_chunk() -> None:
    code = build_model_code(DRAFT, TABLES)
    assert code.encoder_arguments(["0x1"] * 6, "0x2") == (["0x1"] * 6, 4096, "0x2", 1024)
    assert code.decoder_arguments("0x2") == ("0x2", 1024)
    with pytest.raises(ModelCodeError, match="5 addresses for 6 chunks"):
        code.encoder_arguments(["0x1"] * 5, "0x2")
