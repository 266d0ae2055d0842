"""ABI data of strangers: what is honest decodes as ever, what would grow is refused at once."""

import json
import random
import re
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from eth_abi.abi import decode as plainly
from eth_abi.abi import encode
from eth_abi.codec import ABICodec
from eth_abi.exceptions import DecodingError
from web3 import Web3
from web3._utils.abi import build_strict_registry
from web3.types import RPCEndpoint

import zkagent.executor
import zkagent.prover
import zkagent.verifier_contracts
from zkagent.executor.chain import abi
from zkagent.verifier_contracts.chain import local
from zkagent.verifier_contracts.chain.decoding import Codec, decode
from zkagent.verifier_contracts.chain.local import connect, translated
from zkagent.verifier_contracts.chain.provider import BoundedProvider
from zkagent.verifier_contracts.chain.reverts import parse_revert
from zkagent.verifier_contracts.errors import RevertError

METHODS = [method for method in vars(abi).values() if isinstance(method, abi.Method)]
SHAPES = [method.inputs for method in METHODS] + [method.outputs for method in METHODS]
SHAPES += [abi.CONTEXT, abi.RUN_RESULT_DATA, ("string[2][]", "uint8[3]", "bytes[2]", "(bool,int8)")]
CODECS = (Codec(build_strict_registry()), ABICodec(build_strict_registry()))


class Answering(BoundedProvider):
    """A node that says this to everything."""

    def __init__(self, answer: bytes) -> None:
        super().__init__("http://127.0.0.1:1")
        self.answer = answer

    def _make_request(self, method: RPCEndpoint, request_data: bytes) -> bytes:
        return self.answer


Reader = Callable[[tuple[str, ...], bytes], Any]


def word(number: int) -> bytes:
    return number.to_bytes(32, "big")


def value(kind: str, chance: random.Random) -> Any:
    """Any value of this type."""
    if kind.endswith("]"):
        item, _, count = kind[:-1].rpartition("[")
        many = int(count) if count else chance.randrange(4)
        return [value(item, chance) for _ in range(many)]
    if kind.startswith("("):
        return tuple(value(each, chance) for each in components(kind))
    plain = {
        "string": lambda: "x" * chance.randrange(70),
        "bytes": lambda: chance.randbytes(chance.randrange(70)),
        "address": lambda: "0x" + chance.randbytes(20).hex(),
        "bool": lambda: chance.randrange(2) == 1,
    }
    if kind in plain:
        return plain[kind]()
    return chance.randbytes(int(kind[5:])) if kind[:5] == "bytes" else chance.randrange(100)


def components(kind: str) -> Iterator[str]:
    depth, begun = 0, ""
    for letter in kind[1:-1]:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and not depth:
            yield begun
            begun = ""
        else:
            begun += letter
    yield begun


@pytest.mark.parametrize("seed", range(5))
def test_what_is_honest_decodes_as_ever(seed: int) -> None:
    chance = random.Random(seed)
    for shape in SHAPES:
        made = encode(shape, [value(kind, chance) for kind in shape])
        expected = plainly(shape, made)
        assert decode(shape, made) == decode(shape, made, shared=1) == expected
        assert CODECS[0].decode(shape, made) == CODECS[1].decode(shape, made)
        assert decode(shape, made + bytes(32)) == expected


@pytest.mark.parametrize("seed", range(5))
def test_damaged_data_decode_as_ever_or_are_refused(seed: int) -> None:
    chance, taken = random.Random(seed), 0
    for shape in filter(None, SHAPES):
        made = bytearray(encode(shape, [value(kind, chance) for kind in shape]))
        for _ in range(10):
            at = chance.randrange(0, len(made), 32)
            damaged = bytes(made[:at] + word(chance.randrange(0, 256, 16)) + made[at + 32 :])
            try:
                found = decode(shape, damaged)
            except (DecodingError, UnicodeDecodeError):
                continue
            assert found == plainly(shape, damaged)
            taken += 1
    assert taken > 50


def test_texts_that_share_their_bytes_are_read() -> None:
    """As contracts may write them; not where one encoding is the only one."""
    many = word(32) + word(9) + word(9 * 32) * 9 + word(0)
    assert decode(["bytes[]"], many) == ((b"",) * 9,)
    assert abi.Method("f", (), ("string[]",)).results(many) == ((b"",) * 9,)
    with pytest.raises(ValueError, match="bad ABI encoding"):
        abi.decode_canonical(["string[]"], many)


def bomb(kind: str, count: int = 2000, length: int = 64_000) -> bytes:
    """128 kB that are 128 MB when decoded: all elements are one."""
    element = word(length) + bytes(length)
    if kind == abi.INPUT_DESCRIPTION:
        element = word(0) + word(96) + word(96) + element
    array = word(count) + word(32 * count) * count + element
    return word(32) + (word(32) if kind == abi.INPUT_DESCRIPTION else b"") + array


ERROR = [{"type": "error", "name": "Odd", "inputs": [{"name": "a", "type": "bytes[]"}]}]
ODD = abi.Method("Odd", ("bytes[]",))
LOOKUP = abi.Method("OffchainLookup", ("address", "string[]", "bytes", "bytes4", "bytes"))
READERS: dict[str, tuple[str, Reader]] = {
    "calldata": ("bytes[]", lambda t, d: ODD.arguments(ODD.selector + d)),
    "returned": ("bytes[]", lambda t, d: abi.Method("f", (), t).results(d)),
    "described": (abi.INPUT_DESCRIPTION, lambda t, d: abi.Method("f", (), t).results(d)),
    "event": ("string[]", abi.decode_canonical),
    "contract of web3": ("string[]", CODECS[0].decode),
}


def spent(read: Callable[[], object]) -> tuple[float, int]:
    tracemalloc.start()
    began = time.process_time()
    read()
    took, (_, peak) = time.process_time() - began, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return took, peak


@pytest.mark.parametrize("name", READERS)
def test_shared_elements_are_not_copied_again_and_again(name: str) -> None:
    kind, read = READERS[name]

    def refused() -> None:
        with pytest.raises((ValueError, DecodingError), match="many times as much"):
            read((kind,), bomb(kind))

    took, peak = spent(refused)
    assert took < 20
    assert peak < 2_000_000


def test_an_error_that_would_grow_is_an_unknown_one() -> None:
    data = ODD.selector + bomb("bytes[]")
    took, peak = spent(lambda: parse_revert(data, ERROR))
    assert parse_revert(data, ERROR).name == ""
    assert took < 20
    assert peak < 2_000_000


def test_a_lookup_elsewhere_that_would_grow_is_a_revert_as_any() -> None:
    """web3 decodes those by itself."""
    urls = bomb("string[]")[32:]
    data = LOOKUP.selector + word(0) + word(160) + word(0) * 3 + urls
    error = {"code": 3, "message": "execution reverted", "data": "0x" + data.hex()}
    answer = json.dumps({"jsonrpc": "2.0", "id": 0, "error": error}).encode()
    web3 = Web3(Answering(answer))
    web3.middleware_onion.remove("validation")  # as `connect` does

    def refused() -> None:
        with pytest.raises(RevertError) as caught, translated(web3):
            web3.eth.call({"to": "0x" + "11" * 20})
        assert caught.value.data == data

    refused()  # so that all is loaded
    took, peak = spent(refused)
    assert took < 20
    assert peak < 8_000_000


def test_contracts_of_web3_are_read_by_the_same_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = b'{"jsonrpc":"2.0","id":0,"result":"0x7a69"}'
    monkeypatch.setattr(local, "BoundedProvider", lambda *_: Answering(answer))
    assert isinstance(connect("http://127.0.0.1:1").codec, Codec)


@pytest.mark.parametrize("at", [0, 32, 64])
@pytest.mark.parametrize("number", [1 << 255, (1 << 256) - 1, 1 << 64, 1 << 32])
def test_lengths_and_offsets_beyond_the_end_are_refused(at: int, number: int) -> None:
    made = encode(["bytes[]"], [[b"a"]])
    with pytest.raises(DecodingError):
        decode(["bytes[]"], made[:at] + word(number) + made[at + 32 :])


def test_nobody_decodes_otherwise() -> None:
    """Only `chain/decoding.py` asks eth_abi to decode."""
    packages = (zkagent.executor, zkagent.prover, zkagent.verifier_contracts)
    sources = [path for each in packages for path in Path(each.__path__[0]).rglob("*.py")]
    asking = re.compile(r"eth_abi(\.abi)? import [^\n]*(\bdecode\b|\babi\b)|import eth_abi\b")
    found = [path.name for path in sources if asking.search(path.read_text())]
    assert found == ["decoding.py"]
    assert len(sources) > 100
