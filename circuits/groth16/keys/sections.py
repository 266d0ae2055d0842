"""Binary files of iden3 in sections: .zkey and .ptau, as whole files or not at all."""

import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path

from zkagent.models.files import open_regular

MOST_SECTIONS = 100
BLOCK_PIECES = 1 << 14


@dataclass(frozen=True)
class Section:
    offset: int
    size: int


@dataclass(frozen=True)
class Sections:
    """A file that is open, and its sections by number."""

    file: BufferedReader
    found: Mapping[int, Section]

    def size(self, number: int) -> int:
        """Bytes; 0 for a section that is not there."""
        return self.found[number].size if number in self.found else 0

    def read(self, number: int, most: int) -> bytes:
        """Its first bytes, `most` of them at most. Raises ValueError for a section that is not
        there."""
        if number not in self.found:
            raise ValueError(f"it has no section {number}")
        section = self.found[number]
        self.file.seek(section.offset)
        content = self.file.read(min(section.size, most))
        if len(content) != min(section.size, most):
            raise ValueError("it was cut off")
        return content

    def pieces(self, number: int, size: int) -> Iterator[bytes]:
        """All of a section, in pieces of this size. Raises ValueError for one that is not there or
        has another length."""
        for content in self.blocks(number, size):
            for at in range(0, len(content), size):
                yield content[at : at + size]

    def blocks(self, number: int, size: int) -> Iterator[bytes]:
        """Likewise, many pieces at once."""
        if number not in self.found or self.size(number) % size:
            raise ValueError(f"it has no section {number} in pieces of {size} bytes")
        section, block = self.found[number], size * BLOCK_PIECES
        for offset in range(0, section.size, block):
            self.file.seek(section.offset + offset)
            content = self.file.read(min(block, section.size - offset))
            if len(content) != min(block, section.size - offset):
                raise ValueError("it was cut off")
            yield content


@contextmanager
def open_sections(path: Path, magic: bytes) -> Iterator[Sections]:
    """Raises OSError, and ValueError for a file that is longer or shorter than its sections, or has
    one twice."""
    with open_regular(path) as file:
        yield Sections(file, _sections(file, magic))


def _sections(file: BufferedReader, magic: bytes) -> dict[int, Section]:
    end = file.seek(0, 2)
    file.seek(0)
    head = file.read(12)
    if len(head) != 12 or head[:8] != magic + struct.pack("<I", 1):
        raise ValueError(f"its first bytes are not those of a .{magic.decode()} file")
    (count,) = struct.unpack("<I", head[8:])
    if count > MOST_SECTIONS:
        raise ValueError(f"it has {count} sections")
    found: dict[int, Section] = {}
    for _ in range(count):
        entry = file.read(12)
        if len(entry) != 12:
            raise ValueError("it was cut off")
        number, size = struct.unpack("<IQ", entry)
        if number in found:
            raise ValueError(f"it has section {number} twice")
        found[number] = Section(file.tell(), size)
        if file.tell() + size > end:
            raise ValueError(f"it was cut off in section {number}")
        file.seek(size, 1)
    if file.tell() != end:
        raise ValueError(f"{end - file.tell()} bytes follow its last section")
    return found


__all__ = ["Sections", "open_sections"]
