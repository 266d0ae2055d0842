"""Words that say where an argument begins and ends: months, weekdays, prepositions, yes and no.

Part of the rules, not of a model: no training changes them. On chain they lie in a table of
`models/instructions/codetable.py`, together with the words of quantities: a word's classes are the
lowest bits of its code, and nothing is looked up by its first or last letters.
"""

from enum import IntFlag
from functools import cache

from zkagent.models.instructions.codes import FILLERS, FILLING, FILLING_WORDS, PRESENT, Codebook
from zkagent.models.instructions.codetable import CodeTable, table_of
from zkagent.models.instructions.grammar import WORDS
from zkagent.models.instructions.reader import BY_TEXT, Kind


class Class(IntFlag):
    """What a word does beside naming something; some do several things."""

    NONE = 0
    BREAK = 1 << 0  # begins no name and ends one: i, want, please
    JOIN = 1 << 1  # may stand within a name: of, the, and
    PLACE = 1 << 2  # may, too, but may as well part two names: in, at
    LINK = 1 << 3  # parts two names, or stands within one: with, for
    MONTH = 1 << 4
    UNSURE = 1 << 5  # of a month: may be another word
    WEEKDAY = 1 << 6
    DAY = 1 << 7  # today, tomorrow
    NEXT = 1 << 8  # next, this
    PERIOD = 1 << 9  # week, month
    PART = 1 << 10  # of a day: morning
    HALF_DAY = 1 << 11  # am, pm
    CLOCK = 1 << 12  # o'clock
    NOON = 1 << 13  # a time by itself
    ORDINAL = 1 << 14  # first, second
    PAST = 1 << 15  # half past ten, quarter to four, day after tomorrow
    QUARTER = 1 << 16  # half, quarter
    OF = 1 << 17
    THE = 1 << 18
    IN = 1 << 19
    AND = 1 << 20
    LATER = 1 << 21
    COIN = 1 << 22  # dollars
    TITLE = 1 << 23  # a point behind it ends no sentence: dr, st
    UNIT = 1 << 24  # goes before a number within an address: suite, apt
    VERB = 1 << 25  # behind what a sentence is about: sounds, is
    CALLED = 1 << 26  # what follows is a name, up to a mark: titled
    YES = 1 << 27
    NO = 1 << 28
    NOT = 1 << 29  # turns the next yes or no, or is a no by itself
    SWITCH = 1 << 30  # makes "on" behind it a yes: turn, set
    ON = 1 << 31
    MINUS = 1 << 32
    AWAY = 1 << 33  # refuses an act, or makes it depend, wherever it stands: not, if
    QUESTION = 1 << 34  # makes a question where a clause begins with it: is, should
    MODAL = 1 << 35  # so does this, unless "you" follows: could
    LEAD = 1 << 36  # what follows it may still begin the clause: please, and
    ASKED = 1 << 37  # leaves a question at most, wherever it stands: what, how, they
    TELLS = 1 << 38  # tells something, unless it is asked: already, said
    HALT = 1 << 39  # refuses an act where a clause begins with it: stop, keep
    WHOSE = 1 << 40  # what begins with it may be a statement: the, my
    DUE = 1 << 41  # unless this stands in it: must, please
    DID = 1 << 42  # a past without "ed": a report behind a subject, or first: paid, ate
    DOES = 1 << 43  # behind a name or an article, a statement: stays, sends, usually


#: Bits of a code that are classes.
CLASS_BITS = 44
CLASS_MASK = (1 << CLASS_BITS) - 1
_C = Class

_CLASSES: tuple[tuple[Class, str], ...] = (
    (
        _C.BREAK,
        "i i'm i'd i'll i've im id ive me my mine myself we we're we'd we'll us our you "
        "you're your yours he she he's she's they them their it its it's that's there's "
        "here's what's let's who what which where when why how whose am are be been being do "
        "does did done have having had can could may might must shall can't cannot couldn't "
        "wouldn't don't doesn't didn't isn't aren't won't want wants wanted wanna need needs "
        "needed like likes liked love prefer get gets getting got give gives find finding "
        "found look looking search searching see show shows tell know think make makes made "
        "go goes going gonna take taking help helps helping check checking try trying let put "
        "keep use using please thanks thank hi hello hey ok okay yes no yeah yep yup nope "
        "sure alright right well so then than now just also too very really actually maybe "
        "perhaps only even still again already some any something anything someone somebody "
        "anyone everyone somewhere anywhere nowhere there here that these those a an if "
        "because as but or not never such more most less much many few lot lots about around "
        "interested hungry feeling feel bored good great nice fine perfect cool awesome book "
        "booking reserve buy rent play watch listen hear schedule plan planning planned come "
        "coming leave leaving arrive arriving start starting ending say said ask one's "
        "today's would've currently soon visiting attend available able possible out up down "
        "off over per each every all both either neither other others another else same way "
        "thing things stuff kind sort type date day days people person add recommend located "
        "supposed would will should is was were has looks sounds seems works",
    ),
    (
        _C.BREAK | _C.LINK,
        "from to by into onto with for till until via near vs versus before after",
    ),
    (_C.BREAK | _C.CALLED, "called named titled"),
    (_C.CALLED, "title name"),
    (_C.VERB, "is was would will sounds looks seems works sound seem look has should could can"),
    (_C.JOIN | _C.PLACE | _C.IN, "in"),
    (_C.JOIN | _C.PLACE | _C.ON, "on"),
    (_C.JOIN | _C.PLACE, "at"),
    (_C.JOIN | _C.OF, "of"),
    (_C.JOIN | _C.THE, "the"),
    (_C.JOIN | _C.PLACE | _C.AND, "and"),
    (_C.JOIN, "a an de la el le du von van der al y n"),
    (_C.MONTH, "january february april june july august september october november december"),
    (_C.MONTH, "jan feb apr jun jul aug sep sept oct nov dec"),
    (_C.MONTH | _C.UNSURE, "may march mar"),
    (_C.WEEKDAY, "monday tuesday wednesday thursday friday saturday sunday"),
    (_C.WEEKDAY, "mon tue tues wed thu thur thurs fri"),
    (_C.DAY | _C.BREAK, "today tomorrow tonight yesterday asap"),
    (_C.LATER | _C.BREAK, "later earlier"),
    (_C.NEXT | _C.BREAK, "next this last following"),
    (_C.PERIOD, "day week weekend month year"),
    (_C.PART, "morning afternoon evening night"),
    (_C.HALF_DAY, "am pm"),
    (_C.CLOCK, "o'clock oclock"),
    (_C.NOON, "noon midnight"),
    (
        _C.ORDINAL,
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth "
        "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth "
        "thirtieth",
    ),
    (_C.PAST, "past to after till"),
    (_C.QUARTER, "half quarter"),
    (_C.COIN, "dollar dollars buck bucks euro euros pound pounds usd eur gbp"),
    (_C.TITLE, "dr mr mrs ms st prof jr sr mt ft"),
    (_C.UNIT, "suite apt apartment unit room floor"),
    (_C.YES, "yes yeah yep yup true enable enabled enabling allow allowed approve agree support"),
    (_C.NO, "no nope nah false off disable disabled disabling deny denied reject oppose against"),
    (_C.NOT, "not never without don't doesn't didn't isn't aren't won't can't cannot"),
    (_C.SWITCH, "turn turned turning switch switched switching set is be to put"),
    (_C.MINUS, "minus negative"),
    (
        _C.AWAY,
        "not don't dont never no none nobody nothing neither nor without cannot can't won't "
        "wouldn't shouldn't couldn't mustn't didn't doesn't isn't aren't wasn't weren't haven't "
        "hasn't hadn't ain't refuse refused forbid forbidden avoid prevent abort ignore decline "
        "nope nah undo postpone instead rather if unless until till suppose supposing imagine "
        "assume assuming provided hypothetically theoretically pretend someday eventually once "
        "soon",
    ),
    (
        _C.TELLS,
        "yesterday ago already had was did were used been went gave took received withdrew "
        "previously earlier formerly recently i've we've said "
        "says told wrote written quote quoted meaning mean means explain define example tutorial "
        "poem haiku joke think thinking consider considering advice advise advisable opinion "
        "thoughts suggest better worth wise wiser risk risky decide undecided unsure maybe "
        "perhaps reckon believe pros cons hesitate tempted dream wish hope hoping would've "
        "according",
    ),
    (
        _C.ASKED,
        "how how's what what's which whether who who's whose where where's when when's why "
        "wonder wondering he he's she she's they they're his their someone somebody anybody "
        "anyone everyone everybody people others wants wishes owes",
    ),
    (
        _C.QUESTION,
        "is are am do does did was were has have had should shall ought any may might must",
    ),
    (_C.HALT, "stop cancel skip scrap hold wait halt quit reject keep leave forget"),
    (_C.WHOSE, "the a an my our her its these those all every each another"),
    (_C.DUE, "should must shall ought need needs please wanting seeking requesting"),
    (
        _C.DID,
        "paid sent gave took went got made did bought sold spent lent won lost ate drew stole "
        "brought built fought kept fed saw met ran sat stood slept woke wrote broke chose fell "
        "flew grew held led meant rode rose said sang sank shot shook slid spoke stuck struck "
        "swam swore taught threw thought tore understood withdrew wore began became caught dug "
        "drank drove fled froze hid dealt lit taken given gone done eaten drawn withdrawn "
        "stolen broken chosen fallen flown grown hidden ridden risen shaken spoken thrown torn "
        "woken worn written begun drunk driven forgotten frozen beaten bitten sworn swum sung "
        "hung swung spun wound bent burnt learnt dreamt",
    ),
    (
        _C.DOES,
        "stays walks pays sends goes takes gives makes eats keeps sleeps sells buys opens "
        "closes lives brings becomes builds falls fights flies follows grows hears holds knows "
        "lends loses meets owns receives remains runs sits speaks spends stands steals says "
        "tells thinks throws wins withdraws writes wears wakes waits likes loves hates moves "
        "votes attacks deposits transfers costs turns earns borrows lies comes believes happens "
        "hopes drinks drives carries tries plans claims agrees supports rejects expects belongs "
        "contains includes remembers forgets hides chases swims barks bites bears rings starts "
        "begins ends rises owe earn remember usually always often sometimes rarely seldom "
        "normally typically regularly",
    ),
    (_C.MODAL, "can could would will"),
    (
        _C.LEAD,
        "please hey hi hello so and ok okay now then well also but thanks yes no yeah right just "
        "let's fyi",
    ),
)


def _listed() -> dict[bytes, Class]:
    found: dict[bytes, Class] = {}
    for classes, words in _CLASSES:
        for word in words.split():
            found[word.encode()] = found.get(word.encode(), Class.NONE) | classes
    return found


#: Lower-case words and what they do.
CLASSES: dict[bytes, Class] = _listed()


@cache
def lexicon() -> CodeTable:
    """The table as it lies on chain: classes in the lowest bits of the codes, and the meanings of
    the words of quantities."""
    return table_of(
        Codebook(
            words={word: _code(word) for word in sorted({*CLASSES, *WORDS})},
            starts={},
            ends={},
            unknown=PRESENT,
            kinds={
                kind: PRESENT | (FILLING if kind in FILLERS else 0)
                for kind in Kind
                if kind not in BY_TEXT
            },
        )
    )


def classes_of(word: bytes) -> Class:
    """Of a word in lower case, as the contract finds them: a word that is not listed may have some
    by mistake, one in millions."""
    found = lexicon().lookup(word)
    return Class(found.code & CLASS_MASK) if found else Class.NONE


def _code(word: bytes) -> int:
    filling = FILLING if word in FILLING_WORDS else 0
    return PRESENT | filling | CLASSES.get(word, Class.NONE)


__all__ = ["CLASSES", "CLASS_BITS", "CLASS_MASK", "Class", "classes_of", "lexicon"]
