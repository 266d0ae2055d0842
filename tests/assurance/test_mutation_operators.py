"""Mutants of a small contract, written by hand: what each operator does and leaves alone."""

import pytest

from tests.assurance.mutation_operators import Mutant, mutants
from tests.assurance.syntax import syntax_trees

SOURCE = """// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;
contract Small {
    uint256 private constant MOST = 10;
    error TooMany(uint256 n);
    function add(uint256 n) external pure returns (uint256 sum) {
        if (n < MOST && n != 3) revert TooMany(n); // n < 7 in a comment
        for (uint256 i = 0; i < n; ++i) sum += i;
        assembly { if lt(n, 2) { sum := add(sum, n) } }
        return sum;
    }
}
"""


def made() -> set[tuple[str, str, str]]:
    trees = syntax_trees({"src/Small.sol": SOURCE})["sources"]
    found = mutants(trees["src/Small.sol"]["ast"], SOURCE.encode())
    return {(m.operator, m.before, m.after) for m in found}


@pytest.mark.usefixtures("toolchain")
def test_every_operator_makes_its_mutants():
    assert made() == {
        ("negation", "n < MOST && n != 3", "!(n < MOST && n != 3)"),
        ("logic", "&&", "||"),
        ("boundary", "<", "<="),
        ("equality", "!=", "=="),
        ("constant", "3", "4"),
        ("deletion", "revert TooMany(n);", "{}"),
        ("constant", "0", "1"),
        ("negation", "i < n", "!(i < n)"),
        ("arithmetic", "++", "--"),
        ("arithmetic", "+=", "-="),
        ("deletion", "sum += i;", "{}"),
        ("negation", "lt(n, 2)", "iszero(lt(n, 2))"),
        ("boundary", "lt", "gt"),
        ("constant", "2", "3"),
        ("arithmetic", "add", "sub"),
        ("deletion", "sum := add(sum, n)", ""),
        ("deletion", "return sum;", "{}"),
    }


def test_a_mutant_changes_one_place():
    mutant = Mutant(SOURCE.index("<"), "<", "<=", "boundary")
    changed = mutant.apply(SOURCE.encode()).decode()
    assert changed == SOURCE.replace("n < MOST", "n <= MOST")
    assert mutant.told(SOURCE.encode()) == "7: boundary: < -> <="
