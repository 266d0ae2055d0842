"""What can go wrong in `executor`, as one tree.

ExecutorError
├── ObservationWithoutCall   an observation given after the final answer
├── TrainingExtraMissing     torch is not installed
├── SvmExtraMissing          scikit-learn is not installed
├── McpExtraMissing          the SDK of MCP is not installed
├── KeyFileError             a key file that cannot be read, decrypted or is no key
├── CommitmentRefused        another commitment is registered than the one to accept
├── KeptRefused              a batch verifier that would be registered again, and nobody vouches for
├── DeploymentMissing        an address or file is needed to know whom to talk to
├── ArgumentRefused          a function was called with a value that it cannot mean
├── NoAgentThere             a contract, or none, that does not answer as an agent's does
│   └── WordRefused          its symbol book lists a word that this version's books refuse
├── PlanError                a run cannot be planned; nothing was sent
│   ├── EncoderMismatch      contract and Python derive different features from one context
│   ├── DecisionMismatch     contract and Python make different decisions of one output
│   ├── ArgumentsSwapped     the model gives a tool its arguments in another order than it takes
│   ├── OtherModel           the agent obeys a model that is not the one at hand
│   ├── DecidesOtherwise     its encoder or decoder goes by an earlier version's rule
│   ├── NestedDecision       an agent inside the run wants a decision that cannot be made here
│   ├── NestedTooDeep        agents use agents beyond the limit of depth
│   ├── TooManyDecisions     the run did not end within the limit of decisions
│   └── ClocksDisagree       the chain's time is far ahead of this machine's
├── SendError                a planned run did not become a transaction
│   ├── InsufficientFunds    the account cannot pay for gas (transient: fund it)
│   ├── CallUnsettled        a call of a contract is signed, and in no block yet
│   ├── CallTaken            something else used the nonce that a call was signed for
│   ├── CallRecordDamaged    what was signed for a call cannot be read, or is another call
│   └── ...                  an instruction on its way: runs/errors.py
├── RunRecordError           what is kept of runs cannot be used: runs/errors.py
├── ReceiptError             a receipt cannot be made or checked
│   ├── HappenedUnreceipted  the run happened, and has no receipt
│   ├── NotReproducible      the states around a run's block do not lead to it
│   │   └── DecidedOtherwise since an earlier version's rule decided
│   ├── TooLongForReceipt    a run that happened does not fit into the format
│   ├── MalformedReceipt     not a receipt of this format
│   ├── NotOnChain           the chain knows no such block, transaction or run
│   │   └── NoAnswerYet      a run that waits, and has no answer in its transaction
│   └── CannotVerify         something that verification needs is not there
│       └── TooMuchAnswered  contracts answer with more than anybody reads of them
├── PlaceRefused             a result could not be written where it was asked for
│   ├── FileInTheWay         a file would be overwritten that cannot be made again
│   └── RecordUnwritten      so with the record of a deployment that was begun, or made
├── ConfigError              the config files cannot be used as they are
│   ├── ConfigUnreadable     a file that cannot be read, or is not TOML
│   ├── ConfigRefused        an unknown setting, or a value of another form
│   └── ProjectUntrusted     a project's file that the user has not accepted
├── BenchError               the benchmark cannot run, or must not report what it found
│   ├── BenchExtraMissing    matplotlib is not installed
│   ├── BenchFolderRefused   results cannot go there
│   ├── BenchMeasurementFailed   a circuit could not be measured, or computes something else
│   ├── BenchResultsUnreadable   a results file that is not one
│   └── UnknownBenchModel    no model of this name is measured
└── DemoError                a run or attack of the demo did not end as it must

A receipt that does not hold is a verdict (`verify_run.Report`), not an error of this tree.
"""

from pathlib import Path

from zkagent.errors import ZkagentError


class ExecutorError(ZkagentError):
    """Root of this package's errors; the message is one line and names the remedy."""


class ObservationWithoutCall(ExecutorError):
    def __init__(self, number: int, answer: str) -> None:
        super().__init__(
            f"observation {number} has no tool call before it: "
            f"the answer was already {answer!r}; leave it out"
        )


class TrainingExtraMissing(ExecutorError):
    def __init__(self) -> None:
        super().__init__(
            "training needs torch: pip install -e '.[train]' in a clone of the project, or pip "
            "install torch beside an installed zkagent"
        )


class SvmExtraMissing(ExecutorError):
    def __init__(self) -> None:
        super().__init__(
            "a linear SVM to compare with needs scikit-learn: pip install -e '.[import]' in a "
            "clone of the project, or pip install scikit-learn beside an installed zkagent"
        )


class McpExtraMissing(ExecutorError):
    def __init__(self) -> None:
        super().__init__(
            "MCP needs its SDK: pip install -e '.[mcp]' in a clone of the project, or pip install "
            "mcp beside an installed zkagent"
        )


class KeyFileError(ExecutorError):
    """The message names the file and never its contents."""


class CommitmentRefused(ExecutorError):
    """Nothing was sent: the model's owner registered something else meanwhile."""

    def __init__(self, wanted: bytes, registered: bytes) -> None:
        self.wanted, self.registered = wanted, registered
        super().__init__(
            f"the model is registered as 0x{registered.hex()}, not as 0x{wanted.hex()}: audit it "
            "(zkagent model audit) and accept what that prints"
        )


class KeptRefused(ExecutorError):
    """Nothing was sent. What is kept is signed again: a node that lies about the list would have
    the model's owner register a stranger's verifier."""

    def __init__(self, size: int, verifier: str, why: str) -> None:
        self.size, self.verifier = size, verifier
        super().__init__(
            f"the verifier for {size} decisions at {verifier}, which the node lists, is not kept: "
            f"{why}; --batch {size} puts one of this version in its place, --keep "
            f"{size}={verifier} keeps what you know to be good"
        )


class DeploymentMissing(ExecutorError):
    pass


class ArgumentRefused(ExecutorError):
    """Of a function of the Python face; commands refuse the same by their options."""

    def __init__(self, name: str, value: object, expected: str) -> None:
        self.name, self.value, self.expected = name, value, expected
        super().__init__(f"{name} is {value!r}, expected {expected}")


class NoAgentThere(ExecutorError):
    def __init__(self, address: str, why: str) -> None:
        self.address = address
        super().__init__(
            f"no agent of this kind at {address}: {why}; check the address and the chain"
        )


class WordRefused(NoAgentThere):
    """A book of a release may: this version reads prompts by its own list of words."""

    def __init__(self, book: str, why: str) -> None:
        self.address = book
        ExecutorError.__init__(
            self,
            f"the book at {book} lists what books of this version refuse, so that no prompt "
            f"is read by it: {why}; its owner can take it out (unlist)",
        )


class PlanError(ExecutorError):
    """Planning failed; nothing was proven or sent."""


class EncoderMismatch(PlanError):
    """Contract and Python disagree on x: the feature is `position`, or the length when None."""

    def __init__(
        self, index: int, ours: tuple[int, ...], theirs: tuple[int, ...], encoder: str
    ) -> None:
        self.index, self.ours, self.theirs = index, ours, theirs
        pairs = enumerate(zip(ours, theirs, strict=False))
        self.position = next((i for i, (a, b) in pairs if a != b), None)
        where = (
            f"{len(ours)} features here, {len(theirs)} there"
            if self.position is None
            else f"feature {self.position} is {ours[self.position]} here, "
            f"{theirs[self.position]} there"
        )
        super().__init__(
            f"decision {index}: the encoder contract {encoder} derives other features than this "
            f"model's encoder: {where}; the agent runs another model or version: audit it"
        )


class DecisionMismatch(PlanError):
    def __init__(self, index: int, what: str, expected: str, received: str) -> None:
        self.index, self.what = index, what
        super().__init__(
            f"decision {index}: the contract's {what} is {received!r}, this model's decoder says "
            f"{expected!r}; the agent runs another model or version: audit it"
        )


class ArgumentsSwapped(PlanError):
    """given, taken: what the arguments are for, in the model's order and in the tool's."""

    def __init__(self, name: str, given: str, taken: str) -> None:
        self.name, self.given, self.taken = name, given, taken
        super().__init__(
            f"the agent's model calls {name}({given}), and its tool {name} takes {taken}: the call "
            "would do something else than it says; nothing was sent. Its owner has to give it a "
            "model that knows the tool, or you an agent that you trust"
        )


class OtherModel(PlanError):
    def __init__(self, what: str, ours: str, theirs: str) -> None:
        self.what, self.ours, self.theirs = what, ours, theirs
        super().__init__(
            f"the agent's model has {what} {theirs}, the one at hand {ours}: "
            "choose the agent's model with --model, or have its owner accept this one"
        )


class DecidesOtherwise(PlanError):
    """what: the encoder or decoder. zkagent: which goes by its rule."""

    def __init__(self, what: str, zkagent: str) -> None:
        self.what, self.zkagent = what, zkagent
        super().__init__(
            f"the agent's model decides by {what}: nothing was proven or sent. Deploy the agent "
            "anew, or have its model's owner register this version's encoder and decoder, and "
            f"accept that (`zkagent agent accept`). As it is, it is run by {zkagent}"
        )


class DecimalsRefused(PlanError):
    """length: of what the contract at `token` answers, in bytes."""

    def __init__(self, token: str, length: int) -> None:
        super().__init__(
            f"{token} answers decimals() with {length} bytes: a token answers with 32, and the "
            "executor refuses a run that rests on another answer; name another token"
        )
        self.token, self.length = token, length


class TokenContradicted(PlanError):
    """A deployment record and the chain, as its node tells it, disagree on a token."""

    def __init__(self, symbol: str, ours: str, theirs: str) -> None:
        super().__init__(
            f"{symbol} is {ours} by the deployment record, and {theirs} by the node: ask another "
            "node, or correct the record if the token was listed anew"
        )
        self.symbol, self.ours, self.theirs = symbol, ours, theirs


class NestedDecision(PlanError):
    """why: what is missing to make it."""

    def __init__(self, agent: str, why: str) -> None:
        self.agent, self.why = agent, why
        super().__init__(f"the agent {agent}, used as a tool, wants a decision, and {why}")


class NestedTooDeep(PlanError):
    def __init__(self, agent: str, limit: int) -> None:
        self.agent, self.limit = agent, limit
        super().__init__(
            f"the agent {agent} is used by an agent that is used by another, and so on: more than "
            f"{limit} of them are not planned"
        )


class TooManyDecisions(PlanError):
    def __init__(self, limit: int) -> None:
        self.limit = limit
        super().__init__(
            f"the run did not end within {limit} decisions: is the agent's iteration limit set?"
        )


class ClocksDisagree(PlanError):
    """theirs, ours: seconds since 1970."""

    def __init__(self, theirs: int, ours: int) -> None:
        self.theirs, self.ours = theirs, ours
        super().__init__(
            f"the chain's latest block says {theirs} seconds since 1970, this machine {ours}: a "
            "run with a deadline that far ahead could be included at any time; set the clock, or "
            "ask another node"
        )


class SendError(ExecutorError):
    """A planned run did not become an accepted transaction."""


class CallUnsettled(SendError):
    """why: what the node said meanwhile; empty when time ran out."""

    def __init__(self, transaction: str, timeout_s: float, why: str = "") -> None:
        self.transaction = transaction
        where = f"in no settled block after {timeout_s:g} s"
        if why:
            where = f"signed, and not known to be in a settled block ({why})"
        super().__init__(
            f"transaction {transaction} is {where}: make the call again with its key, which goes "
            "on with it"
        )


class CallTaken(SendError):
    def __init__(self, transaction: str, nonce: int) -> None:
        self.transaction, self.nonce = transaction, nonce
        super().__init__(
            f"the node says that another transaction of its account has the nonce {nonce} of "
            f"{transaction}, which it does not show: ask another node whether that one happened "
            "before the call is made with a new key, and give agents an account of their own"
        )


class CallRecordDamaged(SendError):
    def __init__(self, path: Path, why: str) -> None:
        self.path = path
        super().__init__(
            f"{path} may stand for a transaction that was sent, and cannot be used ({why}): look "
            "what became of it, then remove the file"
        )


class InsufficientFunds(SendError):
    def __init__(self, account: str, balance_wei: int, needed_wei: int) -> None:
        self.account, self.balance_wei, self.needed_wei = account, balance_wei, needed_wei
        super().__init__(
            f"{account} holds {_ether(balance_wei)} ETH, and what is to be sent may cost up to "
            f"{_ether(needed_wei)} ETH in gas: fund the account"
        )


class ReceiptError(ExecutorError):
    """A receipt cannot be made, read or checked."""


class NotReproducible(ReceiptError):
    """why: what these states lack, in words."""

    def __init__(self, transaction: str, block: int, why: str) -> None:
        super().__init__(
            f"run {transaction} cannot be reproduced from the states that the node tells around "
            f"block {block}: {why}"
        )


class DecidedOtherwise(NotReproducible):
    """what: the encoder or decoder that decided. zkagent: which goes by its rule."""

    def __init__(self, transaction: str, block: int, what: str, zkagent: str) -> None:
        self.what, self.zkagent = what, zkagent
        ReceiptError.__init__(
            self,
            f"run {transaction}, block {block}, was decided by {what}: `zkagent runs resume` of "
            f"{zkagent}, makes its receipt",
        )


class TooLongForReceipt(ReceiptError):
    """where: the part of the receipt that is too long."""

    def __init__(self, transaction: str, where: str, why: str) -> None:
        self.transaction, self.where = transaction, where
        super().__init__(
            f"run {transaction} does not fit into a receipt: {where}: {why}; the run itself stands"
        )


class HappenedUnreceipted(ReceiptError):
    """transaction: its hash."""

    exit_code = 4

    def __init__(self, transaction: str, block: int, answer: str, why: str) -> None:
        self.transaction, self.block, self.answer = transaction, block, answer
        super().__init__(
            f"the run happened (transaction {transaction}, block {block}, answer {answer!r}), and "
            f"has no receipt: {why}"
        )


class MalformedReceipt(ReceiptError):
    """source: where it was read from; where: which part of it."""

    def __init__(self, source: str, where: str, why: str) -> None:
        self.source, self.where = source, where
        super().__init__(
            f"{source} is not a receipt of this format: {where}: {why}: "
            "give a file that `zkagent run` wrote"
        )


class NotOnChain(ReceiptError):
    """Asked of a node that answers: what the receipt names is not there."""


class NoAnswerYet(NotOnChain):
    """run: the agent's number of it, which waits for this call of `awaited`."""

    def __init__(self, transaction: str, agent: str, run: int, awaited: str, call: int) -> None:
        self.agent, self.run, self.awaited, self.call = agent, run, awaited, call
        super().__init__(
            f"the run in transaction {transaction} has no answer yet: run {run} of {agent} waits "
            f"for call {call} of {awaited} (of a guard: `zkagent guard approve`)"
        )


class CannotVerify(ReceiptError):
    """Verification needs something that is not there: a model, a circuit, an old block."""


class TooMuchAnswered(CannotVerify):
    """most: how many bytes are read of what contracts of a stranger's choice answer, all in all."""

    def __init__(self, most: int) -> None:
        self.most = most
        super().__init__(f"its contracts answer with more than {most:,} bytes: no agent's do")


class PlaceRefused(ExecutorError):
    """Found before the work on the result began."""

    def __init__(self, path: Path, why: str) -> None:
        self.path, self.why, self.trouble = path, why, f"{path} cannot be written ({why})"
        super().__init__(f"{self.trouble}: choose another place")


class FileInTheWay(PlaceRefused):
    """A file that would be overwritten, and could not be made again."""

    def __init__(self, path: Path) -> None:
        self.path, self.trouble = path, f"{path} is there already"
        ExecutorError.__init__(self, f"{self.trouble}: name another file, or move it away")


class RecordUnwritten(PlaceRefused):
    """What was sent is in the journal beside this path, and known by no other. made: whether all of
    it was sent, and the record printed."""

    def __init__(self, refused: PlaceRefused, *, made: bool = False) -> None:
        self.path, self.trouble, self.made = refused.path, refused.trouble, made
        told = "all is deployed, and its record is what was printed; " if made else ""
        ExecutorError.__init__(
            self,
            f"{self.trouble}: {told}mend that, or move it away, and repeat the same command, which "
            "pays for nothing twice; with another --out all is deployed and paid for anew",
        )


class ConfigError(ExecutorError):
    """Root of what is wrong with a config file; see docs/cli.md."""


class ConfigUnreadable(ConfigError):
    def __init__(self, path: Path, why: str) -> None:
        self.path = path
        super().__init__(f"config file {path} cannot be read ({why}): mend it or move it away")


class ConfigRefused(ConfigError):
    """expected: the form of such a value; empty when there is no setting of this name."""

    def __init__(self, path: Path, name: str, value: object, expected: str) -> None:
        self.path, self.name, self.value = path, name, value
        wrong = f"expected {expected}" if expected else "there is no such setting"
        super().__init__(
            f"config file {path}: {quoted(name)} is {quoted(repr(value))}, {wrong}: "
            "mend that line; `zkagent config --help` lists the settings"
        )


class ProjectUntrusted(ConfigError):
    def __init__(self, path: str, name: str) -> None:
        self.path, self.name = path, name
        super().__init__(
            f"{path} sets {name}, and you have not trusted it as it is now: read it, then "
            f"`zkagent config trust`, or give --{name} yourself (`--{name} none` for none)"
        )


class BenchError(ExecutorError):
    """Root of what `zkagent bench` refuses."""


class BenchExtraMissing(BenchError):
    def __init__(self) -> None:
        super().__init__(
            "plots need matplotlib: pip install -e '.[bench]' in a clone of the project, or pip "
            "install matplotlib beside an installed zkagent, or leave them out with --no-plots"
        )


class BenchFolderRefused(BenchError):
    def __init__(self, path: Path, why: str) -> None:
        self.path = path
        super().__init__(f"results cannot go to {path}: {why}; give another folder with --out")


class BenchMeasurementFailed(BenchError):
    """A proof that does not hold, outputs that are not the network's, or what ezkl said."""


class BenchResultsUnreadable(BenchError):
    def __init__(self, path: Path, why: str) -> None:
        self.path = path
        super().__init__(
            f"{path} holds no benchmark results: {why}; give a folder that `zkagent bench` wrote"
        )


class UnknownBenchModel(BenchError):
    def __init__(self, name: str, suite: str, known: list[str]) -> None:
        self.name = name
        super().__init__(
            f"the {suite} benchmark has no model {name!r}: choose from {', '.join(known)}"
        )


class DemoError(ExecutorError):
    pass


def quoted(text: str) -> str:
    """On one line, not too long, and harmless on a terminal: files of strangers are quoted here."""
    shown = text if text.isprintable() else repr(text)
    return shown if len(shown) <= 60 else f"{shown[:60]}..."


def _ether(wei: int) -> str:
    return f"{wei / 10**18:.6f}".rstrip("0").rstrip(".")
