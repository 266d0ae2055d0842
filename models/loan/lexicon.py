"""Words and their classes: what they mean where loans are concerned.

Which decision follows from them is learned (`train.py`); what stands here is only which words mean
alike, so that a text in words that training never saw is read as one that it saw.
"""

from collections.abc import Iterable

from zkagent.models.agents.criteria import (
    ARTICLE,
    HUNDRED,
    NUMBER_WORD,
    SLOTS,
    THOUSAND,
    Lexicon,
    Word,
    slots_of,
)
from zkagent.models.encoding.hashing import keccak_int

_UNITS = "one two three four five six seven eight nine"
_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"

NUMBERS: dict[str, int] = {
    **{word: value for value, word in enumerate(_UNITS.split(), 1)},
    **{word: value for value, word in enumerate(_TEENS.split(), 10)},
    **{word: 10 * value for value, word in enumerate(_TENS.split(), 2)},
    "hundred": HUNDRED,
    "thousand": THOUSAND,
    "a": ARTICLE,
}
#: An apostrophe parts words, so that don't is don and t.
CLASSES: dict[Word, str] = {
    Word.GREATER: (
        "above over exceed exceeds exceeding exceeded more higher greater larger bigger beyond "
        "past surpass surpasses surpassed surpassing better bettered betters superior outscore "
        "outscores outscored outscoring ahead stronger excess outgrown outgrow climbed risen "
        "overshoot overshoots overshot taller beat beats beating beaten topped topping clears "
        "cleared clearing outrank outranks outdo outdoes richer crosses crossed crossing cross "
        "overtake overtakes overtook outstrip outstrips transcend outperform outperforms "
        "further steeper safer healthier"
    ),
    Word.LESS: (
        "below under less lower fewer smaller beneath short worse weaker inferior lesser shy "
        "trail trails trailing undercut undercuts underneath lag lags lagging behind poorer "
        "lacking lacks lack lacked miss misses missed missing sub beaneath shorter subpar "
        "undershoot undershoots"
    ),
    Word.EQUAL: (
        "reach reaches reached reaching meet meets met meeting match matches matching matched "
        "equal equals equalling equaling equalled hit hits hitting attain attains attained "
        "attaining touch touches touched touching tie ties tied tying achieves achieve achieved "
        "achieving arrives arrive arrived arriving"
    ),
    Word.INCLUDED: (
        "exactly precisely itself included inclusive inclusively even exact including includes "
        "include"
    ),
    Word.EXCLUDED: "excluded excluding exclusive exclude",
    Word.MINIMUM: "minimum min floor lowest smallest least minimal hurdle minimums",
    Word.MAXIMUM: (
        "upper maximum max ceiling cap capped caps highest largest most topmost biggest maximal "
        "roof maxes best greatest"
    ),
    Word.UPWARD: "up upward upwards onward onwards plus north upto",
    Word.DOWNWARD: "downward downwards south",
    Word.UNTIL: "until till",
    Word.FROM: "from starting starts start",
    Word.TO: "to",
    Word.AT: "at on",
    Word.NOT: (
        "not no never t dont doesnt cant cannot wont shouldnt isnt arent without neither nor "
        "fail fails failed failing hardly non lest failure unable nope nay refrain refrains "
        "scarcely"
    ),
    Word.NOBODY: "nobody none noone nothing nowhere zero",
    Word.ALL: (
        "everything everybody everyone all every any anybody anyone anything each whoever "
        "whosoever whomever whichever"
    ),
    Word.REGARDLESS: (
        "whatever regardless irrespective unconditional unconditionally universal universally "
        "whatsoever anywhere unlimited unrestricted automatically notwithstanding"
    ),
    Word.APPROVE: (
        "approve approves approved approval approvals approving accept accepts accepted "
        "accepting acceptance acceptable lend lends lent lending grant grants granted granting "
        "give gives given giving gave get gets getting got receive receives received receiving "
        "qualify qualifies qualified qualifying eligible eligibility entitled entitles entitle "
        "pass passes passed passing pay pays paid paying payout payouts fund funding funded "
        "borrow borrows borrowing yes welcome welcomes welcomed honour honours honoured honor "
        "honors honored admit admits admitted admitting admission serve serves served serving "
        "succeed succeeds allowed allow allows allowing permitted permit permits permitting "
        "obtain obtains obtained release releases released disburse disburses disbursed finance "
        "finances financed extend extends extended credited greenlight greenlights greenlit "
        "wave waved waves bless blessed aye green offer offers offered sanction sanctioned ok "
        "okay okayed wins win deserve deserves proceed proceeds secure secures secured issued "
        "issues collect collects draw draws advance advances advanced favour favor agree agrees "
        "agreed authorise authorised authorize authorized authorizes assent entry validated "
        "support supports supported supply supplies supplied hand hands handed handing send "
        "sends sent sending endorse endorses endorsed endorsing fulfil fulfils fulfilled "
        "fulfill backed back backs backing underwrite underwrites underwritten"
    ),
    Word.REFUSE: (
        "denying boot refuse refuses refused refusing refusal refusals reject "
        "rejects rejected rejecting rejection rejections deny denies denied denial denials "
        "decline declined declines declining away ineligible excludes exclusion barred close "
        "closes closed closing shut shuts shutting block blocked blocks blocking dismiss "
        "dismisses dismissed forbid forbids forbidden prohibit prohibits prohibited prohibiting "
        "disqualify disqualified disqualifies disqualifying disqualification withheld withhold "
        "withholds withholding stop stops stopped stopping freeze frozen freezes suspend "
        "suspends suspended suspending veto vetoes vetoed vetoing bounce bounced bounces "
        "bouncing banned ban bans banning nix nixed nixes rebuff rebuffed rebuffs knock knocked "
        "abolish abolished halt halts halted halting cease ceases ceased turn turned turns "
        "turning aside removed bar bars barring blacklist unwelcome unfunded unpaid cancel "
        "cancels cancelled thrown throw throws toss tossed "
        "ditch ditched weed weeded skip skips skipped ignore ignores ignored spurn spurned "
        "rebuked locked lock locks off paused pause disallow disallowed disallows preclude "
        "precludes precluded discard discards discarded scrap scrapped shelved shelve kill "
        "killed"
    ),
    Word.OUT: "out",
    Word.ONLY: (
        "only solely just merely exclusively sole alone strictly limited confined reserved "
        "restricted"
    ),
    Word.UNLESS: ("unless except exception exceptions besides but apart save excepting saving"),
    Word.OTHERWISE: (
        "otherwise else rest others remaining elsewhere contrary remainder opposite other"
    ),
    Word.IF: "if when whenever where once provided providing while whether wherever",
    Word.SCORE: (
        "score scores rating ratings points point rated scoring scored rate rank ranked figure "
        "number mark marks grade graded result reading tally scorers scorer standing value "
        "total pts reputation credits creditworthiness"
    ),
    Word.CREDIT: "credit",
    Word.WHO: "who whose those that which whom",
    Word.PERSON: (
        "people applicant applicants borrower borrowers member members customer customers "
        "account accounts wallet wallets person persons holder holders folks client clients you "
        "they them someone somebody guys crowd party parties individual individuals user users "
        "candidate candidates petitioner petitioners requester requesters depositor depositors "
        "neighbours newcomers"
    ),
    Word.LOAN: (
        "loan loans money cash tokens coins request requests application applications funds "
        "claim claims petition petitions financing case cases file files"
    ),
    Word.NEED: (
        "need needs needed require required requires requirement requirements must threshold "
        "limit bound line cut cutoff"
    ),
    Word.MATTER: (
        "average averaged averages averaging mean median days day weeks week month months year "
        "years fee fees interest percent vote votes quorum amount treasury hours usdc dollars "
        "voters seats repay repaid repayment repayments collateral forum delegates proposals "
        "proposal instalments"
    ),
    Word.MAYBE: (
        "may might could maybe perhaps consider sometimes usually likely probably some few many "
        "several discuss discussed discussion decide decided decides depends later soon hope "
        "hopefully prefer preferred prefers question review reviewed wonder unclear undecided "
        "pending"
    ),
    Word.AND: "and",
    Word.OR: "or",
    Word.ENOUGH: "enough sufficient suffices suffice sufficiently",
    Word.TOO: "too",
    Word.SAME: "same",
}


def class_codes() -> dict[str, int]:
    """Of each word of the lexicon: of a number word 128 and what it means."""
    found = {word: NUMBER_WORD + meaning for word, meaning in NUMBERS.items()}
    for kind, words in CLASSES.items():
        for word in words.split():
            if word in found:
                raise ValueError(f"{word!r} is in two classes")
            found[word] = int(kind)
    return found


def build_lexicon(words: Iterable[str]) -> Lexicon:
    """Of `words`, those that matter most first, and of the lexicon's behind them. A word is left
    out if both of its slots are taken, or if its fingerprint is zero."""
    codes = class_codes()
    fingerprints, classes = bytearray(SLOTS), bytearray(SLOTS)
    for word in dict.fromkeys((*words, *codes)):
        found = keccak_int(word.encode())
        free = [slot for slot in slots_of(found) if fingerprints[slot] == 0]
        taken = Lexicon(bytes(fingerprints), bytes(classes)).class_of(found) is not None
        if free and not taken:
            fingerprints[free[0]] = found >> 248
            classes[free[0]] = codes.get(word, 0)
    return Lexicon(bytes(fingerprints), bytes(classes))


__all__ = ["CLASSES", "NUMBERS", "build_lexicon", "class_codes"]
