"""The root of every error that this project raises on purpose.

ZkagentError                 one line that says what failed and what to do
├── ModelError               zkagent.models.errors
├── CircuitError             zkagent.circuits.errors
├── ProverError              zkagent.prover.errors, with the service's
├── ContractsError           zkagent.verifier_contracts.errors
└── ExecutorError            zkagent.executor.errors
"""


class ZkagentError(Exception):
    """The message is one line made for users; the facts are attributes of the subclasses.

    exit_code: of a command that ends with it.
    """

    exit_code = 1


__all__ = ["ZkagentError"]
