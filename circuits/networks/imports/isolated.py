"""Imports a model in a process of its own: XGBoost ends the one that hands it a damaged file, and
what a pickle runs should find as little as possible around it.
"""

import base64
from dataclasses import asdict
from pathlib import Path
from typing import Any

from zkagent.circuits.networks.imports.imported import Face, Imported, import_model
from zkagent.circuits.networks.imports.loading import Kind, kind_of, refuse_untrusted
from zkagent.circuits.networks.imports.trial import Trial
from zkagent.circuits.support.isolation import Report, answer_call, call_module

ENGINE = "the library that reads the model"


def import_isolated(
    path: Path, *, trusted: bool = False, features: int | None = None, labels_only: bool = False
) -> Imported:
    """As `import_model`. Raises EngineCrashed besides, when that process ends."""
    refuse_untrusted(path, kind_of(path), trusted=trusted)
    request = {
        "path": str(path.absolute()),
        "trusted": trusted,
        "features": features,
        "labels_only": labels_only,
    }
    return _from_json(call_module(__name__, request, _unheard, engine=ENGINE))


def main() -> None:
    """The process's side."""
    answer_call(_work)


def _work(request: dict[str, Any], report: Report) -> dict[str, Any]:
    found = import_model(
        Path(request["path"]),
        trusted=request["trusted"],
        features=request["features"],
        labels_only=request["labels_only"],
    )
    return asdict(found) | {"content": base64.b64encode(found.content).decode()}


def _from_json(given: dict[str, Any]) -> Imported:
    return Imported(
        base64.b64decode(given["content"]),
        Kind(given["kind"]),
        tuple(map(_face, given["inputs"])),
        tuple(map(_face, given["outputs"])),
        tuple(given["names"]),
        tuple(given["said"]),
        tuple(given["changes"]),
        Trial(**given["by_file"]),
        Trial(**given["by_library"]),
    )


def _face(given: dict[str, Any]) -> Face:
    return Face(given["name"], given["type"], tuple(given["shape"]))


def _unheard(report: Any) -> None:
    """It takes seconds and has no stages."""


if __name__ == "__main__":
    main()

__all__ = ["import_isolated"]
