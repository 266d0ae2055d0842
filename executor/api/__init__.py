"""What `import zkagent` offers, as functions: above all other rooms and below the commands.

Commands, notebooks and daemons use the same ones. Paths may be strings here; errors are the rooms'.
"""

__all__: list[str] = []
