"""What can go wrong in `models`, as one tree.

ModelError
├── UnknownModel          no shipped model and no folder of that name
├── WrongKind             a text classifier where an agent's model is needed, or the reverse
├── ManifestError         model.json or classifier.json is not what it should be
├── CorruptModel          a file's digest is not the one its manifest names
├── NetworkUnusable       the ONNX file is no exact network of the manifest's form, or fails
├── OutputOutOfRange      an output vector that the manifest's width cannot hold
├── RefusedSymbol        a word that no symbol book may list
├── RefusedContact       a word that no contact book may list
├── BoundExceeded         a model whose worst case could leave 64-bit integers
├── IncompleteContext     nobody says what the model reads of its agent
├── UnansweredView        what an encoder asks other contracts is not there
├── DatasetError          labelled texts that cannot be read or learned from
├── ToolsRefused          an agent's tools.yaml that does not say what its tools are
└── RefusedText           the encoder refuses a prompt, exactly as the contract does
    ├── EmptyPrompt
    ├── PromptTooLong
    ├── PromptNotAscii
    ├── TooManyTokens
    ├── TooManyCandidates
    ├── AddressChecksum
    ├── ApplicantUnclear
    └── ForeignHistory
└── RefusedArgument       the decoder refuses an argument, exactly as the contract does
    ├── MalformedAmount
    ├── AmountTooPrecise
    ├── AmountTooLarge
    ├── UnknownDecimals
    ├── NobodyToPay
    └── DuplicateTool
"""

from pathlib import Path

from zkagent.errors import ZkagentError


class ModelError(ZkagentError):
    """Root of this package's errors; the message is one line and names the remedy."""


class UnknownModel(ModelError):
    """found: what stands at the path instead of a model, such as "a single file"."""

    def __init__(self, name: str, known: list[str], found: str | None = None) -> None:
        self.name, self.known, self.found = name, known, found
        what = f"{name!r}, {found}" if found else repr(name)
        super().__init__(
            f"unknown model {what}: give a folder with a model.json or classifier.json, "
            f"or one of {', '.join(known)}"
        )


class WrongKind(ModelError):
    """found, needed: "an agent's model" or "a text classifier"."""

    def __init__(self, name: str, found: str, needed: str) -> None:
        self.name, self.found, self.needed = name, found, needed
        super().__init__(
            f"{name} is {found}, but this needs {needed}: give the name or folder of one"
        )


class ManifestError(ModelError):
    pass


class CorruptModel(ModelError):
    def __init__(self, path: str, expected: str, received: str) -> None:
        super().__init__(
            f"{path} has sha256 {received[:16]}, its manifest names {expected[:16]}: "
            "restore the file or train the model again"
        )


class NetworkUnusable(ModelError):
    def __init__(self, path: Path, why: str) -> None:
        self.path = path
        super().__init__(
            f"{path} is no network of a model: {why}: give a folder that `zkagent model train` or "
            "`train-classifier` wrote"
        )


class OutputOutOfRange(ModelError):
    pass


class BoundExceeded(ModelError):
    pass


class IncompleteContext(ModelError):
    def __init__(self) -> None:
        super().__init__(
            "the model reads whole instructions, and nobody says whom the agent serves: name the "
            "owner, or None where the agent does not tell"
        )


class UnansweredView(ModelError):
    """what: the model's encoder asks for, such as "the record of the account"."""

    def __init__(self, what: str) -> None:
        self.what = what
        super().__init__(f"nobody told {what}, which the model's encoder asks other contracts for")


class DatasetError(ModelError):
    """The message names file and line."""


class ToolsRefused(ModelError):
    """path: of a tools.yaml."""

    def __init__(self, path: str, why: str) -> None:
        self.path, self.why = path, why
        super().__init__(f"{path}: {why}")


class RefusedSymbol(ModelError):
    def __init__(self, symbol: str, why: str) -> None:
        self.symbol, self.why = symbol, why
        super().__init__(f"no token can go by {symbol!r}: {why}; give another symbol")


class RefusedContact(ModelError):
    def __init__(self, name: str, why: str) -> None:
        self.name, self.why = name, why
        super().__init__(f"no contact can go by {name!r}: {why}; give another name")


class RefusedText(ModelError):
    """The prompt cannot become features; the Solidity encoder reverts with the error of this
    name."""


class EmptyPrompt(RefusedText):
    def __init__(self) -> None:
        super().__init__("the prompt is empty: write an instruction such as 'withdraw 5 USDC'")


class PromptTooLong(RefusedText):
    def __init__(self, length: int, limit: int) -> None:
        self.length, self.limit = length, limit
        super().__init__(
            f"the prompt has {length} characters, at most {limit} are read: shorten it"
        )


class PromptNotAscii(RefusedText):
    def __init__(self, position: int) -> None:
        self.position = position
        super().__init__(
            f"the prompt's byte at position {position} is not printable ASCII: "
            "write it with plain letters"
        )


class TooManyTokens(RefusedText):
    def __init__(self, limit: int) -> None:
        self.limit = limit
        super().__init__(f"the prompt has more than {limit} words: shorten it")


class TooManyCandidates(RefusedText):
    def __init__(self, limit: int) -> None:
        self.limit = limit
        super().__init__(
            f"the prompt names more than {limit} amounts, assets and addresses: "
            "split it into several"
        )


class ApplicantUnclear(RefusedText):
    def __init__(self, prompt: str) -> None:
        self.prompt = prompt
        super().__init__(
            f"{prompt!r:.160} does not end in an account: name one as 0x and 40 lower-case hex "
            "digits, behind a blank"
        )


class ForeignHistory(RefusedText):
    def __init__(self, index: int) -> None:
        self.index = index
        super().__init__(f"entry {index} of the history is not what the model's decision led to")


class AddressChecksum(RefusedText):
    def __init__(self, position: int, text: str) -> None:
        self.position = position
        super().__init__(
            f"the address {text} at position {position} has a wrong EIP-55 checksum: "
            "copy it again, or write it in lower case if you are sure of it"
        )


class RefusedArgument(ModelError):
    """An argument cannot be carried out; the Solidity decoder reverts with the error of this
    name."""


class MalformedAmount(RefusedArgument):
    def __init__(self, text: str) -> None:
        super().__init__(
            f"the amount {text!r} is not a decimal number: write digits and at most one point"
        )


class AmountTooPrecise(RefusedArgument):
    def __init__(self, text: str, decimals: int) -> None:
        super().__init__(
            f"the amount {text} has more than the asset's {decimals} decimals: round it"
        )


class AmountTooLarge(RefusedArgument):
    def __init__(self, text: str) -> None:
        super().__init__(f"the amount {text} does not fit 256 bits: write a smaller one")


class UnknownDecimals(RefusedArgument):
    def __init__(self, token: str) -> None:
        super().__init__(
            f"the token {token} is not in the symbol book and its decimals are unknown: "
            "list it first"
        )
        self.token = token


class NobodyToPay(RefusedArgument):
    def __init__(self, text: str) -> None:
        super().__init__(f"{text!r} stands for the zero address, which nobody has: pay another one")
        self.text = text


class DuplicateTool(RefusedArgument):
    def __init__(self, name: str) -> None:
        super().__init__(f"the agent has several tools named {name}: remove all but one")
