"""The patched verifier's sum over public values, taken from its own text, in any arithmetic.

The Yul of `verifier_instances` is turned into a Python function, whose operations can be those of
the EVM, of polynomials (test_fraction.py), or of bounds. Started as a program (`make fraction`) it
compares the EVM's with the plain formula, sum of v_i L_i(x), on random and extreme values.
"""

import argparse
import random
import re
import secrets
from collections.abc import Callable, Mapping
from typing import Any

from zkagent.circuits.bn254.field import R
from zkagent.circuits.halo2.verifier_instances import EVALUATION, FIRST_ALONE, FRACTION

WORD = 1 << 256
OFFSET = 0x1000  # of the public values in calldata
X, OMEGA, COUNT, MPTR_END = 0x2000, 0x2020, 0x2040, 0x3000  # places in memory
NAMES = {"X_MPTR": X, "OMEGA_MPTR": OMEGA, "NUM_INSTANCES_MPTR": COUNT, "mptr_end": MPTR_END}
EXTREMES = (0, 1, 2, R - 1, R - 2, R // 2, (1 << 64) - 1, R - (1 << 63))
BITS = 5  # of the domain: 32 rows
STATEMENT = re.compile(r"(?:let )?(\w+) := (.*)")
LOOP = re.compile(r"for \{\} (.*) \{ (.*) \} \{")


def python_of(yul: str) -> str:
    """Yul without functions and branches, a statement on each line, as Python."""
    lines, posts, depth = [], [], 0
    for raw in yul.splitlines():
        line = re.sub(r"//.*", "", raw).strip()
        if loop := LOOP.fullmatch(line):
            lines.append("    " * depth + f"while {_expression(loop[1])}:")
            posts.append(_statement(loop[2]))
            depth += 1
        elif line == "}" and posts:
            lines.append("    " * depth + posts.pop())
            depth -= 1
        elif line not in ("", "{", "}"):
            lines.append("    " * depth + _statement(line))
    return "\n".join(lines)


def _statement(yul: str) -> str:
    assigned = STATEMENT.fullmatch(yul)
    return f"{assigned[1]} = {_expression(assigned[2])}" if assigned else _expression(yul)


def _expression(yul: str) -> str:
    return re.sub(r"\band\(", "and_(", yul).replace("instances.offset", "instances_offset")


def evaluator(odd: bool) -> Callable[[dict[str, Any]], Any]:
    """Runs fraction, inversion and evaluation in the names that it is given: operations, constants
    (START_INVERSE, MINUS, BACK, ON), memory. Returns the value at x."""
    template = {"a": "START_INVERSE", "c": "MINUS", "a_step": "BACK", "c_step": "ON"}
    text = FRACTION % {**template, "first": FIRST_ALONE if odd else ""}
    invert = "mstore(add(mptr_end, 0x20), inverse(mload(0x20)))\n"
    code = compile(python_of(text + invert + EVALUATION), "verifier", "exec")

    def run(names: dict[str, Any]) -> Any:
        exec(code, names)
        return names["instance_eval"]

    return run


def evm() -> dict[str, Any]:
    """The EVM's operations on integers."""
    return {
        "add": lambda a, b: (a + b) % WORD,
        "sub": lambda a, b: (a - b) % WORD,
        "mul": lambda a, b: a * b % WORD,
        "mulmod": lambda a, b, n: a * b % n,
        "lt": lambda a, b: int(a < b),
        "gt": lambda a, b: int(a > b),
        "and_": lambda a, b: a & b,
        "inverse": lambda a: pow(a, -1, R),
        "r": R,
    }


def constants(omega: Any, odd: bool, inverse: Callable[[Any], Any], n: Any) -> dict[str, Any]:
    """What `verifier_instances._fraction` writes into the text, in any arithmetic."""
    start = omega if odd else 1
    square = omega * omega
    return {
        "START_INVERSE": inverse(start) % n if n else inverse(start),
        "MINUS": -omega * start % n if n else -omega * start,
        "BACK": inverse(square) % n if n else inverse(square),
        "ON": square % n if n else square,
    }


def with_memory(values: list[Any], x: Any, omega: Any, common: Any) -> dict[str, Any]:
    """Places and what lies there; common is (x^n - 1) / n."""
    memory: dict[int, Any] = {X: x, OMEGA: omega, COUNT: len(values)}
    return {
        **NAMES,
        "instances_offset": OFFSET,
        "calldataload": lambda at: values[(at - OFFSET) // 32],
        "mload": memory.__getitem__,
        "mstore": memory.__setitem__,
        "l_i_common": common,
        "success": 1,
    }


def patched(values: list[int], x: int, omega: int, rows: int) -> tuple[int, bool]:
    """The verifier's value at x, and whether it took all public values for field elements."""
    odd = len(values) % 2 == 1
    common = (pow(x, rows, R) - 1) * pow(rows, -1, R) % R
    names = {
        **evm(),
        **with_memory(values, x, omega, common),
        **constants(omega, odd, lambda a: pow(a, -1, R), R),
    }
    value = EVALUATORS[odd](names)
    return value, bool(names["success"])


def plain(values: list[int], x: int, omega: int, rows: int) -> int:
    """sum over i of v_i L_i(x), as it stands in the books."""
    total, power = 0, 1
    for value in values:
        total += value * power * pow(x - power, -1, R)
        power = power * omega % R
    return total * (pow(x, rows, R) - 1) * pow(rows, -1, R) % R


def root_of_unity(bits: int) -> int:
    """Of order 2^bits; 5 generates the field's multiplicative group."""
    return pow(5, (R - 1) >> bits, R)


def compare(cases: int, seed: int) -> None:
    """Raises AssertionError at the first case in which the two differ."""
    rng = random.Random(seed)
    omega, rows = root_of_unity(BITS), 1 << BITS
    powers = {pow(omega, i, R) for i in range(rows)}
    for case in range(cases):
        values = [_value(rng) for _ in range(rng.randint(1, 12))]
        x = _value(rng)
        if x in powers:
            continue  # rejected: there is no inverse
        found, accepted = patched(values, x, omega, rows)
        assert accepted, (seed, case)
        assert found == plain(values, x, omega, rows), (seed, case, values, x)


def _value(rng: random.Random) -> int:
    return rng.choice(EXTREMES) if rng.random() < 0.2 else rng.randrange(R)


EVALUATORS: Mapping[bool, Callable[[dict[str, Any]], Any]] = {
    odd: evaluator(odd) for odd in (False, True)
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, help="a fresh one by default")
    given = parser.parse_args()
    seed = secrets.randbits(32) if given.seed is None else given.seed
    print(f"seed {seed}", flush=True)
    compare(given.cases, seed)
    print(f"{given.cases} cases agree with the plain formula")


if __name__ == "__main__":
    main()
