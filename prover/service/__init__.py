"""The prover service: a durable queue of proofs, the HTTP API in front of it, workers behind it.

Here: the queue in the database (tables, store, claims, views), the engine that hands out runs, what
can be proven (catalogue), the commands. `api` answers requests, `worker` proves. Nothing outside
needs more than `zkagent.prover.client`.
"""

__all__: list[str] = []
