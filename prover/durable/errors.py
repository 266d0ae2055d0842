"""What the room below service and runtime raises.

ProverError
└── FileLocked                an encrypted file, or the key to one, cannot be used
"""

from zkagent.prover.errors import ProverError


class FileLocked(ProverError):
    """No key, another one, or one that others may read; a damaged file. Names no key."""


__all__ = ["FileLocked"]
