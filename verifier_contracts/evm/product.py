"""The inner loop of an EVM model: statements for one row of inputs times packed weights."""

from collections.abc import Iterator, Sequence

from zkagent.circuits.program.program import Activation
from zkagent.verifier_contracts.evm.words import Lanes

TERMS_PER_STATEMENT = 24
ACTIVATED = {Activation.SQUARE: "mul(t, t)", Activation.RELU: "mul(t, sgt(t, 0))"}


def product(
    lanes: Lanes,
    words: Sequence[Sequence[str | None]],
    sources: Sequence[str],
    targets: Sequence[str],
    activation: Activation,
) -> Iterator[str]:
    """Store sums of products for some words of outputs.

    words: expressions for the biases' words, then for each input's; None where all weights are
    zero. sources: addresses of the inputs. targets: addresses of the outputs, lane by lane; the
    last word may have fewer lanes.
    """
    for column, bias in enumerate(words[0]):
        weights = [row[column] for row in words[1:]]
        terms = [f"mul(mload({s}), {w})" for s, w in zip(sources, weights, strict=True) if w]
        first = column * lanes.per_word
        yield from ("{", f"let s := {bias}", *sums("s", terms))
        yield from _unpacked("s", lanes, targets[first : first + lanes.per_word], activation)
        yield "}"


def for_rows(
    lines: Sequence[str], shape: tuple[int, ...], outputs: int, source: int, target: int
) -> Iterator[str]:
    """Repeat `lines` for each row: of `shape` rows and inputs from `source` on, at address p, whose
    outputs go to q, from `target` on."""
    rows, fan_in = shape
    yield from ("{", f"let p := {source:#x}", f"let q := {target:#x}")
    yield (
        f"for {{ let last := add(p, {32 * fan_in * rows:#x}) }} lt(p, last) "
        f"{{ p := add(p, {32 * fan_in:#x}) q := add(q, {32 * outputs:#x}) }} {{"
    )
    yield from lines
    yield from ("}", "}")


def loop(
    lines: Sequence[str], times: int, pointers: Sequence[tuple[str, int, int]]
) -> Iterator[str]:
    """Repeat `lines`. pointers: names of what moves on each time, from where, and how far."""
    begun = " ".join(f"let {name} := {first:#x}" for name, first, _ in pointers)
    moved = " ".join(f"{name} := add({name}, {far:#x})" for name, _, far in pointers)
    name, first, far = pointers[0]
    yield f"for {{ {begun} }} lt({name}, {first + far * times:#x}) {{ {moved} }} {{"
    yield from lines
    yield "}"


def addresses(first: int, count: int) -> list[str]:
    """Of words one behind the other in memory."""
    return [f"{at:#x}" for at in range(first, first + 32 * count, 32)]


def relative(name: str, count: int) -> list[str]:
    """Addresses of words from a variable on."""
    return [f"add({name}, {32 * i:#x})" if i else name for i in range(count)]


def sums(name: str, terms: Sequence[str]) -> Iterator[str]:
    """`name` plus all terms, in statements that do not nest too deeply for the compiler."""
    for at in range(0, len(terms), TERMS_PER_STATEMENT):
        total = name
        for term in terms[at : at + TERMS_PER_STATEMENT]:
            total = f"add({term}, {total})"
        yield f"{name} := {total}"


def _unpacked(
    word: str, lanes: Lanes, targets: Sequence[str], activation: Activation
) -> Iterator[str]:
    """Store each lane of a sum, less its bias of half a lane. Nothing lies above the last lane."""
    for i, target in enumerate(targets):
        lane = word if i == 0 else f"shr({i * lanes.width}, {word})"
        if i + 1 < len(targets):
            lane = f"and({lane}, {lanes.mask:#x})"
        value = f"sub({lane}, {lanes.half:#x})"
        if activation is Activation.NONE:
            yield f"mstore({target}, {value})"
        else:
            yield f"{{ let t := {value} mstore({target}, {ACTIVATED[activation]}) }}"


__all__ = ["addresses", "for_rows", "loop", "product", "relative", "sums"]
