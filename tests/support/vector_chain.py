"""A table of words on a chain, and the sums and vectors that contracts make of texts with it."""

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from eth_abi.abi import decode, encode
from eth_utils.crypto import keccak

from zkagent.models.reader.labelled import MOST_EXAMPLES
from zkagent.models.reader.rows import SIZE, Rows, Vector, rows_of
from zkagent.models.reader.vectors import FINE, LENGTH, direction, summed
from zkagent.models.reader.words import words_of
from zkagent.verifier_contracts.chain.code import creation_code
from zkagent.verifier_contracts.chain.local import Anvil, deploy
from zkagent.verifier_contracts.deployment.reader_code import word_chunks
from zkagent.verifier_contracts.toolchain.compile import PACKAGE, Contract, compile_sources

HARNESS = "test/reader/VectorHarness.sol"
BATCH = 50
#: Name, description, parameters, examples of a tool, as bytes.
Texts = tuple[bytes, bytes, list[bytes], list[bytes]]
TEXTS = "(bytes,bytes,bytes[],bytes[])"
_SYLLABLES = ("pa", "y", "men", "t", "sen", "d", "o'", "ru", "li", "ghe", "st", "a", "qui", "x")


def random_words(count: int, rng: random.Random) -> list[str]:
    found: dict[str, None] = {}
    while len(found) < count:
        word = "".join(rng.choices(_SYLLABLES, k=rng.randint(1, 5)))
        found[word.rstrip("'")] = None
    return list(found)


def random_rows(words: Sequence[str], seed: int) -> Rows:
    """Rows of all shifts, the largest ones among them."""
    rng = np.random.default_rng(seed)
    vectors = rng.normal(0, 1, (len(words), SIZE)) * rng.choice([0.1, 0.5, 1, 2], (len(words), 1))
    vectors[0] = -100.0  # as low as can be
    vectors[1] = 100.0
    return rows_of(words, vectors, rng.normal(0, 0.3, (2, SIZE)))


def laid(anvil: Anvil, code: bytes) -> str:
    data = Contract("Data", "", (), creation_code(code), code, ())
    return str(deploy(anvil.web3, data, anvil.accounts[0]).address)


class VectorChain:
    """The harness over a table."""

    def __init__(self, anvil: Anvil, rows: Rows) -> None:
        self.anvil, self.rows = anvil, rows
        self.contract = compile_sources({HARNESS: (PACKAGE / HARNESS).read_text()})["VectorHarness"]
        self.chunks = [laid(anvil, chunk) for chunk in word_chunks(rows)]
        self.address = self.made(self.chunks, rows.buckets)

    def made(self, chunks: Sequence[str], buckets: int) -> str:
        made = deploy(self.anvil.web3, self.contract, self.anvil.accounts[0], chunks, buckets)
        return str(made.address)

    def sums(self, texts: Sequence[bytes]) -> list[list[int]]:
        return [
            list(one)
            for batch in _batches(texts)
            for one in self._ask("sums(bytes[])", ["bytes[]"], [batch], "int256[64][]")
        ]

    def prompts(self, texts: Sequence[bytes]) -> list[list[int]]:
        return [
            _numbers(one)
            for batch in _batches(texts)
            for one in self._ask("prompts(bytes[])", ["bytes[]"], [batch], "bytes32[2][]")
        ]

    def tools(self, tools: Sequence[Texts], shares: Sequence[int]) -> list[list[int]]:
        kinds = [TEXTS + "[]", "uint256"]
        return [
            _numbers(one)
            for batch in _batches(tools)
            for one in self._ask(
                f"tools({TEXTS}[],uint256)", kinds, [batch, packed(shares)], "bytes32[2][]"
            )
        ]

    def measure_prompt(self, text: bytes) -> tuple[int, int]:
        """Gas with nothing touched before, and later."""
        first, later = self._asked("measurePrompt(bytes)", ["bytes"], [text], ["uint256"] * 2)
        return int(first), int(later)

    def measure_tool(self, tool: Texts, shares: Sequence[int]) -> int:
        """Gas, with nothing touched before."""
        kinds = [TEXTS, "uint256"]
        given = [tool, packed(shares)]
        (gas,) = self._asked(f"measureTool({TEXTS},uint256)", kinds, given, ["uint256"])
        return int(gas)

    def _ask(self, signature: str, kinds: list[str], given: list[Any], made: str) -> Any:
        (found,) = self._asked(signature, kinds, given, [made])
        return found

    def _asked(self, signature: str, kinds: list[str], given: list[Any], made: list[str]) -> Any:
        data = keccak(text=signature)[:4] + encode(kinds, given)
        call: Any = {"to": self.address, "data": data, "gas": 1 << 31}
        return decode(made, bytes(self.anvil.web3.eth.call(call)))


def vector_of_prompt(rows: Rows, text: bytes) -> list[int]:
    """As `of_prompt` has it, of any bytes."""
    return _narrowed(direction(summed(rows, words_of(text)), FINE))


def vector_of_tool(rows: Rows, tool: Texts, shares: Sequence[int]) -> list[int]:
    """As `of_tool` has it, of any bytes."""
    name, description, parameters, examples = tool
    words = [word for text in parameters for word in words_of(text)]
    shown = [direction(summed(rows, words_of(text)), FINE) for text in examples[:MOST_EXAMPLES]]
    parts = (
        direction(summed(rows, words_of(name)), FINE),
        direction(summed(rows, words_of(description)), FINE),
        direction(summed(rows, words), FINE),
        direction(sum(shown, np.zeros(SIZE, dtype=np.int64)), FINE),
    )
    weighed = [part * share for part, share in zip(parts, shares, strict=True)]
    return _narrowed(np.sum(weighed, axis=0))


def _narrowed(vector: Vector) -> list[int]:
    return [max(-127, min(127, int(number))) for number in direction(vector, LENGTH)]


def packed(shares: Sequence[int]) -> int:
    return sum(share << 16 * place for place, share in enumerate(shares))


def _numbers(words: Sequence[bytes]) -> list[int]:
    numbers: npt.NDArray[np.int8] = np.frombuffer(b"".join(words), np.int8)
    return [int(number) for number in numbers]


def _batches(all_of: Sequence[Any]) -> list[list[Any]]:
    return [list(all_of[at : at + BATCH]) for at in range(0, len(all_of), BATCH)]
