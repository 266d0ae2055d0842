"""Keys whose form tells what they are: of services, of chains, tokens, PEM blocks.

Forms: as the services document them, and as secret scanners such as gitleaks collect them.
"""

import hashlib
import re
from collections.abc import Iterator

from zkagent.executor.runtime.permissions.redaction.spans import Detector, Find

#: Each begins where no word goes on.
FORMS = (
    r"sk-ant-[A-Za-z0-9_-]{20,200}",
    r"sk-(?:proj-|svcacct-|admin-|or-v1-)?[A-Za-z0-9_-]{20,200}",
    r"gsk_[A-Za-z0-9]{30,80}|xai-[A-Za-z0-9]{40,100}|r8_[A-Za-z0-9]{30,50}|pplx-[A-Za-z0-9]{32,64}",
    r"hf_[A-Za-z0-9]{30,50}",
    r"gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_[A-Za-z0-9_]{40,255}",
    r"gl(?:pat|dt|rt|soat|cbt|ptt|ft|imt|agent)-[A-Za-z0-9_-]{20,64}",
    r"xox[abeoprs](?:\.xox[abp])?-[A-Za-z0-9-]{10,250}|xapp-\d-[A-Z0-9]+-\d+-[a-z0-9]{30,80}",
    r"(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,200}|whsec_[A-Za-z0-9+/=]{24,100}",
    r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}",
    r"AIza[A-Za-z0-9_-]{35}|ya29\.[A-Za-z0-9_-]{20,400}|GOCSPX-[A-Za-z0-9_-]{28}",
    r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}",
    r"npm_[A-Za-z0-9]{36}|pypi-AgE[A-Za-z0-9_-]{50,500}|dckr_pat_[A-Za-z0-9_-]{20,64}",
    r"rubygems_[a-f0-9]{48}|cio[A-Za-z0-9]{32}|do[opr]_v1_[a-f0-9]{64}",
    r"\d{8,10}:AA[A-Za-z0-9_-]{32,34}",  # Telegram
    r"SK[0-9a-f]{32}|key-[0-9a-f]{32}|[0-9a-f]{32}-us\d{1,2}",  # Twilio, Mailgun, Mailchimp
    r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}|sq0(?:atp|csp)-[A-Za-z0-9_-]{22,43}",
    r"lin_api_[A-Za-z0-9]{40}|ntn_[A-Za-z0-9]{40,50}|secret_[A-Za-z0-9]{43}|dp\.pt\.[A-Za-z0-9]{40,50}",
    r"hv[sb]\.[A-Za-z0-9_-]{24,300}|AGE-SECRET-KEY-1[A-Z0-9]{58}|nsec1[a-z0-9]{58}",
    r"zk_[0-9a-f]{8,32}_[A-Za-z0-9_-]{43}",
)
AHEAD = re.compile(r"(?<![A-Za-z0-9])(?:" + "|".join(FORMS) + r")(?![A-Za-z0-9])", re.ASCII)
#: In the path of an address.
IN_PATHS = re.compile(
    r"(?:infura\.io/(?:ws/)?v3/|alchemy(?:api)?\.(?:com|io)/v2/|\.quiknode\.pro/|ankr\.com/\w+/"
    r"|hooks\.slack\.com/services/|discord(?:app)?\.com/api/webhooks/\d+/|api\.telegram\.org/bot"
    r"|blastapi\.io/|chainstack\.com/|drpc\.org/ogrpc\?dkey=)([A-Za-z0-9_/:-]{16,200})",
    re.ASCII,
)
JWT = re.compile(
    r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,8192}\.[A-Za-z0-9_-]{4,65536}\.[A-Za-z0-9_-]{0,2048}"
    r"(?:\.[A-Za-z0-9_-]{1,8192}){0,2}",
    re.ASCII,
)
PEM = re.compile(
    r"-----\s?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?\s?-----"
    r"(?:.*?-----\s?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?\s?-----|.*)|PuTTY-User-Key-File-\d.*",
    re.DOTALL | re.ASCII,
)
BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
CHAIN_KEY = re.compile(
    rf"(?<![A-Za-z0-9])(?:[xyztuv]prv[{BASE58}]{{100,112}}|[5KL9c][{BASE58}]{{50,51}})(?![A-Za-z0-9])"
)


def service_keys(text: str) -> Iterator[tuple[int, int]]:
    """Words such as sk-learn-pipelines-of-many-words are none: a key has a digit, or both cases."""
    for found in AHEAD.finditer(text):
        if _is_random(found.group()):
            yield found.span()
    for found in IN_PATHS.finditer(text):
        yield found.span(1)


def _is_random(key: str) -> bool:
    digits = any(map(str.isdigit, key))
    return digits or (key != key.lower() and any(map(str.islower, key)))


def jwts(text: str) -> Iterator[tuple[int, int]]:
    return (found.span() for found in JWT.finditer(text))


def pems(text: str) -> Iterator[tuple[int, int]]:
    return (found.span() for found in PEM.finditer(text))


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
BLOCK = _detector("private-key", pems, "PRIVATE KEY", "PuTTY-User-Key")
CHAIN = _detector("private-key", chain_keys)

__all__ = ["BLOCK", "CHAIN", "SERVICE_KEY", "TOKEN", "base58_check"]
