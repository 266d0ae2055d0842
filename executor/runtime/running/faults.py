"""Faults as JSON, so that what went wrong is on record like what went well."""

from collections.abc import Iterator, Mapping
from typing import Any

from zkagent.errors import in_line
from zkagent.executor.runtime.core.errors import RuntimeFault, ToolFault
from zkagent.executor.runtime.running.plain_values import plain_json


def fault_json(fault: RuntimeFault) -> dict[str, Any]:
    found = {"code": fault.code, "message": str(fault), "info": _info(fault)}
    return found | {"retriable": fault.retriable} if isinstance(fault, ToolFault) else found


def _info(fault: RuntimeFault) -> dict[str, Any]:
    """Tools put anything there; what is no JSON cannot be kept."""
    try:
        info: dict[str, Any] = plain_json(fault.info)
    except ValueError:
        return {"left_out": sorted(in_line(str(name), 100) for name in fault.info)}
    return info


def fault_of(found: Mapping[str, Any]) -> RuntimeFault:
    """The same kind of fault again; of a code that this version does not know, a RuntimeFault."""
    kind = _KINDS.get(found["code"], RuntimeFault)
    retriable = {"retriable": found["retriable"]} if issubclass(kind, ToolFault) else {}
    return kind(found["message"], **retriable, **found["info"])


def _kinds(kind: type[RuntimeFault]) -> Iterator[type[RuntimeFault]]:
    """Parents first."""
    yield kind
    for below in kind.__subclasses__():
        yield from _kinds(below)


def _by_code() -> dict[str, type[RuntimeFault]]:
    """A host's own kind that says no code of its own stands for itself alone."""
    found: dict[str, type[RuntimeFault]] = {}
    for kind in _kinds(RuntimeFault):
        found.setdefault(kind.code, kind)
    return found


_KINDS = _by_code()

__all__ = ["fault_json", "fault_of"]
