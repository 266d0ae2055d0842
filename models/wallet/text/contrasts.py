"""Instructions made into minimal pairs: the same words as an order, and as anything but an order.

What decides is who acts, the mood, the tense and negation; a model learns that only from sentences
that agree in everything else. `{x}` stands for an instruction that begins with its verb.
"""

import random
import re

ORDERS = (
    "please {x}", "could you {x}?", "can you please {x}", "i want you to {x}", "kindly {x}",
    "i'd like you to {x}", "go ahead and {x}", "time to {x}", "i need you to {x}", "now {x}",
    "let's {x}", "we need to {x}", "would you {x} for me?", "hi, {x}", "be so kind as to {x}",
    "you may now {x}", "do me a favour and {x}", "it's time: {x}", "i want to {x}", "just {x}",
    "your task: {x}", "ok so {x}", "would you mind, {x}", "i have decided: {x}", "next, {x}",
    "i'd like to {x}", "i would like to {x} now", "help me {x}", "make it happen: {x}",
)  # fmt: skip

NO_ORDERS = (
    "don't {x}", "do not {x}", "never {x}", "please don't {x}", "you must not {x}", "dont {x}",
    "you should not {x}", "no need to {x}", "there is no reason to {x}", "i refuse to {x}",
    "let's not {x}", "i don't want to {x}", "i do not want you to {x}", "we won't {x}",
    "please do not {x}", "nobody should {x}", "i'd rather not {x}", "stop trying to {x}",
    "whatever happens, do not {x}", "i told you not to {x}", "make sure you don't {x}",
    "should i {x}?", "should we {x}", "shall i {x}?", "is it wise to {x}?", "is it safe to {x}?",
    "would it make sense to {x}?", "do you think i should {x}?", "why should i {x}?",
    "when should i {x}?", "what happens if i {x}?", "what would it cost to {x}?", "can anyone {x}?",
    "am i allowed to {x}?", "is it possible to {x}?", "did i {x}?", "did you {x}?", "will i {x}?",
    "who can {x}?", "why would anyone {x}?", "would you ever {x}?", "must i {x}?",
    "how do i {x}?", "how to {x}", "explain how to {x}", "tell me how to {x}", "show me how to {x}",
    "teach me to {x}", "i want to know how to {x}", "what is the best way to {x}?",
    "give me advice on whether to {x}", "could you explain how i {x}", "where do i go to {x}?",
    "if i {x}, what will i have left?", "if we {x} we may regret it", "suppose i {x}, then what",
    "imagine we {x}", "in theory i could {x}", "what if i {x}", "once <s> hits <n>, {x}",
    "if <s> falls to <n>, {x}", "remind me to {x}", "remind me tomorrow to {x}",
    "when my salary comes, {x}", "next week i might {x}", "maybe one day i will {x}",
    "every monday {x}", "at <n> o'clock tomorrow, {x}", "as soon as i am back, {x}",
    "<name> wants to {x}", "<name> asked his broker to {x}", "tell <name> to {x}", "he will {x}",
    "she is going to {x}", "they would like to {x}", "my <kin> has to {x}", "our <kin> must {x}",
    "ask my <kin> to {x}", "let <name> {x}", "<name> told her agent to {x}", "will <name> {x}?",
    "can <name> {x}?", "the company plans to {x}", "he always tells people to {x}",
    "<name> needs to {x}", "i saw <name> {x}", "i watched him {x}", "my <kin> said she would {x}",
    "he said: {x}", "she wrote: {x}", "the note says {x}", "the message said to {x}",
    "translate into german: {x}", "how do you say {x} in french", "repeat after me: {x}",
    "write the sentence {x}", "spell {x}", "the tutorial says you should {x}", "headline: {x}",
    "what does {x} mean", "a stranger told me to {x}", "someone asked me to {x}",
    "i was told to {x}", "i had to {x} yesterday", "i forgot to {x} last week",
    "i used to {x}", "i was going to {x} but changed my mind", "i wanted to {x} in may",
    "yesterday you helped me {x}", "thanks for helping me {x}", "i wish i could {x}",
    "i am thinking about whether to {x}", "i am not sure if i should {x}", "i hope to {x} some day",
    "it was wrong to {x}", "it would be a mistake to {x}", "i promised to {x} one day",
    "it is fun to {x}", "people who {x} are brave", "my plan for next year is to {x}",
)  # fmt: skip

NAMES = ("Tim", "Anna", "Carlos", "Mei", "Fatima", "Jonas", "Olga", "Raj", "Sophie", "Ben", "Ines",
         "Peter", "Lucy", "Omar", "Nina", "George", "Hana", "Victor", "Emma", "Ali")  # fmt: skip
KIN = ("brother", "sister", "mother", "father", "boss", "neighbour", "friend", "landlord", "wife",
       "husband", "cousin", "partner", "client", "colleague", "daughter", "son")  # fmt: skip

_NOT_VERBS = frozenset(
    "of from to with for in into out on at by not no all every my the i we it is are am can could "
    "would will should how what who why when where which this that these those and or so ok hey hi "
    "because since as after before there only just please everything whatever if let lets do does "
    "did have has had be been was were any some more most here then now today your our his her "
    "their its".split()
)
_ORDER = re.compile(
    r"~?([a-z]+)( ~?(?:back|over|out|up|down|away|home|in))?"
    r" (?:<[ASX]>|all|every|the|my|me|this|another|everything|~?entire|~?whole|back)",
    re.IGNORECASE,
)
_AS_DECOY = {"<A>": "<n>", "<S>": "<s>", "<X>": "<a>", "<R>": "<a>"}


def is_order(text: str) -> bool:
    """Whether an instruction in marked text begins with its verb."""
    match = _ORDER.match(text)
    return match is not None and match[1].lower() not in _NOT_VERBS


def ordered(text: str, rng: random.Random) -> str:
    """The instruction as another order."""
    return _inside(rng.choice(ORDERS), text, rng)


def not_ordered(text: str, rng: random.Random) -> str:
    """The instruction inside a sentence that orders nothing; its arguments become decoys."""
    for argument, decoy in _AS_DECOY.items():
        text = text.replace(argument, decoy)
    return _inside(rng.choice(NO_ORDERS), text, rng)


def _inside(frame: str, text: str, rng: random.Random) -> str:
    frame = frame.replace("<name>", "~" + rng.choice(NAMES)).replace("<kin>", "~" + rng.choice(KIN))
    body = text[0].lower() + text[1:] if text[0] != "~" else "~" + text[1].lower() + text[2:]
    before, _, after = frame.partition("{x}")
    return before + (body.rstrip(".!?") if after else body) + after
