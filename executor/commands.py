"""Commands that are printed to be typed: whoever pastes one means what we meant.

Called by whatever names a command with a value in it; a test finds those that go without.
"""

import shlex


def typed(*words: object) -> str:
    """`zkagent` and these words, as a shell reads them back: a path may have blanks in it."""
    return shlex.join(["zkagent", *map(str, words)])


__all__ = ["typed"]
