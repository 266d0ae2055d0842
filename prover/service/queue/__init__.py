"""The durable queue: tables, claims, leases, API keys, and the engine that wakes workers."""

__all__: list[str] = []
