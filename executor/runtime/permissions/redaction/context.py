"""What is a secret by what is said of it: `password=`, a key's name, a user in an address.

A hash and a private key are both 32 bytes in hex. They are told apart by context alone: one that is
called a key, or stands where keys stand, is one. Owners who never handle hashes have all redacted.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator

from zkagent.executor.runtime.permissions.redaction.leaves import TOKEN
from zkagent.executor.runtime.permissions.redaction.spans import Detector, anchored

#: What is always a secret, as names end, without blanks and dashes.
NAMES = (
    "password|passwd|passphrase|passcode|pwd|secret|privatekey|privkey|secretkey|secretaccesskey"
    "|signingkey|encryptionkey|masterkey|apikey|apisecret|apitoken|accesskey|accesstoken"
    "|refreshtoken|authtoken|bearertoken|sessiontoken|idtoken|secrettoken|clientsecret"
    "|webhooksecret|sharedsecret|mnemonic|mnemonicphrase|seedphrase|recoveryphrase|secretphrase"
    "|authorization|proxyauthorization|cookie|setcookie|cvv|cvv2|cvc|accountkey|xapikey"
    "|zkagentkey|zkagenttoken|kennwort|passwort"
)
NAMED = re.compile(rf"(?:{NAMES})s?$", re.ASCII)
#: What is one if it looks random.
MAYBE = re.compile(
    r"(?:token|key|auth|credential|session|sessionid|sid|sig|signature|code|bearer|salt|pin)s?$"
)
HEX_SECRETS = re.compile(r"(?:token|auth|credential|session|sessionid|sid|bearer)s?$")
#: What stands where a secret would, and is none.
PLACEHOLDER = re.compile(
    r"(?i)\W*|\*+|x+|\.+|none|null|nil|true|false|required|optional|string|text|redacted|hidden|masked"
    r"|unset|empty|n/?a|todo|changeme|your[-_ ].*|<.*>|\$\{?\w+\}?|\{\{.*\}\}|%\w+%"
    r"|(?:env|file|vault):.*|os\.environ.*|process\.env.*|getenv\(.*",
    re.DOTALL,
)
#: The same as they stand in texts, a blank for a dash, a dot or nothing.
SPACED = "|".join(
    r"[ _.-]?".join(words.split())
    for words in (
        "pass word,passwd,pass phrase,pass code,(?<![a-z])pwd,secret,private key,"
        "priv key,secret key,secret access key,signing key,encryption key,master key,"
        "api key,api secret,api token,"
        "access key,access token,refresh token,auth token,bearer token,session token,secret token,"
        "client secret,webhook secret,shared secret,mnemonic,seed phrase,recovery phrase,"
        r"secret phrase,(?<![a-z])cvv2?,(?<![a-z])cvc,account key,"
        r"zkagent_\w{0,40}(?:key|token|secret|password),kennwort,passwort"
    ).split(",")
)
#: How those begin, and what is one if it looks random.
STEMS = (
    "pass", "pwd", "secret", "priv", "signing", "encryption", "master", "api", "access", "refresh",
    "auth", "bearer", "session", "client", "webhook", "shared", "mnemonic", "seed", "recovery",
    "cvv", "cvc", "account", "zkagent_", "kennwort",
)  # fmt: skip
ASSIGNED = re.compile(
    rf"(?i)(?:{SPACED})s?\b(?:_\d+)?[\"'`]?\s{{0,3}}"
    r"(?P<sign>:=|=>|==?|:|\bis\b(?: now)?:?|\bwas\b|\blautet\b|->)\s{0,3}(?:<[^<>]{1,24}>\s?)?"
    r"(?:\"(?P<double>[^\"\n]{1,400})\"|'(?P<single>[^'\n]{1,400})'|`(?P<tick>[^`\n]{1,400})`"
    r"|(?P<bare>[^\s\"'`<>,;&(){}\[\]|][^\s\"'`<>,;&]{2,400}))",
    re.ASCII,
)
SCHEME = re.compile(
    r"(?i)(?<![a-z])(?:bearer|basic|token|apikey)\s{1,3}(?P<value>[A-Za-z0-9._~+/=-]{16,4096})",
    re.ASCII,
)
SCHEMES = ("bearer", "basic", "token", "apikey")
WEAK = re.compile(
    r"(?i)(?P<name>token|key|auth|credential|session|sid|sig|code)[\"']?\s{0,2}"
    r"[:=]\s{0,2}[\"']?(?P<value>[A-Za-z0-9_.~+/=-]{16,4096})",
    re.ASCII,
)
WEAK_STEMS = ("token", "key", "auth", "credential", "session", "sid", "sig", "code")
FLAGS = ("-pass", "-token", "-secret", "-api-key", "-private-key", "-key", "-mnemonic", "-u")
FLAG = re.compile(
    r"(?<!\S)(?:--?(?:password|passphrase|token|secret|api-key|private-key|key|mnemonic)[ =]"
    r"|-u\s?[^\s:]{1,64}:)"
    r"(?P<value>[^\s\"'<>-][^\s\"'<>]{3,400})",
    re.ASCII,
)
URL = re.compile(r"://[^\s/:@<>]{0,128}:(?P<value>[^\s/@<>]{1,256})@", re.ASCII)
HEX_KEY = re.compile(
    r"(?<![0-9A-Za-z])(?:0x)?[0-9a-fA-F]{64}(?:[0-9a-fA-F]{64})?(?![0-9A-Za-z])", re.ASCII
)
CALLED = re.compile(
    r"(?i)(?:priv(?:ate)?|secret|signing|signer'?s?|deployer'?s?|wallet|owner'?s?|master|validator)"
    r"[ _.-]{0,2}keys?\b|\b(?:my|the|your|our|with|this|use|using|import|by)\s+keys?\b"
    r"|\bsk\b|\bseed\b|--key\b|_key\b|_pk\b|\bpk\b",
    re.ASCII,
)
NOT_CALLED = re.compile(
    r"(?i)public|pub[ _-]?key|idempotency|hash|digest|\btx|transaction|commit|block|root|topic|salt"
    r"|checksum"
)
BEFORE, AFTER = 48, 32  # characters in which a key is called one
CALLED_AFTER = re.compile(
    r"(?i)[\"'`]?,?\s+(?:as|is|for|be)\s+(?:(?:my|the|your|our|a|its)\s+)?"
    r"(?:(?:private|secret|signing|wallet|deployer)\s+)?key\b",
    re.ASCII,
)
UUID = re.compile(r"(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII)
HEX = re.compile(r"(?:0[xX])?[0-9a-fA-F]+", re.ASCII)
LEAST_BITS = 3.2  # of entropy a character: words have less


def plain_name(name: str) -> str:
    return "".join(filter(str.isalnum, name)).lower()


def is_secret_under(name: str, value: str) -> bool:
    """Whether what stands under this key is a secret as a whole."""
    if not value.strip() or TOKEN.fullmatch(value) or PLACEHOLDER.fullmatch(value.strip()):
        return False
    called = plain_name(name)
    if NAMED.search(called):
        return True
    if HEX_KEY.fullmatch(value.strip()):
        return bool(CALLED.search(name)) and not NOT_CALLED.search(name)
    return bool(MAYBE.search(called)) and looks_random(value, bool(HEX_SECRETS.search(called)))


def looks_random(value: str, hex_counts: bool) -> bool:
    """Long, of letters and digits, and no hash, address, version or UUID."""
    if len(value) < 20 or not re.fullmatch(r"[A-Za-z0-9_.~+/=-]+", value) or UUID.fullmatch(value):
        return False
    if HEX.fullmatch(value):
        return hex_counts and not value.lower().startswith("0x") and not value.isdigit()
    both = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    return both and entropy_bits(value) >= LEAST_BITS


def entropy_bits(text: str) -> float:
    """Shannon's, for each character, by how often each is in the text."""
    counts = Counter(text).values()
    return -sum(n / len(text) * math.log2(n / len(text)) for n in counts)


def assigned(text: str) -> Iterator[tuple[int, int]]:
    lower = text.lower() if len(text.lower()) == len(text) else text
    for found in _places(text, lower, STEMS, ASSIGNED):
        group = next(each for each in ("double", "single", "tick", "bare") if found[each])
        value = found[group].rstrip(".)]}") if group == "bare" else found[group]
        loose = group == "bare" and found["sign"] not in {"=", ":=", "=>"}
        if PLACEHOLDER.fullmatch(value) or (loose and not _is_no_word(value)):
            continue
        yield found.start(group), found.start(group) + len(value)
    for pattern, stems in ((SCHEME, SCHEMES), (FLAG, FLAGS)):
        for found in _places(text, lower, stems, pattern):
            value = found["value"]
            if not PLACEHOLDER.fullmatch(value) and (pattern is FLAG or _is_no_word(value)):
                yield found.span("value")
    for found in _places(text, lower, WEAK_STEMS, WEAK):
        called = plain_name(found["name"])
        if looks_random(found["value"].rstrip("."), bool(HEX_SECRETS.search(called))):
            yield found.span("value")


def _places(
    text: str, lower: str, stems: Iterable[str], pattern: re.Pattern[str]
) -> Iterator[re.Match[str]]:
    """Matches in the text that begin with a stem, or a dash before, in any case."""
    for stem in stems:
        at = lower.find(stem)
        while at >= 0:
            start = at - 1 if stem[0] == "-" and text[at - 1 : at] == "-" else at
            found = pattern.match(text, start)
            if found:
                yield found
            at = lower.find(stem, max(at + 1, found.end() if found else 0))


def _is_no_word(value: str) -> bool:
    """`password: required` says what it is; `password: hunter2` tells it."""
    letters = value.strip(".,:;!?")
    return not (letters.isalpha() and letters[1:] == letters[1:].lower()) and not re.fullmatch(
        r"[a-z]+(?:[-_/.][a-z]+)*", letters
    )


def url_passwords(text: str) -> Iterator[tuple[int, int]]:
    for found in anchored(text, ("://",), URL):
        if not PLACEHOLDER.fullmatch(found["value"]):
            yield found.span("value")


def called_keys(text: str) -> Iterator[tuple[int, int]]:
    """32 bytes in hex, or 64, that are called a key in the words around."""
    for found in HEX_KEY.finditer(text):
        before = text[max(0, found.start() - BEFORE) : found.start()]
        last = max((each.end() for each in CALLED.finditer(before)), default=-1)
        other = max((each.end() for each in NOT_CALLED.finditer(before)), default=-1)
        after = CALLED_AFTER.match(text[found.end() : found.end() + AFTER])
        if last > other or (after and other < 0):
            yield found.span()


def all_keys(text: str) -> Iterator[tuple[int, int]]:
    """Every 32 bytes in hex: hashes as well."""
    return (found.span() for found in HEX_KEY.finditer(text))


ASSIGNMENT = Detector("secret", assigned, joins=False)
URL_PASSWORD = Detector("password", url_passwords, ("://",))
CALLED_KEY = Detector("private-key", called_keys)
ANY_KEY = Detector("private-key", all_keys)

__all__ = ["ANY_KEY", "ASSIGNMENT", "CALLED_KEY", "URL_PASSWORD", "entropy_bits", "is_secret_under"]
