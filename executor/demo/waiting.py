"""Which run of an agent waits for an approval, by the transaction that began it."""

from typing import Any

from zkagent.executor.chain import abi


def suspended_run(receipt: Any, agent: str) -> int:
    """The run that a transaction left waiting."""
    (log,) = (
        log
        for log in receipt["logs"]
        if log["address"].lower() == agent.lower()
        and bytes(log["topics"][0]) == abi.RUN_SUSPENDED.topic
    )
    return int.from_bytes(log["topics"][1], "big")


__all__ = ["suspended_run"]
