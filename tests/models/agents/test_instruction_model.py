"""A model of whole instructions as a folder: what is written is what decides, and nothing else."""

import json
import shutil
from pathlib import Path

import pytest
from eth_utils.crypto import keccak

from tests.support.instructions import BOOK, CONTACTS, OWNER, PAYEE
from tests.support.models import random_model
from tests.support.scripted_reader import CAUTION, scripted_model
from zkagent.models.agents.model import Model
from zkagent.models.catalogue import InstructionModel, StepModel, is_model, load_model
from zkagent.models.encoding.context import Context
from zkagent.models.errors import (
    CorruptModel,
    IncompleteContext,
    ManifestError,
    NetworkUnusable,
    OutputOutOfRange,
    TooManyTokens,
    WrongKind,
)
from zkagent.models.files import sha256
from zkagent.models.instructions.codes import word_of
from zkagent.models.instructions.codetable import BUCKET_BYTES, BUCKETS, ENTRY_BYTES, CodeTable
from zkagent.models.instructions.packing import FEATURES, TOKENS
from zkagent.models.instructions.quantities import Quantity
from zkagent.models.instructions.reader import Kind

#: Found by trying: the table takes it for a word for zero.
LIKE_ZERO = b"q1280114"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> InstructionModel:
    return scripted_model(tmp_path_factory.mktemp("models") / "scripted")


def asked(prompt: str, *entries: bytes, caution: int = CAUTION) -> Context:
    return Context(prompt.encode(), entries, BOOK, CONTACTS, OWNER, caution)


def test_a_folder_is_loaded_as_what_its_manifest_says(
    model: InstructionModel, tmp_path: Path
) -> None:
    found = load_model(model.directory, Model)
    assert (type(found), found.digest) == (InstructionModel, model.digest)
    assert type(load_model(random_model(tmp_path).directory, Model)) is StepModel
    assert is_model(model.directory, InstructionModel)
    assert not is_model(model.directory, StepModel)
    with pytest.raises(WrongKind):
        load_model(model.directory, StepModel)


def test_its_surface_is_that_of_every_agents_model(model: InstructionModel) -> None:
    assert (model.name, model.input_count, model.output_count) == ("scripted-text", 90, 3)
    assert model.onnx_path == model.directory / "model.onnx"
    assert [tool.name for tool in model.tools] == ["ViewBalance", "Deploy", "Withdraw", "Transfer"]
    assert model.tools[3].parameter_types == ("address", "uint", "address")
    assert model.caution == CAUTION


def test_an_instruction_of_two_calls_becomes_both(model: InstructionModel) -> None:
    prompt = "deposit 5 usdc, then send 3 dai to Bob"
    first = model.decide(asked(prompt))
    assert (first.action, first.values) == ("Deploy", (int("a1" * 20, 16), 5 * 10**6))
    done = first.reasoning.encode() + b"Observation: Successfully deployed\n"
    second = model.decide(asked(prompt, done))
    assert second.action == "Transfer"
    assert second.values == (int("b2" * 20, 16), 3 * 10**18, int("0b" * 20, 16))
    both = (done, second.reasoning.encode() + b"Observation: Successfully transferred\n")
    assert model.decide(asked(prompt, *both)).answer.startswith("Done: Deploy ")


@pytest.mark.parametrize(
    ("payee", "account"), [("carol", "0x" + "0c" * 20), ("me", OWNER), (PAYEE, PAYEE)]
)
def test_payees_are_contacts_the_owner_and_addresses(
    model: InstructionModel, payee: str, account: str
) -> None:
    decision = model.decide(asked(f"send 1 usdc to {payee}"))
    assert decision.values[2] == int(account, 16)
    assert model.decide(asked("send 1 usdc to dave")).kind == "ask"


def test_the_owners_caution_decides_whether_it_acts(model: InstructionModel) -> None:
    """One call is worth (300 - 100) / 64 log-odds, 3.125."""
    assert model.decide(asked("deposit 5 usdc", caution=312)).kind == "call"
    assert model.decide(asked("deposit 5 usdc", caution=313)).kind == "decline"


def test_a_context_without_an_owner_is_no_whole_one(model: InstructionModel) -> None:
    untold = Context(b"deposit 5 usdc", (), BOOK)
    model.check(untold)
    with pytest.raises(IncompleteContext):
        model.encode(untold)
    with pytest.raises(IncompleteContext):
        model.decode(untold, (0, 0, 0))


def test_features_are_what_the_table_says_of_each_token(model: InstructionModel) -> None:
    context = asked("send 3 dai to bob")
    x = model.encode(context)
    tokens = model.parse(context)
    assert [t.kind for t in tokens] == [
        Kind.WORD, Kind.DIGITS, Kind.SYMBOL, Kind.WORD, Kind.CONTACT,
    ]  # fmt: skip
    for place, token in enumerate(tokens):
        code = model.table.code(token.kind, word_of(context.prompt, token))
        parts = x[FEATURES * place : FEATURES * (place + 1)]
        assert b"".join(p.to_bytes(2, "big", signed=True) for p in parts) == code.to_bytes(6, "big")
    assert not any(x[FEATURES * len(tokens) :])


def test_a_word_that_looks_like_another_is_read_as_that_one(
    model: InstructionModel, tmp_path: Path
) -> None:
    """As the contract reads it: a table holds 24 bits of a word's hash, and here a word of the same
    24 bits as another one, which is zero."""
    words = bytearray((model.directory / "words.bin").read_bytes())
    bucket = BUCKET_BYTES * (int.from_bytes(keccak(LIKE_ZERO)[:28], "big") % BUCKETS)
    empty = next(
        at for at in (1, 11, 21) if not any(words[bucket + at : bucket + at + ENTRY_BYTES])
    )
    at, zero = bucket + empty, _place_of(model.table, words, b"zero")
    words[at : at + ENTRY_BYTES] = keccak(LIKE_ZERO)[-3:] + words[zero + 3 : zero + ENTRY_BYTES]
    alike = load_model(_with_words(model, tmp_path, bytes(words)), InstructionModel)
    said, other = (f"send {word.decode()} point five dai" for word in (LIKE_ZERO, b"q1280115"))
    assert alike.parse(asked(said))[1].quantity == Quantity(5, 1)
    assert alike.parse(asked(other))[1].kind is Kind.WORD
    assert model.parse(asked(said))[1].kind is Kind.WORD


def test_refusals_are_those_of_the_encoder(model: InstructionModel) -> None:
    model.check(asked("a " * TOKENS))
    with pytest.raises(TooManyTokens):
        model.check(asked("a " * (TOKENS + 1)))
    with pytest.raises(OutputOutOfRange):
        model.infer([0] * 89)
    for y in ((0, 0), (0, 0, 0, 0), (1 << 63, 0, 0), (-(1 << 63) - 1, 0, 0), (0, 4 << 45, 0)):
        with pytest.raises(OutputOutOfRange):
            model.decode(asked("deposit 5 usdc"), y)


@pytest.mark.parametrize("name", ["model.onnx", "words.bin"])
def test_a_file_with_a_single_other_byte_is_corrupt(
    model: InstructionModel, tmp_path: Path, name: str
) -> None:
    content = bytearray(_copied(model, tmp_path).joinpath(name).read_bytes())
    content[-1] ^= 1
    (tmp_path / "copy" / name).write_bytes(content)
    with pytest.raises(CorruptModel, match=name):
        load_model(tmp_path / "copy")


def _copied(model: InstructionModel, tmp_path: Path) -> Path:
    return Path(shutil.copytree(model.directory, tmp_path / "copy"))


def _with_words(model: InstructionModel, tmp_path: Path, words: bytes) -> Path:
    """A folder whose manifest names this table."""
    folder = _copied(model, tmp_path)
    (folder / "words.bin").write_bytes(words)
    manifest = json.loads((folder / "model.json").read_text())
    manifest["files"]["words"] = sha256(words)
    (folder / "model.json").write_text(json.dumps(manifest))
    return folder


def test_a_table_of_another_size_is_refused(model: InstructionModel, tmp_path: Path) -> None:
    whole = (model.directory / "words.bin").read_bytes()
    assert len(whole) == BUCKETS * BUCKET_BYTES
    with pytest.raises(ManifestError, match="no code table"):
        load_model(_with_words(model, tmp_path, whole[:-BUCKET_BYTES]))


def test_a_table_in_which_ten_is_nine_is_refused(model: InstructionModel, tmp_path: Path) -> None:
    """Amounts are read by rules that no model changes."""
    words = bytearray((model.directory / "words.bin").read_bytes())
    at = _place_of(model.table, words, b"ten")
    assert words[at + 9] == 10
    words[at + 9] = 9
    with pytest.raises(ManifestError, match="'ten' means something else"):
        load_model(_with_words(model, tmp_path, bytes(words)))


def test_a_table_with_a_meaning_that_is_none_is_refused(
    model: InstructionModel, tmp_path: Path
) -> None:
    words = bytearray((model.directory / "words.bin").read_bytes())
    words[_place_of(model.table, words, b"deposit") + 9] = 255
    with pytest.raises(ManifestError, match="means 255"):
        load_model(_with_words(model, tmp_path, bytes(words)))


def test_a_table_with_a_word_of_no_code_is_refused(model: InstructionModel, tmp_path: Path) -> None:
    """Python and the contract would not find the same."""
    words = bytearray((model.directory / "words.bin").read_bytes())
    at = _place_of(model.table, words, b"deposit")
    words[at + 3 : at + 9] = bytes(6)
    with pytest.raises(ManifestError, match="has no code"):
        load_model(_with_words(model, tmp_path, bytes(words)))


@pytest.mark.parametrize("word", [b"deposit", b"half", b"me"])
def test_a_table_whose_codes_hide_what_fills_a_slot_is_refused(
    model: InstructionModel, tmp_path: Path, word: bytes
) -> None:
    """The margin of such a token's tag would be none of the network's."""
    words = bytearray((model.directory / "words.bin").read_bytes())
    words[_place_of(model.table, words, word) + 3] ^= 0x40
    with pytest.raises(ManifestError, match="can fill a slot"):
        load_model(_with_words(model, tmp_path, bytes(words)))


def test_a_contact_whose_code_hides_that_it_is_one_is_refused(
    model: InstructionModel, tmp_path: Path
) -> None:
    folder = _copied(model, tmp_path)
    manifest = json.loads((folder / "model.json").read_text())
    place = Kind.CONTACT % 5
    changed = int(manifest["reader"]["kinds"][Kind.CONTACT // 5], 16) ^ 1 << 48 * place + 46
    manifest["reader"]["kinds"][Kind.CONTACT // 5] = f"0x{changed:060x}"
    (folder / "model.json").write_text(json.dumps(manifest))
    with pytest.raises(ManifestError, match="of CONTACT says otherwise"):
        load_model(folder)


def _place_of(table: CodeTable, words: bytearray, key: bytes) -> int:
    """Where its entry begins: the one that is found no more when it changes."""
    entry = table.lookup(key)
    assert entry is not None
    code = entry.code.to_bytes(6, "big")
    for at in range(len(words)):
        if at % BUCKET_BYTES in (1, 11, 21) and words[at + 3 : at + 9] == code:
            changed = bytearray(words)
            changed[at] ^= 1
            if CodeTable((bytes(changed),), table.kinds_words).lookup(key) is None:
                return at
    raise AssertionError(key)


def test_a_network_that_rounds_is_refused(model: InstructionModel, tmp_path: Path) -> None:
    from onnx import TensorProto, load, save

    folder = _copied(model, tmp_path)
    network = load(folder / "model.onnx")
    cast = next(node for node in network.graph.node if node.op_type == "Cast")
    cast.attribute[0].i = TensorProto.FLOAT16
    save(network, folder / "model.onnx")
    manifest = json.loads((folder / "model.json").read_text())
    manifest["files"]["onnx"] = sha256((folder / "model.onnx").read_bytes())
    (folder / "model.json").write_text(json.dumps(manifest))
    with pytest.raises(NetworkUnusable):
        load_model(folder).infer([0] * 90)
