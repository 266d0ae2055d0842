"""Instructions for the wallet that lack something: the answer asks for it.

{L} is an amount that nobody can act on, {K} an amount without a known asset; `@` and `!` as in
frames.py.
"""

#: By tool: phrases with an asset but no usable amount ...
NO_AMOUNT = {
    "Withdraw": (
        "! {L}", "! {L}", "! {L} {pool_out}", "@ {L} {pool_out}", "@ {L} {pool_out}",
        "@ {L} {pool_out} {to_me}", "@ {L} back {to_me}", "give me back {L}",
        "make a withdrawal of {L}", "@ me {L} {pool_out}", "take {L} out",
        "have {L} @done {pool_out}", "lower my pool position by {L}",
    ),
    "Deploy": (
        "! {L}", "! {L}", "! {L} {pool_in}", "@ {L} {pool_in}", "@ {L} {pool_in}",
        "@ {L} from my wallet {pool_in}", "let {L} earn interest", "make a deposit of {L}",
        "put {L} to work", "add {L} to my deposit", "have {L} @done {pool_in}",
        "raise my pool position by {L}", "give {pool} {L}",
    ),
    "Transfer": (
        "! {L} {to_recipient}", "! {L} {to_recipient}", "@ {L} {to_recipient}",
        "@ {L} {to_recipient}", "give <R> {L}", "! <R> {L}", "pay <R> {L}",
        "make a payment of {L} {to_recipient}", "have {L} @done {to_recipient}", "let <R> have {L}",
        "@ <R> {L}", "! {L} {to_recipient} {because}",
    ),
}  # fmt: skip

#: ... phrases whose asset is missing or unknown ...
NO_ASSET = {
    "Withdraw": (
        "! {K}", "! {K}", "! {K} {pool_out_bare}", "@ {K} {pool_out_bare}", "@ {K} {pool_out_bare}",
        "@ {K} back {to_me}", "give me back {K}", "make a withdrawal of {K}", "take {K} out",
        "get {K} out", "[lower|reduce] my position by {K}",
    ),
    "Deploy": (
        "! {K}", "! {K}", "! {K} {pool_in_bare}", "@ {K} {pool_in_bare}", "@ {K} {pool_in_bare}",
        "@ {K} from my wallet {pool_in_bare}", "let {K} earn interest", "make a deposit of {K}",
        "put {K} to work", "add {K} to my deposit", "[raise|increase] my position by {K}",
    ),
    "Transfer": (
        "! {K} {to_recipient}", "! {K} {to_recipient}", "@ {K} {to_recipient}", "give <R> {K}",
        "! <R> {K}", "pay <R> {K}", "make a payment of {K} {to_recipient}", "let <R> have {K}",
        "@ {K} {to_recipient}", "! {K} {to_recipient} {because}", "I owe <R> {K}, ! it",
    ),
    "ViewBalance": (
        "what's my balance?", "what is my balance", "show my balance", "show me my balance",
        "check my balance", "my balance please", "balance", "balance?", "how much do I have?",
        "how much do I have in {pool_bare}?", "how much is in {pool_bare}?",
        "how much money do I have?", "how much {coin} do I have?", "what's my {coin} balance?",
        "what's in my wallet?", "what do I own?", "what do I have?", "what is in {pool_bare}?",
        "show me my holdings", "show my position", "check my {coin}", "view my balance",
        "tell me my balance", "am I rich?", "how rich am I?", "how many tokens do I have?",
        "how many coins are in {pool_bare}?", "do I have any money left?",
        "how many {coin} do I hold?", "look up my balance", "I'd like to know my balance",
        "could you check my balance?", "can you tell me how much I have?", "@ my balance",
        "how are my deposits doing?",
    ),
}  # fmt: skip

#: ... transfers without an address ...
NO_RECIPIENT = (
    "! {M}", "! {M}", "! {M} {to_nobody}", "! {M} {to_nobody}", "! {M} {to_nobody}",
    "@ {M} {to_nobody}", "@ {M} {to_nobody}", "pay {M}", "pay {person} {M}", "give {person} {M}",
    "! {person} {M}", "make a transfer of {M}", "make a payment of {M}",
    "I owe {person} {M}, pay it", "transfer: {M}", "payment: {M}",
    "make a payment of {M} {to_nobody}", "! {M} {to_nobody} {because}", "send {M} away",
    "pay {M} {because}", "! {M} {because}",
)  # fmt: skip

TO_NOBODY = (
    "to {person}", "to {person}", "to {person}", "to {person}'s wallet", "to {person}'s address",
    "to someone", "to him", "to her", "to them", "to the usual address",
    "to the same address as before", "to an address", "to a friend", "to another wallet",
    "to my other wallet", "to my cold wallet", "to my exchange account", "to 0x12", "to 0xabc",
    "to 0x1234...5678", "to 0x", "to vitalik.eth", "to {name}.eth", "to binance", "to coinbase",
    "to charity", "to somebody", "to this guy", "to the address I gave you",
    "to the address in my contacts", "to my contact {name}", "for {person}", "to the shop",
    "to whom it may concern", "over there", "there", "elsewhere", "to my hardware wallet",
)  # fmt: skip

#: ... and instructions that say almost nothing.
NOTHING = (
    "withdraw", "deposit", "send", "transfer", "pay", "deploy", "supply", "lend", "withdraw please",
    "make a deposit", "make a withdrawal", "make a transfer", "make a payment", "do a transfer",
    "do a withdrawal", "start a transfer", "I want to withdraw", "I want to deposit",
    "I'd like to send something", "I want to send money", "I need to pay someone", "send money",
    "send tokens", "send some tokens", "move money", "move my tokens", "move my funds",
    "send funds to <R>", "pay <R>", "transfer to <R>", "send to <R>", "give <R> something",
    "send it to <R>", "<R>", "do it", "take something out of {pool_bare}",
    "put something into {pool_bare}", "take money out", "put money in", "move it",
    "do something with my <S>", "do something useful with my money", "take care of my <S>",
    "handle my <S>", "help me with my wallet", "help me with my <S>", "I need help with a transfer",
    "I need help with a deposit", "use {pool_bare}", "use my <S>", "rebalance my wallet",
    "move my <S>", "move <A> <S>", "<A> <S>", "<S>", "<S> please", "<A> <S> please",
    "{invented} <A> <S>", "{invented} <A> <S>", "{invented} my <S>", "please {invented} <A> <S>",
    "{invented} <S>", "{invented} <A> of my <S>", "can you {invented} <A> <S>?",
    "I want to {invented} <A> <S>", "{invented} all my <S>", "I'd like to {invented} some <S>",
    "{unrelated} <A> <S>", "{unrelated} my <S>", "please {unrelated} <A> <S>",
    "{unrelated} all my <S>", "{unrelated} <A> of my <S>",
)  # fmt: skip

POOL_BARE = (
    "the pool", "the lending pool", "the protocol", "the vault", "the market",
    "the lending protocol", "lending", "my pool",
)  # fmt: skip
POOL_OUT_BARE = (
    "from the pool", "out of the pool", "from the lending pool", "out of the vault",
    "from the protocol", "from my deposit", "off the market", "out of lending", "from my position",
    "from the vault",
)  # fmt: skip
POOL_IN_BARE = (
    "into the pool", "in the pool", "to the pool", "into the lending pool", "into the vault",
    "to the protocol", "to earn interest", "for yield", "to my deposit", "into lending",
    "in the vault",
)  # fmt: skip
