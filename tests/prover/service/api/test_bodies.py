"""Bodies that would take long to read, and such as can be read in two ways."""

import json
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi.exceptions import RequestValidationError

from zkagent.prover.service.api.bodies import MOST_FIELDS, READERS, check_size
from zkagent.prover.service.errors import BodyRefused
from zkagent.prover.service.fakes.catalogue import FakeCatalogue
from zkagent.prover.service.wire.schemas import MOST_FEATURES

ASK, VERIFY = READERS["/v1/proofs"], READERS["/v1/verify"]
PLAIN = '{"model":"quick","features":[1,2,3,4]}'
LONG_S = 0.2  # of the processor
MANY = 170_000


@pytest.fixture
def deps(tmp_path: Path) -> Any:
    return SimpleNamespace(catalogue=FakeCatalogue(tmp_path, {"quick": 0.0}))


def asset(number: int) -> dict[str, Any]:
    return {"symbol": f"S{number}", "token": f"0x{number:040x}", "decimals": 6}


def proof_of(inputs: int) -> bytes:
    fields = {"format": "zkagent-proof-1", "circuit": "a" * 64, "inputs": [1] * inputs}
    return json.dumps({**fields, "outputs": [1], "proof": "0x00"}).encode()


HEAVY = {
    "fields": b'{"model":"a",' + b",".join(b'"k%d":1' % n for n in range(MANY)) + b"}",
    "entries": b'{"model":"a","features":[' + b"1," * 10**6 + b"1]}",
    "wrong entries": b'{"model":"a","features":[' + b'"x",' * 500_000 + b"1]}",
    "depth": b'{"model":"a","features":' + b"[" * 10**6 + b"]" * 10**6 + b"}",
    "brackets": b'{"model":"a","features":[' + b"[],[]" * 350_000 + b"]}",
    "levels": b'{"model":"a","features":' + b"[" * 40 + b"]" * 40 + b"}",
}
AMBIGUOUS = {
    "a field twice": PLAIN.replace("{", '{"features":[5,6,7,8],').encode(),
    "a nested field twice": b'{"model":"a","context":{"prompt":"x","prompt":"y"}}',
    "the same name in other words": b'{"model":"a","mode\\u006c":"b","features":[1,2,3,4]}',
    "UTF-16": PLAIN.encode("utf-16"),
    "UTF-16 without a mark": PLAIN.encode("utf-16-le"),
    "a mark": b"\xef\xbb\xbf" + PLAIN.encode(),
    "Latin-1": '{"model":"\u00e9","features":[1]}'.encode("latin-1"),
    "a long number": b'{"model":"quick","features":[' + b"9" * 5000 + b"]}",
    "more behind it": PLAIN.encode() + b"{}",
}


@pytest.mark.parametrize("name", HEAVY)
def test_what_would_take_long_is_refused_soon(deps: Any, name: str) -> None:
    def took_s() -> float:
        began = time.process_time()
        with pytest.raises(BodyRefused, match=r"the body has more than|is nested more than"):
            ASK.read(HEAVY[name], deps)
        return time.process_time() - began

    assert any(took_s() < LONG_S for _ in range(5))  # once undisturbed


@pytest.mark.parametrize("name", AMBIGUOUS)
def test_what_can_be_read_in_two_ways_is_refused(deps: Any, name: str) -> None:
    with pytest.raises(BodyRefused, match=r"twice|not UTF-8|not JSON"):
        ASK.read(AMBIGUOUS[name], deps)


def test_what_requests_need_is_read(deps: Any) -> None:
    assert ASK.read(PLAIN.encode(), deps).features == [1, 2, 3, 4]
    book = [asset(number) for number in range(1000)]
    words = '"{[:,\\"\\\\' * 10_000
    reasoning = [words, *({"hex": "ab"} for _ in range(255))]
    context = {"prompt": words + "\u00e9", "reasoning": reasoning, "book": book}
    read = ASK.read(json.dumps({"model": "wallet", "context": context}).encode(), deps)
    assert (read.context.prompt, len(read.context.book)) == (words + "\u00e9", 1000)
    assert len(VERIFY.read(proof_of(MOST_FEATURES), deps).inputs) == MOST_FEATURES


@pytest.mark.parametrize("size", [MOST_FIELDS, MOST_FIELDS + 1])
def test_fields_are_counted_outside_of_texts(size: int) -> None:
    body = json.dumps({f"{number}::": "::," for number in range(size)}).encode()
    if size <= MOST_FIELDS:
        check_size(body, size)
    else:
        with pytest.raises(BodyRefused, match="more than 4096 fields"):
            check_size(body, size)


def test_of_many_errors_in_a_list_the_first_is_told_and_no_input(deps: Any) -> None:
    body, took = proof_of(MOST_FEATURES).replace(b"[1, 1", b'["7391846250", "x"', 1), []
    for _ in range(5):
        began = time.process_time()
        with pytest.raises(RequestValidationError) as refused:
            VERIFY.read(body, deps)
        took.append(time.process_time() - began)
    assert min(took) < LONG_S  # once undisturbed
    (error,) = refused.value.errors()
    assert error["loc"] == ("body", "inputs", 0)
    assert "7391846250" not in str(error)
