"""Addresses that nobody can be called at, and what is shown of the others."""

import inspect
import time

import click
import pytest
import requests

import zkagent.circuits.errors
import zkagent.executor.errors
import zkagent.prover.errors
import zkagent.prover.service.errors
import zkagent.verifier_contracts.errors
from zkagent.circuits.support.urls import shown_url, url_problem, without_keys
from zkagent.errors import ZkagentError
from zkagent.executor.cli.config import config_group
from zkagent.executor.cli.main import main

config_path = config_group.commands["path"]
BAD = (
    "",
    "foo",
    "ftp://h",
    "http://",
    "http://[",
    "http://h:99999",
    "http://h:0",
    "//h",
    "http://a b",
)


@pytest.mark.parametrize("text", BAD)
def test_what_is_no_address_is_said_to_be_none(text: str) -> None:
    assert url_problem(text).endswith(
        "expected an address that begins with http:// or https:// and names a host"
    )


@pytest.mark.parametrize("text", ["http://h", "https://u:p@h:1/k?q", "http://[::1]:8545"])
def test_an_address_passes(text: str) -> None:
    assert url_problem(text) == ""


@pytest.mark.parametrize("text", ["localhost:8642", "127.0.0.1:8545"])
def test_a_scheme_that_was_left_out_is_offered(text: str) -> None:
    assert url_problem(text).endswith(f"did you mean http://{text}?")


SECRETS = ("hunter2", "SECRETKEY", "user:")
SECRET_URLS = (
    "http://user:hunter2@h:1/v3/SECRETKEY",
    "https://user:hunter2@h:1",
    "https://h:1/v3/SECRETKEY",
    "https://h:1?key=SECRETKEY",
    "https://h:1#SECRETKEY",
    "https://h:1/a/?key=SECRETKEY&x=http://user:hunter2@h",
    "https://user:hunter2/hunter2@h:1/SECRETKEY",
    "https://user:hunter2#@h:1/SECRETKEY",
    "http://user:hunter2@[::1]:8545/SECRETKEY",
    "htps://user:hunter2@h:1/SECRETKEY",
    "user:hunter2@h:1/SECRETKEY",
    "http://user:hunter2@h:99999/SECRETKEY",
    "http://http://user:hunter2@h/SECRETKEY",
    "wss://user:hunter2@h:1/v2/SECRETKEY",
    "ws://h:1/v2/SECRETKEY",
    "postgresql://user:a)hunter2@h/SECRETKEY",
    "1http://user:hunter2@h/SECRETKEY",
)


def has_secret(text: str) -> bool:
    return any(secret in text for secret in SECRETS)


@pytest.mark.parametrize("url", SECRET_URLS)
def test_what_may_be_a_key_is_not_shown(url: str) -> None:
    assert not has_secret(shown_url(url))
    assert not has_secret(without_keys(f"at <{url}>, '{url}' and {url}") if "://" in url else "")
    assert not has_secret(url_problem("user:hunter2@h:1"))


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://127.0.0.1:8545", "http://127.0.0.1:8545"),
        ("http://127.0.0.1:8545/", "http://127.0.0.1:8545"),
        ("https://u:p@node.example/v3/abc", "https://node.example/..."),
        ("http://[::1]:8545", "http://[::1]:8545"),
        ("foo", "foo"),
    ],
)
def test_scheme_host_and_port_are_shown(url: str, shown: str) -> None:
    assert shown_url(url) == shown


def test_texts_of_other_libraries_lose_the_path() -> None:
    said = "HTTPConnectionPool(host='h', port=1): Max retries exceeded with url: /v3/SECRETKEY (x)"
    assert without_keys(said).endswith("with url: /... (x)")


@pytest.mark.parametrize("length", [1, 199, 200, 201, 5000])
@pytest.mark.parametrize("sign", "'\"<>|),;:?/@")
def test_a_password_is_as_long_as_it_likes_and_has_any_sign_in_it(sign: str, length: int) -> None:
    url = f"https://me:{'p' * length}{sign}SECRETKEY@node.example/v3/SECRETKEY"
    shown = without_keys(f"asked {url}, then {url}?")
    assert "SECRETKEY" not in shown
    assert "ppp" not in shown
    assert shown.startswith("asked https://")
    assert ", then https://" in shown


def test_what_stands_behind_an_address_stays() -> None:
    said = "http://h:1, https://h/v3/SECRETKEY: x; HTTPS://h/SECRETKEY; (for url (https://h/a?b))"
    kept = "http://h:1, https://h/...: x; HTTPS://h/...; (for url (https://h/...))"
    assert without_keys(said) == kept
    assert without_keys(kept) == kept


@pytest.mark.parametrize("scheme", ["wss", "WS", "grpc+tls", "postgresql", "ftp", "file"])
def test_an_address_of_any_scheme_loses_what_may_be_a_key(scheme: str) -> None:
    for secret in (
        "user:hunter2@h:1",
        "user:hunter2@h:1/queue",
        "h:1/v2?key=SECRETKEY",
        "h#SECRETKEY",
        "user:hunter2/hunter2@h/queue",
    ):
        url = f"{scheme}://{secret}"
        assert not has_secret(without_keys(f"({url}), '{url}'; url={url}: {url}"))
    if scheme != "postgresql":
        assert without_keys(f"({scheme}://h/v2/SECRETKEY)") == f"({scheme}://h/...)"


@pytest.mark.parametrize(
    "said", ["sqlite:////srv/a@b/queue.db: x", "(postgresql://h:1/queue)", "http:// or wss:// (x)"]
)
def test_what_names_no_key_stays(said: str) -> None:
    assert without_keys(said) == said


SAID = "error sending request for url ({url}): timed out, asked {url}: 429"


@pytest.mark.parametrize("verbose", [(), ("-v",)])
@pytest.mark.parametrize(
    "error",
    [
        zkagent.verifier_contracts.errors.AnvilError,
        zkagent.verifier_contracts.errors.ChainError,
        zkagent.verifier_contracts.errors.CompileError,
        zkagent.circuits.errors.PackagesMissing,
        zkagent.executor.errors.ExecutorError,
        requests.ConnectionError,
        click.UsageError,
        ValueError,
    ],
)
@pytest.mark.parametrize("scheme", ["https", "HTTPS", "http", "wss", "ws", "ipc+x"])
def test_no_error_line_shows_a_key_whoever_wrote_it(
    verbose: tuple[str, ...],
    error: type[Exception],
    scheme: str,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """What a node, anvil or npm says is quoted, and may have an address in it."""

    told = SAID.format(url=f"{scheme}://user:hunter2@h:1/v3/SECRETKEY")

    def fail(**words: object) -> None:
        raise error(told)

    monkeypatch.setattr(config_path, "callback", fail)
    with pytest.raises(SystemExit):
        main([*verbose, "config", "path"])
    said = "".join(capfd.readouterr())
    assert f"for url ({scheme}://h:1/...): timed out, asked {scheme}://h:1/...: 429" in said
    assert not has_secret(said)


def errors_with_addresses() -> list[type[ZkagentError]]:
    """Every error of ours that is given the address of a node or service."""
    kinds, found = [ZkagentError], []
    while kinds:
        kind = kinds.pop()
        kinds += kind.__subclasses__()
        named = inspect.signature(kind.__init__).parameters
        if named.keys() & {"url", "rpc_url", "service"} and not kind.__name__.startswith(
            "Callback"
        ):
            found.append(kind)
    return found


@pytest.mark.parametrize("kind", errors_with_addresses(), ids=lambda kind: str(kind.__name__))
def test_no_error_shows_a_key(kind: type[ZkagentError]) -> None:
    for url in SECRET_URLS:
        values = {"url": url, "rpc_url": url, "service": url}
        named = inspect.signature(kind.__init__).parameters.values()
        given = {
            each.name: values.get(each.name, 1.0 if each.annotation in (int, float) else "text")
            for each in named
            if each.name != "self"
        }
        error = kind(**given)
        assert not has_secret(str(error))
        assert not has_secret(repr(error))


def test_all_errors_with_addresses_were_found() -> None:
    assert {kind.__name__ for kind in errors_with_addresses()} == {
        "AddressRefused",
        "AddressUnresolved",
        "ChainTimedOut",
        "ChainUnreachable",
        "ProofFalse",
        "ServiceAnswered",
        "ServiceGarbled",
        "ServiceUnreachable",
        "WrongChain",
    }


@pytest.mark.parametrize("verbose", [(), ("-v",)])
@pytest.mark.parametrize(
    "words",
    [
        ("agent", "audit", "0x" + "11" * 20, "--rpc"),
        ("model", "audit", "1", "--registry", "0x" + "11" * 20, "--rpc"),
    ],
)
def test_no_command_shows_a_key(
    verbose: tuple[str, ...], words: tuple[str, ...], capfd: pytest.CaptureFixture[str]
) -> None:
    """Nothing listens there, which requests say with the path."""
    with pytest.raises(SystemExit) as ended:
        main([*verbose, *words, "http://user:hunter2@127.0.0.1:1/v3/SECRETKEY"])
    said = "".join(capfd.readouterr())
    assert ended.value.code == 1
    assert "no chain answers at http://127.0.0.1:1/..." in said
    assert not has_secret(said)


@pytest.mark.parametrize(
    "text",
    ["a" * 10**6, "a." * 10**6, "a://" * 10**5, "a://b'" * 10**5, "a://" + "," * 10**6],
    ids=lambda text: text[:6],
)
def test_no_text_of_a_stranger_takes_long(text: str) -> None:
    began = time.process_time()
    without_keys(text)
    assert time.process_time() - began < 10  # seconds: hours where it grows by the square


@pytest.mark.parametrize(
    "text",
    [
        "sqlite:///jobs.db,https://user:SECRET@h/v2/SECRET",
        '{"db":"sqlite:///a.db","rpc":"http://user:SECRET@h:8545/v2/SECRET"}',
        "sqlite:///a,http://h/v2/SECRET",
        "postgresql://h/db,http://h2/v2/SECRET",
    ],
)
def test_a_database_hides_no_address_behind_it(text: str) -> None:
    assert "SECRET" not in without_keys(text)
