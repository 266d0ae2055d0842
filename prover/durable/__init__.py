"""What outlives a process: the engine of workflows, leases of who is alive, encrypted files.

Below the prover's service and the runtime of agents, which both stand on it; the only room that
knows DBOS and SQLCipher.
"""

__all__: list[str] = []
