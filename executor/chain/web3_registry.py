"""A model registry on a real chain."""

from typing import Any

from zkagent.executor.chain import abi
from zkagent.executor.chain.agent import AgentModel, BatchVerifier, Block
from zkagent.executor.chain.limits import MOST_BATCH, MOST_COMPONENTS
from zkagent.executor.chain.reader import ContractReader
from zkagent.executor.errors import NoAgentThere


class Web3Registry:
    """Reads the registry at `address`. Raises ChainError, NoAgentThere."""

    def __init__(self, reader: ContractReader, address: str) -> None:
        self.reader, self.address = reader, address.lower()

    def owner(self, number: int, block: Block) -> tuple[str, bool]:
        """Who may change the model of this number, and whether it was withdrawn."""
        _, deprecated, owner = self.reader.view(self.address, abi.GET_MODEL, block, number)
        return owner, deprecated

    def executable(
        self, number: int, block: Block, sender: str = abi.NO_HANDLER
    ) -> tuple[Any, ...]:
        """What an executor at `sender` is told: verifier, inputs, outputs, encoder, decoder,
        commitment hash."""
        (found,) = self.reader.view(self.address, abi.BINDING_OF, block, number, sender=sender)
        return tuple(found)

    def batch_for(
        self, number: int, decisions: int, block: Block, sender: str = abi.NO_HANDLER
    ) -> tuple[Any, ...]:
        """What it is told of a proof of so many: verifier, size, commitment hash."""
        method = abi.BATCH_VERIFIER_FOR
        return self.reader.view(self.address, method, block, number, decisions, sender=sender)

    def model(self, number: int, block: Block) -> AgentModel:
        """Commitment and binding under this number. Raises RevertError when there is none, and
        NoAgentThere for one of more parts than we look into."""
        read, registry = self.reader.view, self.address
        commitment, _, _ = read(registry, abi.GET_MODEL, block, number)
        (binding,) = read(registry, abi.GET_BINDING, block, number)
        (batches,) = read(registry, abi.BATCH_VERIFIERS, block, number)
        (commitment_hash,) = read(registry, abi.COMMITMENT_HASH, block, number)
        model_hash, circuit_hash, vk_hash, proof_system, uri = commitment
        verifier, encoder, decoder, components, onnx, manifest, inputs, outputs = binding
        self._check_count("data contracts", len(components), MOST_COMPONENTS)
        self._check_count("batch verifiers", len(batches), MOST_BATCH)
        return AgentModel(
            model_id=number,
            model_hash=model_hash,
            circuit_hash=circuit_hash,
            vk_hash=vk_hash,
            proof_system_id=proof_system,
            uri=uri.decode("utf-8", "surrogateescape"),
            verifier=verifier,
            encoder=encoder,
            decoder=decoder,
            components=tuple(components),
            onnx_digest=onnx,
            manifest_digest=manifest,
            inputs=inputs,
            outputs=outputs,
            batches=tuple(BatchVerifier(*batch) for batch in batches),
            commitment_hash=commitment_hash,
        )

    def _check_count(self, what: str, found: int, most: int) -> None:
        if found > most:
            why = f"a model of {found} {what}, and no more than {most} are looked into"
            raise NoAgentThere(self.address, why)
