"""Which decisions a proof covers: `executor/ProofCoverage.sol`'s rule, and how runs are divided.

There is a proof for each claim of a run; an empty one means that the last one before it, of the
same model, covers the claim, too.
"""

from collections.abc import Sequence

from zkagent.circuits.networks.batch import smallest_size


def covered_by(model_ids: Sequence[int], proofs: Sequence[bytes]) -> tuple[tuple[int, ...], ...]:
    """For each proof in turn the indices of the claims that it covers.

    model_ids, proofs: of the claims, in order. An empty proof with none before it is a claim's own.
    """
    groups: list[list[int]] = []
    open_group: dict[int, list[int]] = {}  # by model: the one that an empty proof joins
    for index, (model_id, proof) in enumerate(zip(model_ids, proofs, strict=True)):
        if not proof and model_id in open_group:
            open_group[model_id].append(index)
            continue
        groups.append([index])
        if proof:
            open_group[model_id] = groups[-1]
    return tuple(map(tuple, groups))


def spread(groups: Sequence[Sequence[int]], proofs: Sequence[bytes]) -> tuple[bytes, ...]:
    """One proof for each claim, as a call holds them: `proofs` has one for each group."""
    found = [b""] * sum(map(len, groups))
    for group, proof in zip(groups, proofs, strict=True):
        found[group[0]] = proof
    return tuple(found)


def divide(count: int, sizes: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Decisions 0 to `count` - 1 of one model in as few proofs as `sizes` allow.

    sizes: of the batch verifiers; without any, each decision has its own proof.
    """
    most = max(sizes, default=1)
    starts = range(0, count, most)
    return tuple(tuple(range(start, min(start + most, count))) for start in starts)


def size_for(count: int, sizes: Sequence[int]) -> int:
    """How many rows a proof of `count` decisions has; 1 for the single circuit. Raises ValueError
    when no batch verifier takes so many."""
    if count == 1:
        return 1
    size = smallest_size(sizes, count)
    if size is None:
        raise ValueError(f"no batch verifier takes {count} decisions, there are {list(sizes)}")
    return size
