"""Runs agents: the loop, the tools that it calls, sessions, and a service for many of them."""

__all__: list[str] = []
