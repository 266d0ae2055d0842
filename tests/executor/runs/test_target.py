"""Whom a run is for: what does not say enough is refused before a chain is asked."""

import json
from pathlib import Path

import pytest
from eth_account import Account

from zkagent.executor.errors import DeploymentMissing, KeyFileError
from zkagent.executor.runs.target import OPTIONS, Proving, Target, open_run, signer_of
from zkagent.models.catalogue import Model
from zkagent.verifier_contracts.errors import ChainUnreachable, DeploymentFileError

NOWHERE = "http://127.0.0.1:9"
SOMEBODY = "0x" + "11" * 20


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "key"
    path.write_text(bytes(Account.create().key).hex())
    return path


def opened(target: Target, model: Model, **how: object) -> None:
    with open_run(target, model, Proving(), **how):  # type: ignore[arg-type]
        pytest.fail("it opened")


@pytest.mark.parametrize(
    ("target", "said"),
    [
        (Target(agent=SOMEBODY), "address says whom to talk to, but not where: add rpc=URL"),
        (Target(key_file=Path("key")), "key_file says whom to talk to, but not where"),
        (Target(deployment=Path("file")), "deployment says whom to talk to, but not where"),
        (Target(chain_id=1), "chain_id says whom to talk to, but not where"),
    ],
)
def test_a_target_without_a_chain_is_refused(target: Target, said: str, drain: Model) -> None:
    with pytest.raises(DeploymentMissing, match=said):
        opened(target, drain)


def test_commands_are_told_of_their_options(drain: Model) -> None:
    with pytest.raises(DeploymentMissing, match=r"^--agent says .*: add --rpc URL$"):
        opened(Target(agent=SOMEBODY), drain, spelling=OPTIONS)


def test_a_key_is_needed_and_who_says_so_names_the_argument(drain: Model) -> None:
    with pytest.raises(KeyFileError, match="give the owner's key with key_file=FILE"):
        opened(Target(NOWHERE, SOMEBODY), drain)


def test_an_agent_is_needed_and_its_address_is_checked(key: Path, drain: Model) -> None:
    with pytest.raises(DeploymentMissing, match=r"give address=ADDRESS or deployment=FILE"):
        opened(Target(NOWHERE, key_file=key), drain)
    with pytest.raises(DeploymentMissing, match="0x1234 is not an address"):
        opened(Target(NOWHERE, "0x1234", key), drain)
    with pytest.raises(DeploymentFileError):
        opened(Target(NOWHERE, key_file=key, deployment=key), drain)


def test_a_chain_that_does_not_answer_is_named(key: Path, drain: Model) -> None:
    with pytest.raises(ChainUnreachable, match=NOWHERE):
        opened(Target(NOWHERE, SOMEBODY, key), drain)


def test_a_password_is_given_or_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    account, path = Account.create(), tmp_path / "keystore"
    path.write_text(json.dumps(Account.encrypt(account.key, "sesame", "pbkdf2", 2)))
    assert signer_of(path, "sesame").address == account.address
    assert signer_of(path, lambda: "sesame").address == account.address
    monkeypatch.setenv("ZKAGENT_KEY_PASSWORD", "barley")
    assert signer_of(path, "sesame").address == account.address  # what is given comes first
    with pytest.raises(KeyFileError, match="wrong password"):
        signer_of(path, lambda: pytest.fail("asked for a password"))
