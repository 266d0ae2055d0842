"""forge runs the encoder contract against vectors that Python has just made."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from eth_abi.abi import encode as abi_encode
from eth_utils.crypto import keccak

from tests.support.contexts import BOOKS, random_context
from tests.support.encoding_chain import book_entry, made_up_tables
from tests.support.hostile_contexts import hostile_contexts
from tests.support.models import DRAFT
from zkagent.models.encoding.context import Context
from zkagent.models.encoding.encoder import encode, parse_context
from zkagent.models.errors import RefusedText
from zkagent.verifier_contracts.deployment.model_code import build_model_code
from zkagent.verifier_contracts.toolchain.compile import PACKAGE
from zkagent.verifier_contracts.toolchain.forge import run_tests
from zkagent.verifier_contracts.toolchain.install import Toolchain

PATH = PACKAGE / "cache" / "encoder-vectors.bin"  # as in EncoderVectors.t.sol
BOOK = BOOKS[0]
VECTORS = "(bytes[],bytes,uint256,uint256,bytes,(bytes,bytes[],bytes,bytes)[])"
TABLES = made_up_tables(3)
Vector = tuple[bytes, tuple[bytes, ...], bytes, bytes]


@pytest.fixture
def vectors_file() -> Iterator[Path]:
    PATH.parent.mkdir(exist_ok=True)
    PATH.write_bytes(vectors(seed=3, count=100))
    yield PATH
    PATH.unlink()


def vectors(seed: int, count: int) -> bytes:
    rng = random.Random(seed)
    contexts = [random_context(rng, DRAFT, BOOK) for _ in range(count)]
    contexts += [Context(c.prompt, c.reasoning, BOOK) for c in hostile_contexts(rng, DRAFT, count)]
    code = build_model_code(DRAFT, TABLES)
    chunks = [chunk[1:] for chunk in code.text_chunks]  # SSTORE2 puts the leading zero itself
    book = b"".join(book_entry(x.symbol, x.decimals, x.token) for x in BOOK.listings)
    rows = (code.text_rows, code.local_rows)
    return abi_encode(
        [VECTORS], [(chunks, code.data[1:], *rows, book, [vector(c) for c in contexts])]
    )


def vector(context: Context) -> Vector:
    features = refusal = b""
    try:
        parse = parse_context(context, DRAFT.prefixes, DRAFT.balance_index)
        x = encode(context, parse, TABLES, len(DRAFT.actions))
        features = b"".join(v.to_bytes(2, "big", signed=True) for v in x)
    except RefusedText as exc:
        names = [name for name in ("length", "limit", "position") if hasattr(exc, name)]
        signature = f"{type(exc).__name__}({','.join(['uint256'] * len(names))})"
        refusal = keccak(text=signature)[:4]
        refusal += b"".join(getattr(exc, name).to_bytes(32, "big") for name in names)
    return context.prompt, context.reasoning, features, refusal


def test_forge_finds_the_encoder_in_agreement_with_python(
    toolchain: Toolchain, vectors_file: Path
) -> None:
    report = run_tests("--match-contract", "EncoderVectorsTest")
    assert report.failed == ()
    assert len(report.passed) == 1
