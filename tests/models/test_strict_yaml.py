"""YAML that people write: what is read, and what is refused in a line and soon."""

import time
from contextlib import suppress
from typing import Any

import pytest

from zkagent.models.strict_yaml import MOST_BYTES, MOST_LEVELS, load_yaml

READ: dict[str, Any] = {
    "a: no\nb: 1.10\nc: 2024-01-01\nd: ~\ne: 0x10": {
        "a": "no",
        "b": "1.10",
        "c": "2024-01-01",
        "d": "~",
        "e": "0x10",
    },
    "- go north\n- 'say: hello'\n- \"it's\"": ["go north", "say: hello", "it's"],
    "a: [x, y]\nb: {c: d}": {"a": ["x", "y"], "b": {"c": "d"}},
    "a:": {"a": ""},
    "": "",
    "# nothing": "",
    "---\na: b": {"a": "b"},
}
REFUSED = {
    "a repeated key": ("a: b\nc: d\na: e", "line 3: the key 'a' stands twice"),
    "one below": ("x:\n  a: b\n  a: c", "line 3: the key 'a' stands twice"),
    "an anchor": ("a: &x b\nc: d", "line 1: anchors"),
    "an alias": ("a: &x [b]\nc: *x", "line 1: anchors"),
    "a tag": ("a: !!python/object/apply:os.system [ls]", "line 1: tags"),
    "a plain tag": ("a: !!int 5", "line 1: tags"),
    "two documents": ("a: b\n---\nc: d", "line 2: a second document"),
    "no YAML": ("a: b: c", "line 1: mapping values"),
    "a list that does not end": ("a: [b", "line 1: "),
    "a tabulator": ("a:\n\tb: c", "line 2: "),
    "a control character": ("a: \x07", "#x0007"),
    "no UTF-8": (b"a: \xff", "no UTF-8 text (byte 3)"),
    "too deep": ("[" * (MOST_LEVELS + 1) + "]" * (MOST_LEVELS + 1), "deeper than 16"),
    "very deep": ("[" * 100_000, "deeper than 16"),
    "deep by blanks": ("\n".join(" " * n + "a:" for n in range(40)), "deeper than 16"),
    "a list for a key": ("[a, b]: c", "a key is no text"),
    "too long": ("#" * (MOST_BYTES + 1), "longer than 131,072 bytes"),
}


@pytest.mark.parametrize("text", READ)
def test_every_scalar_is_the_text_that_stands_there(text: str) -> None:
    assert load_yaml(text) == READ[text]
    assert load_yaml(text.encode()) == READ[text]


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_two_meanings_or_none_is_refused_in_a_line(name: str) -> None:
    text, why = REFUSED[name]
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        load_yaml(text)
    assert why in str(refused.value)
    assert "\n" not in str(refused.value)


def test_as_deep_as_allowed_is_read() -> None:
    found = load_yaml("[" * MOST_LEVELS + "]" * MOST_LEVELS)
    for _ in range(MOST_LEVELS - 1):
        (found,) = found
    assert found == []


@pytest.mark.slow
def test_the_longest_file_is_read_or_refused_within_seconds() -> None:
    for line in ("- go north\n", "- [a, b]\n", "a", "[", '"', "- ''\n", "? a\n", ": \n", "&a "):
        started = time.process_time()
        with suppress(ValueError):
            load_yaml(line * (MOST_BYTES // len(line)))
        assert time.process_time() - started < 60, line
