"""How an instruction names amounts, assets, recipients and sides: noun phrases and prepositions.

<A> <S> <X> <R> are the arguments, <n> <s> <a> decoys; see `expansion.py`.
"""

#: An exact amount of an asset.
EXACT = (
    "<A> <S>", "<A> <S>", "<A> <S>", "<A> <S>", "<A> <S>", "<A> <S>", "<A> <S>", "<A> <S>",
    "{about}<A> <S>", "{about}<A> <S>", "<A> of my <S>", "<A> of the <S>", "<A> of <S>",
    "<A> {units} of [my |the |]<S>", "<A> <S> {units}", "<A> {whole} <S>", "<S> <A>", "<S>, <A>",
    "<S>: <A>", "<S> ([exactly |]<A>)", "<S>, {about}<A>", "<S>, <A> of [them|it|those]",
    "<S> in the amount of <A>", "<S>, amount <A>", "[an amount|a sum|a total] of <A> <S>",
    "the sum of <A> <S>", "some <S>, <A> to be [exact|precise]", "some <S> ([exactly|say] <A>)",
    "<S> worth <A> {units}", "<A>, in <S>,", "<A> in <S>", "<S> to the tune of <A>",
    "[my|the|those|these] <A> <S>", "<A> worth of <S>", "<A> from my <S>",
    "my <S> - [exactly|only|just] <A> of it -", "<A> (that's <S>)", "<S>, a total of <A>,",
    "[exactly|only|just] <A> <S>, no more", "<A> <S> and not a [cent|bit|token] more",
    "the <A> <S> we talked about", "<A> lovely <S>", "amount <A> of asset <S>",
    "amount: <A>, [asset|token|coin]: <S>", "[asset|token|coin]: <S>, amount: <A>",
    "{exact_address}", "{exact_address}", "{exact_address}", "{exact_address}", "{exact_address}",
    "{exact_decoy}", "{exact_decoy}", "{exact_decoy}", "{exact_decoy}", "{exact_decoy}",
)  # fmt: skip

#: ... of an asset that is named by its address.
EXACT_ADDRESS = (
    "<A> of token <X>", "<A> of the token <X>", "<A> of the token at <X>", "<A> <X>",
    "<A> <X> {units}", "<A> {units} of <X>", "<A> of <X>", "<A> of asset <X>",
    "<A> {units} of the asset at <X>", "<A> of the [coin|asset|currency] <X>",
    "{about}<A> of the [coin|asset|token] at [address |]<X>", "<A> {units} of token <X>",
    "<A> {units} of the token [with|whose] address [is |]<X>", "token <X>, amount <A>",
    "<A> {units} from [the |]contract <X>", "<A> of the token with contract <X>",
    "<A> of the ERC token <X>", "<X> {units}, <A> of them", "token <X>: <A>",
    "<A> {units} (token <X>)", "<A> {units} (contract <X>)", "<A>, token address <X>,",
    "<A> of the token deployed at <X>", "<A> of the token living at <X>",
    "the token <X>, <A> of it", "{about}<A> <X>", "<A> of my <X> {units}",
    "<A> units of the [coin|token] found at <X>",
)  # fmt: skip

#: ... with a second number or symbol close by that must not be taken.
EXACT_DECOY = (
    "<A> of my <n> <S>", "<A> out of my <n> <S>", "<A> of the <n> <S> I [own|have|hold]",
    "<A> of those <n> <S>", "<A> from the <n> <S> I [have|own|hold]", "<A> <S>, not <n>",
    "<A> (not <n>) <S>", "<A> <S> (not <n>)", "not <n> but <A> <S>", "<A> <S> and not <n>",
    "<A> <S>, not <s>", "<A> <S> rather than <s>", "<A> <S> (not <s>)", "<A> <S> and not <s>",
    "not <s> but <S>, <A> of it", "<A> <S> instead of <s>", "<A> <S> instead of <n>",
    "<A> [units |tokens |]of <S> instead of <s>", "<A> <S>, never <s>", "<A> <S> and no <s>",
    "<A> of the <n> <S>", "<A>, not <n>, <S>", "<A> <S> (I have <n>)", "<A> <S> [out ]of <n>",
    "<A> <S> of my <n>", "<A> <S> of the <n> I [have|own|hold]", "only <A> <S> of all <n>",
    "just <A> out of <n> <S>", "<A> <S> but not the [whole |]<n>", "<A> <S>, keeping the other <n>",
    "<A> <S>, leaving <n>", "<A> <S>, so that <n> remain", "<A> <S> (leave my <s> alone)",
    "<A> <S>, down from <n>", "<A> <S> this time, not <n> [as before|like last time|]",
    "<A> <S>, the <s> stays", "<A> of my <S> and [none|nothing] of my <s>",
    "my <n> <S> minus [a few|some], so <A> <S>,", "<A> of the <n> {units} of <S>",
)  # fmt: skip

#: Everything there is of an asset.
ALL = (
    "all [of |]my <S>", "all [of |]my <S>", "all [of |]my <S>", "all the <S>", "all <S>",
    "all of the <S>", "all of <S>", "my entire <S> {holding}", "the entire <S> {holding}",
    "my whole <S> {holding}", "the whole <S> {holding}", "my full <S> {holding}",
    "the full <S> {holding}", "my complete <S> {holding}",
    "everything I [have|own|hold|possess|got|keep] in <S>", "everything I[ have|'ve] got in <S>",
    "everything in <S>", "everything that's <S>", "every <S> I [have|own|hold|possess]",
    "every <S> [that is |]there[ is|]", "every single <S>", "every last <S>", "every bit of <S>",
    "every bit of my <S>", "every last [bit|unit|cent|crumb|smidgen] of [my |]<S>",
    "each and every <S>", "whatever <S> I [have|own|hold|possess]", "whatever <S> there is",
    "whatever <S> is [left|there|available]", "what <S> I have", "any <S> I [have|own|hold]",
    "any and all <S>", "any <S> [that is |]left", "the remaining <S>", "the rest of my <S>",
    "the remainder of my <S>", "what's left of my <S>", "what remains of my <S>",
    "the lot of my <S>", "the maximum [amount |]of <S>", "the max <S>", "max <S>", "maximum <S>",
    "as much <S> as [possible|there is|I have]", "as many <S> as [possible|there are|I have]",
    "the entirety of my <S>", "the totality of my <S>", "the total <S> {holding}",
    "my total <S> {holding}", "<S>, all of it,", "<S>, everything,", "<S>, every bit of it,",
    "<S>, the [lot|whole lot],", "my <S>, all of it,", "my <S>, every last bit,", "my <S> in full",
    "my <S> in its entirety", "my <S>, completely,", "<S> entirely", "my <S> completely",
    "the <S>, the whole [thing|amount|bunch],", "both all and any <S>", "my <S> - everything -",
    "my <S> down to [zero|nothing|the last cent|the last wei]",
    "my <S> until [nothing|none] is left", "one hundred percent of my <S>",
    "a hundred percent of my <S>", "the full amount of <S>", "the whole amount of <S>",
    "the entire amount of <S>", "the whole sum of <S>", "the whole bunch of <S>",
    "all [of |]my <X> {units}", "all of token <X>", "everything in token <X>", "every <X> token",
    "all tokens of <X>", "the entire balance of [token |]<X>", "all my {units} of <X>",
    "the whole [token |]<X> {holding}", "everything I [hold|have] of [token |]<X>",
    "all that I [have|own] in <S>", "all there is of my <S>",
    "all the <S> [I have|there is|that's left]", "all <S>, not <s>,",
    "all my <S> but [none|nothing] of my <s>", "all my <S> and no <s>",
    "all my <S> (should be <n>)", "all of my <S> (about <n>)", "my whole <S> {holding} (<n> or so)",
)  # fmt: skip

#: Amounts that nobody can act on.
VAGUE = (
    "<S>", "some <S>", "some of my <S>", "a bit of <S>", "a little <S>", "a few <S>",
    "half of my <S>", "half my <S>", "half the <S>", "a third of my <S>", "a quarter of my <S>",
    "two thirds of my <S>", "part of my <S>", "a portion of <S>", "most of my <S>", "a lot of <S>",
    "lots of <S>", "many <S>", "several <S>", "enough <S>", "{odd} <S>", "{odd} <S>", "{odd} <S>",
    "{odd} of my <S>", "{odd} <S>", "{odd} worth of <S>", "the usual amount of <S>",
    "a small amount of <S>", "a chunk of my <S>", "a couple of <S>", "a dozen <S>",
    "a certain amount of <S>", "a fair share of my <S>", "some amount of <S>",
    "a fraction of my <S>", "a pinch of <S>", "the right amount of <S>", "nearly all of my <S>",
    "almost all my <S>", "the bulk of my <S>", "more <S>", "somewhat more <S>", "x <S>",
    "so many <S>", "five <S>", "ten <S>", "twenty <S>", "a hundred <S>", "a thousand <S>",
    "one <S>", "not too much <S>", "the same amount of <S> as last time", "as usual, <S>",
    "any amount of <S>", "some token <X>", "half of the token <X>", "a bit of <X>",
    "a few <X> {units}", "<X> {units}", "{odd} of token <X>", "some of the token at <X>",
    "{odd} <X>",
)  # fmt: skip

#: Tokens that the tokenizer reads as OTHER: it does not guess what they are worth.
ODD = (
    "5k", "10%", "50%", "25%", "100%", "$5", "$20", "1,000", "2,500", "1e18", "5e6", "3m", "2.5k",
    "1/2", "1/3", "5x", "10-20", "$1.50", "#5", "5+", "+10", "-3", "1_000", "12,5", "0.5.1",
    "20ish", "10ish", "3rd", "7h", "1kk", ".5", "99%", "15.5%", "0x5", "$1,200", "1.000,00",
)  # fmt: skip

#: No asset, or one that the wallet does not know.
ASSETLESS = (
    "<A>", "<A> {units}", "<A> [coins|tokens]", "everything", "all of it", "all my {units}",
    "the lot", "it", "some", "all my money", "my money", "some money", "some funds", "my funds",
    "all my funds", "the whole balance", "<A> of them", "exactly <A>", "<A> dollars", "<A> bucks",
    "<A> euros", "<A> bitcoin", "<A> doge", "<A> {coin}", "<A> {coin}", "{coin}", "all my {coin}",
    "my {coin}", "{odd}", "some {coin}", "<A> of something", "half", "half of it",
    "the same as before", "more", "that", "{odd} {coin}", "my tokens", "an amount of <A>",
    "the sum of <A>", "my savings", "the rest", "<A> worth",
)  # fmt: skip

COIN = (
    "doge", "shiba", "pepe", "solana", "cardano", "ripple", "litecoin", "monero", "bitcoin",
    "ether", "gold", "silver", "pesos", "yen", "pounds", "rubles", "francs", "zcash", "dash", "xyz",
    "foo", "tokens of that new coin", "stablecoins", "polkadot", "euros", "dollars", "points",
    "shares", "credits", "gems", "nfts", "{invented}", "{invented}", "{invented}",
)  # fmt: skip

UNITS = ("tokens", "coins", "units", "tokens", "coins", "units", "pieces", "token", "bucks")
WHOLE = (
    "whole", "measly", "little", "more", "extra", "additional", "spare", "idle", "unused",
    "further", "single", "shiny", "hard-earned", "precious", "leftover", "fresh", "good",
)  # fmt: skip
ABOUT = (
    "exactly ", "just ", "only ", "precisely ", "another ", "a total of ", "a further ", "up ",
    "all in all ", "some ", "roughly ", "about ", "a full ", "a mere ", "no more than ", "my ",
    "at most ", "these ", "those ", "an extra ", "an additional ", "the ", "say ", "like ",
)  # fmt: skip
HOLDING = (
    "balance", "balance", "position", "holding", "holdings", "stack", "amount", "bag", "supply",
    "deposit", "savings", "reserve", "pot", "lot", "fund", "funds", "portion", "allotment", "hoard",
    "wad", "heap", "treasure", "investment", "share", "stockpile",
)  # fmt: skip

#: The lending pool and the ways into and out of it.
POOL = (
    "the pool", "the pool", "the pool", "the pool", "the lending pool", "the lending pool",
    "my pool", "the lending protocol", "the protocol", "the lending market", "the market",
    "the money market", "the vault", "the lending vault", "the yield pool", "the liquidity pool",
    "that pool", "our pool", "the lending contract", "the pool contract", "the savings pool",
    "lending", "the lending side", "the interest pool", "the lending platform", "the savings vault",
    "the farm", "the lender", "the pool there", "your pool", "this pool", "pool", "the shared pool",
    "the <S> pool", "the defi pool",
)  # fmt: skip

POOL_OUT = (
    "from {pool}", "from {pool}", "from {pool}", "from {pool}", "out of {pool}", "out of {pool}",
    "out of {pool}", "off {pool}", "away from {pool}", "from inside {pool}", "from within {pool}",
    "out from {pool}", "from my deposit", "from my deposits", "out of my deposit",
    "from my [supply|pool|lending] position", "from my position",
    "out of my [lending |pool |]position", "from where it earns interest", "from my savings there",
    "from what I [have|hold|keep] in {pool}", "from what I lent", "from what I deposited",
    "from my pool balance", "out of my pool balance",
    "from my [pooled|lent|deposited|supplied] funds", "from the pooled funds", "from lending",
    "out of lending", "back from {pool}", "back out of {pool}", "from my share of {pool}",
    "from the money I [lent|have lent|deposited]", "out of what I have deposited",
    "from under {pool}", "currently sitting in {pool}, back {to_me}",
    "that I have in {pool} back {to_me}", "from my account in {pool}", "in {pool} back {to_me}",
    "from the depths of {pool}", "out of the pool's [keeping|custody|care]",
    "from {pool}'s [coffers|custody]",
)  # fmt: skip

TO_ME = (
    "to my wallet", "to my wallet", "into my wallet", "into my wallet", "to me", "to me",
    "to my own wallet", "into my own wallet", "to this wallet", "into the wallet", "to the wallet",
    "into this wallet", "to my side", "home", "here", "into my pocket", "to my pocket",
    "to my purse", "into my possession", "to my possession", "to my custody", "into my own custody",
    "for me", "to the owner", "to where it came from", "to my end", "in my wallet",
    "to my available balance", "to my wallet balance", "to my personal wallet",
    "to the agent's wallet", "into my keeping", "to base",
)  # fmt: skip

POOL_IN = (
    "into {pool}", "into {pool}", "into {pool}", "into {pool}", "in {pool}", "in {pool}",
    "in {pool}", "to {pool}", "to {pool}", "inside {pool}", "onto {pool}", "over to {pool}",
    "towards {pool}", "toward {pool}", "over into {pool}", "from my wallet [into|to] {pool}",
    "from the wallet [into|to] {pool}", "to my deposit", "to my deposits",
    "to my [lending|supply|pool] position", "in addition to my deposit",
    "to what I already have in {pool}", "on deposit", "as a deposit", "as liquidity",
    "so [that |]it earns [interest|yield|something]",
    "to earn [interest|yield|some interest|a return]", "for [interest|yield|a return]",
    "at interest", "to work in {pool}", "to work", "where it earns [interest|yield|something]",
    "with {pool}", "for lending", "to lending", "down into {pool}", "deep into {pool}",
    "to [the|my] savings", "to the savings pool", "at {pool}", "through to {pool}", "within {pool}",
    "into my [lending|pool|savings] position", "into [the |]savings", "under {pool}", "for {pool}",
    "onto my pool balance", "to my pool balance", "out of my wallet and into {pool}",
    "among the other deposits in {pool}", "up to {pool}", "across to {pool}", "across into {pool}",
    "back into {pool}", "back in {pool}", "where the lending happens",
)  # fmt: skip

TO_RECIPIENT = (
    "to <R>", "to <R>", "to <R>", "to <R>", "to <R>", "to <R>", "to <R>", "to <R>", "over to <R>",
    "to address <R>", "to the address <R>", "to this address: <R>", "to the following address: <R>",
    "to wallet <R>", "to the wallet <R>", "to the wallet at <R>", "to account <R>",
    "to the account <R>", "to recipient <R>", "to the recipient <R>", "to {person} at <R>",
    "to {person} (<R>)", "to {person}, <R>", "to {person}, that is <R>",
    "to {person}'s [wallet|address|account|one] <R>", "to {person} on <R>", "to {person}: <R>",
    "to {person} <R>", "to {person}, whose address is <R>",
    "to {person}, who [is|lives|sits|waits] at <R>", "to my other wallet <R>",
    "to my [cold|second|backup|hot|old|new] wallet <R>",
    "to my [cold|second|backup|hot|old|new] wallet at <R>", "toward <R>", "towards <R>", "into <R>",
    "into wallet <R>", "for <R>", "across to <R>", "along to <R>", "in the direction of <R>",
    "onto <R>", "to the one at <R>", "to whoever [owns|controls|holds] <R>", "out to <R>",
    "off to <R>", "to contract <R>", "to the contract at <R>", "straight to <R>",
    "to beneficiary <R>", "to payee <R>", "to the person behind <R>", "in favor of <R>",
    "to the exchange address <R>", "to the team at <R>", "as a [present|payment|thank you] to <R>",
    "to address: <R>", "to: <R>", "to <R> (that's {person})", "from my wallet to <R>",
    "from my balance to <R>", "from here to <R>", "from me to <R>", "from my own wallet to <R>",
    "from <a> to <R>", "from my address <a> to <R>", "from my wallet <a> to <R>",
    "to <R>, not to <a>", "to <R> instead of <a>", "to <R> and not <a>", "to <R> (not <a>)",
    "to <R> rather than <a>", "not to <a> but to <R>",
)  # fmt: skip

PERSON = (
    "my friend", "my brother", "my sister", "my mom", "my dad", "my landlord", "my landlady",
    "my wife", "my husband", "my son", "my daughter", "my cousin", "my uncle", "my aunt", "my boss",
    "my colleague", "my partner", "my roommate", "my neighbor", "my accountant", "my lawyer",
    "my dentist", "the shop", "the seller", "the buyer", "the vendor", "the supplier",
    "the plumber", "the gardener", "the contractor", "the charity", "the club", "the team",
    "the dao", "the treasury", "the designer", "the developer", "the landlord", "the school",
    "the cleaner", "the mechanic", "the band", "grandma", "grandpa", "mom", "dad", "{name}",
    "{name}", "{name}", "{name}", "{name}", "{name}", "{name}", "{name}",
)  # fmt: skip
