"""Clauses with nothing to do with the instruction beside them, many with decoys: <n> <s> <a>."""

JOIN_BEFORE = (
    ", so", ", so", ", therefore", "; hence", ", that's why:", ".", ".", ";", ",", " -", ", and",
    ", but", ", but", "; however,", ", still,", ", anyway:", ", which is why I ask you:",
    "; so please", ", so please", ". please", ", as for me:", ", and so", ", thus", ". now",
    ", now",
)  # fmt: skip
JOIN_AFTER = (
    ", because", " because", ", since", " since", ", as", " as", ";", ".", " -", ", for",
    ", given that", " now that", ", seeing that", " while", ", although", ", even though",
    " though", ", and by the way,", ", btw", ". note that",
)  # fmt: skip

#: Statements about the owner's day.
REASON = (
    "I need [money|coffee money|to pay rent|to pay my bills|it|funds|it for rent|a holiday|food]",
    "I have run out of [money|coffee money|patience|time|pocket money]",
    "[rent|my tax|the bill|my loan|the fee] is due",
    "the market [looks|is|feels] [bad|good|crazy|nervous|boring|overheated|calm|shaky]",
    "[rates|yields] are [falling|rising|good|bad|up|down|great|terrible]",
    "[the pool|lending|the wallet] makes me [nervous|happy|sad|rich]",
    "it's [my birthday|late|early|raining|payday|sunday|time|cold|hot|christmas]",
    "I [got paid|lost my job|won the lottery|am moving|got married|had a baby|quit smoking] "
        "[today|this week|]",
    "I [am|'m] [tired|hungry|in a hurry|scared|bored|broke|rich|feeling lucky|going on "
        "holiday|leaving town|not good with computers|saving for a car|buying a house]",
    "my [wife|husband|kids|dog|cat|boss|mother|friends] [is|are] [waiting|hungry|asleep|"
        "angry|happy|here]",
    "my {noun} is [broken|expensive|old|new|{adjective}]", "the {noun} is {adjective}",
    "my {noun} [broke|died|arrived]", "gas is [cheap|low|expensive] [right now|today|]",
    "I [trust|know|like|need] you", "we [talked|spoke|agreed] about it",
    "I had a [long|bad|good] day", "I [like|love|hate] {noun}", "winter is coming", "life is short",
    "time is money", "better safe than sorry", "you never know", "I know what I'm doing",
    "it's my money", "I'm the owner", "I thought about it", "I slept on it", "I did the math",
    "I made up my mind", "I promised",
    "my wallet is [too full|nearly full|too light|short of <S>|running low]",
    "idle money is [bad|dead] money", "a deal is a deal", "the weather is {adjective}",
    "I love this {noun}", "{name} is right about lending", "{name} says hi",
)  # fmt: skip

#: Statements with a number, symbol or address that belongs to nothing.
DECOY = (
    "I [have|own|hold|keep|got|have got|'ve got|possess|still have|already have|sit on|am "
        "sitting on] <n> <s>[ lying around| in my wallet| in the pool| idle| on the side| "
        "somewhere else| too| already| as well| elsewhere| besides| at home| in cold storage"
        "| left|]",
    "my wallet [shows|has|holds|contains] <n> <s>[ already| too|]",
    "the pool [shows|has|holds|keeps] <n> <s> of mine",
    "[there are|there's|there is] <n> <s> in [the pool|my wallet]",
    "<n> <s> [can|may|should|will|shall|must] [stay|remain|wait|be left] [in the pool|there|"
        "where they are|in my wallet|]",
    "my balance is <n> <s>", "my <n> <s> [are|is] [fine|safe|somewhere else|for later|staying]",
    "[keep|leave] <n> <s> [in the pool|in my wallet|there|for later|alone]",
    "[keep|leave] the [other|remaining|rest, the] <n>[ <s>|] [in the pool|in my wallet|there|"
        "for later|alone]",
    "hang on to the <s>",
    "[keep|leave|ignore|forget|spare] [the|my] <s>[ alone| where it is| for now|]",
    "don't touch [the|my] [<n> |]<s>", "do not touch [the|my] [<n> |]<s>",
    "never mind [the|my] [<n> |]<s>",
    "my <s> [stays|is fine|can wait|is not for sale|remains|is for later|is untouched]",
    "the <s> [stays|can wait|remains|is fine]",
    "I [don't need|don't like|love|like|prefer|own no|have no|trust] <s>",
    "<s> is [boring|up|down|great|up <n> percent|down <n> percent|at <n>|not my thing]",
    "[I|we] [am|are] <n> [years old|people|friends|flatmates|minutes late]",
    "I have <n> [kids|dogs|cats|children|friends|minutes|bills|jobs|mouths]",
    "my <n> [kids|dogs|cats|friends|bills] [are waiting|need food|need a future|want pizza]",
    "it's [<n> degrees|<n> o clock|<n> in the morning|day <n>|week <n>|year <n>|the <n> of "
        "july|<n> july|january <n>]",
    "it is <n> [july|june|march|december|degrees|already]",
    "[I've been waiting|I waited|it took|it's been|I've been lending|I saved] [for |]<n> "
        "[days|weeks|months|hours|years]",
    "the pool pays [me |][only |]<n> percent",
    "[interest|the apy|the apr|the yield|the rate] is [at |][only |]<n>[ percent|]",
    "[ticket|order|invoice|request|reference|case|memo|step|attempt|line|note|number|item|"
        "task|page] <n>",
    "[this is|see|as in|according to|about|re|regarding|for|it's] [ticket|order|invoice|"
        "request|reference|case|memo|step|attempt|line|item|task|page|number] <n>",
    "my [phone|room|house|flat|locker|lucky] number is <n>", "my birthday is on the <n>",
    "the [bill|rent|price|fee|total|cost] is <n>[ dollars| euros|]",
    "[that's|it's|which is] [about |]<n> [dollars|euros|percent|percent of it]",
    "I [said|wrote|wanted|asked for|meant] <n> [before|first|yesterday|earlier|by mistake]",
    "[yesterday|last time|last week|before] it was <n>[ <s>|]",
    "[yesterday|last time|last week] I [sent|withdrew|deposited|asked for|moved|paid] <n> <s>",
    "<n> is too [much|little|many|few]", "<n> <s> is too [much|little]",
    "[not|and not|never|no, not] <n>", "see you in <n> [days|weeks]",
    "[{name}|my {person_noun}|everyone|my boss] [owns|has|holds|likes|talks about|keeps] "
        "[<n> |]<s>",
    "we are <n> [flatmates|people|friends] sharing", "I've had <n> [beers|coffees]",
    "only <n> [minutes|days] left", "my code is <n>",
)  # fmt: skip

ADDRESS_DECOY = (
    "my [own |]address is <a>", "my wallet is <a>", "I am <a>", "I'm <a>", "this is <a>",
    "<a> is [me|my address|mine|my wallet|the old address|old|wrong|a scam|no longer valid|"
        "not it|the sender|last month's]",
    "[ignore|forget|skip|don't use|not|never use|avoid] <a>",
    "[signed|sender|from|regards|owner|yours]: <a>",
    "<a> [moved|is gone|got enough|already got theirs|was last month|is not the one|has "
        "enough|is retired]",
    "[not|never] to <a>", "nothing to <a>", "[on behalf of|as|using|from] <a>",
    "<a> was [last month|the old one|before]", "I control <a>", "the [sender|owner|source] is <a>",
    "(not <a>)", "(my address: <a>)", "(I'm <a>)", "(from <a>)",
)  # fmt: skip
