"""What users need not type again: settings from the environment, a project's file and their own.

Called by the options in `executor/cli/options.py` and by `zkagent config`. A file is TOML with one
line for each setting; which source wins, and why a project's file has to be trusted first, is in
docs/cli.md.
"""

__all__: list[str] = []
