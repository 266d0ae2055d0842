"""For each family of constraints: a witness that breaks nothing else is refused, and would be
satisfying without the family. So each is needed, and does what it is for."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest

from tests.support.constraints import free_wires, read_r1cs
from tests.support.forgeries import broken_families, forged, made_by
from tests.support.integer_networks import NETWORKS, infer, mlp, relu
from tests.support.operator_networks import (
    OPERATORS,
    TABLES,
    Table,
    largest,
    looked_up,
    low_rank_table,
    table,
)
from tests.support.small_networks import network, node
from zkagent.circuits.bn254.field import R
from zkagent.circuits.errors import InputRefused
from zkagent.circuits.groth16.constraints.compiler import Compiled, compile_program
from zkagent.circuits.groth16.constraints.gadgets import signs
from zkagent.circuits.groth16.constraints.public_words import fold
from zkagent.circuits.groth16.constraints.r1cs import r1cs_file
from zkagent.circuits.groth16.constraints.sums import ONE, wire
from zkagent.circuits.groth16.constraints.wires import UNIT, Constraint, Constraints, Family
from zkagent.circuits.groth16.constraints.witness import (
    Digits,
    Folded,
    Looked,
    Selected,
    Within,
    compute,
)
from zkagent.circuits.program.reader import read_program

X = [5, -3, 100, 0, -32768, 32767, 1, -1, 7]
Forgery = Callable[[Compiled], Mapping[int, int]]


def compiled_mlp() -> Compiled:
    return compile_program(read_program(mlp()), checked_outputs=True)


def first_bits(compiled: Compiled) -> range:
    """Of the first feature, the lowest one first."""
    return range(compiled.public + 1, compiled.public + 17)


def a_bit_of_two(compiled: Compiled) -> Mapping[int, int]:
    return {first_bits(compiled)[3]: 2}


def a_negative_bit(compiled: Compiled) -> Mapping[int, int]:
    return {first_bits(compiled)[0]: -1}


def a_feature_of_17_bits(compiled: Compiled) -> Mapping[int, int]:
    """2^15, which no int16 is: the highest bit counts twice."""
    return dict.fromkeys(first_bits(compiled), 0) | {first_bits(compiled)[15]: 2}


def another_sum(compiled: Compiled) -> Mapping[int, int]:
    return {made_by(compiled, Family.SUM)[-1]: 12345}


def another_product(compiled: Compiled) -> Mapping[int, int]:
    return {made_by(compiled, Family.PRODUCT)[0]: 1}


def another_output(compiled: Compiled) -> Mapping[int, int]:
    """All bits of the last output, as if it were the largest number."""
    last = next(row for row in reversed(compiled.constraints) if row.family is Family.RANGE)
    return {wire: 1 for wire in last.a if wire}


def another_word(number: int, value: int) -> Forgery:
    return lambda compiled: {number: value}


FORGERIES: list[tuple[Forgery, Family]] = [
    (a_bit_of_two, Family.BIT),
    (a_negative_bit, Family.BIT),
    (a_feature_of_17_bits, Family.BIT),
    (another_sum, Family.SUM),
    (another_product, Family.PRODUCT),
    (another_output, Family.RANGE),
    (another_word(1, 0), Family.PACKING),
    (another_word(1, R - 1), Family.PACKING),
    (another_word(2, 1 << 192), Family.PACKING),
    (another_word(2, 0), Family.PACKING),
]


@pytest.mark.parametrize(("forgery", "family"), FORGERIES)
def test_a_false_witness_is_refused_by_one_family_alone(forgery: Forgery, family: Family) -> None:
    compiled = compiled_mlp()
    assert broken_families(compiled, compiled.witness(X)) == set()
    assert broken_families(compiled, forged(compiled, X, forgery(compiled))) == {family}


@pytest.mark.parametrize(("forgery", "family"), FORGERIES)
def test_without_the_family_it_would_be_taken(forgery: Forgery, family: Family) -> None:
    compiled = compiled_mlp()
    left = tuple(row for row in compiled.constraints if row.family is not family)
    assert len(left) < len(compiled.constraints)
    weaker = replace(compiled, constraints=left)
    assert broken_families(weaker, forged(compiled, X, forgery(compiled))) == set()


def test_forgeries_lead_to_other_words() -> None:
    """Without the family, the prover would have chosen features or outputs."""
    compiled = compiled_mlp()
    honest = compiled.words(X, infer(mlp(), X))
    for forgery, _ in FORGERIES:
        witness = forged(compiled, X, forgery(compiled))
        words = [witness[number] for number in range(1, 1 + compiled.public)]
        assert words != honest


def test_without_bits_of_outputs_their_words_are_fixed_as_well() -> None:
    """By x alone: no other word satisfies anything."""
    compiled = compile_program(read_program(mlp()), checked_outputs=False)
    honest = compiled.witness(X)
    assert [honest[1], honest[2]] == compiled.words(X, infer(mlp(), X))
    assert broken_families(compiled, honest) == set()
    for word in (0, 1, 1 << 192, R - 1, (honest[2] + (1 << 64)) % R):
        assert broken_families(compiled, forged(compiled, X, {2: word})) == {Family.PACKING}


def folding() -> Compiled:
    """Of ten outputs: four words, with two values on the way to the fold."""
    return compile_program(read_program(mlp(outputs=10)))


def another_point(compiled: Compiled) -> Mapping[int, int]:
    return {compiled.public - 1: 1}


def another_fold(compiled: Compiled) -> Mapping[int, int]:
    return {compiled.public: 0}


def another_value_on_the_way(compiled: Compiled) -> Mapping[int, int]:
    (recipe,) = (each for each in compiled.recipes if isinstance(each, Folded))
    return {recipe.inner[0]: 1}


@pytest.mark.parametrize("forgery", [another_point, another_fold, another_value_on_the_way])
def test_the_fold_is_of_the_outputs_at_the_point(forgery: Forgery) -> None:
    compiled = folding()
    witness = forged(compiled, X, forgery(compiled))
    assert broken_families(compiled, compiled.witness(X)) == set()
    assert broken_families(compiled, witness) == {Family.FOLD}
    left = tuple(row for row in compiled.constraints if row.family is not Family.FOLD)
    assert broken_families(replace(compiled, constraints=left), witness) == set()


@pytest.mark.parametrize("place", range(10))
@pytest.mark.parametrize("change", [1, -1, 1 << 40])
def test_no_witness_has_the_words_of_other_outputs(place: int, change: int) -> None:
    """x is what it is, and the point follows from what is claimed: what the constraints make of
    both is another fold."""
    compiled, y = folding(), infer(mlp(outputs=10), X)
    y[place] += change
    claimed = dict(enumerate(compiled.words(X, y), 1))
    assert broken_families(compiled, forged(compiled, X, claimed)) == {Family.FOLD}
    at = claimed[compiled.public - 1]
    true = compiled.outputs.pack(infer(mlp(outputs=10), X))
    assert fold(true, at) != claimed[compiled.public]


def choosing() -> Compiled:
    return compile_program(read_program(largest()))


def selectors(compiled: Compiled) -> list[int]:
    """Of the first row's five numbers."""
    first = next(row for row in compiled.constraints if row.family is Family.CHOICE)
    return list(first.a)


def none_selected(compiled: Compiled) -> Mapping[int, int]:
    """Where all are negative, 0 is larger than any."""
    return dict.fromkeys(selectors(compiled), 0)


def another_selected(compiled: Compiled) -> Mapping[int, int]:
    return dict(zip(selectors(compiled), [0, 1, 0, 0, 0], strict=True))


def the_last_of_equals(compiled: Compiled) -> Mapping[int, int]:
    return dict(zip(selectors(compiled), [0, 0, 0, 0, 1], strict=True))


def half_of_two_selected(compiled: Compiled) -> Mapping[int, int]:
    """2 times the first less the last, which equals it."""
    return dict(zip(selectors(compiled), [2, 0, 0, 0, -1], strict=True))


CHOICES: list[tuple[Forgery, list[int], Family]] = [
    (none_selected, [-5, -7, -9, -5, -5], Family.CHOICE),
    (another_selected, [9, 8, 7, 9, 9], Family.RANGE),
    (the_last_of_equals, [9, 8, 7, 9, 9], Family.RANGE),
    (half_of_two_selected, [9, 8, 7, 9, 9], Family.BIT),
]


@pytest.mark.parametrize(("forgery", "row", "family"), CHOICES)
def test_only_the_first_of_the_largest_is_chosen(
    forgery: Forgery, row: list[int], family: Family
) -> None:
    compiled, x = choosing(), [*row, *range(10)]
    witness = forged(compiled, x, forgery(compiled))
    assert broken_families(compiled, compiled.witness(x)) == set()
    assert family in broken_families(compiled, witness) <= {family, Family.BIT, Family.RANGE}
    if family is Family.CHOICE:
        left = tuple(each for each in compiled.constraints if each.family is not family)
        assert broken_families(replace(compiled, constraints=left), witness) == set()


def by_bits() -> Compiled:
    """Of numbers that are small, but for the last row, so that no forgery leaves the bounds."""
    values = table(16, 12) // 50
    values[15] = 5000
    return compile_program(read_program(looked_up(values)))


def by_factors() -> Compiled:
    return compile_program(read_program(looked_up(low_rank_table(1 << 8, 5, 2, 4))))


@pytest.mark.parametrize("network", [by_bits, by_factors])
def test_each_product_of_a_look_up_is_tied(network: Callable[[], Compiled]) -> None:
    compiled, x = network(), [7, 0, 15]
    rows = [row for row in compiled.constraints if row.family is Family.LOOK_UP]
    left = tuple(row for row in compiled.constraints if row.family is not Family.LOOK_UP)
    for row in rows:
        made = max(row.c)
        witness = forged(compiled, x, {made: 2})
        assert broken_families(compiled, witness) == {Family.LOOK_UP}
        assert broken_families(replace(compiled, constraints=left), witness) == set()


@pytest.mark.parametrize("place", [-1, 11, 15, 16, 32767, -32768])
def test_a_place_outside_of_the_table_satisfies_nothing(place: int) -> None:
    compiled = compile_program(read_program(looked_up(table(11, 12))))
    with pytest.raises(InputRefused, match="leads a look-up to places"):
        compiled.witness([0, place, 10])
    unchecked = tuple(recipe for recipe in compiled.recipes if not isinstance(recipe, Within))
    witness = forged(replace(compiled, recipes=unchecked), [0, place, 10], {})
    assert broken_families(compiled, witness) == {Family.RANGE}


def shifted_places(values: Table) -> bytes:
    """Rows of a table at the inputs plus 3: places that are not made of an input's own bits."""
    nodes = [
        node("Add", ["x", "three"], "s"),
        node("Gather", ["t", "s"], "g"),
        node("ReduceSum", ["g", "first"], "y", keepdims=0),
    ]
    constants = {"t": values, "first": [1], "three": [3]}
    return network(nodes, constants, inputs=1, outputs=values.shape[1])


OUTSIDE = (-32768, -8192, -256, -2, -1, 256, 257, 300, 512, 1000, 4096, 8192, 16384, 32767)
LENGTHS = [2, 3, 4, 5, 11, 13, 16, 21, 22]  # what the last row's bits are like


@pytest.mark.parametrize("made", [looked_up, shifted_places])
@pytest.mark.parametrize(
    "values", [*(table(rows) for rows in LENGTHS), low_rank_table(200, 4, 1, 4),
               low_rank_table(208, 4, 1, 4), low_rank_table(1 << 8, 4, 1, 4)],
    ids=len,
)  # fmt: skip
def test_places_within_the_table_satisfy_and_no_others(
    values: Table, made: Callable[[Table], bytes]
) -> None:
    """Every place around the table, at its bounds above all, under a prover that checks nothing."""
    content, offset = (looked_up(values, 1), 0) if made is looked_up else (made(values), 3)
    compiled, rows = compile_program(read_program(content)), len(values)
    beyond = np.zeros((1 << 17, values.shape[1]), dtype=np.int64)  # negative places are its end
    beyond[:rows] = values
    recipes = tuple(
        replace(recipe, table=beyond) if isinstance(recipe, Looked) else recipe
        for recipe in compiled.recipes
        if not isinstance(recipe, Within)
    )
    compiled = replace(compiled, recipes=recipes)
    free = replace(
        compiled,
        constraints=tuple(row for row in compiled.constraints if row.family is not Family.RANGE),
    )
    every = (*range(min(260, 4 * rows)), *OUTSIDE)
    for place in (each for each in every if -32768 <= each - offset < 32768):
        witness = forged(compiled, [place - offset], {})
        found = broken_families(compiled, witness)
        if 0 <= place < rows:
            assert found == set(), place
        else:
            assert Family.RANGE in found <= {Family.RANGE, Family.LOOK_UP}, place
            if not found - {Family.RANGE}:
                assert broken_families(free, witness) == set()


def test_a_place_has_the_bits_of_the_feature_that_it_is() -> None:
    """None of its own: the feature's higher bits are tied instead, in one constraint a place."""
    own, made = (compile_program(read_program(content)) for content in (
        looked_up(table(16), 1), shifted_places(table(16))
    ))  # fmt: skip
    bits, ranges = (
        [sum(row.family is family for row in each.constraints) for each in (own, made)]
        for family in (Family.BIT, Family.RANGE)
    )
    assert bits == [16, 20]
    assert ranges == [1, 1]


def given(name: str) -> tuple[Compiled, list[int]]:
    """A network of this name, and an x for it."""
    if name in TABLES:
        rows = len(TABLES[name]())
        return compile_program(read_program(looked_up(TABLES[name]()))), [rows - 1, 0, rows // 2]
    compiled = compile_program(read_program((NETWORKS | OPERATORS)[name](), 8))
    return compiled, [(7 * i) % 200 - 100 for i in range(compiled.inputs)]


@pytest.mark.parametrize("name", [*NETWORKS, *OPERATORS, *TABLES])
def test_every_wire_is_determined(name: str) -> None:
    """No wire can change, even a little, while all constraints hold: bits and words not even where
    all else is as it was. A point at which outputs are folded is given, and no other is free."""
    compiled, x = given(name)
    witness = compiled.witness(x).elements()
    point = {
        number: 1
        for each in compiled.recipes
        if isinstance(each, Folded)
        for number in each.wires[:1]
    }
    held = [Constraint(Family.FOLD, point, UNIT, {ONE: witness[number]}) for number in point]

    def free(rows: Sequence[Constraint]) -> set[int]:
        content = r1cs_file([*rows, *held], compiled.wires, compiled.public)
        return free_wires(read_r1cs(content), witness)

    assert free(compiled.constraints) == set()
    for family in (Family.BIT, Family.PACKING, *([Family.FOLD] if point else [])):
        assert free([row for row in compiled.constraints if row.family is not family])


@pytest.mark.parametrize("bit", range(20))
def test_a_sign_cannot_be_chosen(bit: int) -> None:
    """Of a ReLU's argument, any other bits, as long as each is one."""
    compiled = compile_program(read_program(relu()))
    x = [9, -9, 300, -300, 1, 0, -32768, 32767]
    first = next(row for row in compiled.constraints if row.family is Family.RANGE)
    wires = [wire for wire in first.a if wire]
    chosen = wires[-1 - bit % len(wires)]
    flipped = {chosen: 1 - compiled.witness(x)[chosen]}
    assert broken_families(compiled, forged(compiled, x, flipped)) == {Family.RANGE}


def selected_otherwise(compiled: Compiled) -> Mapping[int, int]:
    """Neither of the two."""
    (first, *_) = (each for each in compiled.recipes if isinstance(each, Selected))
    return {first.wires[0]: 1000}


def compared_otherwise(compiled: Compiled) -> Mapping[int, int]:
    """The last comparison's sign turned."""
    last = [each for each in compiled.recipes if isinstance(each, Digits)][-1]
    value = compiled.witness([0] * compiled.inputs)[last.wires[-1]]
    return {last.wires[-1]: 1 - value}


@pytest.mark.parametrize(
    ("forgery", "family"),
    [(selected_otherwise, Family.SELECTION), (compared_otherwise, Family.RANGE)],
)
def test_a_bit_says_what_its_number_says_and_nothing_else_is_selected(
    forgery: Forgery, family: Family
) -> None:
    compiled, x = compile_program(read_program(OPERATORS["bits"](), 8)), [0] * 5
    assert broken_families(compiled, compiled.witness(x)) == set()
    assert broken_families(compiled, forged(compiled, x, forgery(compiled))) == {family}


@pytest.mark.parametrize(
    ("least", "most", "width"),
    [
        (-1, 1, 2),
        (0, 1, 1),
        (-1, 2, 2),
        (-4, 4, 4),
        (-3, 4, 3),
        (-3, 5, 4),
        (-5, 4, 4),
        (0, 9, 5),
        (-15, 16, 5),
    ],
)
def test_a_sign_takes_as_many_bits_as_its_ends_need(least: int, most: int, width: int) -> None:
    """At each number between them: 1 above 0, and no other witness."""
    for number in range(least, most + 1):
        system = Constraints(public=0)
        (given,) = system.own([{ONE: number, **wire(system.new(1)[0])}])
        (sign,) = signs(system, [given], [(least, most)])
        digits = next(each for each in system.recipes if isinstance(each, Digits))
        assert len(digits.wires) == width
        found = compute(system.recipes, system.wires, np.zeros(0, dtype=np.int64), lambda _: 0)
        assert found.total(sign) == int(number > 0)


def test_a_number_that_is_never_or_always_above_0_takes_no_constraint() -> None:
    system = Constraints(public=0)
    assert signs(system, [wire(1), wire(1)], [(-7, 0), (1, 7)]) == [{}, {ONE: 1}]
    assert not system.rows
