"""YAML that people write by hand: lists, keys and texts, and nothing that is read in another way.

Every scalar is the text that stands there (`no` is "no", `1.10` is "1.10"). Anchors, tags, several
documents and repeated keys are refused, and so is what is too long or too deep to be walked.
"""

from typing import Any

import yaml

from zkagent.errors import in_line

#: The parser takes seconds for this many, on a busy machine.
MOST_BYTES = 1 << 17
MOST_LEVELS = 16
MOST_SHOWN = 60  # characters of a key


class _Texts(yaml.BaseLoader):  # type: ignore[misc]  # the library has no types
    """No scalar has a type."""

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        if odd := next(
            (key for key, _ in node.value if not isinstance(key, yaml.ScalarNode)), None
        ):
            raise ValueError(f"line {_line(odd.start_mark)}: a key is no text: write a word")
        found = super().construct_mapping(node, deep=True)
        if len(found) != len(node.value):
            seen: set[str] = set()
            for key, _ in node.value:
                if key.value in seen:
                    raise ValueError(
                        f"line {_line(key.start_mark)}: the key {in_line(key.value, MOST_SHOWN)!r} "
                        "stands twice in one mapping: leave one out"
                    )
                seen.add(key.value)
        return found


def load_yaml(text: str | bytes) -> Any:
    """Lists, dicts with texts for keys, texts; an empty document is "". Raises ValueError, in one
    line, where it can with the number of the line."""
    if len(text) > MOST_BYTES:
        raise ValueError(f"it is longer than {MOST_BYTES:,} bytes")
    try:
        text = text if isinstance(text, str) else text.decode()
        _check_events(text)
        found = yaml.load(text, Loader=_Texts)
    except UnicodeDecodeError as exc:
        raise ValueError(f"it is no UTF-8 text (byte {exc.start})") from exc
    except yaml.MarkedYAMLError as exc:
        mark = exc.problem_mark or exc.context_mark
        where = f"line {_line(mark)}: " if mark else ""
        raise ValueError(f"{where}{exc.problem or exc.context}") from exc
    except yaml.YAMLError as exc:
        raise ValueError(str(exc).partition("\n")[0]) from exc
    return "" if found is None else found


def _check_events(text: str) -> None:
    """Before anything is made of it, as what is made of nested nodes is made recursively."""
    level, documents = 0, 0
    for event in yaml.parse(text, Loader=yaml.BaseLoader):
        where = f"line {_line(event.start_mark)}"
        if isinstance(event, yaml.DocumentStartEvent):
            documents += 1
            if documents > 1:
                raise ValueError(f"{where}: a second document begins: leave out the ---")
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            raise ValueError(f"{where}: anchors (& and *) are not read: write it out, or quote it")
        if getattr(event, "tag", None) is not None:
            raise ValueError(f"{where}: tags (!) are not read: leave it out, or quote the text")
        if isinstance(event, yaml.CollectionStartEvent):
            level += 1
            if level > MOST_LEVELS:
                raise ValueError(f"{where}: it is nested deeper than {MOST_LEVELS} levels")
        elif isinstance(event, yaml.CollectionEndEvent):
            level -= 1


def _line(mark: Any) -> int:
    return int(mark.line) + 1


__all__ = ["MOST_BYTES", "MOST_LEVELS", "load_yaml"]
