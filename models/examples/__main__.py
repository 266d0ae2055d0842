"""`python -m zkagent.models.examples NAME FOLDER` writes an example network and its samples."""

import sys
from pathlib import Path

from zkagent.models.examples.networks import EXAMPLES


def main(arguments: list[str]) -> str:
    """What to print: the two paths, or how to call it."""
    if len(arguments) != 2 or arguments[0] not in EXAMPLES:
        raise SystemExit(
            f"usage: python -m zkagent.models.examples {{{','.join(EXAMPLES)}}} FOLDER"
        )
    folder = Path(arguments[1])
    folder.mkdir(parents=True, exist_ok=True)
    return "\n".join(map(str, EXAMPLES[arguments[0]]().write(folder)))


if __name__ == "__main__":
    print(main(sys.argv[1:]))
