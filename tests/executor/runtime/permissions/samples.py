"""What must be found and what must not: two hundred secrets and people's data, and two hundred
that look like them. All are made here by seeded chance: none was ever anybody's.
"""

import base64
import hashlib
import json
import random
import string
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from eth_account.hdaccount.mnemonic import Mnemonic
from eth_account.types import Language

ALNUM = string.ascii_letters + string.digits


@dataclass(frozen=True)
class Sample:
    """value: where it stands; planted: what must not be left, "" of what must stay as it is."""

    kind: str
    value: Any
    planted: str = ""


def chars(chance: random.Random, alphabet: str, length: int) -> str:
    return "".join(chance.choice(alphabet) for _ in range(length))


def hexes(chance: random.Random, length: int) -> str:
    return chars(chance, "0123456789abcdef", length)


def card(chance: random.Random) -> str:
    prefix, length = chance.choice([("4", 16), ("52", 16), ("37", 15), ("6011", 16), ("2345", 16)])
    body = prefix + chars(chance, string.digits, length - len(prefix) - 2) + "7"
    total = 0
    for place, digit in enumerate(reversed(body)):
        doubled = int(digit) * (2 - place % 2)
        total += doubled - 9 * (doubled > 9)
    return body + str(-total % 10)


def iban(chance: random.Random) -> str:
    body = chars(chance, string.digits, 18)
    check = 98 - int(body + "131400") % 97
    return f"DE{check:02}{body}"


def fours(text: str, between: str = " ") -> str:
    return between.join(text[at : at + 4] for at in range(0, len(text), 4))


def phrase(chance: random.Random, words: int = 12, language: Language = Language.ENGLISH) -> str:
    return Mnemonic(language).to_mnemonic(chance.randbytes(words * 4 // 3))


def jwt(chance: random.Random) -> str:
    def part(content: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(content).encode()).decode().rstrip("=")

    head = part({"alg": "HS256", "typ": "JWT"})
    return f"{head}.{part({'sub': chars(chance, ALNUM, 8)})}.{chars(chance, ALNUM + '-_', 43)}"


def pem(chance: random.Random) -> str:
    body = "\n".join(chars(chance, ALNUM + "+/", 64) for _ in range(4))
    return f"-----BEGIN EC PRIVATE KEY-----\n{body}\n-----END EC PRIVATE KEY-----"


#: Of keys whose form tells them: in pieces, so that no scanner takes this file for a leak.
SERVICES: dict[str, Callable[[random.Random], str]] = {
    "openai": lambda c: "sk" + "-proj-" + chars(c, ALNUM + "_-", 60) + "7",
    "anthropic": lambda c: "sk-" + "ant-api03-" + chars(c, ALNUM + "_-", 80) + "A",
    "github": lambda c: "gh" + "p_" + chars(c, ALNUM, 36),
    "github fine": lambda c: "github" + "_pat_" + chars(c, ALNUM, 22) + "_" + chars(c, ALNUM, 59),
    "gitlab": lambda c: "gl" + "pat-" + chars(c, ALNUM, 20),
    "aws": lambda c: "AK" + "IA" + chars(c, string.ascii_uppercase + string.digits, 16),
    "google": lambda c: "AI" + "za" + chars(c, ALNUM + "-_", 34) + "x",
    "slack": lambda c: "xox" + "b-" + chars(c, string.digits, 12) + "-" + chars(c, ALNUM, 24),
    "stripe": lambda c: "sk" + "_live_" + chars(c, ALNUM, 24),
    "sendgrid": lambda c: "SG" + "." + chars(c, ALNUM, 22) + "." + chars(c, ALNUM, 43),
    "npm": lambda c: "npm" + "_" + chars(c, ALNUM, 36),
    "hugging face": lambda c: "hf" + "_" + chars(c, ALNUM, 34),
    "telegram": lambda c: chars(c, "123456789", 9) + ":A" + "A" + chars(c, ALNUM, 33),
    "twilio": lambda c: "S" + "K" + hexes(c, 32),
    "ours": lambda c: f"zk_{hexes(c, 12)}_{chars(c, ALNUM + '-_', 42)}x",
    "callback": lambda c: "wh" + "sec_" + base64.b64encode(c.randbytes(32)).decode(),
}

TEXTS = ("{}", "please use {} for this", "id 17, {}, thanks.", '{{"note": "{}"}}', "({})")
OBJECTS: tuple[Callable[[str], Any], ...] = (
    lambda x: {"a": [{"b": x}]},
    lambda x: {x: 1},
    lambda x: [1, None, f"see {x}"],
    lambda x: json.dumps({"x": json.dumps([x])}),
)
CARRIERS: tuple[Callable[[str], Any], ...] = (
    *(lambda x, t=text: t.format(x) for text in TEXTS),  # type: ignore[misc]
    *OBJECTS,
)


def carrier(chance: random.Random) -> Callable[[str, str], Sample]:
    """Puts something of a kind anywhere."""
    return lambda kind, secret: Sample(kind, chance.choice(CARRIERS)(secret), secret)


def positives(seed: int = 1) -> Iterator[Sample]:
    chance = random.Random(seed)
    for part in (_keys, _cards, _hidden_cards, _phrases, _called_keys, _called_secrets, _people):
        yield from part(chance)


def _keys(chance: random.Random) -> Iterator[Sample]:
    carried = carrier(chance)
    for _ in range(2):
        for name, make in SERVICES.items():
            yield carried(f"api-key {name}", make(chance))


def _cards(chance: random.Random) -> Iterator[Sample]:
    carried = carrier(chance)
    for _ in range(10):
        number = card(chance)
        yield carried("card", number)
        yield carried("card in fours", fours(number))
        yield Sample("card as a number", {"n": [int(number)]}, number)
    for between in ("-", "  ", "\u00a0", "\u2009", " - ", "\u2011"):
        number = fours(card(chance), between)
        yield Sample("card with signs", f"card: {number}.", number)


def _hidden_cards(chance: random.Random) -> Iterator[Sample]:
    carried = carrier(chance)
    for hidden in ("\u200b", "\u00ad", "\u2060", "\ufeff"):
        number = card(chance)
        yield Sample("card with the invisible", hidden.join(number), hidden.join(number))
    for _ in range(3):
        number = card(chance)
        yield Sample("card in pieces", fours(number).split(), number[4:8])
        yield Sample(
            "card in fields", dict(zip("abcd", fours(number).split(), strict=False)), number[4:8]
        )
        coded = base64.b64encode(f"card {number}".encode()).decode()
        yield Sample("card in base64", {"blob": coded}, coded)
        yield Sample("card in hex", f"0x{number.encode().hex()}", number.encode().hex())
        escaped = "".join(f"\\u{ord(each):04x}" for each in number)
        yield Sample("card escaped", f'{{"n": "{escaped}"}}', escaped)
        url = "".join(f"%{ord(each):02X}" for each in number)
        yield Sample("card in an address", f"https://x.test/?c={url}", url)
    for _ in range(6):
        account = iban(chance)
        yield carried("iban", account)
        yield carried("iban in fours", fours(account))


def _phrases(chance: random.Random) -> Iterator[Sample]:
    carried = carrier(chance)
    for words in (12, 12, 15, 18, 21, 24):
        secret = phrase(chance, words)
        yield carried("mnemonic", secret)
        yield Sample("mnemonic in a list", secret.split(), secret.split()[3])
        numbered = " ".join(f"{n}. {word}" for n, word in enumerate(secret.split(), 1))
        yield Sample("mnemonic numbered", f"write down: {numbered}", numbered)
    for language in (Language.SPANISH, Language.FRENCH, Language.ITALIAN, Language.KOREAN):
        secret = phrase(chance, 12, language)
        yield Sample(f"mnemonic {language.value}", f"- {secret} -", secret)
    for _ in range(6):
        yield carried("jwt", jwt(chance))
    for _ in range(3):
        block = pem(chance)
        yield Sample("pem", f"key:\n{block}\nend", block.splitlines()[2])
        yield Sample("pem escaped", json.dumps({"k": block}), block.splitlines()[2])
        yield Sample("pem in lines", block.splitlines(), block.splitlines()[2])


def _called_keys(chance: random.Random) -> Iterator[Sample]:
    for before in (
        "private key: {}", "my private key is 0x{}", "PRIVATE_KEY=0x{}", "--private-key {}",
        "sign with key 0x{}", "the deployer's key 0x{}", "secret key {}",
        "import the key {} please",        "wallet_private_key = '{}'", "use 0x{} as my key",
    ):  # fmt: skip
        secret = hexes(chance, 64)
        yield Sample("private key in words", before.format(secret), secret)
    for name in ("privateKey", "private_key", "secret", "signer_key", "deployerKey", "PRIVATE_KEY"):
        secret = hexes(chance, 64)
        yield Sample("private key by name", {name: f"0x{secret}"}, secret)


def _called_secrets(chance: random.Random) -> Iterator[Sample]:
    for before in (
        "password={}", "password: {}", "Password = '{}'", "my password is {}", "passphrase: \"{}\"",
        "api_key={}", "DB_PASSWORD={}", "--password {}", "client_secret: {}", "curl -u bob:{} https://x",
        "Authorization: Bearer {}", "Authorization: Basic {}", "access_token={}&x=1",
        "postgres://bob:{}@db/x", "https://bob:{}@x.test/", "export ZKAGENT_KEY={}",
        "pwd: <b>{}</b>", "token={}", "the secret is {}", "Cookie: session={}",
    ):  # fmt: skip
        secret = chars(chance, ALNUM, 14) + "7aZ" + chars(chance, ALNUM, 9)
        yield Sample("secret in words", before.format(secret), secret)
    for name in (
        "password", "db_password", "apiKey", "X-Api-Key", "client-secret", "accessToken",
        "Authorization", "mnemonic", "passwords", "token",
    ):  # fmt: skip
        secret = chars(chance, ALNUM, 20) + "aB3" + chars(chance, ALNUM, 8)
        yield Sample("secret by name", {"x": {name: [secret]}}, secret)
    for secret in ("hunter2", "correct horse battery staple", "Passw0rd!", "1234"):
        yield Sample("weak password by name", {"password": secret}, secret)


def _people(chance: random.Random) -> Iterator[Sample]:
    carried = carrier(chance)
    for text in ("ada.lovelace@example.org", "bob+news@mail.example.co.uk", "jörg@müller.example"):
        yield carried("email", text)
    for text in ("+49 171 1234567", "+1 (415) 555-0134", "(415) 555-0134", "415-555-0134"):
        yield Sample("phone", f"reach me at {text}", text)
    for text in ("Tel. 0171 1234567", "call 030/1234567", "mobile: 0171-1234567"):
        yield Sample("phone", text, text[-7:])
    for text in ("93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946"):
        yield Sample("ip", f"from {text} at noon", text)


#: One a line.
NEAR = """
password: required
The password must have 12 characters
reset your password here
Password: ********
api_key=${API_KEY}
password={{ secret }}
token=USDC
the secret of good soup is time
key: value
a key decision, the key question
public key 04a1b2
token: 0x
max_tokens=4096
tokens used: 12345
password=<password:1>
Authorization: required
secret: none
the mnemonic is long
sk-learn and sk-image are packages
sk-this-is-a-long-name-of-words
task-12345678901234567890
ghp_short
AKIA is a prefix
eyJ is how they begin
user@host is no address
git@github.com:owner/repo.git
@ada and @bob
a@b
version 10.0.0.1
v93.184.216.34
127.0.0.1:8545
192.168.1.1
10:30:00
section 1.2.3.4.5
2026-01-01T10:30:00+00:00
+5 -3 +12
12-34-5678
1-2-3
page 415-555
ISBN 978-3-16-148410-0
DE89
GB00 0000 0000 0000 0000 00
order 4111-1111
4 111 111 111
years 2019 2020 2021 2022
https://example.org/a:b@c
https://example.org:8443/x
mailto
call me maybe
"""
CERTIFICATES = (
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\nMFkw\n-----END PUBLIC KEY-----",
)


def negatives(seed: int = 2) -> Iterator[Sample]:
    chance = random.Random(seed)

    def same(kind: str, value: Any) -> Sample:
        return Sample(kind, value)

    for _ in range(12):
        address, digest = "0x" + hexes(chance, 40), "0x" + hexes(chance, 64)
        yield same("address", f"send 5 USDC to {address}")
        yield same("address by name", {"token": address, "key": address, "owner": address})
        yield same("hash of a transaction", f"mined in tx {digest}")
        yield same("hash by name", {"hash": digest, "blockHash": digest, "root": digest})
        yield same("idempotency key", {"key": hexes(chance, 64), "id": hexes(chance, 32)})
        yield same("commit", f"commit {hexes(chance, 40)}\nmerge {hexes(chance, 7)}")
        yield same("uuid", {"session": str(uuid.UUID(int=chance.getrandbits(128), version=4))})
        yield same("amount", f"{chance.randrange(10**17, 10**19) * 10**6} wei")
        yield same("amount as a number", {"wei": chance.randrange(1, 999) * 10**16})
        yield same("decimals", f"rate 0.{chars(chance, string.digits, 16)}")
        yield same("wrong card", fours(str(int(card(chance)) ^ 1)))
    for _ in range(6):
        yield same("time in milliseconds", {"at": 1_700_000_000_000 + chance.randrange(10**11)})
        yield same("time in nanoseconds", 1_700_000_000_000_000_000 + chance.randrange(10**17))
        yield same("base64 of bytes", base64.b64encode(chance.randbytes(48)).decode())
        yield same("digest", f"sha256:{hexes(chance, 64)}")
        yield same("call data", "0xa9059cbb" + hexes(chance, 128))
        words = phrase(chance).split()
        yield same(
            "words of a list, no phrase",
            " ".join([*words[:11], "zoo" if words[11] != "zoo" else "abandon"])[:60],
        )
    for text in (*NEAR.strip().splitlines(), *CERTIFICATES):
        yield same("words", text)
    for value in (
        {"usage": {"prompt_tokens": 4096, "completion_tokens": 17}}, {"password": ""},
        {"password": None}, {"has_password": True}, {"token": "USDC"}, {"key": "name"},
        {"required": ["password"]}, {"properties": {"password": {"type": "string"}}},
        [4111, 2222, 3333, 4444], list(range(1000, 1200)), [1.5, 2.25], {"code": "ERR_42"},
        {"signature": "0x" + "ab" * 65}, {"publicKey": "0x" + "04" * 33}, "", 0, None, True,
    ):  # fmt: skip
        yield same("values", value)
    yield same("hash of a text", hashlib.sha256(b"x").hexdigest())


__all__ = ["Sample", "card", "fours", "iban", "jwt", "negatives", "pem", "phrase", "positives"]
