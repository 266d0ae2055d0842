"""Everything that can go wrong between an ONNX file and a checked proof.

CircuitError
├── NetworkRefused       the ONNX file is missing, not ONNX, or a circuit would not be exact
├── ProgramRefused       an integer network that cannot be read as steps over bounded numbers
├── SettingsRefused      the circuit would break one of the soundness rules
├── NumbersHidden        proofs of the circuit hide something where all must be public
├── MemoryTooSmall       this machine cannot hold the keys and a proof of so many rows
├── InputRefused         x (or the y that it leads to) has the wrong count, type or range
│   ├── OutsideRange     x leads a value out of the ranges that the circuit was built for
│   └── SamplesRefused   a samples file whose content is not inputs of the network
├── ProofMalformed       a proof file that is not one
├── SrsError
│   ├── SrsUnreadable    not a set-up file, or a damaged one
│   ├── SetupDiffers     a circuit has another set-up than the one that was named
│   └── SrsTooSmall      fewer rows than the circuit needs
├── HomeRefused          nothing can be kept where ZKAGENT_HOME says
│   └── HomeUnknown      neither that nor HOME says where
├── CircuitNotFound      no such circuit in the cache
│   └── CircuitElsewhere     and it cannot be built again: its set-up was made for it alone
├── CircuitInUse         a circuit that should go is being built, or worked with
├── CircuitOutdated      a cached circuit of another version of ezkl or of our patches
├── ProofSystemUnknown   a registry, receipt or circuit names a proof system that is not here
├── ArtifactCorrupted    a cached file is not what was written
│   ├── ArtifactUnreadable   it cannot be read: no permission, or a failing disk
│   └── KeysDamaged          of either kind, and no build makes it again: its set-up was its own
│       └── NoteDamaged      what this machine noted of who made the set-up
├── VerifierChanged      ezkl's generated Solidity no longer looks as our patches expect
├── TuningFailed         no sound settings are good enough
├── TuningMissing        nobody tuned this file on this machine
├── EngineMissing        a prover's library, or one that reads models, is not installed
├── PackagesMissing      npm cannot install what was asked for, or there is no Node.js
├── CeremonyRefused      a ceremony's file that is damaged, or does not follow from the others
│   └── PtauRefused          its powers of tau: too few, not prepared, or nobody vouches for them
└── EngineError          ezkl or another library failed or panicked
    └── EngineCrashed    the process that ran it ended

A proof that does not verify is a verdict, not an error of this tree.
"""

from pathlib import Path

from zkagent.errors import ZkagentError

CUT_OFF = "its words cannot be written"
#: What Rust, numpy, C++ and V8 say before they give up.
OUT_OF_MEMORY = ("memory allocation", "MemoryError", "bad_alloc", "heap out of memory")


def tells_of_no_memory(line: str) -> bool:
    return any(words in line for words in OUT_OF_MEMORY)


class CircuitError(ZkagentError):
    """Root of this package's errors; the message is one line and names the remedy."""


class NetworkRefused(CircuitError):
    """The model's file cannot become a circuit."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path} cannot become a circuit: {reason}")
        self.path = path
        self.reason = reason


class ProgramRefused(CircuitError):
    """An ONNX graph that is not exact integer arithmetic, or whose numbers have no bound."""


class SettingsRefused(CircuitError):
    """A circuit with these settings would accept false proofs or leave the prover a choice."""

    def __init__(self, rule: str, found: object, expected: object) -> None:
        super().__init__(f"circuit settings refused: {rule} is {found}, must be {expected}")
        self.rule = rule
        self.found = found
        self.expected = expected


class NumbersHidden(CircuitError):
    """Proofs of the circuit hide something. where: what takes only those that show everything."""

    def __init__(self, digest: str, shown: str, where: str) -> None:
        super().__init__(
            f"circuit {digest[:16]} has {shown}, {where} takes circuits of public inputs and "
            "outputs and fixed weights only: prove with this one on your own machine"
        )
        self.digest = digest


class MemoryTooSmall(CircuitError):
    """The circuit is larger than what may be used; sizes in bytes, `needed` estimated. limit: what
    there is, in words. largest: the cells of the node that needs most, in words, if known."""

    def __init__(
        self,
        logrows: int,
        columns: int,
        needed: float,
        limit: str,
        largest: str = "",
    ) -> None:
        super().__init__(
            f"2^{logrows} rows of about {columns} columns{largest and f', with {largest},'} need "
            f"about {needed / 1e9:.1f} GB of memory to make keys and a proof, {limit}: use a "
            "smaller model, fewer rows, or a larger machine"
        )
        self.logrows, self.columns = logrows, columns
        self.needed, self.limit = needed, limit

    def naming(self, largest: str) -> "MemoryTooSmall":
        """The same with its largest node."""
        return MemoryTooSmall(self.logrows, self.columns, self.needed, self.limit, largest)


class ProductsTooLarge(CircuitError):
    """The network's products and soft-maxes alone are larger than what may be used; needed: bytes,
    at least. limit: what there is, in words."""

    def __init__(self, node: str, most: int, total: int, needed: float, limit: str) -> None:
        super().__init__(
            f"it needs {total:,} cells or more, {most:,} of them {node}, and so at least "
            f"{needed / 1e9:.1f} GB of memory, {limit}: use fewer or smaller layers, or a larger "
            "machine"
        )
        self.needed = needed


class InputRefused(CircuitError):
    """The values for a circuit are not what it takes."""


class OutsideRange(InputRefused):
    """No proof is possible: a table or a decomposition of the circuit does not reach so far."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"these inputs leave the ranges of the circuit ({reason}): give inputs like those it "
            "was calibrated with, or build it again with samples (--data) that include them"
        )
        self.reason = reason


class SamplesRefused(InputRefused):
    """The samples to calibrate with or to compare on are not what the network takes."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path} is no usable samples file: {reason}")
        self.path = path
        self.reason = reason


class ProofMalformed(CircuitError):
    """A proof file that cannot be read as one. source: where it was read from."""

    def __init__(self, reason: str, source: str = "this") -> None:
        super().__init__(
            f"{source} is not a proof file: {reason}: give one that `zkagent prove` wrote"
        )
        self.reason = reason


class SrsError(CircuitError):
    """Root of what is wrong with a structured reference string (the KZG set-up)."""


class SrsUnreadable(SrsError):
    """Not a set-up file in halo2's raw format, or a damaged one."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path} is no usable set-up file: {reason}")
        self.path = path
        self.reason = reason


class SetupDiffers(SrsError):
    """A circuit of another set-up than the one that was named."""

    def __init__(self, digest: str, path: Path, *, shared: bool = True) -> None:
        remedy = "name its own file with --srs, or --srs none if whoever made that may be trusted"
        if not shared:
            remedy = "a Groth16 set-up is made for one circuit: leave out --srs"
        super().__init__(f"circuit {digest[:16]} has another set-up than {path}: {remedy}")
        self.digest, self.path = digest, path


class SrsTooSmall(SrsError):
    """The set-up has fewer rows than the circuit."""

    def __init__(self, path: Path, logrows: int, needed: int) -> None:
        super().__init__(
            f"{path} is a set-up for 2^{logrows} rows, the circuit needs 2^{needed}: "
            f"give a larger one (k >= {needed})"
        )
        self.path = path
        self.logrows = logrows
        self.needed = needed


class ProofSystemUnknown(CircuitError):
    """Named by somebody who knows more, or made it up; `known` lists those of this version."""

    def __init__(self, named: str, known: str) -> None:
        super().__init__(f"no proof system {named} in this version of zkagent: it has {known}")
        self.named = named
        self.known = known


class HomeRefused(CircuitError):
    """The folder for circuits, set-ups, tools, receipts and records of runs cannot be used."""

    ELSEWHERE = "set ZKAGENT_HOME to the absolute path of a folder that can be written"
    #: Where records of runs may be, which no other folder has.
    MEND = (
        "give it back to the account that zkagent runs under, mend its permissions or its disk, or "
        "make room; it may hold records of runs that were signed, and under another ZKAGENT_HOME "
        "the same instruction would happen again"
    )

    def __init__(self, subject: str, reason: str, remedy: str = ELSEWHERE) -> None:
        super().__init__(f"{subject}, and that cannot be used ({reason}): {remedy}")
        self.reason, self.remedy = reason, remedy


class HomeUnknown(HomeRefused):
    """Nothing says where this account keeps anything."""

    def __init__(self, home: str | None) -> None:
        given = "HOME is not set" if home is None else f"HOME is {home!r}"
        CircuitError.__init__(
            self,
            f"{given}, and the system knows no home folder of this account: set HOME, or "
            "ZKAGENT_HOME, to the absolute path of a folder that can be written",
        )
        self.reason, self.remedy = given, self.ELSEWHERE


class CircuitNotFound(CircuitError):
    """No circuit of this digest is in the cache."""

    def __init__(self, digest: str, directory: Path) -> None:
        super().__init__(
            f"no circuit {digest or repr('')} in {directory}: "
            "build it with `zkagent circuit build MODEL`, with --srs if another set-up than this "
            "machine's made it, or copy its folder from where it was built if it is one of Groth16 "
            "(of a ceremony, `zkagent ceremony verify --for-audits` on its last key does as well)"
        )
        self.digest = digest
        self.directory = directory


class CircuitElsewhere(CircuitNotFound):
    """Not in the cache, and no build gives it."""

    def __init__(self, digest: str, directory: Path) -> None:
        CircuitError.__init__(
            self,
            f"circuit {digest[:16]} is not well on this machine, and no build gives it, because "
            "its set-up was made for it alone: copy its folder from where it was built to "
            f"{directory}, or, where a ceremony made that, run `zkagent ceremony verify "
            "--for-audits` on its last key",
        )
        self.digest = digest
        self.directory = directory


class CircuitInUse(CircuitError):
    """The circuit was not removed."""

    def __init__(self, digest: str, why: str) -> None:
        super().__init__(f"circuit {digest[:16]} stays: {why}; try again when that is over")
        self.digest = digest


class CircuitOutdated(CircuitError):
    """The circuit was built by another version, whose files this one may misread.

    remedy: where building again does not give the same circuit."""

    def __init__(
        self,
        digest: str,
        built: str,
        installed: str,
        remedy: str = "build it again with `zkagent circuit build MODEL`",
    ) -> None:
        super().__init__(
            f"circuit {digest} was built with {built}, installed is {installed}: {remedy}"
        )
        self.digest = digest
        self.built = built
        self.installed = installed


class ArtifactCorrupted(CircuitError):
    """A file of a cached circuit differs from what was written; building again replaces it."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(
            f"{path} is damaged ({reason}): `zkagent circuit build MODEL` makes it again"
        )
        self.path = path
        self.reason = reason


class ArtifactUnreadable(ArtifactCorrupted):
    """Whether a file of a cached circuit is what was written cannot be seen."""

    def __init__(self, path: Path, exc: OSError) -> None:
        self.path = path
        self.reason = f"it cannot be read: {exc.strerror or type(exc).__name__}"
        CircuitError.__init__(
            self,
            f"{path} is of no use ({self.reason}): mend its permissions or its disk, or let "
            "`zkagent circuit build MODEL` make it again",
        )


class KeysDamaged(ArtifactCorrupted):
    """A file of a circuit whose set-up was made for it alone: building gives another circuit."""

    def __init__(self, path: Path, reason: str) -> None:
        CircuitError.__init__(
            self,
            f"{path} is of no use ({reason}): mend it, or copy the circuit's folder again from "
            "where it is whole; only after `zkagent circuit rm` of it a build makes another "
            "circuit, with other keys",
        )
        self.path = path
        self.reason = reason


class NoteDamaged(KeysDamaged):
    """The note of a circuit that was made here; the circuit's own files may all be well."""

    def __init__(self, path: Path, reason: str) -> None:
        CircuitError.__init__(
            self,
            f"{path} is of no use ({reason}): mend it, or copy it again from where it is whole. It "
            "is the note that the circuit was made here, whose folder is not touched. Where there "
            "is no other copy, that is lost: where you finalized the ceremony, `zkagent ceremony "
            "finalize` on its last key makes the note again; where you only checked it, remove the "
            "note and repeat `zkagent ceremony verify --for-audits`, which chooses nothing; of a "
            "development set-up remove the note, and `zkagent circuit build` makes another "
            "circuit, with another key",
        )
        self.path = path
        self.reason = reason


class VerifierChanged(CircuitError):
    """The generated verifier cannot be patched, so it must not be used."""

    def __init__(self, what: str, count: int) -> None:
        super().__init__(
            f"ezkl's generated verifier has {what} {count} times, expected once: "
            "this version of ezkl is not the one that the soundness patches were written for"
        )
        self.what = what
        self.count = count


class TuningFailed(CircuitError):
    """No sound settings of the network's circuit give what was asked for."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path} cannot be tuned: {reason}")
        self.path = path
        self.reason = reason


class TuningMissing(CircuitError):
    """The tuned settings of a file were asked for, and there are none."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} was not tuned on this machine: `zkagent circuit tune MODEL`")
        self.path = path


class EngineError(CircuitError):
    """A prover's library failed; `stage` is what it was asked to do."""

    def __init__(self, stage: str, reason: str, engine: str = "ezkl") -> None:
        super().__init__(f"{engine} failed to {stage}: {reason}")
        self.stage = stage
        self.reason = reason


class EngineMissing(CircuitError):
    """A library that is no part of a plain installation: a prover, or what reads trained models."""

    def __init__(self, engine: str, extra: str) -> None:
        super().__init__(
            f"{engine} is not installed: pip install -e '.[{extra}]' in a clone of zkagent, pip "
            f"install {engine} elsewhere"
        )
        self.engine = engine


class PackagesMissing(CircuitError):
    """What comes from npm is not there, and npm does not bring it."""


class CeremonyRefused(CircuitError):
    """A file of a ceremony that nothing is made of."""

    def __init__(self, path: Path, reason: str, remedy: str) -> None:
        super().__init__(f"{path} is refused: {reason}: {remedy}")
        self.path = path
        self.reason = reason


class PtauRefused(CeremonyRefused):
    """A file of powers of tau that no ceremony goes on from."""


class EngineCrashed(EngineError):
    """The process that ran ezkl, or another engine, ended; `ending` is its exit code or signal."""

    def __init__(self, ending: str, log: str, engine: str = "ezkl") -> None:
        remedy = ": free memory, or make the model smaller" if tells_of_no_memory(log) else ""
        if log == CUT_OFF:
            remedy = ": make room in $TMPDIR, or raise the limit on files (ulimit -f)"
        words = f" ({log})" if log else ""
        super().__init__("finish", f"its process ended with {ending}{words}{remedy}", engine)
        self.ending = ending
        self.log = log


__all__ = [
    "CUT_OFF",
    "ArtifactCorrupted",
    "ArtifactUnreadable",
    "CeremonyRefused",
    "CircuitElsewhere",
    "CircuitError",
    "CircuitInUse",
    "CircuitNotFound",
    "CircuitOutdated",
    "EngineCrashed",
    "EngineError",
    "EngineMissing",
    "HomeRefused",
    "HomeUnknown",
    "InputRefused",
    "KeysDamaged",
    "MemoryTooSmall",
    "NetworkRefused",
    "NoteDamaged",
    "OutsideRange",
    "PackagesMissing",
    "ProgramRefused",
    "ProofMalformed",
    "ProofSystemUnknown",
    "PtauRefused",
    "SamplesRefused",
    "SettingsRefused",
    "SrsError",
    "SrsTooSmall",
    "SrsUnreadable",
    "TuningFailed",
    "TuningMissing",
    "VerifierChanged",
]
