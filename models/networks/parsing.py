"""A stranger's ONNX file, parsed after its parts were counted: an empty node is two bytes in a file
and more than a hundred in memory.

Walks the wire format of Protocol Buffers (https://protobuf.dev/programming-guides/encoding/) along
ONNX's own schema, and makes nothing of what it passes.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor, FieldDescriptor
    from onnx import ModelProto

MOST_FIELDS = 1 << 17  # of all messages of a file; the largest here have some hundred
MOST_PACKED_BYTES = 1 << 26  # of integers one byte or more each, which become eight
#: Of lists that are written number by number, as attributes are: those of a forest of trees.
MOST_NUMBERS = 1 << 21
VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5  # wire types
LONGEST_VARINT = 10  # bytes


def parse_model(content: bytes) -> "ModelProto":
    """Raises ValueError, in one line, for what is no ONNX file, or one of too many parts."""
    import onnx
    from google.protobuf.message import DecodeError

    _check_fields(content, onnx.ModelProto.DESCRIPTOR)
    try:
        return onnx.load_model_from_string(content)
    except DecodeError as exc:
        raise ValueError(" ".join(str(exc).split())) from exc


def _check_fields(content: bytes, schema: "Descriptor") -> None:
    found, packed, numbers = 0, 0, 0
    ahead: list[tuple[int, int, Descriptor]] = [(0, len(content), schema)]
    while ahead:
        at, end, message = ahead.pop()
        fields = message.fields_by_number
        while at < end:
            tag, at = _varint(content, at)
            kind, field = tag & 7, fields.get(tag >> 3)
            listed = kind != LENGTH and field is not None and _is_list(field)
            found, numbers = found + (not listed), numbers + listed
            _check_counts(found, numbers)
            if kind == LENGTH:
                length, at = _varint(content, at)
                if field is not None and field.message_type is not None:
                    ahead.append((at, at + length, field.message_type))
                elif field is not None and field.type not in (field.TYPE_BYTES, field.TYPE_STRING):
                    packed += length
                at += length
            elif kind == VARINT:
                _, at = _varint(content, at)
            elif kind in (FIXED32, FIXED64):
                at += 4 if kind == FIXED32 else 8
            else:
                raise ValueError(f"it has a part of the kind {kind}, which ONNX has not")
        if at != end or end > len(content):
            raise ValueError("it ends in the middle of a part")
        if packed > MOST_PACKED_BYTES:
            raise ValueError(
                f"its lists of numbers have more than {MOST_PACKED_BYTES:,} bytes: export it with "
                "raw_data"
            )


def _check_counts(parts: int, numbers: int) -> None:
    if parts > MOST_FIELDS:
        raise ValueError(f"it has more than {MOST_FIELDS:,} parts")
    if numbers > MOST_NUMBERS:
        raise ValueError(f"it has more than {MOST_NUMBERS:,} numbers in lists")


def _is_list(field: "FieldDescriptor") -> bool:
    repeated = getattr(field, "is_repeated", None)  # before protobuf 6.31 by its label alone
    return bool(field.label == field.LABEL_REPEATED if repeated is None else repeated)


def _varint(content: bytes, at: int) -> tuple[int, int]:
    """The number that begins here, and where it ends."""
    if at < len(content) and content[at] < 0x80:  # as most are
        return content[at], at + 1
    value = 0
    for place, byte in enumerate(content[at : at + LONGEST_VARINT]):
        value |= (byte & 0x7F) << 7 * place
        if byte < 0x80:
            return value, at + place + 1
    raise ValueError("it ends in the middle of a part")


__all__ = ["parse_model"]
