"""Instructions whose asset stands in one clause and whose amount in another, and those that mean
the whole balance by their verb. {PART} is an amount or "all of it"; `@`, `!` as in `frames.py`."""

#: The asset is mentioned first, the instruction follows.
MENTIONS = {
    "Withdraw": (
        "I [have|hold|keep|own|lent|deposited|put|got|'ve got|have deposited|have lent] [<n>|"
            "<n>|<n>|some|my|a lot of] <S> in {pool}",
        "{pool} [holds|has|keeps|sits on|contains|owes me|shows] [<n>|<n>|some|too much|a "
            "lot of] [of my |]<S>[ of mine| for me|]",
        "there [is|are] [<n>|some] <S> [of mine |for me |]in {pool}",
        "my [<n> |]<S> [is|are|sits|sit|lies] in {pool}",
        "[of|out of|from] [my|the|those] <n> <S> [in {pool}|that I lent|I deposited|I lent|"
            "there|I have in {pool}|]",
        "{pool} has my [<n> |]<S>", "I see <n> <S> in {pool}", "my {pool_noun} balance is <n> <S>",
        "my deposit is <n> <S>", "I lent <n> <S> {past}", "I deposited <n> <S> {past}",
        "I have been lending <n> <S>", "{mention}", "{mention}", "{mention}",
    ),
    "Deploy": (
        "I [have|hold|keep|own|got|'ve got|found|received|earned|bought|still have] [<n>|<n>|"
            "<n>|some|a lot of|plenty of] <S>[ in my wallet| idle| lying around| doing nothing| "
            "to spare|]",
        "my wallet [holds|has|keeps|sits on|contains|shows] [<n>|<n>|some|too much|a lot of|"
            "plenty of] <S>",
        "there [is|are] [<n>|some] <S> [of mine |]in my wallet",
        "my [<n> |]<S> [is|are|sits|sit|lies] [in my wallet|idle|around]",
        "[of|out of|from] [my|the|those] <n> <S> [in my wallet|I own|I have|lying around|]",
        "I see <n> <S> in my wallet", "my wallet balance is <n> <S>", "I got <n> <S> {past}",
        "I got paid <n> <S>", "{mention}", "{mention}", "{mention}",
    ),
    "Transfer": (
        "I [have|hold|keep|own|got|'ve got|still have] [<n>|<n>|<n>|some|a lot of|plenty of] "
            "<S>[ in my wallet| here|]",
        "my wallet [holds|has|keeps|contains|shows] [<n>|<n>|some|a lot of|plenty of] <S>",
        "there [is|are] [<n>|some] <S> [of mine |]in my wallet",
        "my [<n> |]<S> [is|are|sits|sit|lies] in my wallet",
        "[of|out of|from] [my|the|those] <n> <S> [in my wallet|I own|I have|]",
        "I see <n> <S> in my wallet", "I got <n> <S> {past}", "{mention}", "{mention}", "{mention}",
        "they [only take|accept|want|like] <S>", "the bill is in <S>", "I pay in <S>",
    ),
}  # fmt: skip

MENTION = (
    "<S> is [the token|what I mean|what this is about|the coin|the asset]",
    "<X> is the [token|asset|coin|contract]", "the [token|asset|coin] is [<S>|<X>]",
    "[regarding|about|concerning|as for|with regard to|on the subject of|when it comes to|"
        "speaking of] [my |]<S>",
    "[regarding|about|concerning|as for] token <X>", "my <S>", "<S>", "token <X>",
    "[it's|this is] about [<S>|my <S>|token <X>]", "I'm talking about <S>", "I mean <S>",
    "<S> only", "[asset|token|coin]: [<S>|<X>]", "not <s>, <S>", "not <s> but <S>",
    "forget <s>, this is about <S>", "I like <s> but this is about <S>", "<S>, not <s>",
    "for my <S>", "with [my |]<S>", "in <S>", "take <S>", "<S> it is", "you know my <S>",
    "from my <S>", "of my <S>", "of <S>", "out of my <S>", "of token <X>", "with token <X>",
    "of the token <X>", "from token <X>",
)  # fmt: skip

PART = (
    "<A>", "<A>", "<A>", "<A> of [it|them|those|that|these]", "<A> of [it|them|those|that]",
    "[just|only|exactly|about|precisely|a total of] <A>",
    "[just|only|exactly] <A> of [it|them|those|that]", "<A> {units}", "an amount of <A>",
    "the amount of <A>", "the sum of <A>", "[only|just] <A> and nothing more", "<A>, not <n>,",
    "<A> but not <n>", "<A> and keep the rest",
)  # fmt: skip

WHOLE_PART = (
    "all of it", "all of it", "all of them", "all", "everything", "it all", "it all", "them all",
    "the lot", "the whole lot", "the whole thing", "the entire balance", "the full amount",
    "every last bit", "every bit of it", "the entire amount", "the maximum", "whatever there is",
    "the whole amount", "every single one", "every last one", "all that there is", "what's there",
    "all I have", "the entire lot", "as much as possible", "all of that", "every last cent of it",
)  # fmt: skip

#: Mentions that already say that nothing should stay.
NOTHING_LEFT = {
    "Withdraw": (
        "nothing of my <S> [should|must|shall|may] [remain|stay|be left|sit] in {pool}",
        "no <S> [should|must|shall|may] [remain|stay|be left] in {pool}",
        "don't leave [any|a single] <S> in {pool}",
        "I don't want any <S> [left |]in {pool}[ any more|]", "I want no [more |]<S> in {pool}",
        "I [no longer|don't] [trust {pool} with my <S>|want my <S> in {pool}]",
        "all my <S> [has|needs|ought] to [leave {pool}|come home]",
        "I'm done [lending|with lending] <S>", "I'm leaving {pool} with my <S>",
        "my time [lending|earning on] <S> is over", "all my <S> is in {pool}",
        "all of the <S> in {pool} is mine", "I lent all my <S>",
    ),
    "Deploy": (
        "nothing of my <S> [should|must|shall|may] [remain|stay|be left|sit] in my wallet",
        "no <S> [should|must|shall|may] [remain|stay|be left] [idle|in my wallet|in the wallet]",
        "don't leave [any|a single] <S> in my wallet",
        "I don't want any <S> [left |]in my wallet[ any more|]", "I want no idle <S>",
        "all my <S> [has|needs|ought] to [work|earn|earn interest]",
        "all my <S> [belongs|should be|should go] in {pool}",
        "all my <S> is [idle|in my wallet|doing nothing]", "every <S> should earn",
    ),
    "Transfer": (
        "nothing of my <S> [should|must|shall|may] [remain|stay|be left] [here|in my wallet]",
        "no <S> [should|must|shall|may] [remain|stay|be left] in my wallet",
        "don't leave [any|a single] <S> in my wallet", "I don't want any <S> [left |]in my wallet",
        "I'm [retiring|leaving|closing|abandoning] this wallet and my <S> goes",
        "I no longer need my <S>", "all my <S> [has|needs|ought] to go",
        "all my <S> belongs to <R> now",
    ),
}  # fmt: skip

#: The whole balance, without a word for "all".
WHOLE = {
    "Withdraw": (
        "[close|close out|end|terminate|quit|finish|undo|cancel|dissolve|zero|zero out|wind "
            "up|shut] my <S> [position|deposit|lending|supply position|pool position|lending "
            "position][ in {pool}|]",
        "[close|close out|end|terminate|dissolve] my [position|deposit] in <S>",
        "[close|end|stop] my lending of <S>",
        "get me out of {pool} [completely|entirely|altogether], in <S>",
        "get me [completely|entirely|fully] out of <S> lending", "rid {pool} of my <S>",
        "@ {pool} of [all |]my <S>", "@ {pool} of [all |]my <S>", "@ {pool} of every <S> I have",
        "make {pool} give back my <S> [entirely|completely|in full]",
        "leave {pool} with all my <S>", "@ my <S> [position|deposit] {pool_out}",
        "@ my <S> [completely|entirely|fully|wholly|in full] {pool_out}",
        "@ my [whole|entire|full|complete] <S> [deposit|position|balance] {pool_out}",
        "[fully|completely|entirely] ! my <S>", "@ <S> [completely|entirely|fully] {pool_out}",
        "! the maximum in <S>", "! max <S>", "max out my <S> withdrawal", "max withdrawal of <S>",
        "full withdrawal of <S>", "complete withdrawal of [my |]<S>", "! <S> until nothing is left",
        "do a [full|complete|total] withdrawal of [my |]<S>",
        "bring my <S> deposit [down to|to] [zero|nothing]", "let no <S> stay in {pool}",
        "leave no <S> in {pool}", "leave nothing of my <S> in {pool}",
    ),
    "Deploy": (
        "@ my <S> [completely|entirely|fully|wholly|in full] {pool_in}",
        "@ my [whole|entire|full|complete] <S> [balance|stack|holding] {pool_in}",
        "[fully|completely|entirely] ! my <S>", "! the maximum in <S>", "! max <S>",
        "max out my <S> deposit", "full deposit of my <S>", "go all in with my <S> in {pool}",
        "go all in on lending <S>", "do a [full|complete] deposit of my <S>",
        "let no <S> stay idle", "leave no <S> in my wallet, lend it",
        "leave nothing of my <S> idle", "bring my wallet's <S> [down to|to] zero by lending it",
        "@ my wallet's <S> {pool_in}", "@ my wallet's [whole|entire|full] <S> balance {pool_in}",
        "let the entire <S> in my wallet go to work {pool_in}",
    ),
    "Transfer": (
        "@ my <S> [completely|entirely|fully|wholly|in full] {to_recipient}",
        "@ my [whole|entire|full|complete] <S> [balance|stack|holding] {to_recipient}",
        "[fully|completely|entirely] ! my <S> {to_recipient}",
        "! the maximum in <S> {to_recipient}", "! max <S> {to_recipient}",
        "full transfer of my <S> {to_recipient}",
        "leave no <S> in my wallet, ! it {to_recipient_plain}",
        "leave nothing of my <S> here, ! it {to_recipient_plain}",
        "@ my wallet's <S> {to_recipient}",
        "@ my wallet's [whole|entire|full] <S> balance {to_recipient}",
        "let <R> have my <S> [completely|entirely|in full]",
        "move my wallet's <S> [entirely |completely |]{to_recipient}",
    ),
}  # fmt: skip
