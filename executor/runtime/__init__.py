"""Agents off chain: a loop that plans, acts and reflects, with tools, memory and permissions.

    from zkagent.executor.runtime import Agent, AgentConfig, ScriptedClient

What they decide can be a proven model's; every step can be replayed, and proofs verified again.
"""

__all__: list[str] = []
