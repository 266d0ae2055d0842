"""A classifier's encoder and decoder on chain say what Python says: of texts of every kind, and of
any scores."""

import random
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import pytest
from eth_abi.abi import decode, encode
from eth_utils.crypto import keccak

from tests.support.classifiers import LABELS, random_classifier
from tests.support.encoding_chain import CONTEXT
from zkagent.models.catalogue import LabelModel
from zkagent.models.encoding.context import Context
from zkagent.models.errors import RefusedText
from zkagent.verifier_contracts.chain.code import creation_code
from zkagent.verifier_contracts.chain.local import Anvil, deploy
from zkagent.verifier_contracts.chain.reverts import parse_revert
from zkagent.verifier_contracts.deployment.label_code import label_code
from zkagent.verifier_contracts.errors import RevertError
from zkagent.verifier_contracts.toolchain.compile import Contract, contract

Encode = Callable[[bytes], tuple[int, ...] | str]
Decode = Callable[[tuple[int, ...]], str]
CHECKSUMMED = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
PIECES = (
    "play", "PLAY", "Stop", "please", "jazz", "some", "it", "now", "zyzzyva", "abcd", "abcde",
    "abc", "a", "12", "12.5", "1,000", "5k", "$5", "0x12", CHECKSUMMED, CHECKSUMMED.lower(),
    CHECKSUMMED[:-1] + "D", '"quoted text"', '"', "?", "?!", "...", ",", "--", "e-mail", "don't",
    "USDC", "5USDC", "(stop)", "w" * 31, "w" * 70, "\u00e9", "\n", "\x7f", "  ",
)  # fmt: skip


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> LabelModel:
    return LabelModel.of(random_classifier(tmp_path_factory.mktemp("classifier"), seed=3))


class Contracts:
    """The classifier's encoder and decoder on a chain."""

    def __init__(self, anvil: Anvil, model: LabelModel) -> None:
        code, self.anvil, self.owner = label_code(model.classifier), anvil, anvil.accounts[0]
        self.code, self.parts = code, [laid(anvil, part) for part in code.components]
        *chunks, data = self.parts
        encoder = code.encoder_arguments(chunks, data)
        self.encoder = self.made("LabelEncoder", *encoder)
        self.decoder = self.made("LabelDecoder", *code.decoder_arguments(data))

    def made(self, name: str, *arguments: object) -> str:
        return str(deploy(self.anvil.web3, contract(name), self.owner, *arguments).address)

    def features(self, text: bytes) -> tuple[int, ...] | str:
        """Or the name of the refusal."""
        data = keccak(text="encode((address,string,address[],string[],string))")[:4]
        answered = self._asked(self.encoder, data + encode([CONTEXT], [self._context(text)]))
        if isinstance(answered, str):
            return answered
        features, _ = decode(["bytes", "bytes"], answered)
        return tuple(
            int.from_bytes(features[i : i + 2], "big", signed=True)
            for i in range(0, len(features), 2)
        )

    def answer(self, scores: tuple[int, ...]) -> str:
        """Or the name of the refusal."""
        data = keccak(text="decode((address,string,address[],string[],string),bytes,bytes)")[:4]
        output = b"".join(score.to_bytes(8, "big", signed=True) for score in scores)
        given = encode([CONTEXT, "bytes", "bytes"], [self._context(b"play"), b"", output])
        answered = self._asked(self.decoder, data + given)
        if isinstance(answered, str):
            return answered
        made = "(bool,string,address,((uint8,bytes)[],bytes),string)"
        ((final, text, tool, _, reasoning),) = decode([made], answered)
        assert (final, int(tool, 16), reasoning) == (True, 0, "")
        return str(text)

    def _context(self, text: bytes) -> tuple[object, ...]:
        return (self.owner.address, b"", [], [], text)

    def _asked(self, place: str, data: bytes) -> bytes | str:
        call = {"to": place, "data": "0x" + data.hex()}
        answered = self.anvil.web3.provider.make_request("eth_call", [call, "latest"])
        if "error" not in answered:
            return bytes.fromhex(answered["result"][2:])
        errors = [*contract("LabelEncoder").abi, *contract("LabelDecoder").abi]
        return parse_revert(bytes.fromhex(answered["error"]["data"][2:]), errors).name


@pytest.fixture(scope="module")
def contracts(anvil: Anvil, model: LabelModel) -> Iterator[Contracts]:
    snapshot = anvil.snapshot()
    yield Contracts(anvil, model)
    anvil.revert(snapshot)


def laid(anvil: Anvil, code: bytes) -> str:
    data = Contract("Data", "", (), creation_code(code), code, ())
    return str(deploy(anvil.web3, data, anvil.accounts[0]).address)


def agreed(contracts: Contracts, model: LabelModel, texts: Iterator[bytes]) -> list[object]:
    """What each text came to, on chain as in Python."""
    found: list[object] = []
    for text in texts:
        try:
            expected: tuple[int, ...] | str = model.encode(Context(text))
        except RefusedText as exc:
            expected = type(exc).__name__
        assert contracts.features(text) == expected, text
        found.append(expected)
    return found


def made_up(rng: random.Random) -> bytes:
    plain = [piece for piece in PIECES if piece.isascii() and piece.isprintable()]
    pieces = [
        rng.choice(plain if rng.random() < 0.98 else PIECES) for _ in range(rng.randint(1, 40))
    ]
    return rng.choice((" ", " ", " ", "")).join(pieces).encode()


def test_texts_made_of_whatever_the_tokenizer_tells_apart(
    contracts: Contracts, model: LabelModel
) -> None:
    rng = random.Random(7)
    alone = (piece.encode() for piece in PIECES)
    found = agreed(contracts, model, alone)
    found += agreed(contracts, model, (made_up(rng) for _ in range(300)))
    assert sum(isinstance(each, tuple) for each in found) > 100
    refusals = {"EmptyPrompt", "PromptNotAscii", "AddressChecksum", "PromptTooLong"}
    assert refusals <= {each for each in found if isinstance(each, str)}


def test_any_bytes(contracts: Contracts, model: LabelModel) -> None:
    rng = random.Random(8)
    printable = (
        bytes(rng.randint(0x20, 0x7E) for _ in range(rng.randint(1, 90))) for _ in range(90)
    )
    found = agreed(contracts, model, printable)
    found += agreed(contracts, model, (rng.randbytes(rng.randint(0, 60)) for _ in range(30)))
    assert sum(isinstance(each, tuple) for each in found) > 60


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        (b"x" * 512, None),
        (b"x" * 513, "PromptTooLong"),
        (b"stop " * 64, None),
        (b"stop " * 65, "TooManyTokens"),
        (b"wordy " * 64, None),  # 256 rows: as much as a lane holds
        (b"", "EmptyPrompt"),
        (b" - ' ", "EmptyPrompt"),
        ("caf\u00e9".encode(), "PromptNotAscii"),
        (b"two\nlines", "PromptNotAscii"),
        (CHECKSUMMED[:-1].encode() + b"D", "AddressChecksum"),
    ],
)
def test_the_edges(
    contracts: Contracts, model: LabelModel, text: bytes, refusal: str | None
) -> None:
    (found,) = agreed(contracts, model, iter([text]))
    assert (found == refusal) if refusal else isinstance(found, tuple)


def test_scores_come_to_the_same_answer(contracts: Contracts, model: LabelModel) -> None:
    rng, most = random.Random(9), (1 << 63) - 1
    edges = [(0, 0, 0), (5, 5, 1), (1, 5, 5), (-3, -2, -1), (most, -most - 1, 0)]
    edges += [(-most - 1,) * 3, (most, most, most)]
    drawn = (tuple(rng.randint(-(10**6), 10**6) for _ in LABELS) for _ in range(100))
    for scores in (*edges, *islice(drawn, 100)):
        assert contracts.answer(scores) == model.decode(Context(b"play"), scores).answer, scores
    assert contracts.answer((5, 5, 1)) == "music, ahead by 0"
    assert contracts.answer((-3, -2, -1)) == "weather, ahead by 1"
    assert contracts.answer((most, -most - 1, -most - 1)) == f"music, ahead by {2**64 - 1}"
    assert contracts.answer((1, 2)) == contracts.answer((1, 2, 3, 4)) == "OutputLength"


def test_the_code_is_what_deployments_sign_for(contracts: Contracts, anvil: Anvil) -> None:
    *chunks, data = contracts.parts
    code = contracts.code
    for place, name, values in (
        (contracts.encoder, "LabelEncoder", code.encoder_immutables(chunks, data)),
        (contracts.decoder, "LabelDecoder", code.decoder_immutables(data)),
    ):
        assert bytes(anvil.web3.eth.get_code(place)) == contract(name).runtime(values)


def test_other_tables_and_data_are_refused(contracts: Contracts, anvil: Anvil) -> None:
    *chunks, data = contracts.parts
    nobody, rows = anvil.accounts[0].address, contracts.code.rows
    words = contracts.code.data[: 1 + (1 << 14)]
    one_label = laid(anvil, words + b"\x00\x01\x00\x01a")
    cut, longer = laid(anvil, contracts.code.data[:-1]), laid(anvil, contracts.code.data + b"\0")
    bare = laid(anvil, words)
    for given, error in (
        ((chunks[:-1], rows, data), "ChunkCountMismatch"),
        ((chunks, rows * 2, data), "ChunkCountMismatch"),
        ((chunks, rows - 1, data), "RowsNotPowerOfTwo"),
        (([*chunks[:-2], chunks[-1], chunks[-1]], rows, data), "DataTooShort"),
        ((chunks, rows, nobody), "DataTooShort"),
        ((chunks, rows, bare), "DataTooShort"),
        ((chunks, rows, one_label), "MalformedLabels"),
        ((chunks, rows, cut), "MalformedLabels"),
        ((chunks, rows, longer), "MalformedLabels"),
    ):
        with pytest.raises(RevertError, match=error):
            contracts.made("LabelEncoder", *given)
        if error == "MalformedLabels":
            with pytest.raises(RevertError, match=error):
                contracts.made("LabelDecoder", given[-1])


def test_a_folder_keeps_its_name_on_chain_wherever_it_lies(
    model: LabelModel, tmp_path: Path
) -> None:
    same = LabelModel.of(random_classifier(tmp_path / "elsewhere", seed=3))
    other = LabelModel.of(random_classifier(tmp_path / "other", seed=4))
    assert same.name == model.name != other.name
    assert model.name == f"classifier-{model.classifier.digest[:16]}"
