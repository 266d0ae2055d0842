"""The gated network's training: deterministic, and its integers compute what it trained."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch import Tensor  # noqa: E402

from tests.models.networks.test_gated import features  # noqa: E402
from tests.models.training.told import NAMES, example  # noqa: E402
from tests.support.integer_networks import infer  # noqa: E402
from zkagent.models.instructions.calls import slot_of  # noqa: E402
from zkagent.models.instructions.codes import FILLERS, FILLING  # noqa: E402
from zkagent.models.instructions.packing import TOKENS, Verdict, said  # noqa: E402
from zkagent.models.instructions.reader import Kind, read  # noqa: E402
from zkagent.models.networks.gated import export_gated  # noqa: E402
from zkagent.models.training import recurrence  # noqa: E402
from zkagent.models.training.composed import Composing  # noqa: E402
from zkagent.models.training.examples import Example, Words  # noqa: E402
from zkagent.models.training.gated import GatedReader, GatedSizes, Texts, bit  # noqa: E402
from zkagent.models.training.gated_training import (  # noqa: E402
    Recipe,
    Trained,
    codebook_of,
    train_gated,
)
from zkagent.models.training.products import ProductSizes  # noqa: E402

SIZES = GatedSizes(units=6, seen=4, hidden=8, gate_sum=63)
PRODUCTS = replace(SIZES, products=ProductSizes(near=5, far=4))
ACT, DECLINE = Verdict.ACT, Verdict.DECLINE
VERBS = [(verb, n) for verb in ("send", "pay") for n in range(1, 9)]

EXAMPLES = [
    *(example(f"{verb} {n} dai to bob", ACT, "taa") for verb, n in VERBS),
    *(example(f"never {verb} {n} dai to bob", DECLINE) for verb, n in VERBS),
    *(example(f"sending and paying {n} dai is not nice, sender", DECLINE) for n in range(1, 9)),
]


def trained(seed: int, sizes: GatedSizes = SIZES, **recipe: Any) -> Trained:
    given = {"epochs": 2, "batch": 16, "hidden": 0.1} | recipe
    return train_gated(EXAMPLES, sizes, Recipe(**given), seed, lambda _: None)


@pytest.mark.parametrize("near", [0, 5])
def test_training_twice_from_a_seed_gives_the_same_bytes(near: int) -> None:
    sizes = PRODUCTS if near else SIZES
    one, same, other = (trained(seed, sizes) for seed in (1, 1, 2))
    assert export_gated(one.weights) == export_gated(same.weights) != export_gated(other.weights)
    assert one.codebook == same.codebook != other.codebook
    assert one.score_unit == same.score_unit > 0


def test_it_learns_what_a_few_words_say() -> None:
    found = trained(3, epochs=80, composing=Composing(joined=0.0), learning_rate=0.02)
    content = export_gated(found.weights)
    right = sum(
        (infer(content, written(found, each))[0] > 0) == (each.verdict == ACT) for each in EXAMPLES
    )
    assert right > 0.9 * len(EXAMPLES)


def written(found: Trained, each: Example) -> list[int]:
    codes = found.codebook.codes(each.text, each.tokens)
    return features([[int(b) for b in f"{code:048b}"] for code in codes])


@pytest.mark.parametrize("sizes", [SIZES, PRODUCTS])
@pytest.mark.parametrize("rounded_from", [0.0, 0.5])
def test_integers_score_and_tag_as_the_rounded_network_does(
    rounded_from: float, sizes: GatedSizes
) -> None:
    """Products among them, with the means and sizes of some texts taken out, and texts of which
    some are shorter than what is read beside them."""
    words = Words.of(EXAMPLES, starts=2, ends=2)
    model = GatedReader(sizes, words.sizes, torch.Generator().manual_seed(4))
    if model.products:
        measure(model, words)
        assert (model.products.mean != 0).all()
    model.rounded = True
    model.eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(1 + rounded_from)
    content, unit = export_gated(model.integers()), model.score_unit()
    rng = np.random.default_rng(9)
    for length in (1, 2, 7, 15, 16, TOKENS):
        numbers = rng.integers(0, words.sizes.words, (1, length))
        filling = torch.from_numpy(rng.integers(0, 2, (1, length)).astype(np.float32))
        texts = Texts(
            torch.from_numpy(numbers), torch.zeros(1, length, dtype=torch.int64),
            torch.zeros(1, length, dtype=torch.int64), torch.ones(1, length), filling,
        )  # fmt: skip
        with torch.no_grad():
            scores, tags = model(texts)
            codes = model.codes(texts)[0].to(torch.int64).tolist()
        y = infer(content, features(codes))
        others, margin = scores[0, :ACT], scores[0, ACT] - scores[0, :ACT].max()
        first, second = tags[0].topk(2).values.unbind(1)
        margins = [margin, *(first - second)[filling[0] > 0]]
        sure = min(each.item() for each in margins)
        found = said(y, length)
        assert found.margin / unit == pytest.approx(sure, abs=2e-2)
        assert found.other == others.argmax().item()
        assert list(found.tags) == tags[0].argmax(1).tolist()


def measure(model: GatedReader, words: Words) -> None:
    """Lets products see some texts."""
    numbers = np.random.default_rng(3).integers(1, words.sizes.words, (40, 9))
    none = torch.zeros(40, 9, dtype=torch.int64)
    with torch.no_grad():
        model(Texts(torch.from_numpy(numbers), none, none, torch.ones(40, 9), torch.ones(40, 9)))


def test_a_text_is_read_alike_beside_longer_ones() -> None:
    """Batches are as long as their longest text, and two places more where there is room; a text
    scores as it does alone."""
    words = Words.of(EXAMPLES, starts=2, ends=2)
    model = GatedReader(PRODUCTS, words.sizes, torch.Generator().manual_seed(6))
    measure(model, words)
    model.eval()
    rng = np.random.default_rng(10)
    for rounded in (False, True):
        model.rounded = rounded
        for length in (1, 5, TOKENS - 2, TOKENS - 1, TOKENS):
            numbers = torch.from_numpy(rng.integers(1, words.sizes.words, (1, length)))
            alone, beside = (
                texts_of(torch.nn.functional.pad(numbers, (0, more)), length)
                for more in (0, min(4, TOKENS - length))
            )
            with torch.no_grad():
                (scores, tags), (same, longer) = model(alone), model(beside)
            assert torch.allclose(scores, same, atol=1e-4)
            assert torch.allclose(tags[0], longer[0, :length], atol=1e-4)


def texts_of(numbers: Tensor, length: int) -> Texts:
    none, present = torch.zeros_like(numbers), torch.zeros(numbers.shape)
    present[:, :length] = 1
    return Texts(numbers, none, none, present, present)


def test_training_hides_products_and_takes_out_their_sizes() -> None:
    words = Words.of(EXAMPLES, starts=2, ends=2)
    model = GatedReader(PRODUCTS, words.sizes, torch.Generator().manual_seed(6))
    numbers = torch.from_numpy(np.random.default_rng(4).integers(1, words.sizes.words, (300, 9)))
    assert model.products
    with torch.no_grad():
        for _ in range(3):
            model(texts_of(numbers, 9))
        codes, present = model.codes(texts_of(numbers, 9)), torch.ones(numbers.shape)
        states, _ = model._run(model._weights(), codes, present)
        hidden = model.products(codes, states, present, rounded=False)[..., :-1]
        model.eval()
        found = model.products(codes, states, present, rounded=False)[:, :9, :-1]
    share = (hidden == 0).all(1).float().mean()
    assert abs(share - PRODUCTS.products.dropped) < 0.05  # type: ignore[union-attr]
    near = found[..., : PRODUCTS.products.near]  # type: ignore[union-attr]
    assert torch.allclose(near.mean((0, 1)), torch.zeros(5), atol=0.1)
    assert torch.allclose(near.std((0, 1)), torch.ones(5), atol=0.1)


def test_the_codebook_has_the_bits_that_the_network_is_trained_on() -> None:
    """Whole words with what their parts add, and the parts alone of words that are hidden."""
    words = Words.of(EXAMPLES, starts=2, ends=2)
    assert b"send" in words.starts
    assert b"ing" in words.ends
    model = GatedReader(SIZES, words.sizes, torch.Generator().manual_seed(5))
    book = codebook_of(model, words)
    starts, ends = words.starts, words.ends

    def bits(word: int, start: int, end: int, filling: bool = False) -> int:
        given = (torch.tensor([[number]]) for number in (word, start, end))
        with torch.no_grad():
            found = model.codes(
                Texts(*given, torch.ones(1, 1), torch.full((1, 1), float(filling)))
            )[0, 0]  # type: ignore[call-arg]
        return int("".join(str(int(value)) for value in found), 2)

    assert book.words[b"sending"] == bits(words.words[b"sending"], starts[b"send"], ends[b"ing"])
    assert book.words[b","] == bits(words.words[b","], 0, 0)
    assert book.starts[b"send"] == bits(0, starts[b"send"], ends[b"ing"])
    assert book.ends[b"ing"] == bits(0, 0, ends[b"ing"])
    assert book.unknown == bits(0, 0, 0)
    for kind, number in words.kinds.items():
        assert book.kinds[kind] == bits(number, 0, 0, filling=kind in FILLERS)
    assert book.kinds[Kind.CONTACT] & FILLING
    assert not book.kinds[Kind.DOUBT] & FILLING


def test_rounding_leaves_gradients_and_keeps_sums_within_what_is_said() -> None:
    words = Words.of(EXAMPLES)
    model = GatedReader(SIZES, words.sizes, torch.Generator().manual_seed(6))
    gates = model.integers().gates
    assert np.abs(gates).sum(axis=-1).max() <= SIZES.gate_sum + gates.shape[-1] // 2
    z = torch.tensor([-2.0, 0.0, 3.0], requires_grad=True)
    bit(z).sum().backward()
    assert bit(z).tolist() == [0, 0, 1]
    assert z.grad is not None
    assert (z.grad > 0).all()


def test_states_and_their_gradients_are_those_of_the_plain_loop() -> None:
    generator = torch.Generator().manual_seed(8)

    def normal(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=generator)

    texts, length, units = 5, 7, 3
    given, fed = normal(2, texts, length, 2 * units), normal(2, units, 2 * units)
    unit = normal(2, 1, 2 * units).abs() + 0.1
    ends = torch.randint(1, length + 1, (texts, 1), generator=generator)
    there = (torch.arange(length) < ends).float().expand(2, texts, length).unsqueeze(-1)
    weighed = normal(2, texts, length, units)
    found = []
    for states in (recurrence.states, plain_states):
        leaves = [given.clone().requires_grad_(), fed.clone().requires_grad_()]
        out = states(*leaves, unit, there)
        (out * weighed).sum().backward()
        found.append((out.detach(), *(leaf.grad for leaf in leaves)))
    quick, plain = found
    assert torch.equal(quick[0], plain[0])
    assert {*quick[0].unique().tolist()} == {-1.0, 1.0}
    for one, other in zip(quick[1:], plain[1:], strict=True):
        assert torch.allclose(one, other, atol=1e-5)
        assert other.abs().sum() > 0


def plain_states(given: Tensor, fed: Tensor, unit: Tensor, there: Tensor) -> Tensor:
    directions, texts, length, twice = given.shape
    state, found = -torch.ones(directions, texts, twice // 2), []
    for at in range(length):
        gate = bit((given[:, :, at] + torch.bmm(state, fed)) * unit)
        change, value = gate.chunk(2, -1)
        state = state + change * there[:, :, at] * (2 * value - 1 - state)
        found.append(state)
    return torch.stack(found, 2)


def test_a_token_is_looked_at_as_in_training_wherever_its_code_comes_from() -> None:
    """Words that fill a slot are known by their text, be they seen in training or not."""
    texts = [*EXAMPLES, example("send half my dai and all to me", ACT, "ta-a")]
    words = Words.of(texts, starts=2, ends=2)
    assert b"half" in words.words
    assert b"eighths" not in words.words
    book = codebook_of(GatedReader(SIZES, words.sizes, torch.Generator().manual_seed(7)), words)
    prompt = b"half, two eighths, eighths of dai, everything, 5 usdc to me or bob, myself, word"
    tokens = read(prompt, NAMES)
    flagged = [bool(code & FILLING) for code in book.codes(prompt, tokens)]
    assert flagged == [slot_of(token) is not None for token in tokens]
    assert sum(flagged) == 10
