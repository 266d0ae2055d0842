"""Every way to change one field of a receipt, and the digests made to match again.

`recompute_digests` does what a forger would: all hashes in the file that are functions of other
fields are made consistent with the changed one.
"""

import json
from collections.abc import Iterator
from typing import Any

from eth_utils.crypto import keccak

from zkagent.executor.chain.abi import FEATURE_BYTES, unpack
from zkagent.executor.chain.model_hashes import commitment_hash, model_hash
from zkagent.executor.errors import ExecutorError
from zkagent.executor.receipts.format import ModelRecord, ToolRecord, parse_receipt
from zkagent.executor.receipts.recording import hexed, recorded_model, recorded_tool, unhexed
from zkagent.executor.receipts.verify_run import Sources, all_checks
from zkagent.executor.runs.derivation import features_hash, tool_hash

Path = tuple[str | int, ...]
Document = dict[str, Any]


def accepted(document: Document, sources: Sources) -> bool:
    """The verdict alone: stops at the first broken check, and what cannot be verified is none."""
    try:
        return all(check.held for check in all_checks(parse_receipt(as_text(document)), sources))
    except ExecutorError:
        return False


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Paths and values of all leaves; an empty list or object is a leaf too."""
    if isinstance(value, dict) and value:
        for key in value:
            yield from leaves(value[key], (*path, key))
    elif isinstance(value, list) and value:
        for index, item in enumerate(value):
            yield from leaves(item, (*path, index))
    else:
        yield path, value


def lists(value: Any, path: Path = ()) -> Iterator[tuple[Path, list[Any]]]:
    """Paths and values of all lists that hold something."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    if isinstance(value, list) and value:
        yield path, value
    for key, item in items:
        if isinstance(item, dict | list):
            yield from lists(item, (*path, key))


def changed_values(value: Any) -> list[Any]:
    """Other values of the same type, from the smallest change to a drastic one, and none at all."""
    if isinstance(value, bool) or value is None:
        return [not value, "", 0]
    if isinstance(value, int):
        return [value + 1, value - 1, -value - 1, 0 if value else 7, float(value), str(value)]
    if isinstance(value, float):
        return [value + 1.0]
    if isinstance(value, str):
        return [v for v in _changed_texts(value) if v != value]
    return [None, [{}], [""], ["0x00"]]


def _changed_texts(value: str) -> list[Any]:
    changed: list[Any] = [
        None,
        "",
        value + "0",
        value + "00",
        value + " ",
        value[:-1],
        value.upper(),
    ]
    if value.startswith("0x") or (len(value) == 64 and " " not in value):
        last, middle = f"{int(value[-1], 16) ^ 1:x}", len(value) // 2
        changed += [value[:-1] + last, "0x" + "00" * ((len(value) - 2) // 2)]
        flipped = f"{int(value[middle], 16) ^ 8:x}" if value[middle] != "x" else "0"
        changed += [value[:middle] + flipped + value[middle + 1 :]]
    else:
        changed += ["x" + value, value.replace("USDC", "DAI"), value.swapcase()]
    return changed


def mutations(document: Document, ways: int | None = None) -> Iterator[tuple[str, Document]]:
    """(description, changed document): each leaf in several ways (at most `ways`, the subtle ones
    first), each list shortened, grown and turned round."""
    for path, value in leaves(document):
        for new in changed_values(value)[:ways]:
            yield f"{show(path)}: {value!r:.40} -> {new!r:.40}", with_value(document, path, new)
    for path, items in lists(document):
        shorter, longer, turned = items[:-1], [*items, items[-1]], items[::-1]
        for new in (shorter, longer, *([turned] if turned != items else [])):
            yield f"{show(path)}: {len(items)} -> {len(new)} items", with_value(document, path, new)


def show(path: Path) -> str:
    return ".".join(map(str, path))


def with_value(document: Document, path: Path, value: Any) -> Document:
    changed: Document = json.loads(as_text(document))  # a copy, quicker than copy.deepcopy
    holder: Any = changed
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    return changed


def recompute_digests(document: Document) -> None:
    """Make all derived hashes match, where the changed fields still allow computing them."""
    for run in _items(document.get("runs")):
        _quietly(_transaction_hash, run)
        _quietly(_model_hashes, run)
        for step in _items(run.get("iterations")):
            _quietly(_features_hash, step)
            for tool in _items(step.get("context", {}).get("tools")):
                _quietly(_metadata_hash, tool)


def _items(value: Any) -> list[Any]:
    return [v for v in value if isinstance(v, dict)] if isinstance(value, list) else []


def _quietly(change: Any, target: Any) -> None:
    try:
        change(target)
    except (ValueError, TypeError, KeyError, AttributeError, IndexError, OverflowError):
        return  # the mutated value is no value at all: nothing to recompute


def _transaction_hash(run: Document) -> None:
    run["transaction"]["hash"] = hexed(keccak(unhexed(run["transaction"]["raw"])))


def _features_hash(step: Document) -> None:
    step["features_hash"] = hexed(features_hash(unpack(unhexed(step["x"]), FEATURE_BYTES)))


def _metadata_hash(tool: Document) -> None:
    tool["metadata_hash"] = hexed(tool_hash(recorded_tool(ToolRecord.model_validate(tool))))


def _model_hashes(run: Document) -> None:
    model = run["model"]
    record = ModelRecord.model_validate(model)
    code = (record.encoder.code_hash, record.decoder.code_hash)
    components = [unhexed(c.code_hash) for c in record.components]
    digests = (bytes.fromhex(record.onnx_digest), bytes.fromhex(record.manifest_digest))
    model["model_hash"] = hexed(model_hash(digests, *map(unhexed, code), components))
    model["vk_hash"] = record.verifier.code_hash
    model["circuit_hash"] = f"0x{record.circuit_digest}"
    record = ModelRecord.model_validate(model)
    model["commitment_hash"] = hexed(commitment_hash(recorded_model(record)))


def as_text(document: Document) -> str:
    return json.dumps(document)
