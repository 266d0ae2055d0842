"""Card numbers (ISO/IEC 7812: issuer, length, Luhn) and IBANs (ISO 13616: length, mod 97)."""

import re
from collections.abc import Iterator, Sequence

from zkagent.executor.runtime.permissions.redaction.spans import Detector

DIGITS = re.compile(r"(?<!\d)(?<!\d[.,])\d+(?:(?:\s{1,2}|\s?-\s?)\d+)*", re.ASCII)
GROUP = re.compile(r"\d+", re.ASCII)
#: First digits and lengths: Visa, Mastercard, American Express, Diners, Discover, JCB, UnionPay,
#: Maestro, Mir.
ISSUERS = re.compile(
    r"4(?:\d{15}|\d{18})|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}"
    r"|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|6(?:011|5\d\d|4[4-9]\d)\d{12}|35(?:2[89]|[3-8]\d)\d{12}"
    r"|62\d{14,17}|(?:5018|5020|5038|5893|6304|6759|676[1-3])\d{12,15}|220[0-4]\d{12}",
    re.ASCII,
)
#: How cards are printed, in groups of digits.
PRINTED = {
    (4, 4, 4, 4),
    (4, 4, 4, 3),
    (4, 6, 5),
    (4, 6, 4),
    (4, 4, 4, 4, 3),
    (6, 13),
    (6, 10),
    (4, 4, 4, 2),
}
LEAST, MOST = 14, 19
#: How long a first group may be within a longer run.
BEGINNING = {4, 6, *range(LEAST, MOST + 1)}
NO_ACCOUNT = "000000"  # with which amounts end, and cards do not
HASHLIKE = re.compile(r"[0-9A-Za-z]+", re.ASCII)
UUID = re.compile(r"(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII)
LONGEST_WORD = 24  # of letters and digits in which a card stands; longer ones are hashes and keys

IBAN_START = re.compile(r"(?<![A-Za-z0-9])([A-Za-z]{2})\d{2}(?=[ -]?[A-Za-z0-9])", re.ASCII)
LENGTHS = {
    **dict.fromkeys("NO".split(), 15),
    **dict.fromkeys("BE".split(), 16),
    **dict.fromkeys("DK FI FO GL NL SD FK".split(), 18),
    **dict.fromkeys("MK SI".split(), 19),
    **dict.fromkeys("AT BA EE KZ LT LU XK MN".split(), 20),
    **dict.fromkeys("CH CR HR LI LV".split(), 21),
    **dict.fromkeys("BG BH DE GB GE IE ME RS VA".split(), 22),
    **dict.fromkeys("AE GI IL IQ TL OM SO".split(), 23),
    **dict.fromkeys("AD CZ ES MD PK RO SA SE SK TN VG".split(), 24),
    **dict.fromkeys("PT ST LY".split(), 25),
    **dict.fromkeys("IS TR".split(), 26),
    **dict.fromkeys("BI DJ FR GR IT MC MR SM".split(), 27),
    **dict.fromkeys("AL AZ BY CY DO GT HN HU LB NI PL SV".split(), 28),
    **dict.fromkeys("BR EG PS QA UA".split(), 29),
    **dict.fromkeys("JO KW MU YE".split(), 30),
    **dict.fromkeys("MT SC".split(), 31),
    **dict.fromkeys("LC".split(), 32),
    **dict.fromkeys("RU".split(), 33),
}
FOLLOWING = {
    length: re.compile(rf"(?:[ -]?[A-Za-z0-9]){{{length - 4}}}(?![A-Za-z0-9])", re.ASCII)
    for length in set(LENGTHS.values())
}


def cards(text: str) -> Iterator[tuple[int, int]]:
    """Whole runs of digits, and printed groups within longer ones."""
    uuids = [found.span() for found in UUID.finditer(text)] if "-" in text else []
    for run in DIGITS.finditer(text):
        if run.end() - run.start() < LEAST:
            continue
        groups = [
            (run.start() + found.start(), run.start() + found.end())
            for found in GROUP.finditer(run.group())
        ]
        for start, end in _in_groups(text, groups):
            if not _is_other(text, start, end, uuids):
                yield start, end


def _in_groups(text: str, groups: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    after = 0
    for first, (start, stop) in enumerate(groups):
        if start < after or (first and stop - start not in BEGINNING):
            continue
        digits = ""
        for last in range(first, len(groups)):
            end = groups[last][1]
            digits += text[groups[last][0] : end]
            if len(digits) > MOST:
                break
            if len(digits) >= LEAST and is_card(digits) and _is_printed(groups, first, last):
                after = end
                yield start, end
                break


def _is_printed(groups: Sequence[tuple[int, int]], first: int, last: int) -> bool:
    """All of a run, one group, or groups as on a card."""
    if (first, last) == (0, len(groups) - 1) or first == last:
        return True
    return tuple(end - start for start, end in groups[first : last + 1]) in PRINTED


def is_card(digits: str) -> bool:
    likely = LEAST <= len(digits) <= MOST and not digits.endswith(NO_ACCOUNT)
    return likely and ISSUERS.fullmatch(digits) is not None and luhn(digits)


def luhn(digits: str) -> bool:
    """ISO/IEC 7812-1, annex B."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 * (value > 9)
    return total % 10 == 0


def _is_other(text: str, start: int, end: int, uuids: Sequence[tuple[int, int]]) -> bool:
    """A part of a hash, of a number in hex, of a UUID, or what has decimals."""
    if any(s < end and start < e for s, e in uuids):
        return True
    if text[end : end + 1] == "." and text[end + 1 : end + 2].isdigit():
        return True
    left = start
    while left > 0 and start - left <= LONGEST_WORD and HASHLIKE.fullmatch(text[left - 1]):
        left -= 1
    right = HASHLIKE.match(text, end)
    around = (start - left) + (right.end() - end if right else 0)
    whole = len(text[start:end].split(maxsplit=1)[0]) + around
    return text[left:start].lower() == "0x" or (around > 0 and whole > LONGEST_WORD)


def ibans(text: str) -> Iterator[tuple[int, int]]:
    for found in IBAN_START.finditer(text):
        length = LENGTHS.get(found.group(1).upper())
        rest = FOLLOWING[length].match(text, found.end()) if length else None
        if rest and mod_97(text[found.start() : rest.end()]):
            yield found.start(), rest.end()


def mod_97(iban: str) -> bool:
    """ISO 7064, MOD 97-10."""
    plain = "".join(filter(str.isalnum, iban))
    return int("".join(str(int(each, 36)) for each in plain[4:] + plain[:4])) % 97 == 1


CARD = Detector("card", cards, tuple("0123456789"), alphanumeric=True)
IBAN = Detector("iban", ibans, tuple("0123456789"), alphanumeric=True)

__all__ = ["CARD", "IBAN", "is_card", "luhn", "mod_97"]
