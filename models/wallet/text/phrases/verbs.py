"""Verbs, inflected, and words that merely look like verbs.

The wallet must understand an instruction by its frame ("... out of the pool", "... to 0x..."), as
nobody can list every verb that people use for moving money. So where the frame says enough, the
verb is often an unrelated or an invented one.
"""

import random
from typing import Literal

from zkagent.models.wallet.text.phrases.unrelated import UNRELATED

Form = Literal["base", "s", "ing", "past", "done"]

#: Verbs that say by themselves which tool is meant.
CLEAR = {
    "Withdraw": (
        "withdraw",
        "withdraw",
        "withdraw",
        "pull out",
        "take out",
        "get out",
        "take back",
        "bring back",
        "pull back",
        "get back",
        "retract",
    ),
    "Deploy": (
        "deposit",
        "deposit",
        "deposit",
        "deploy",
        "deploy",
        "supply",
        "lend",
        "lend out",
        "put in",
        "pay in",
        "put to work",
    ),
    "Transfer": (
        "send",
        "send",
        "send",
        "transfer",
        "transfer",
        "transfer",
        "pay",
        "give",
        "send over",
        "pay out",
        "transfer over",
    ),
}

#: Verbs that fit the tool but need the frame around them.
FITTING = {
    "Withdraw": ("take", "pull", "get", "move", "bring", "return", "collect", "claim", "lift",
                 "shift", "carry", "obtain", "gather", "deduct", "separate", "peel", "regain",
                 "recoup", "bail", "skim", "roll", "break", "let", "untie", "unfreeze", "transfer",
                 "send", "cut", "carve", "dig", "unearth", "split", "ease", "nudge", "relocate",
                 "migrate", "wheel", "take", "pull", "get", "bring", "take home",
                 "bring home", "bring round", "walk", "chip", "extricate"),
    "Deploy": ("put", "add", "move", "send", "push", "throw", "transfer", "bring", "apply",
               "attach", "shift", "set", "install", "insert", "introduce", "infuse", "dedicate",
               "devote", "employ", "engage", "post", "save", "store", "sow", "roll", "migrate",
               "relocate", "let", "work", "use", "put", "put", "add", "lay", "fold", "merge",
               "pack", "carry", "drive", "nudge", "wheel", "walk", "sign", "chip", "keep adding"),
    "Transfer": ("move", "push", "share", "offer", "present", "shift", "sign", "make", "throw",
                 "credit", "distribute", "provide", "extend", "return", "reward", "treat", "ping",
                 "lend", "move", "get", "bring", "carry", "supply", "issue", "post", "express",
                 "give", "pay", "run", "rush", "fly", "walk", "drive", "roll", "hustle", "shunt",
                 "surrender", "bequeath", "advance", "tender", "yield", "render"),
    "ViewBalance": ("check", "show", "tell", "see", "view", "look up", "find out", "determine",
                    "work out", "figure out", "name", "state", "share", "give", "get", "pull up",
                    "bring up", "call up", "present", "detail", "describe", "quote", "say"),
}  # fmt: skip

#: What this wallet cannot do, however it is framed.
FOREIGN = (
    "swap", "buy", "sell", "borrow", "trade", "exchange", "convert", "bridge", "mint", "burn",
    "approve", "wrap", "unwrap", "short", "hedge", "hold", "keep", "leave", "save up", "request",
    "demand", "steal", "hack", "receive", "accept", "expect", "await", "track", "compare",
    "predict", "explain", "calculate", "multiply", "divide", "insure", "tax", "declare", "freeze",
    "hide", "protect", "flip", "gamble", "bet", "win", "lose", "earn", "owe", "want", "ask for",
    "leverage", "liquidate", "delegate", "collateralize", "auction", "rent", "encrypt", "translate",
    "speculate with", "ape into", "purchase", "acquire", "snipe", "arbitrage", "farm with",
)  # fmt: skip

#: Words that do mean something, whose ends are borrowed.
DONORS = (
    *FOREIGN,
    *("should would could might never ever nobody nothing yesterday tomorrow already because when "
      "whether where which what happens happen wonder think thinking believe recommend advise idea "
      "risk risky safe wise smart question explain describe imagine suppose pretend remind later "
      "soon once until unless after before while though although instead rather without stop avoid "
      "cancel forget refuse wait sorry thanks thank please kindly want need like would going might "
      "said says told asked wrote message email friend sister brother mother father boss company "
      "someone people everyone their theirs other others using wallet pool lending balance deposit "
      "withdraw transfer send supply everything entire whole half some most maximum position "
      "interest protocol recipient address account money token coins units amount last week month "
      "year today tonight morning dream poem story joke song weather recipe music movie price "
      "worth market swap borrow sell trade exchange approve convert bridge cost fee much many"
      ).split(),
)  # fmt: skip

_SYLLABLES = (
    "bra clo dre fli gru kla mor nip plo qua rin sto tre vla wim zor bex cra dun fen gop hib jas "
    "kel lun mib nov orp pux rab sil tav ulm vek wol xan yir zub snor glim thra spu cho ank ilt "
    "omb erd ust arf eck ogg int ulp ash elm isk ond urg"
).split()

_IRREGULAR = {
    "withdraw": ("withdrew", "withdrawn"), "take": ("took", "taken"), "get": ("got", "gotten"),
    "bring": ("brought", "brought"), "let": ("let", "let"), "put": ("put", "put"),
    "lend": ("lent", "lent"), "send": ("sent", "sent"), "pay": ("paid", "paid"),
    "give": ("gave", "given"), "make": ("made", "made"), "set": ("set", "set"),
    "cut": ("cut", "cut"), "break": ("broke", "broken"), "dig": ("dug", "dug"),
    "split": ("split", "split"), "throw": ("threw", "thrown"), "keep": ("kept", "kept"),
    "sow": ("sowed", "sown"), "lay": ("laid", "laid"), "drive": ("drove", "driven"),
    "run": ("ran", "run"), "fly": ("flew", "flown"), "buy": ("bought", "bought"),
    "sell": ("sold", "sold"), "hold": ("held", "held"), "leave": ("left", "left"),
    "steal": ("stole", "stolen"), "win": ("won", "won"), "lose": ("lost", "lost"),
    "bet": ("bet", "bet"), "freeze": ("froze", "frozen"), "hide": ("hid", "hidden"),
    "see": ("saw", "seen"), "tell": ("told", "told"), "show": ("showed", "shown"),
    "find": ("found", "found"), "say": ("said", "said"), "write": ("wrote", "written"),
    "teach": ("taught", "taught"), "sing": ("sang", "sung"), "swim": ("swam", "swum"),
    "ride": ("rode", "ridden"), "think": ("thought", "thought"), "build": ("built", "built"),
    "grow": ("grew", "grown"), "weave": ("wove", "woven"), "spin": ("spun", "spun"),
    "bend": ("bent", "bent"), "shake": ("shook", "shaken"), "catch": ("caught", "caught"),
    "strike": ("struck", "struck"), "feel": ("felt", "felt"), "hear": ("heard", "heard"),
}  # fmt: skip

_VOWELS = "aeiou"


def inflect(verb: str, form: Form) -> str:
    """`verb` in `form`; only its first word changes ("take out": "taking out")."""
    head, space, particle = verb.partition(" ")
    return _head(head, form) + space + particle


def _head(verb: str, form: Form) -> str:
    if form == "base":
        return verb
    if form == "s":
        return verb + ("es" if verb.endswith(("s", "x", "ch", "sh", "o")) else "s")
    if form == "ing":
        return (verb[:-1] if verb.endswith("e") and verb != "see" else _doubled(verb)) + "ing"
    if verb in _IRREGULAR:
        return _IRREGULAR[verb][0 if form == "past" else 1]
    return verb + "d" if verb.endswith("e") else _doubled(verb) + "ed"


def _doubled(verb: str) -> str:
    """The final consonant doubles after a single vowel: ship, shipp-ing."""
    short = len(verb) > 2 and verb[-1] in "bdgklmnprt" and verb[-2] in _VOWELS
    single = short and verb[-3] not in _VOWELS and (len(verb) < 5 or verb == "transfer")
    return verb + verb[-1] if single else verb


def invented(rng: random.Random) -> str:
    """A word that no dictionary lists: odd syllables, or the ends of two real words about one.

    The encoder sees a word's first four and last three letters too, so the ends of every kind of
    word must turn up where they mean nothing.
    """
    if rng.random() < 0.5:
        return rng.choice(DONORS)[:4] + rng.choice(_SYLLABLES) + rng.choice(DONORS)[-3:]
    return "".join(rng.choice(_SYLLABLES) for _ in range(rng.choice((2, 2, 3))))


def any_verb(rng: random.Random, tool: str) -> str:
    """A verb for a frame that says by itself that `tool` is meant."""
    draw = rng.random()
    if draw < 0.25:
        return rng.choice(CLEAR.get(tool, FITTING[tool]))
    if draw < 0.55:
        return rng.choice(FITTING[tool])
    if draw < 0.75:
        return rng.choice(UNRELATED)
    return invented(rng)
