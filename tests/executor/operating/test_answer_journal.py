"""What an operator keeps of what it signed, and files that somebody else wrote or cut off."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from eth_account import Account
from eth_account.signers.local import LocalAccount
from eth_utils.address import to_checksum_address

from zkagent.executor.operating.errors import AnswerRecordDamaged, AnswerRecordsRefused
from zkagent.executor.operating.journal import AnswerJournal
from zkagent.executor.operating.records import AnswerRecord, Place

DESK = "0x" + "d5" * 20
SIGNER: LocalAccount = Account.from_key("0x" + "11" * 32)
PLACE = Place(31337, "0x" + "ab" * 32, DESK, str(SIGNER.address).lower())


def transaction(nonce: int = 0, to: str = DESK, by: LocalAccount = SIGNER) -> str:
    fields = {"type": 2, "chainId": 31337, "nonce": nonce, "gas": 50_000, "value": 0}
    fees = {"maxFeePerGas": 10 + nonce, "maxPriorityFeePerGas": 1, "data": b"\x01"}
    whole = fields | fees | {"to": to_checksum_address(to)}
    return "0x" + bytes(by.sign_transaction(whole).raw_transaction).hex()


def record(**changes: Any) -> AnswerRecord:
    made = AnswerRecord(PLACE, 3, "ab" * 32, 10**18, (transaction(0), transaction(1)))
    return replace(made, **changes)


@pytest.fixture
def journal(tmp_path: Path) -> AnswerJournal:
    return AnswerJournal(PLACE, tmp_path)


def test_what_was_written_is_read_by_the_next_process(
    journal: AnswerJournal, tmp_path: Path
) -> None:
    journal.write(record())
    (found,) = AnswerJournal(PLACE, tmp_path).records()
    assert found == record()
    assert (found.nonce, found.gas_limit, found.fees.max_fee_wei) == (1, 50_000, 11)
    assert [(name, fees.max_fee_wei) for name, fees in found.offers(0)] == [(found.hashes[0], 10)]
    assert found.offers(2) == ()
    assert journal.of(3, "ab" * 32) == found
    assert journal.of(3, "ac" * 32) is None
    assert AnswerJournal(replace(PLACE, desk="0x" + "d6" * 20), tmp_path).records() == ()


@pytest.mark.parametrize(
    ("field", "value", "why"),
    [
        ("format", "zkagent-answer-2", "its format"),
        ("state", "paid", "no state"),
        ("signed", [], "no transaction"),
        ("signed", ["0x02"], "damaged"),
        ("signed", [transaction(0)[2:]], "damaged"),
        ("signed", [transaction(0, to="0x" + "d6" * 20)], "another account, chain or desk"),
        (
            "signed",
            [transaction(0, by=Account.from_key("0x" + "12" * 32))],
            "another account, chain or desk",
        ),
        ("transaction", "0x" + "00" * 32, "none of its own"),
        ("state", "answered", "no transaction was"),
        ("state", "waiting", "no transaction was"),
        ("begins", 1, "neither true nor false"),
        ("number", "3", "no number"),
        ("number", True, "no number"),
        ("fee", -1, "no fee"),
        ("request", 7, "no text"),
        ("more", 1, "unexpected"),
    ],
)
def test_a_file_that_does_not_fit_together_is_refused_and_nothing_is_read_past_it(
    journal: AnswerJournal, tmp_path: Path, field: str, value: object, why: str
) -> None:
    journal.write(record())
    (path,) = journal.folder.glob("*.json")
    content = json.loads(path.read_text())
    path.write_text(json.dumps(content | {field: value}))
    with pytest.raises(AnswerRecordDamaged, match=why):
        AnswerJournal(PLACE, tmp_path).records()


def test_a_file_that_was_cut_off_or_renamed_is_refused(
    journal: AnswerJournal, tmp_path: Path
) -> None:
    journal.write(record())
    (path,) = journal.folder.glob("*.json")
    whole = path.read_text()
    path.write_text(whole[:-20])
    with pytest.raises(AnswerRecordDamaged):
        AnswerJournal(PLACE, tmp_path).records()
    path.write_text(whole)
    path.rename(path.with_name("4-" + path.name.partition("-")[2]))
    with pytest.raises(AnswerRecordDamaged, match="it is the record 3-"):
        AnswerJournal(PLACE, tmp_path).records()


def test_a_folder_that_cannot_be_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(AnswerRecordsRefused, match="cannot be used"):
        AnswerJournal(PLACE, tmp_path / "file").write(record())
