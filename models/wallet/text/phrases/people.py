"""People who are not the owner, and what is theirs."""

NAME = (
    "alice bob carol dave eve frank grace heidi ivan judy mallory oscar peggy trent victor "
    "walter anna peter maria john james robert michael linda susan karen lisa nancy sara daniel "
    "paul kevin brian george ronald tim jason jeff ryan jacob gary nick eric laura emma olivia "
    "sophia mia amelia noah liam ethan lucas mateo juan carlos pedro luis ana sofia elena "
    "ivanov yuki hiro kenji mei wei li chen raj priya amit fatima omar ali hassan leila ahmed "
    "sven lars ingrid olga dmitri katya hans greta fritz klaus pierre marie luc chloe rosa hugo "
    "felix max otto ida ella finn jonas clara simon julia martin stefan petra monika andreas "
    "thomas sam joe steve mary jane kate helen diana patrick sean fiona ian neil colin rachel "
    "rebecca hannah leah ruth miguel diego lucia carmen pablo jose marco luca giulia paolo "
    "chiara aisha yusuf zara kofi ama kwame ngozi satoshi hal vitalik gavin elon jeffrey warren "
    "donald angela boris emmanuel "
).split()

PERSON_NOUN = (
    "friend", "brother", "sister", "mom", "mum", "dad", "mother", "father", "landlord", "wife",
    "husband", "son", "daughter", "cousin", "uncle", "aunt", "boss", "colleague", "partner",
    "roommate", "neighbor", "neighbour", "accountant", "lawyer", "teacher", "grandmother",
    "grandfather", "nephew", "niece", "girlfriend", "boyfriend", "ex", "client", "team", "company",
    "dog", "cat", "manager", "coworker", "flatmate", "in laws", "employer", "tenant", "customer",
    "student", "coach", "doctor", "best friend", "old friend", "ex wife", "parents", "kids",
    "buddy", "business partner", "family", "grandparents", "gym trainer", "barber", "tax advisor",
)  # fmt: skip

ROLE = (
    "guy", "man", "woman", "stranger", "user", "trader", "investor", "whale", "hacker", "thief",
    "scammer", "developer", "founder", "customer", "neighbor", "neighbour", "colleague", "friend",
    "student", "company", "bot", "depositor", "lender", "borrower", "miner", "validator", "person",
    "boy", "girl", "lady", "gentleman", "client", "member", "kid", "tourist", "celebrity",
    "politician", "banker", "market maker", "fund", "dao", "team", "exchange",
)  # fmt: skip

#: Someone else, as the subject of a sentence in the third person singular.
SOMEONE = (
    "{name}", "{name}", "{name}", "{name}", "{name}", "{name}", "{name}", "{name}", "{invented}",
    "{invented}", "my {person_noun}", "my {person_noun}", "my {person_noun}", "my {person_noun}",
    "a {role}", "a {role}", "some {role}", "the {role}", "the other {role}", "he", "she", "he",
    "she", "someone", "somebody", "everyone", "nobody", "no one", "everybody", "anyone",
    "who knows who", "a friend of mine", "our {person_noun}", "her {person_noun}",
    "his {person_noun}", "{name}'s {person_noun}", "the agent", "the contract", "the protocol",
    "the treasury", "the dao", "the company", "our club", "this {role}", "that {role}",
    "one {role}", "another {role}", "the previous owner", "the account <a>", "<a>",
    "the wallet <a>", "somebody else", "someone else", "a certain {name}",
)  # fmt: skip

#: Several others, as the subject of a sentence in the plural.
OTHERS_SUBJECT = (
    "they", "they", "people", "some people", "most people", "{role}s", "the {role}s",
    "some {role}s", "other users", "all users", "users", "{name} and {name}", "my parents",
    "my friends", "the neighbours", "the others", "many", "a lot of people", "the guys",
    "those {role}s", "two {role}s", "whales", "traders", "the devs", "kids these days",
)  # fmt: skip

#: Whose: in front of an amount, a wallet, a deposit.
WHOSE = (
    "{name}'s", "{name}'s", "{name}'s", "{name}'s", "{name}'s", "{invented}'s",
    "my {person_noun}'s", "my {person_noun}'s", "my {person_noun}'s", "the {role}'s", "a {role}'s",
    "his", "her", "their", "his", "her", "their", "someone else's", "somebody's", "someone's",
    "everyone's", "everybody's", "other people's", "another {role}'s", "the treasury's",
    "the company's", "the dao's", "the charity's", "our {person_noun}'s", "the other users'",
    "the neighbours'", "that {role}'s", "this {role}'s", "the other {role}'s", "nobody's",
    "a stranger's", "the pool's other users'",
)  # fmt: skip

#: Who speaks or writes in a report or a quotation.
SOURCE = (
    "{someone}", "{someone}", "{someone}", "the email", "the tweet", "the docs", "the document",
    "the headline", "the banner", "the fax", "the sms", "the tooltip", "a voice", "the voice",
    "the message", "the article", "the newspaper", "the news", "the tutorial", "the manual",
    "the book", "the sign", "the website", "the chat", "the letter", "the note", "the advert",
    "the caller", "the guide", "the blog", "the proposal", "the contract", "the subject line",
    "the video", "the podcast", "the meme", "the bot", "my horoscope", "the fortune cookie",
    "the script", "the comment", "the textbook", "the error message", "this page", "the ad",
    "the popup", "the forum", "someone on reddit", "a guy on twitter", "the analyst", "the poster",
    "the leaflet",
)  # fmt: skip
SAID = (
    "said", "says", "wrote", "writes", "shouted", "claims", "claimed", "suggests", "suggested",
    "texted", "tweeted", "posted", "whispered", "yelled", "screamed", "answered", "replied",
    "asked", "demanded", "insisted", "states", "stated", "announced", "mentioned", "explained",
    "typed", "messaged me", "told me", "told us", "wrote me", "wrote to me", "sent me a note",
    "keeps saying", "kept saying", "was saying", "used to say", "once said", "would say",
    "might say", "muttered", "joked", "sang", "advises", "advised", "recommends", "recommended",
)  # fmt: skip
