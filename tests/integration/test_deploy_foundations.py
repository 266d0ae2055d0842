"""`zkagent deploy` on what is there already, beside what is not what it has to be; and killed."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integration.deploy_chaos import Moment, Target, killed
from tests.support.command_line import exit_code
from tests.support.forged_storage import forge, forged_book, storage
from zkagent.executor.chain.embedded import EmbeddedChain
from zkagent.verifier_contracts.deployment.journalled import JournalledCarrier
from zkagent.verifier_contracts.deployment.known_code import recognise
from zkagent.verifier_contracts.deployment.record import Deployment, load_deployment
from zkagent.verifier_contracts.deployment.wallet import at

#: In each life's own count of broadcasts.
MOMENTS: tuple[Moment, ...] = (("before", 1), ("after", 7), ("before", 9), ("after", 1))


@pytest.fixture
def target(embedded: EmbeddedChain, wallet_circuit: object, tmp_path: Path) -> Target:
    return Target(embedded.anvil, embedded.owner, tmp_path)


def deployed(target: Target, *options: str) -> Deployment:
    before = target.nonce
    assert exit_code("deploy", *target.arguments, *options) == 0
    assert target.nonce > before
    return load_deployment(target.out)


def test_pool_tokens_and_executor_that_are_there_are_used(
    embedded: EmbeddedChain, target: Target, capsys: pytest.CaptureFixture[str]
) -> None:
    there = embedded.deployment
    listed = [there.token("USDC"), there.token("DAI")]
    tokens = [word for t in listed for word in ("--token", f"{t.symbol}={t.address}")]
    made = deployed(target, "--pool", there.pool, "--executor", there.executor, *tokens)
    assert (made.pool, made.executor) == (there.pool, there.executor)
    assert made.registry == there.registry
    assert made.model_id > there.model_id  # a new one, in the registry that the executor obeys
    assert list(made.tokens) == listed
    assert made.symbol_book != there.symbol_book
    assert made.agent != there.agent
    held = at(embedded.web3, "DemoToken", listed[0].address).functions.balanceOf(made.wallet)
    assert held.call() == 0  # nobody else's tokens are made up
    fund, then = capsys.readouterr().out.splitlines()[-2:]
    assert fund == f"fund    the wallet has no tokens yet: send USDC to {made.wallet}"
    assert then.startswith("then    zkagent run 'deposit 5 USDC' ")


def test_a_book_that_is_there_is_used_with_its_tokens(
    embedded: EmbeddedChain, target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = embedded.deployment
    monkeypatch.setattr("zkagent.verifier_contracts.deployment.rehearsal.rehearse", lambda *_: ())
    monkeypatch.setattr(JournalledCarrier, "bind", lambda *_: None)  # to nothing of it
    options = ("--book", there.symbol_book, "--pool", there.pool, "--executor", there.executor)
    made = deployed(target, *options)
    assert made.symbol_book == there.symbol_book
    assert {t.address for t in made.tokens} == {t.address for t in there.tokens}


Options = Callable[[Deployment], list[str]]
NOBODY = "0x" + "11" * 20
REFUSED: dict[str, tuple[Options, int, str]] = {
    "no pool": (lambda d: ["--pool", NOBODY], 1, "there is no contract"),
    "no token": (lambda d: ["--token", f"DAI={NOBODY}"], 1, "there is no contract"),
    "a pool for a token": (lambda d: ["--token", f"DAI={d.pool}"], 1, "decimals() does not answer"),
    "half a token": (lambda d: ["--token", "DAI"], 2, "is not SYMBOL=ADDRESS"),
    "a token for a book": (
        lambda d: ["--book", d.tokens[0].address],
        1,
        "it is DemoToken of this version",
    ),
    "a registry for an executor": (
        lambda d: ["--executor", d.registry],
        1,
        "it is ModelRegistry of this version",
    ),
    "another registry than the executor's": (
        lambda d: ["--executor", d.executor, "--registry", d.symbol_book],
        1,
        "its registry is 0x",
    ),
    "a book and tokens": (
        lambda d: ["--book", d.symbol_book, "--token", f"DAI={d.token('DAI').address}"],
        2,
        "--book lists its own tokens: leave out --token",
    ),
}


def test_what_is_not_what_it_has_to_be_is_refused_and_nothing_sent(
    embedded: EmbeddedChain, target: Target, capsys: pytest.CaptureFixture[str]
) -> None:
    before = target.nonce
    for name, (options, code, said) in REFUSED.items():
        assert exit_code("deploy", *target.arguments, *options(embedded.deployment)) == code, name
        assert said in capsys.readouterr().err.splitlines()[-1], name
        assert (target.nonce, target.out.exists()) == (before, False), name


def test_an_executor_with_one_byte_changed_is_refused(
    embedded: EmbeddedChain, target: Target, capsys: pytest.CaptureFixture[str]
) -> None:
    before, executor = target.nonce, embedded.deployment.executor
    code = bytearray(embedded.web3.eth.get_code(executor))
    code[len(code) // 2] ^= 1
    embedded.anvil.rpc("anvil_setCode", executor, "0x" + code.hex())
    assert exit_code("deploy", *target.arguments, "--executor", executor) == 1
    assert "nobody here knows its code" in capsys.readouterr().err
    assert target.nonce == before


def test_an_executor_that_has_proofs_verified_by_another_contract_is_refused(
    embedded: EmbeddedChain, target: Target, capsys: pytest.CaptureFixture[str]
) -> None:
    """One that takes everything; the executor's own code is genuine."""
    before, executor = target.nonce, embedded.deployment.executor
    found = recognise(bytes(embedded.web3.eth.get_code(executor)))
    assert found is not None
    embedded.anvil.rpc("anvil_setCode", found.address("_groth16"), "0x00")
    assert exit_code("deploy", *target.arguments, "--executor", executor) == 1
    assert "nobody here knows its code" in capsys.readouterr().err
    assert target.nonce == before


@pytest.mark.parametrize("option", ["registry", "executor", "book"])
def test_genuine_code_over_a_storage_that_somebody_forged_is_refused(
    embedded: EmbeddedChain, target: Target, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    there = embedded.deployment
    genuine = there.symbol_book if option == "book" else getattr(there, option)
    forged = forge(embedded, genuine, {2: storage(embedded, genuine, 2)})
    before = target.nonce
    assert exit_code("deploy", *target.arguments, f"--{option}", forged) == 1
    assert "another constructor: its storage may hold anything" in capsys.readouterr().err
    assert target.nonce == before


def test_pool_and_tokens_of_ours_over_a_forged_storage_are_refused(
    embedded: EmbeddedChain, target: Target, capsys: pytest.CaptureFixture[str]
) -> None:
    there = embedded.deployment
    forged = {
        "--pool": forge(embedded, there.pool, {0: 1}),
        "--token": f"USDC={forge(embedded, there.token('USDC').address, {0: 1})}",
    }
    before = target.nonce
    for option, value in forged.items():
        assert exit_code("deploy", *target.arguments, option, value) == 1
        assert "another constructor: its storage may hold anything" in capsys.readouterr().err
    assert target.nonce == before


@pytest.mark.parametrize("inside", [False, True])
def test_a_book_with_other_decimals_than_its_token_is_refused_whoever_trusts_it(
    embedded: EmbeddedChain, target: Target, capsys: pytest.CaptureFixture[str], *, inside: bool
) -> None:
    usdc = embedded.deployment.token("USDC")
    book = forged_book(embedded, [("usdc", 0, usdc.address)], inside=inside)
    before = target.nonce
    assert exit_code("deploy", *target.arguments, "--book", book, "--trust", f"book={book}") == 1
    said = f"it lists usdc with 0 decimals, and the token {usdc.address} has 6"
    assert said in capsys.readouterr().err
    assert (target.nonce, target.out.exists()) == (before, False)


def test_a_book_whose_constructor_does_not_show_is_taken_by_consent_alone(
    embedded: EmbeddedChain, target: Target, capsys: pytest.CaptureFixture[str]
) -> None:
    book = forged_book(
        embedded, [("usdc", 6, embedded.deployment.token("USDC").address)], inside=True
    )
    before = target.nonce
    arguments = (*target.arguments, "--book", book, "--dry-run")
    assert "--yes" in arguments
    for others in ((), ("--trust", f"book={embedded.deployment.symbol_book}")):
        assert exit_code("deploy", *arguments, *others) == 1
        error = capsys.readouterr().err.splitlines()[-1]
        assert "was made inside of a call" in error
        assert f"--trust book={book} takes it nevertheless" in error
    for wrong in (book, f"agent={book}", f"owner={book}"):
        assert exit_code("deploy", *arguments, "--trust", wrong) == 2
        assert "give ROLE=ADDRESS, with one of registry, " in capsys.readouterr().err
    assert exit_code("deploy", *arguments, "--trust", f"book={book}") == 0
    assert "its storage may hold anything; trusted on request" in capsys.readouterr().err
    assert target.nonce == before


def test_a_list_that_no_book_comes_to_is_refused(
    embedded: EmbeddedChain, target: Target, capsys: pytest.CaptureFixture[str]
) -> None:
    book = forged_book(embedded, [("all", 6, embedded.deployment.token("USDC").address)])
    before = target.nonce
    assert exit_code("deploy", *target.arguments, "--book", book) == 1
    assert "no token can go by 'all'" in capsys.readouterr().err
    assert target.nonce == before


def test_a_deployment_killed_around_broadcasts_ends_whole_and_nothing_is_deployed_twice(
    target: Target,
) -> None:
    killed(target, MOMENTS)
