"""A key as a contract's code, byte by byte, and what is no key."""

import pytest

from tests.support.integer_networks import mlp
from zkagent.circuits.bn254.curve import Q
from zkagent.circuits.bn254.multiples import GENERATOR_G2
from zkagent.circuits.groth16.constraints.compiler import compile_program
from zkagent.circuits.groth16.keys.development import Secrets, make_keys
from zkagent.circuits.groth16.keys.key_code import KeyCode, key_code
from zkagent.circuits.program.reader import read_program

SECRETS = Secrets(11, 22, 33, 44)


def small(*, development: bool = True, bits: int = 16) -> KeyCode:
    """Of 2 inputs and 1 output: two public words."""
    compiled = compile_program(read_program(mlp(inputs=2, hidden=1, outputs=1), bits))
    return KeyCode(2, 1, development, make_keys(compiled, lambda: SECRETS).verifying, bits)


def word(code: bytes, place: int) -> int:
    return int.from_bytes(code[16 + 32 * place : 48 + 32 * place], "big")


def test_a_key_is_its_head_and_its_points() -> None:
    code, key = small().to_bytes(), small().key
    assert code[:16] == b"\xfegroth16 v1" + bytes([1, 0, 2, 0, 1])
    assert len(code) == 16 + 448 + 64 * 3
    assert (word(code, 0), word(code, 1)) == (key.alpha[0], Q - key.alpha[1])
    (x0, x1), (y0, y1) = key.beta
    assert [word(code, place) for place in range(2, 6)] == [x1, x0, y1, y0]
    (x0, x1), (y0, y1) = GENERATOR_G2
    assert [word(code, place) for place in range(6, 10)] == [x1, x0, Q - y1, Q - y0]
    assert [(word(code, place), word(code, place + 1)) for place in (14, 16, 18)] == list(key.ic)


def test_the_mark_of_a_development_key_changes_its_name() -> None:
    assert small(development=False).to_bytes()[11] == 0
    assert small().digest != small(development=False).digest
    assert key_code(small().key, 2, 1, development=True) == small().to_bytes()


@pytest.mark.parametrize("development", [True, False])
@pytest.mark.parametrize("bits", [2, 8, 15, 16])
def test_code_is_read_back(development: bool, bits: int) -> None:
    key = small(development=development, bits=bits)
    assert KeyCode.from_bytes(key.to_bytes()) == key


def test_the_width_of_narrow_inputs_is_in_the_mark() -> None:
    marks = [small(bits=bits).to_bytes()[11] for bits in (16, 15, 14, 2)]
    assert marks == [1, 31, 29, 5]
    assert small(development=False, bits=14).to_bytes()[11] == 28


@pytest.mark.parametrize("mark", [2, 3, 32, 33, 34, 255])
def test_a_width_that_no_key_states_is_no_key(mark: int) -> None:
    code = bytearray(small().to_bytes())
    code[11] = mark
    with pytest.raises(ValueError, match="first bytes"):
        KeyCode.from_bytes(bytes(code))


@pytest.mark.parametrize(("bits", "words"), [(16, 5), (15, 4), (14, 4), (8, 3), (2, 1)])
def test_narrower_inputs_take_fewer_words(bits: int, words: int) -> None:
    code = KeyCode(64, 5, True, small().key, bits)
    assert code.words == words + 2
    assert len(code.public_words([-2, 1] * 32, [0] * 5)) == words + 2


def test_an_input_beyond_its_width_has_no_words() -> None:
    code = small(bits=14)
    assert code.public_words([8191, -8192], [3]) == [0x3FFF << 14, (1 << 63) + 3]
    for x in ([8192, 0], [0, -8193], [0, 1 << 16]):
        with pytest.raises(ValueError, match="more than 14 bits"):
            code.public_words(x, [3])


def test_other_code_is_no_key() -> None:
    code = small().to_bytes()
    for other in (b"", code[:11], code[:15], code[:-1], code + b"\0", b"\1" + code[1:]):
        with pytest.raises(ValueError, match="bytes"):
            KeyCode.from_bytes(other)


@pytest.mark.parametrize(("at", "value"), [(11, 2), (13, 0), (15, 0), (12, 1), (15, 9)])
def test_a_head_that_fits_nothing_is_no_key(at: int, value: int) -> None:
    code = bytearray(small().to_bytes())
    code[at] = value
    with pytest.raises(ValueError, match="bytes"):
        KeyCode.from_bytes(bytes(code))


@pytest.mark.parametrize("place", range(20))
def test_a_coordinate_that_is_changed_is_no_key(place: int) -> None:
    code = bytearray(small().to_bytes())
    code[16 + 32 * place + 31] ^= 1
    with pytest.raises(ValueError, match="not on its curve"):
        KeyCode.from_bytes(bytes(code))
    code = bytearray(small().to_bytes())
    high = word(bytes(code), place) + Q
    code[16 + 32 * place : 48 + 32 * place] = high.to_bytes(32, "big")
    with pytest.raises(ValueError, match="not on its curve"):
        KeyCode.from_bytes(bytes(code))


def test_counts_of_x_and_y_are_the_keys() -> None:
    with pytest.raises(ValueError, match="1 inputs and 1 outputs"):
        small().public_words([1], [2])
    assert small().public_words([1, 2], [3]) == [0x80018002, (1 << 63) + 3]
