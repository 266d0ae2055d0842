"""What the room below service and runtime raises.

ProverError
├── FileLocked                an encrypted file, or the key to one, cannot be used
└── LeaseLost                 this process may have been declared dead; it must not go on
"""

from zkagent.prover.errors import ProverError


class FileLocked(ProverError):
    """No key, another one, or one that others may read; a damaged file. Names no key."""


class LeaseLost(ProverError):
    """Others may take this process for dead."""


__all__ = ["FileLocked", "LeaseLost"]
