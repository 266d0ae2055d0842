"""Keys whose form tells what they are: of services, of chains, tokens, PEM blocks.

Forms: as the services document them, and as secret scanners such as gitleaks collect them.
"""

import hashlib
import re
from collections.abc import Iterator

from zkagent.executor.runtime.permissions.redaction.spans import Detector, Find, anchored

#: How each begins, and what it is. None goes on as a word in front or behind.
FORMS = {
    "sk-": r"sk-(?:ant-|proj-|svcacct-|admin-|or-v1-)?[A-Za-z0-9_-]{20,200}",
    "gsk_": r"gsk_[A-Za-z0-9]{30,80}",
    "xai-": r"xai-[A-Za-z0-9]{40,100}",
    "r8_": r"r8_[A-Za-z0-9]{30,50}",
    "pplx-": r"pplx-[A-Za-z0-9]{32,64}",
    "hf_": r"hf_[A-Za-z0-9]{30,50}",
    "gh": r"gh[pousr]_[A-Za-z0-9]{30,255}",
    "github_pat_": r"github_pat_[A-Za-z0-9_]{40,255}",
    "gl": r"gl(?:pat|dt|rt|soat|cbt|ptt|ft|imt|agent)-[A-Za-z0-9_-]{20,64}",
    "xox": r"xox[abeoprs](?:\.xox[abp])?-[A-Za-z0-9-]{10,250}",
    "xapp-": r"xapp-\d-[A-Z0-9]+-\d+-[a-z0-9]{30,80}",
    "sk_": r"sk_(?:live|test)_[A-Za-z0-9]{16,200}",
    "rk_": r"rk_(?:live|test)_[A-Za-z0-9]{16,200}",
    "whsec_": r"whsec_[A-Za-z0-9+/=]{24,100}",
    "AKIA": r"AKIA[A-Z0-9]{16}",
    "ASIA": r"ASIA[A-Z0-9]{16}",
    "ABIA": r"ABIA[A-Z0-9]{16}",
    "ACCA": r"ACCA[A-Z0-9]{16}",
    "AIza": r"AIza[A-Za-z0-9_-]{35}",
    "ya29.": r"ya29\.[A-Za-z0-9_-]{20,400}",
    "GOCSPX-": r"GOCSPX-[A-Za-z0-9_-]{28}",
    "SG.": r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}",
    "npm_": r"npm_[A-Za-z0-9]{36}",
    "pypi-": r"pypi-AgE[A-Za-z0-9_-]{50,500}",
    "dckr_pat_": r"dckr_pat_[A-Za-z0-9_-]{20,64}",
    "rubygems_": r"rubygems_[a-f0-9]{48}",
    "cio": r"cio[A-Za-z0-9]{32}",
    "SK": r"SK[0-9a-f]{32}",
    "key-": r"key-[0-9a-f]{32}",
    "shp": r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}",
    "sq0": r"sq0(?:atp|csp)-[A-Za-z0-9_-]{22,43}",
    "lin_api_": r"lin_api_[A-Za-z0-9]{40}",
    "ntn_": r"ntn_[A-Za-z0-9]{40,50}",
    "secret_": r"secret_[A-Za-z0-9]{43}",
    "dp.pt.": r"dp\.pt\.[A-Za-z0-9]{40,50}",
    "hv": r"hv[sb]\.[A-Za-z0-9_-]{24,300}",
    "AGE-SECRET-KEY-1": r"AGE-SECRET-KEY-1[A-Z0-9]{58}",
    "nsec1": r"nsec1[a-z0-9]{58}",
    "do": r"do[opr]_v1_[a-f0-9]{64}",
    "zk_": r"zk_[0-9a-f]{8,32}_[A-Za-z0-9_-]{43}",
}
WITHIN = r"(?<![A-Za-z0-9])(?:{})(?![A-Za-z0-9])"
PATTERNS = {begin: re.compile(WITHIN.format(form), re.ASCII) for begin, form in FORMS.items()}
#: Telegram's and Mailchimp's begin with digits: by what stands within, and how far in.
INNER = {
    ":AA": (10, re.compile(WITHIN.format(r"\d{8,10}:AA[A-Za-z0-9_-]{32,34}"), re.ASCII)),
    "-us": (32, re.compile(WITHIN.format(r"[0-9a-f]{32}-us\d{1,2}"), re.ASCII)),
}
#: What stands before one in the path of an address.
PATHS = (
    "infura.io/v3/", "infura.io/ws/v3/", "alchemy.com/v2/", "alchemyapi.io/v2/", ".quiknode.pro/",
    "hooks.slack.com/services/", "discord.com/api/webhooks/", "discordapp.com/api/webhooks/",
    "api.telegram.org/bot", "blastapi.io/", "chainstack.com/", "drpc.org/ogrpc?dkey=",
    "ankr.com/eth/",
)  # fmt: skip
IN_PATHS = {
    path: re.compile(
        re.escape(path) + r"(?P<value>[A-Za-z0-9_:-][A-Za-z0-9_:/-]{15,199})", re.ASCII
    )
    for path in PATHS
}
LEAST = 12  # characters of any of these
JWT = re.compile(
    r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,8192}\.[A-Za-z0-9_-]{4,65536}\.[A-Za-z0-9_-]{0,2048}"
    r"(?:\.[A-Za-z0-9_-]{1,8192}){0,2}",
    re.ASCII,
)
PEM = re.compile(r"-----\s?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?\s?-----", re.ASCII)
PEM_END = re.compile(r"-----\s?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?\s?-----", re.ASCII)
#: Without its end: all that follows.
OPEN_PEM = re.compile(
    r"(?:-----\s?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY|PuTTY-User-Key-File-\d).*", re.DOTALL | re.ASCII
)
BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
CHAIN_KEY = re.compile(
    rf"(?<![A-Za-z0-9])(?:[xyztuv]prv[{BASE58}]{{100,112}}|[5KL9c][{BASE58}]{{50,51}})(?![A-Za-z0-9])"
)


def service_keys(text: str) -> Iterator[tuple[int, int]]:
    """Words such as sk-learn-pipelines-of-many-words are none: a key has a digit, or both cases."""
    if len(text) < LEAST:
        return
    for begin, pattern in PATTERNS.items():
        for found in anchored(text, (begin,), pattern):
            if _is_random(found.group()):
                yield found.span()
    for inner, (before, pattern) in INNER.items():
        for found in anchored(text, (inner,), pattern, before):
            yield found.span()
    if "/" in text:
        for path, pattern in IN_PATHS.items():
            for found in anchored(text, (path,), pattern):
                yield found.span("value")


def _is_random(key: str) -> bool:
    digits = any(map(str.isdigit, key))
    return digits or (key != key.lower() and any(map(str.islower, key)))


def jwts(text: str) -> Iterator[tuple[int, int]]:
    return (found.span() for found in JWT.finditer(text))


def pems(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    while begin := PEM.search(text, at):
        end = PEM_END.search(text, begin.end())
        if end is None:
            return
        yield begin.start(), end.end()
        at = end.end()


def open_pems(text: str) -> Iterator[tuple[int, int]]:
    return (found.span() for found in OPEN_PEM.finditer(text))


def chain_keys(text: str) -> Iterator[tuple[int, int]]:
    """Extended private keys (BIP 32) and keys of wallets (WIF), by their checksum."""
    for found in CHAIN_KEY.finditer(text):
        if base58_check(found.group()):
            yield found.span()


def base58_check(text: str) -> bool:
    """Whether the last four bytes are the first of the rest's double SHA-256."""
    number = 0
    for character in text:
        number = number * 58 + BASE58.index(character)
    raw = number.to_bytes((number.bit_length() + 7) // 8, "big")
    double = hashlib.sha256(hashlib.sha256(raw[:-4]).digest()).digest()
    return len(raw) > 32 and double[:4] == raw[-4:]


def _detector(kind: str, find: Find, *needs: str) -> Detector:
    return Detector(kind, find, needs)


SERVICE_KEY = _detector("api-key", service_keys)
TOKEN = _detector("jwt", jwts, "eyJ")
BLOCK = _detector("private-key", pems, "PRIVATE KEY")
OPEN_BLOCK = Detector(
    "private-key", open_pems, ("PRIVATE KEY", "PuTTY-User-Key"), joins=False, late=True
)
CHAIN = _detector("private-key", chain_keys)

__all__ = ["BLOCK", "CHAIN", "OPEN_BLOCK", "SERVICE_KEY", "TOKEN", "base58_check"]
