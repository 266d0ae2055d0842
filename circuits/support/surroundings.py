"""The environment as programs of others get it: without our settings, which have keys, passwords
and addresses among them.

Called by whoever starts Node.js, npm, anvil, forge or solc.
"""

import os

SETTINGS = "ZKAGENT_"


def without_settings() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(SETTINGS)}


__all__ = ["without_settings"]
