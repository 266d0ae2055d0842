"""The agent runtime: plans a run against a chain, has it proven, sends it, keeps the receipt.

Also the home of the `zkagent` command. It is the only package that sees all the others.
"""

__all__: list[str] = []
