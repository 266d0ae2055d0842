"""From a program to constraints: every step's numbers as sums of wires.

What is linear costs nothing: sums are folded into the sums that read them, unless a wire of their
own makes less to write. Numbers stay integers of less than 64 bits, as the program's bounds say, so
nothing ever wraps around the field's order, and a step whose comparison would need more is refused.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from zkagent.circuits.errors import ProgramRefused
from zkagent.circuits.groth16.constraints.choices import choose, place_of
from zkagent.circuits.groth16.constraints.gadgets import (
    MOST_BITS,
    larger,
    positive,
    select,
    signed_digits,
    signs,
)
from zkagent.circuits.groth16.constraints.lookups import look_up, one_of
from zkagent.circuits.groth16.constraints.packing import OUTPUTS, Form
from zkagent.circuits.groth16.constraints.public_words import MOST_PLAIN, output_words
from zkagent.circuits.groth16.constraints.solver import Solver
from zkagent.circuits.groth16.constraints.sums import (
    Sum,
    combined,
    constant,
    is_constant,
    minus,
    plus,
    times,
    wire,
)
from zkagent.circuits.groth16.constraints.wires import (
    WIRE_TERMS,
    Constraint,
    Constraints,
    Family,
    number_of,
    shifted,
)
from zkagent.circuits.groth16.constraints.witness import Features, Folded, Outputs, Words
from zkagent.circuits.program.program import (
    Activation,
    ArgMax,
    Elementwise,
    Layer,
    LookUp,
    Mask,
    Operand,
    Operator,
    Program,
    Select,
    Sign,
    Step,
)


@dataclass(frozen=True)
class Compiled(Solver):
    """A program's constraints, and how to satisfy them."""

    program: Program
    constraints: tuple[Constraint, ...]

    @property
    def rows(self) -> int:
        """Of a prover's polynomials: a constraint each, a public word each, and one."""
        return len(self.constraints) + self.public + 1

    @property
    def domain(self) -> int:
        """The power of two that holds all rows: half of a prover's work is by it."""
        return 1 << (self.rows - 1).bit_length()

    @property
    def solver(self) -> Solver:
        """What a prover needs of it, beside a key."""
        return Solver(**{each.name: getattr(self, each.name) for each in fields(Solver)})


def compile_program(
    program: Program,
    *,
    features: Form | None = None,
    outputs: Form = OUTPUTS,
    checked_outputs: bool = False,
) -> Compiled:
    """Raises ProgramRefused for numbers that do not fit their form or could not be compared.

    features: by default as wide as the program's inputs.
    checked_outputs: cut outputs into bits, too, so that one with no room in its word is refused by
    a constraint, and not by the program's bounds alone. x fixes the outputs, and the words are the
    same sums of them either way.
    """
    features = features or Form(program.input_bits)
    if program.input_bits > features.bits:
        raise ProgramRefused(f"inputs of {program.input_bits} bits do not fit {features.bits}")
    widest = max(program.bounds[i] for i in program.outputs)
    if widest.bit_length() >= outputs.bits:
        raise ProgramRefused(
            f"an output could need {widest.bit_length() + 1} bits with the sign, its form has "
            f"{outputs.bits}"
        )
    found = _Compiler(program, features, outputs).compile(checked_outputs=checked_outputs)
    for terms in (4 * WIRE_TERMS, 16 * WIRE_TERMS):
        sums = sum(row.family is Family.SUM for row in found.constraints)
        if found.rows - found.domain // 2 > sums:
            break  # no fewer wires would halve the domain
        fewer = _Compiler(program, features, outputs, terms).compile(
            checked_outputs=checked_outputs
        )
        if fewer.domain < found.domain:
            return fewer
    return found


class _Compiler:
    def __init__(
        self, program: Program, features: Form, outputs: Form, wire_terms: int = WIRE_TERMS
    ) -> None:
        self.program, self.features, self.outputs = program, features, outputs
        self.counts = features.words(program.inputs), output_words(outputs, program.outputs.size)
        self.system = Constraints(sum(self.counts), wire_terms)
        self.numbers: list[Sum] = [{} for _ in program.bounds]
        self.selectors: dict[int, list[Sum]] = {}  # of the results of arg-max
        self.feature_bits: dict[int, range] = {}

    def compile(self, *, checked_outputs: bool) -> Compiled:
        self.read_features()
        for step in self.program.steps:
            match step:
                case Layer():
                    self.layer(step)
                case LookUp():
                    self.look_up(step)
                case ArgMax():
                    self.arg_max(step)
                case Mask():
                    self.mask(step)
                case Sign():
                    self.sign(step)
                case Select():
                    self.select(step)
                case Elementwise():
                    self.elementwise(step)
        self.publish(checked_outputs=checked_outputs)
        return Compiled(
            inputs=self.program.inputs,
            input_bits=self.program.input_bits,
            output_count=self.program.outputs.size,
            features=self.features,
            outputs=self.outputs,
            wires=self.system.wires,
            recipes=tuple(self.system.recipes),
            program=self.program,
            constraints=tuple(self.system.rows),
        )

    def read_features(self) -> None:
        count, width = self.program.inputs, self.program.input_bits
        wires = self.system.new(count * width)
        self.system.recipes.append(Features(wires, width))
        self.system.bits(wires)
        for number in range(count):
            bits = self.feature_bits[number] = wires[number * width : (number + 1) * width]
            self.numbers[number] = shifted(number_of(bits), -(1 << (width - 1)))

    def publish(self, *, checked_outputs: bool) -> None:
        """Ties the public words to features and outputs."""
        inputs, outputs = range(self.program.inputs), self.program.outputs.tolist()
        words = range(1, 1 + self.counts[0])
        totals = self.features.sums([self.numbers[i] for i in inputs])
        self.system.recipes.append(Words(words, tuple(totals)))
        self.tie(words, totals)
        numbers = [self.numbers[i] for i in outputs]
        if checked_outputs:
            bounds = [self.program.bounds[i] for i in outputs]
            numbers = [number for _, number in signed_digits(self.system, numbers, bounds)]
        words, totals = range(words.stop, words.stop + self.counts[1]), self.outputs.sums(numbers)
        if len(totals) > MOST_PLAIN:
            self.fold(words, totals)
        else:
            self.system.recipes.append(Outputs(words, tuple(totals)))
            self.tie(words, totals)

    def tie(self, words: range, totals: list[Sum]) -> None:
        for number, total in zip(words, totals, strict=True):
            self.system.equal(Family.PACKING, total, wire(number))

    def fold(self, words: range, totals: list[Sum]) -> None:
        """Horner's rule: each value times the point, plus the next coefficient, is the next
        value."""
        at, last = words
        inner = self.system.new(len(totals) - 2)
        self.system.recipes.append(Folded(words, inner, tuple(totals)))
        value, *rest = totals
        for number, total in zip((*inner, last), rest, strict=True):
            self.system.require(Family.FOLD, value, wire(at), minus(wire(number), total))
            value = wire(number)

    def layer(self, layer: Layer) -> None:
        self.own_inputs(layer)
        totals = []
        for group, weights in enumerate(layer.weights):
            columns = weights.T.tolist()
            biases = layer.bias[group].tolist()
            for row in layer.inputs[group].tolist():
                given = [self.numbers[i] for i in row]
                totals += [_total(c, given, b) for c, b in zip(columns, biases, strict=True)]
        outputs = layer.outputs.ravel().tolist()
        if layer.activation is Activation.SQUARE:
            totals = self.multiply(totals, totals)
        elif layer.activation is Activation.RELU:
            totals = self.positive(layer, totals, [self.program.bounds[i] for i in outputs])
        self.set(outputs, totals)

    def own_inputs(self, layer: Layer) -> None:
        """Gives a layer's inputs wires of their own where that makes less to write than folding
        them into every sum."""
        chosen: dict[int, None] = {}
        for group, weights in enumerate(layer.weights):
            uses = np.count_nonzero(weights, axis=1).tolist()
            columns = weights.shape[1]
            for row in layer.inputs[group].tolist():
                read = {i for i, use in zip(row, uses, strict=True) if use}
                long = [i for i in read if len(self.numbers[i]) > 1]
                if not long:
                    continue
                folded = columns * len({wire for i in read for wire in self.numbers[i]})
                owned = sum(uses) + sum(len(self.numbers[i]) + self.system.wire_terms for i in long)
                if owned < folded:
                    chosen.update(dict.fromkeys(sorted(long)))
        self.set(list(chosen), self.system.own([self.numbers[i] for i in chosen]))

    def elementwise(self, step: Elementwise) -> None:
        left, right = self.operand(step.left), self.operand(step.right)
        pairs = list(zip(left, right, strict=True))
        outputs = step.outputs.tolist()
        if step.operator is Operator.MUL:
            self.set(outputs, self.multiply(left, right))
        elif step.operator is Operator.MAX:
            bounds = [
                a + b for a, b in zip(*map(self.bounds, (step.left, step.right)), strict=True)
            ]
            self.check_width(step, bounds)
            self.set(outputs, larger(self.system, left, right, bounds))
        else:
            apply = plus if step.operator is Operator.ADD else minus
            self.set(outputs, [apply(a, b) for a, b in pairs])

    def look_up(self, step: LookUp) -> None:
        """At the result of an arg-max, whose selectors make it free, or at any other place."""
        computed = []
        for place, outputs in zip(step.indices.tolist(), step.outputs.tolist(), strict=True):
            selectors = self.selectors.get(place)
            if selectors and len(selectors) <= len(step.table):
                self.set(outputs, one_of(selectors, step.table))
            else:
                computed.append((place, outputs))
        if computed:
            places = [self.numbers[place] for place, _ in computed]
            found = look_up(self.system, places, step.table)
            for (_, outputs), row in zip(computed, found, strict=True):
                self.set(outputs, row)

    def arg_max(self, step: ArgMax) -> None:
        rows = step.inputs.tolist()
        bounds = [[self.program.bounds[i] for i in row] for row in rows]
        self.check_width(step, [2 * max(peaks) for peaks in bounds])
        given = [[self.numbers[i] for i in row] for row in rows]
        for output, selectors in zip(
            step.outputs.tolist(), choose(self.system, given, bounds), strict=True
        ):
            self.selectors[output] = selectors
            self.numbers[output] = place_of(selectors)

    def mask(self, step: Mask) -> None:
        """Bits that features are made of anyway, of which the highest is turned."""
        for number, bits, output in zip(
            step.inputs.tolist(), step.masks.tolist(), step.outputs.tolist(), strict=True
        ):
            *low, sign = [wire(bit) for bit in self.feature_bits[number]]
            places = [*low, minus(constant(1), sign)]
            self.numbers[output] = combined(
                (bits & 1 << place, bit) for place, bit in enumerate(places)
            )

    def sign(self, step: Sign) -> None:
        """Of a bit times a factor, as masks make it, the bit; comparisons of all else."""
        outputs, compared = step.outputs.tolist(), []
        for at, (number, ends) in enumerate(zip(step.inputs, step.ends.tolist(), strict=True)):
            bit = self.system.bit_in(self.numbers[number])
            if bit is None:
                compared.append((at, ends))
            else:
                self.numbers[outputs[at]] = bit
        self.check_width(step, [max(1 - least, most) for _, (least, most) in compared])
        totals = [self.numbers[step.inputs[at]] for at, _ in compared]
        found = signs(self.system, totals, [ends for _, ends in compared])
        self.set([outputs[at] for at, _ in compared], found)

    def select(self, step: Select) -> None:
        chosen = [self.numbers[i] for i in step.chosen.tolist()]
        found = select(self.system, chosen, self.operand(step.yes), self.operand(step.no))
        self.set(step.outputs.tolist(), found)

    def multiply(self, left: Sequence[Sum], right: Sequence[Sum]) -> list[Sum]:
        """What is constant on one side stays linear; a long sum that several products read becomes
        a wire. The same list twice gives squares."""
        open_ = [
            i
            for i, (a, b) in enumerate(zip(left, right, strict=True))
            if not (is_constant(a) or is_constant(b))
        ]
        factors = [side[i] for side in (left, right) for i in open_]
        distinct = {id(total): total for total in factors}
        uses = Counter(map(id, factors))
        once = self.system.written(list(distinct.values()), [uses[each] for each in distinct])
        known = dict(zip(distinct, once, strict=True))
        made = self.system.products(
            [known[id(left[i])] for i in open_], [known[id(right[i])] for i in open_]
        )
        products = dict(zip(open_, made, strict=True))
        return [
            products[i] if i in products else _scaled(a, b)
            for i, (a, b) in enumerate(zip(left, right, strict=True))
        ]

    def positive(self, layer: Layer, totals: list[Sum], bounds: list[int]) -> list[Sum]:
        self.check_width(layer, bounds)
        return positive(self.system, totals, bounds)

    def check_width(self, step: Step, bounds: Sequence[int]) -> None:
        bits = max(bounds, default=0).bit_length()
        if bits > MOST_BITS:
            raise ProgramRefused(
                f"{step.node}: it compares numbers that could need {bits + 1} bits with the sign, "
                f"at most {MOST_BITS + 1} are taken: use smaller weights, or narrower inputs"
            )

    def operand(self, operand: Operand) -> list[Sum]:
        values = operand.values.tolist()
        return [constant(v) if operand.constant else self.numbers[v] for v in values]

    def bounds(self, operand: Operand) -> list[int]:
        values = operand.values.tolist()
        return [abs(v) if operand.constant else self.program.bounds[v] for v in values]

    def set(self, outputs: Sequence[int], totals: Sequence[Sum]) -> None:
        for number, total in zip(outputs, totals, strict=True):
            self.numbers[number] = total


def _total(weights: list[int], given: list[Sum], bias: int) -> Sum:
    return combined([*zip(weights, given, strict=True), (1, constant(bias))])


def _scaled(left: Sum, right: Sum) -> Sum:
    """The product of a sum and a constant."""
    if is_constant(right):
        left, right = right, left
    return times(right, sum(left.values()))


__all__ = ["Compiled", "compile_program"]
