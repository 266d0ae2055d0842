"""Types of a tool's parameters and kinds of what a prompt has for them: the contracts' numbers."""

from enum import IntEnum


class ParamType(IntEnum):
    """The ten of `IERCAgentTool`, and bytes, which other platforms' tools take."""

    STRING = 0
    ADDRESS = 1
    BOOL = 2
    INT = 3
    UINT = 4
    STRING_ARRAY = 5
    ADDRESS_ARRAY = 6
    BOOL_ARRAY = 7
    INT_ARRAY = 8
    UINT_ARRAY = 9
    BYTES = 10

    @property
    def is_array(self) -> bool:
        return ParamType.STRING_ARRAY <= self <= ParamType.UINT_ARRAY

    @property
    def element(self) -> "ParamType":
        """Of an array; of anything else itself."""
        return ParamType(self - ParamType.STRING_ARRAY) if self.is_array else self


class Kind(IntEnum):
    """What a candidate is, which a network may read."""

    QUOTED = 0
    DATE = 1
    TIME = 2
    NAME = 3  # by its capitals
    NUMBER = 4
    WORDS = 5  # a run of words
    TITLE = 6  # where a title stands, whatever its letters
    PART = 7  # of a name or a run of words
    SHARE = 8  # a part of something: 50%, half, all
    DOUBT = 9  # could be read in two ways
    ADDRESS = 10
    SYMBOL = 11
    CONTACT = 12
    OWNER = 13
    BYTES = 14
    TRUTH = 15
    LIST = 16


__all__ = ["Kind", "ParamType"]
