"""Texts as directions of integers, exactly as the contract computes them.

A text is the sum of its words' rows; its direction is that sum in the length 1,024. A tool's is the
direction of what its name, description, parameters and examples come to, each a direction, times
what it counts for; examples are the direction of the sum of theirs. Prompts and tools enter the
network in the length 320, in int8. Quotients are truncated towards zero, as by SDIV.
"""

from collections.abc import Iterable, Sequence
from math import isqrt

import numpy as np
import numpy.typing as npt

from zkagent.models.reader.labelled import MOST_EXAMPLES, Tool
from zkagent.models.reader.rows import SIZE, Rows, Vector
from zkagent.models.reader.words import MOST_WORDS, words_of

FINE, LENGTH = 1024, 320
MOST = 127
#: Name, description, parameters, examples.
PARTS = 4
#: Of a tool: name, description, names and descriptions of its parameters in turn, examples.
ToolTexts = tuple[bytes, bytes, Sequence[bytes], Sequence[bytes]]


def summed(rows: Rows, words: Iterable[bytes]) -> Vector:
    """[64] of at most 256 words."""
    found = np.zeros(SIZE, dtype=np.int64)
    for word in list(words)[:MOST_WORDS]:
        found += rows.of(word)
    return found


def direction(vector: Vector, length: int) -> Vector:
    """[64]: zeros of zeros."""
    size = isqrt(int(vector @ vector))
    if not size:
        return np.zeros(SIZE, dtype=np.int64)
    return np.asarray(np.sign(vector) * (np.abs(vector) * length // size), dtype=np.int64)


def of_text(rows: Rows, text: str) -> Vector:
    """In the length 1,024."""
    return _of_bytes(rows, text.encode())


def _of_bytes(rows: Rows, text: bytes) -> Vector:
    return direction(summed(rows, words_of(text)), FINE)


def of_prompt(rows: Rows, text: str) -> Vector:
    """int8, as the network takes it."""
    return _narrow(of_text(rows, text))


def of_tool(rows: Rows, tool: Tool, shares: Sequence[int]) -> Vector:
    """int8. shares: what each part counts for."""
    return of_texts(rows, texts_of(tool), shares)


def texts_of(tool: Tool) -> ToolTexts:
    said = [text.encode() for each in tool.parameters for text in (each.name, each.description)]
    examples = [example.encode() for example in tool.examples]
    return tool.name.encode(), tool.description.encode(), said, examples


def of_texts(rows: Rows, texts: ToolTexts, shares: Sequence[int]) -> Vector:
    """The same of what a tool says, in any bytes."""
    return _narrow(of_parts(rows, texts, shares))


def of_parts(rows: Rows, texts: ToolTexts, shares: Sequence[int]) -> Vector:
    """The sum of the parts' directions, each times its share."""
    name, description, said, shown = texts
    examples = np.zeros(SIZE, dtype=np.int64)
    for example in shown[:MOST_EXAMPLES]:
        examples += _of_bytes(rows, example)
    parts = (
        _of_bytes(rows, name),
        _of_bytes(rows, description),
        direction(summed(rows, (word for text in said for word in words_of(text))), FINE),
        direction(examples, FINE),
    )
    total = np.zeros(SIZE, dtype=np.int64)
    for part, share in zip(parts, shares, strict=True):
        total += part * share
    return total


def _narrow(vector: Vector) -> Vector:
    return np.asarray(np.clip(direction(vector, LENGTH), -MOST, MOST))


def features(prompt: Vector, tools: Sequence[Vector], most: int) -> tuple[int, ...]:
    """x: two numbers in each int16, of the prompt, then of `most` tools, zeros where one is absent;
    then a bit for each tool that is there."""
    absent = [np.zeros(SIZE, dtype=np.int64)] * (most - len(tools))
    values = np.concatenate([prompt, *tools, *absent]) & 0xFF
    packed: npt.NDArray[np.int64] = values[::2] << 8 | values[1::2]
    packed -= (packed >> 15) << 16
    return (*packed.tolist(), (1 << len(tools)) - 1)


__all__ = ["FINE", "LENGTH", "PARTS", "ToolTexts", "direction", "features", "of_prompt"]
__all__ += ["of_parts", "of_text", "of_texts", "of_tool", "summed", "texts_of"]
