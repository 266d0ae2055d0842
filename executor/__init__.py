"""Where agents run: a run is planned against a chain, proven, sent, and its receipt kept.

Also the home of the `zkagent` command. It is the only package that sees all the others.
"""

__all__: list[str] = []
