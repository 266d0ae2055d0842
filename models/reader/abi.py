"""The ABI encoding of one argument, of the types that tools have."""

from zkagent.models.reader.kinds import ParamType

_WORD = 32


def word(value: int) -> bytes:
    """Of an integer from -2^255 to 2^256 - 1."""
    return (value % (1 << 8 * _WORD)).to_bytes(_WORD, "big")


def encoded_alone(param_type: ParamType, size: int, *values: bytes) -> bytes:
    """As `abi.encode(a)` has it. values: words, or the bytes of texts; several of a list. size: of
    bytes, 0 of any number of them."""
    if not param_type.is_array:
        (value,) = values
        if param_type is ParamType.STRING or (param_type is ParamType.BYTES and not size):
            return word(_WORD) + _dynamic(value)
        return value.ljust(_WORD, b"\0")
    if param_type is not ParamType.STRING_ARRAY:
        return word(_WORD) + word(len(values)) + b"".join(values)
    heads, tails = b"", b""
    for value in values:
        heads += word(_WORD * len(values) + len(tails))
        tails += _dynamic(value)
    return word(_WORD) + word(len(values)) + heads + tails


def _dynamic(value: bytes) -> bytes:
    return word(len(value)) + value + bytes(-len(value) % _WORD)


__all__ = ["encoded_alone", "word"]
