"""Errors of contracts that a command mends name that command."""

from eth_utils.crypto import keccak

from zkagent.verifier_contracts.chain.transactions import REMEDIES, revert_error

CHANGED = {
    "type": "error",
    "name": "ModelCommitmentChanged",
    "inputs": [{"name": "pinned", "type": "bytes32"}, {"name": "actual", "type": "bytes32"}],
}
BARE = {"type": "error", "name": "Changed", "inputs": []}


def test_a_changed_model_s_error_names_the_commands_that_help() -> None:
    data = (
        keccak(text="ModelCommitmentChanged(bytes32,bytes32)")[:4] + bytes(31) + b"\1" + bytes(32)
    )
    error = revert_error(data, [CHANGED])
    assert error.name == "ModelCommitmentChanged"
    first = f"ModelCommitmentChanged(pinned=0x{'00' * 31}01, actual=0x{'00' * 32}): "
    assert str(error) == first + REMEDIES["ModelCommitmentChanged"]
    assert "`zkagent agent accept`" in str(error)
    assert "`zkagent agent deploy --arg commitment=HASH`" in str(error)


def test_other_errors_are_shown_alone() -> None:
    assert str(revert_error(keccak(text="Changed()")[:4], [BARE])) == "Changed()"
