"""Reads the key that signs runs. Nothing here ever prints or logs what is in a key file."""

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

from eth_account import Account
from eth_account.signers.local import LocalAccount

from zkagent.executor.errors import KeyFileError
from zkagent.models.files import read_limited
from zkagent.models.strict_json import load_json

PASSWORD_VARIABLE = "ZKAGENT_KEY_PASSWORD"
MAX_BYTES = 64 * 1024
EXPECTED = 'expected 64 hex digits, or an encrypted keystore (JSON with "crypto" in it)'

#: Of a keystore: the password itself, whom to ask for it, or nobody.
Password = str | Callable[[], str] | None


def load_key(path: Path, password: Password = None) -> LocalAccount:
    """The account of a key file: 64 hex digits, or an encrypted keystore (Web3 Secret Storage).

    password: when it has to be asked for, $ZKAGENT_KEY_PASSWORD comes first. Raises KeyFileError.
    """
    text = _read(path)
    if (keystore := _keystore(text)) is not None:
        return _from_keystore(path, keystore, _password(path, password))
    try:
        key = bytes.fromhex(text.removeprefix("0x"))
    except ValueError:
        key = b""
    return _account(path, key, EXPECTED)


def _read(path: Path) -> str:
    try:
        found = path.stat()
        if found.st_size > MAX_BYTES:
            raise KeyFileError(f"{path} is too large to be a key file")
        if found.st_mode & stat.S_IWOTH:
            raise KeyFileError(f"anybody here may write to {path}: make sure of it, then chmod 600")
        return read_limited(path, MAX_BYTES).decode().strip()
    except UnicodeDecodeError:
        raise KeyFileError(f"{path} is no key file: it is not text") from None
    except OSError as exc:
        raise KeyFileError(f"cannot read the key file {path}: {exc.strerror}") from exc


def _keystore(text: str) -> dict[str, Any] | None:
    """The content of a keystore, which is told by its field "crypto"; None for anything else."""
    try:
        content = load_json(text)
    except ValueError:
        return None
    is_keystore = isinstance(content, dict) and "crypto" in map(str.lower, content)
    return content if is_keystore else None


def _password(path: Path, given: Password) -> str:
    if isinstance(given, str):
        return given
    if (found := os.environ.get(PASSWORD_VARIABLE)) is not None:
        return found
    if given is None:
        raise KeyFileError(f"{path} is encrypted: set {PASSWORD_VARIABLE} to its password")
    return given()


def _from_keystore(path: Path, keystore: dict[str, Any], password: str) -> LocalAccount:
    try:
        key = bytes(Account.decrypt(keystore, password))
    except ValueError as exc:
        reason = "wrong password" if "MAC mismatch" in str(exc) else "it is not a valid keystore"
        raise KeyFileError(f"cannot decrypt {path}: {reason}") from None
    except (KeyError, TypeError, NotImplementedError):
        raise KeyFileError(f"cannot decrypt {path}: it is not a valid keystore") from None
    return _account(path, key, "its keystore holds no key")


def _account(path: Path, key: bytes, otherwise: str) -> LocalAccount:
    """Errors carry no cause here: eth-account's messages may quote the key."""
    if len(key) != 32:
        raise KeyFileError(f"{path} is no key file: {otherwise}")
    try:
        account: LocalAccount = Account.from_key(key)
    except Exception:
        raise KeyFileError(f"{path} is no key file: the key is not valid") from None
    return account
