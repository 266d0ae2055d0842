"""Everything that can go wrong on the Solidity side, under one root.

ContractsError
├── ToolchainError            Node.js, npm, anvil, forge or solc missing or not installable
├── CompileError              solc refused the sources
├── NameRefused               no name for a contract of one's own
├── ProjectRefused            a folder that is no agent's
├── ToolsSourceInTheWay       a file by hand where one of tools.yaml is made
├── ToolsSourceOld            such a file that is not what tools.yaml says
├── ArgumentMissing           a constructor's parameter without a value
├── ArgumentUnreadable        a value that a constructor does not take
├── ArgumentTwice             two values for a parameter
├── ContractTooLarge          a contract that no chain makes
├── ForgeError                forge could not run (failing tests are a verdict, not this)
├── ModelCodeError            a model's tables, manifest or circuit do not fit its contracts
├── EvmModelError             an ONNX graph that cannot become a contract which evaluates it
├── DeploymentFileError       a deployment.json that is none
├── UnknownCode               a contract to build on that this version did not compile
├── JournalError              a deployment that cannot be resumed from its journal
│   ├── JournalRefused        the journal is of another deployment
│   ├── JournalDamaged        the journal is none, or no longer what was written
│   └── JournalInUse          another process is at it
├── DevelopmentSetupRefused   a verifier of a forgeable set-up, outside a local chain
└── ChainError
    ├── AnvilError            the local chain did not start or died
    ├── ChainUnreachable      nothing answers at the RPC address
    │   └── ChainTimedOut     a request has no answer in time
    ├── WrongChain            another chain id than expected
    ├── AnswerRefused         an answer that no node gives; nothing is signed on it
    ├── SignedOtherwise       the chain has another value, says the node, than was signed
    ├── FeeRefused            a fee above what may be paid
    ├── StepPending           a deployment's transaction is not included yet
    ├── StepContradicted      one that took no effect, says the node, and what there is says it did
    ├── StepNotAgreed         one that nobody said yes to, or not to so much gas
    └── RevertError           a call or transaction reverted; the reason is decoded from the ABI

A false proof is not an error of this tree: it reaches Python as a RevertError of the verifier.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from zkagent.circuits.support.urls import shown_url
from zkagent.errors import ZkagentError, plain


class ContractsError(ZkagentError):
    """Root of all errors of this package."""


class ToolchainError(ContractsError):
    """The JavaScript toolchain could not be found or installed."""


class CompileError(ContractsError):
    """solc's errors, as solc formatted them."""

    def __str__(self) -> str:
        return "\n".join(map(plain, Exception.__str__(self).split("\n")))


class NameRefused(ContractsError):
    """Of an agent that would not compile under it."""

    def __init__(self, name: str, why: str) -> None:
        self.name = name
        super().__init__(f"{name!r} cannot be an agent's name: {why}")


class ProjectRefused(ContractsError):
    """A folder that is no agent's, as `agent new` writes them."""

    def __init__(self, folder: str, why: str) -> None:
        self.folder, self.why = folder, why
        super().__init__(
            f"{folder} is no agent's folder: {why}; `zkagent agent new NAME` writes one"
        )


class ToolsSourceInTheWay(ContractsError):
    """It would be lost."""

    def __init__(self, path: Path) -> None:
        self.path = path
        super().__init__(
            f"{path} was not made of tools.yaml, whose Solidity would replace it: move it away"
        )


class ToolsSourceOld(ContractsError):
    """What was compiled says something else than the file that people read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        super().__init__(
            f"{path} is not what tools.yaml and tuned.json say: `zkagent agent build` makes it anew"
        )


class ArgumentMissing(ContractsError):
    """Neither given nor known."""

    def __init__(self, name: str, kind: str) -> None:
        self.name = name
        super().__init__(
            f"the constructor's {name} ({kind}) has no value: give --arg {name}=VALUE, or a "
            "--deployment that has one of this name"
            if name
            else f"a {kind} of the constructor has no name: give it one in the source"
        )


class ArgumentUnreadable(ContractsError):
    """Of another type, or of no parameter's name."""

    def __init__(self, name: str, text: str, expected: str) -> None:
        self.name, self.text = name, text
        super().__init__(f"--arg {name}={text} is not {expected}")


class ArgumentTwice(ContractsError):
    """Which of the two is meant?"""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"--arg {name} is given more than once: give one value for it")


class ContractTooLarge(ContractsError):
    """Nothing was built or sent for it. Sizes in bytes."""

    def __init__(
        self, name: str, what: str, size: int, most: int, *, source: str, remedy: str
    ) -> None:
        self.name, self.size, self.most = name, size, most
        super().__init__(
            f"{name} is too large to be deployed: {size:,} bytes of {what}, where {most:,} are "
            f"allowed ({source}), {size - most:,} too many; {remedy}"
        )


class ForgeError(ContractsError):
    """forge could not be run at all."""

    def __str__(self) -> str:
        return "\n".join(map(plain, Exception.__str__(self).split("\n")))


class ModelCodeError(ContractsError):
    """A model that the encoder and decoder contracts could not hold, or another one's circuit."""


class DeploymentFileError(ContractsError):
    """A deployment file that cannot be read as one."""

    def __init__(self, source: str, reason: str) -> None:
        super().__init__(
            f"{source} is not a deployment file: {reason}: give one that `zkagent deploy` wrote"
        )


class UnknownCode(ContractsError):
    """Refused because everything that is built on it would trust it."""

    def __init__(self, name: str, address: str, why: str) -> None:
        self.name, self.address = name, address
        super().__init__(
            f"{address} is no {name} to build on: {why}; give another address, or leave the option "
            "out to deploy one"
        )


class JournalError(ContractsError):
    """Nothing was sent; the journal is as it was."""


class JournalRefused(JournalError):
    def __init__(self, path: Path, name: str, found: object, expected: object) -> None:
        self.path, self.name = path, name
        super().__init__(
            f"{path} is the journal of another deployment: {name} there: {found or 'none'}, here: "
            f"{expected or 'none'}; resume that one with its own options, or name another file "
            "(removing the journal gives up what was deployed)"
        )


class JournalDamaged(JournalError):
    def __init__(self, path: Path, why: str) -> None:
        self.path = path
        super().__init__(
            f"{path} cannot be read as a deployment's journal ({why}): restore it, or name another "
            "file (removing it gives up what was deployed)"
        )


class JournalInUse(JournalError):
    def __init__(self, path: Path) -> None:
        self.path = path
        super().__init__(f"another process is at {path}: wait for it to end")


class DevelopmentSetupRefused(ContractsError):
    """Proofs of a development set-up can be forged by whoever made it."""

    def __init__(
        self,
        circuit: str,
        chain_id: int,
        local: int,
        remedy: str = "build it with --srs and a file of the public ceremony",
    ) -> None:
        super().__init__(
            f"circuit {circuit[:16]} was built with a development set-up, whose proofs can be "
            f"forged: its verifier works on chain {local} only, this is chain {chain_id}; {remedy}"
        )
        self.circuit, self.chain_id = circuit, chain_id


class EvmModelError(ContractsError):
    """An ONNX graph that the EVM cannot evaluate exactly, or not within a contract's limits."""


class ChainError(ContractsError):
    """Root of everything between us and a node."""


class AnvilError(ChainError):
    """The local chain did not start, with the end of its log."""


class ChainUnreachable(ChainError):
    """No JSON-RPC answer from an address."""

    def __init__(self, rpc_url: str, reason: str) -> None:
        super().__init__(
            f"no chain answers at {shown_url(rpc_url)} ({reason}); is the node running and the "
            "address right?"
        )
        self.rpc_url = rpc_url
        self.reason = reason


class ChainTimedOut(ChainUnreachable):
    """A node that is there and does not answer in time."""

    def __init__(self, rpc_url: str, method: str, timeout_s: float) -> None:
        ChainError.__init__(
            self,
            f"{shown_url(rpc_url)} gave no answer to {method} within {timeout_s:g} s: try "
            "again, or ask another node",
        )
        self.rpc_url, self.method, self.timeout_s = rpc_url, method, timeout_s
        self.reason = "no answer in time"


class WrongChain(ChainError):
    """The node serves another chain than the one asked for."""

    def __init__(self, rpc_url: str, expected: int, found: int) -> None:
        super().__init__(f"{shown_url(rpc_url)} serves chain {found}, expected chain {expected}")
        self.rpc_url = rpc_url
        self.expected = expected
        self.found = found


class AnswerRefused(ChainError):
    """Of a node that is damaged, or lies."""

    def __init__(self, what: str, answer: object, expected: str) -> None:
        self.what, self.answer = what, answer
        super().__init__(
            f"the node says that {what} is {_short(answer)}, expected {expected}: "
            "nothing is signed on that; ask another node"
        )


class SignedOtherwise(ChainError):
    """After the fact: what was signed is on its way or there."""

    def __init__(self, what: str, signed: bytes | str, found: bytes | str) -> None:
        self.signed, self.found = signed, found
        shown = [x if isinstance(x, str) else f"0x{x.hex()}" for x in (signed, found)]
        super().__init__(
            f"{what} is {shown[0]} by what was signed, and {shown[1]} by what the node says now: "
            "rely on neither before an audit by another node (zkagent model audit, zkagent agent "
            "audit)"
        )


class FeeRefused(ChainError):
    """whole: of the transaction, not of a unit of gas."""

    def __init__(
        self, what: str, wei: int, most_wei: int, option: str, *, whole: bool = False
    ) -> None:
        self.wei, self.most_wei = wei, most_wei
        unit, size = ("ETH", 10**18) if whole else ("gwei", 10**9)
        super().__init__(
            f"the {what} would be {wei / size:,.9g} {unit}, at most {most_wei / size:,.9g} {unit} "
            f"is paid: nothing was signed; wait, ask another node, or give {option}"
        )


class StepPending(ChainError):
    """The step's transaction is journalled: it may be included at any time."""

    def __init__(self, step: str, transaction: str, timeout_s: float) -> None:
        self.step, self.transaction = step, transaction
        super().__init__(
            f"step {step!r} is not included after {timeout_s:g} s (transaction {transaction}): "
            "repeat the command to wait on, or to pay more"
        )


class StepContradicted(ChainError):
    """Signed anew it would be made twice, and what was built on it lost."""

    def __init__(self, step: str, transaction: str, why: str) -> None:
        self.step, self.transaction = step, transaction
        super().__init__(
            f"the node says that step {step!r} took no effect (transaction {transaction}), but "
            f"{why}: nothing was signed; repeat the command with another node (--rpc), one that "
            "keeps the past, or later; with another --out it begins anew and pays for every step"
        )


class StepNotAgreed(ChainError):
    """What it would take was shown otherwise, or not at all."""

    def __init__(self, step: str, why: str) -> None:
        self.step = step
        super().__init__(
            f"step {step!r} {why}: nothing was signed for it; repeat the command, which shows what "
            "is left to pay now; --gas-factor is for chains that count more gas than Ethereum"
        )


class RevertError(ChainError):
    """A revert with its error's name and arguments.

    name is the Solidity error's name, "Error" for a reason string, "Panic" for a panic code, and
    "" when the data matches no known ABI. data is the raw revert data.
    """

    def __init__(
        self, message: str, *, name: str = "", args: Mapping[str, Any] | None = None, data: bytes
    ) -> None:
        super().__init__(message)
        self.name = name
        self.arguments: Mapping[str, Any] = dict(args or {})
        self.data = data


def _short(answer: object) -> str:
    """On one line, not too long, and harmless on a terminal."""
    shown = repr(answer)
    return shown if len(shown) <= 80 else f"{shown[:80]}..."


__all__ = [
    "AnswerRefused",
    "AnvilError",
    "ArgumentMissing",
    "ArgumentUnreadable",
    "ChainError",
    "ChainTimedOut",
    "ChainUnreachable",
    "CompileError",
    "ContractsError",
    "DeploymentFileError",
    "DevelopmentSetupRefused",
    "EvmModelError",
    "FeeRefused",
    "ForgeError",
    "JournalDamaged",
    "JournalError",
    "JournalInUse",
    "JournalRefused",
    "ModelCodeError",
    "NameRefused",
    "ProjectRefused",
    "RevertError",
    "SignedOtherwise",
    "StepContradicted",
    "StepNotAgreed",
    "StepPending",
    "ToolchainError",
    "UnknownCode",
    "WrongChain",
]
