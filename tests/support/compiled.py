"""Contracts of src/ as they are deployed, and harnesses beside them.

All of src/ is compiled once in any case. Compiled again beside each harness it took half a minute a
time, and tested code that nobody deploys.
"""

import functools
from collections.abc import Mapping, Sequence

from zkagent.verifier_contracts.toolchain.compile import (
    PACKAGE,
    Contract,
    compile_all,
    compile_sources,
)


def contracts_of(sources: Sequence[str]) -> dict[str, Contract]:
    """By name, those of files in src/ and test/ of the package."""
    ours = {name: each for name, each in _all().items() if each.source in sources}
    missing = {name for name in sources if name.startswith("src/")}
    missing -= {each.source for each in ours.values()}
    assert not missing, f"{missing} have no contracts"
    others = [name for name in sources if not name.startswith("src/")]
    return ours | compile_sources({name: (PACKAGE / name).read_text() for name in others})


@functools.cache
def _all() -> Mapping[str, Contract]:
    return compile_all()


__all__ = ["contracts_of"]
