"""The generated verifier's handling of public values, at about a fifth of its gas.

The public values v_0, v_1, ... enter the check as the value at x of the polynomial that is v_i at
omega^i, for omega of order n = 2^k:

    sum over i of v_i L_i(x),    L_i(x) = (x^n - 1) / n * omega^i / (x - omega^i)

ezkl's code inverts every x - omega^i (by Montgomery's batch inversion), in six loops over the
values. Here the sum of v_i omega^i / (x - omega^i) grows as one fraction, and its denominator
joins the batch that inverts the few others. Values come in pairs v, w; with W = omega^i a pair is

      v W          w omega W          v (x + c) + w (omega x + c)
    -------  +  -------------  =  ---------------------------------,   a = x^2 / W,  c = -omega W
     x - W       x - omega W           a - x - omega x - c

so that a step takes seven multiplications: two for the pair, three to add the fractions, two for
the next a and c. Of an odd number the first value, v_0 / (x - 1), stands alone.

One verdict differs, to the stricter side: where x is a power of omega (no one can arrange that: x
is a hash) all of ezkl's inverses are zero; this code rejects.
"""

import re

from zkagent.circuits.bn254.field import R
from zkagent.circuits.halo2.anchors import only_number, replace_once, require_read

LAGRANGE = "            // Compute lagrange evaluations and instance evaluation\n"
# Code on which the new one relies, to the letter: begin, end, SHA-256. It is the same for every
# circuit: any rows, columns, lookups and number of public values.
READ = (
    (  # batch_invert: in place, and all zeros when one number is zero
        "        assembly {\n",
        "            // Modulus\n",
        "2eb2a1676615c976dddc6143831201fb3a93864fd811fb86ba973f8c025ff8f3",
    ),
    (  # where l_0, l_last and the others are kept, and what is read of them later
        LAGRANGE,
        "            // Compute quotient evavluation\n",
        "3ee524cb3f2f3e6074bbcec43357be095f838beacf7f4208a516ef28bf65e4df",
    ),
)
OMEGA = re.compile(r"mstore\(0x[0-9a-f]+, (0x[0-9a-f]{64})\) // omega\n")

COPY_LOOP = """                let hash_mptr := 0x20
                let instance_cptr := instances.offset
                for
                    { let instance_cptr_end := add(instance_cptr, mul(0x20, num_instances)) }
                    lt(instance_cptr, instance_cptr_end)
                    {}
                {
                    let instance := calldataload(instance_cptr)
                    success := and(success, lt(instance, r))
                    mstore(hash_mptr, instance)
                    instance_cptr := add(instance_cptr, 0x20)
                    hash_mptr := add(hash_mptr, 0x20)
                }
"""
COPY = """                // That instances are canonical is checked where they are used
                let hash_mptr := add(0x20, mul(0x20, num_instances))
                calldatacopy(0x20, instances.offset, mul(0x20, num_instances))
"""
DENOMINATORS = """\
                let mptr_end := add(mptr, mul(0x20, add(mload(NUM_INSTANCES_MPTR), 6)))
                if iszero(mload(NUM_INSTANCES_MPTR)) {
                    mptr_end := add(mptr_end, 0x20)
                }
"""
SEVEN_DENOMINATORS = """                // Those of l_last, of the five blinded rows and of l_0
                let mptr_end := add(mptr, 0xe0)
"""
INVERSION = """                success := batch_invert(success, X_N_MPTR, add(mptr_end, 0x20))
"""
WIDER_INVERSION = """                mstore(add(mptr_end, 0x20), mload(0x20))
                success := batch_invert(success, X_N_MPTR, add(mptr_end, 0x40))
                // All inverses are zero if one number was: then x is a power of omega
                success := and(success, gt(mload(mptr_end), 0))
"""
EVALUATION_LOOP = """                let instance_eval := 0
                for
                    {
                        let instance_cptr := instances.offset
                        let instance_cptr_end := add(instance_cptr, \
mul(0x20, mload(NUM_INSTANCES_MPTR)))
                    }
                    lt(instance_cptr, instance_cptr_end)
                    {
                        instance_cptr := add(instance_cptr, 0x20)
                        l_i_cptr := add(l_i_cptr, 0x20)
                    }
                {
                    instance_eval := addmod(instance_eval, \
mulmod(mload(l_i_cptr), calldataload(instance_cptr), r), r)
                }
"""
EVALUATION = """\
                let instance_eval := mulmod(mload(0x00), mload(add(mptr_end, 0x20)), r)
                instance_eval := mulmod(instance_eval, l_i_common, r)
"""
# Sums stay unreduced where they stay below 2^256 > 5 r; mulmod reduces them. Memory below 0x60 is
# scratch: what the transcript left there was hashed. x and 3 r - x - omega x lie in memory because
# the stack has no room.
FRACTION = """            // sum of v_i omega^i / (x - omega^i) as a fraction, by pairs of v_i
            {
                let y := mulmod(mload(X_MPTR), mload(OMEGA_MPTR), r)
                mstore(0x40, sub(mul(3, r), add(mload(X_MPTR), y)))
                let a := mulmod(mulmod(mload(X_MPTR), mload(X_MPTR), r), %(a)s, r)
                let c := %(c)s
                let num := 0
                let den := 1
                let cptr := instances.offset
                let cptr_end := add(cptr, mul(0x20, mload(NUM_INSTANCES_MPTR)))
%(first)s                for {} lt(cptr, cptr_end) { cptr := add(cptr, 0x40) } {
                    let v := calldataload(cptr)
                    let w := calldataload(add(cptr, 0x20))
                    success := and(success, and(lt(v, r), lt(w, r)))
                    let n := add(mulmod(v, add(mload(X_MPTR), c), r), mulmod(w, add(y, c), r))
                    let d := add(a, sub(mload(0x40), c))
                    num := add(mulmod(num, d, r), mulmod(n, den, r))
                    den := mulmod(den, d, r)
                    a := mulmod(a, %(a_step)s, r)
                    c := mulmod(c, %(c_step)s, r)
                }
                mstore(0x00, num)
                mstore(0x20, den)
            }

"""
FIRST_ALONE = """                num := calldataload(cptr)
                success := and(success, lt(num, r))
                den := add(mload(X_MPTR), sub(r, 1))
                cptr := add(cptr, 0x20)
"""


def rewrite_instances(generated: str, instance_count: int) -> str:
    """ezkl's source with the cheaper handling. Raises VerifierChanged."""
    for begin, end, sha256 in READ:
        require_read(generated, begin, end, sha256)
    fraction = _fraction(only_number(generated, OMEGA), instance_count)
    source = replace_once(generated, COPY_LOOP, COPY)
    source = replace_once(source, LAGRANGE, fraction + LAGRANGE)
    source = replace_once(source, DENOMINATORS, SEVEN_DENOMINATORS)
    source = replace_once(source, INVERSION, WIDER_INVERSION)
    return replace_once(source, EVALUATION_LOOP, EVALUATION)


def _fraction(omega: int, instance_count: int) -> str:
    odd = instance_count % 2
    start = pow(omega, odd, R)  # W of the first pair
    constants = {
        "a": pow(start, -1, R),
        "c": -omega * start % R,
        "a_step": pow(omega, -2, R),
        "c_step": pow(omega, 2, R),
    }
    literals = {name: hex(value) for name, value in constants.items()}
    return FRACTION % {**literals, "first": FIRST_ALONE if odd else ""}


#: What the rewriting writes, for the version of the patches.
PATCHES = (COPY, SEVEN_DENOMINATORS, WIDER_INVERSION, EVALUATION, _fraction(2, 1), _fraction(2, 2))

__all__ = ["PATCHES", "rewrite_instances"]
