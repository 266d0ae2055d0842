"""Key files: the two accepted forms, and errors that never show what is inside."""

import json
from pathlib import Path

import pytest
from eth_account import Account

from zkagent.executor.errors import KeyFileError
from zkagent.executor.runs.keys import PASSWORD_VARIABLE, load_key

SECRET = "22" * 32
ADDRESS = Account.from_key(SECRET).address


@pytest.fixture(autouse=True)
def no_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(PASSWORD_VARIABLE, raising=False)


@pytest.fixture
def keystore(tmp_path: Path) -> Path:
    path = tmp_path / "keystore.json"
    path.write_text(json.dumps(Account.encrypt(SECRET, "open sesame", iterations=2)))
    return path


def key_file(folder: Path, text: str) -> Path:
    path = folder / "key"
    path.write_text(text)
    return path


@pytest.mark.parametrize("text", [SECRET, "0x" + SECRET, f"  0x{SECRET}\n"])
def test_a_hex_key_is_read(tmp_path: Path, text: str) -> None:
    assert load_key(key_file(tmp_path, text)).address == ADDRESS


def test_a_keystore_takes_its_password_from_the_environment(
    keystore: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PASSWORD_VARIABLE, "open sesame")
    assert load_key(keystore).address == ADDRESS


def test_a_keystore_takes_its_password_from_a_prompt(keystore: Path) -> None:
    assert load_key(keystore, lambda: "open sesame").address == ADDRESS


def test_a_wrong_password_is_an_error(keystore: Path) -> None:
    with pytest.raises(KeyFileError, match="wrong password"):
        load_key(keystore, lambda: "open barley")


def test_a_keystore_without_a_password_says_what_to_set(keystore: Path) -> None:
    with pytest.raises(KeyFileError, match=f"set {PASSWORD_VARIABLE}"):
        load_key(keystore)


@pytest.mark.parametrize(
    "text", ["", "0x", SECRET[:-2], SECRET + "00", "zz" * 32, "00" * 32, "ff" * 32, '{"a": 1}']
)
def test_what_is_no_key_is_refused_without_showing_it(tmp_path: Path, text: str) -> None:
    with pytest.raises(KeyFileError) as caught:
        load_key(key_file(tmp_path, text), lambda: "password")
    assert len(text) < 8 or text not in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    "text",
    [
        '{"agent": "0x11", "contracts": {}}',
        '{"format": "zkagent-proof-1", "proof": "secret"}',
        '["crypto"]',
        '"crypto"',
        '{"crypto": ',
        "[" * 60_000,
        "not a key",
    ],
)
def test_what_is_no_keystore_is_not_called_encrypted(tmp_path: Path, text: str) -> None:
    with pytest.raises(KeyFileError) as caught:
        load_key(key_file(tmp_path, text), lambda: pytest.fail("asked for a password"))
    assert str(caught.value) == (
        f"{tmp_path / 'key'} is no key file: expected 64 hex digits, or an encrypted keystore "
        '(JSON with "crypto" in it)'
    )


def test_a_keystore_in_the_older_spelling_is_read(keystore: Path) -> None:
    keystore.write_text(keystore.read_text().replace('"crypto"', '"Crypto"'))
    assert load_key(keystore, lambda: "open sesame").address == ADDRESS


@pytest.mark.parametrize("crypto", [{}, None, "secret", {"cipher": "secret"}])
def test_a_damaged_keystore_is_said_to_be_none(tmp_path: Path, crypto: object) -> None:
    path = key_file(tmp_path, json.dumps({"version": 3, "crypto": crypto}))
    with pytest.raises(KeyFileError, match=r"it is not a valid keystore$"):
        load_key(path, lambda: "open sesame")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(KeyFileError, match=r"cannot read the key file .*nowhere"):
        load_key(tmp_path / "nowhere")


def test_a_key_file_that_anybody_may_write_to_is_refused(tmp_path: Path) -> None:
    path = key_file(tmp_path, SECRET)
    path.chmod(0o602)
    with pytest.raises(KeyFileError, match=r"anybody here may write to .*chmod 600"):
        load_key(path)
    path.chmod(0o600)
    assert load_key(path).address == ADDRESS
