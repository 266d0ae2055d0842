"""Runs over HTTP, beside the prover's routes and with its keys, limits and errors: `/v1/runs`.

`zkagent serve --agents` mounts it (mounting.py).
"""

__all__: list[str] = []
