"""The root of every error that this project raises on purpose.

ZkagentError                 one line that says what failed and what to do
├── ModelError               zkagent.models.errors
├── CircuitError             zkagent.circuits.errors
├── ProverError              zkagent.prover.errors, with the service's
├── ContractsError           zkagent.verifier_contracts.errors
└── ExecutorError            zkagent.executor.errors
"""


def plain(text: str) -> str:
    """Text of strangers on one line, without what could act on a terminal."""
    return text if text.isprintable() else ascii(text)[1:-1]


class ZkagentError(Exception):
    """The message is one line made for users, whatever a stranger put into it; the facts are
    attributes of the subclasses.

    exit_code: of a command that ends with it.
    """

    exit_code = 1

    def __str__(self) -> str:
        return plain(super().__str__())


__all__ = ["ZkagentError", "plain"]
