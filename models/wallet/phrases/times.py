"""When: what is over and what is not yet due."""

PAST = (
    "yesterday", "last week", "last month", "last year", "last night", "last summer", "last spring", "last winter",
    "last friday", "on monday", "on tuesday", "in march", "in may", "in 2020", "in 2021", "back in june", "an hour ago",
    "half an hour ago", "two days ago", "three weeks ago", "a week ago", "a month ago", "a year ago", "ages ago",
    "long ago", "a while ago", "a moment ago", "<n> days ago", "<n> minutes ago", "<n> years ago", "the other day",
    "earlier", "earlier today", "this morning", "recently", "previously", "before the crash", "before christmas",
    "when I was young", "when rates were high", "when the price fell", "at the weekend", "over the weekend",
    "the week before", "once", "twice", "three times", "by mistake", "by accident", "without thinking", "already",
    "just now", "a second time", "for the first time", "back then", "at the time", "the day before yesterday",
    "during the bull market", "after lunch", "on my birthday", "in the last bear market", "since january",
)  # fmt: skip

FUTURE = (
    "tomorrow", "tomorrow", "tomorrow morning", "tomorrow night", "the day after tomorrow", "next week", "next month",
    "next year", "next friday", "next monday", "on monday", "on friday", "on sunday", "in a week", "in a month",
    "in a year", "in two days", "in three weeks", "in five minutes", "in an hour", "in <n> days", "in <n> hours",
    "in <n> minutes", "in <n> weeks", "at noon", "at midnight", "at <n> pm", "at the end of the month",
    "at the end of the week", "by the end of the year", "on the <n>th", "on new year's eve", "on my birthday",
    "after the weekend", "after christmas", "after the merge", "after the summer", "some day", "someday", "one day",
    "one of these days", "sometime", "at some point", "sooner or later", "in the future", "in the near future",
    "eventually", "later on", "later this week", "later this year", "when I'm old", "when I retire", "in 2030",
    "next time", "every week", "every day", "every month", "each month", "every friday", "every sunday", "daily",
    "weekly", "monthly", "twice a week", "once a month", "from now on every week", "the moment {event}",
    "the minute {event}", "as soon as {event}", "once {event}", "when {event}", "if {event}", "if and when {event}",
    "in case {event}", "unless {event}", "only if {event}", "after {event}", "whenever {event}", "not before {event}",
    "not until {event}", "the day {event}", "the second {event}", "provided {event}", "provided that {event}",
    "assuming {event}", "as long as {event}", "so long as {event}", "should {event}", "given that {event}",
    "on condition that {event}", "in the event that {event}", "supposing {event}", "the next time {event}",
)  # fmt: skip

#: Something that may happen.
EVENT = (
    "the price falls", "the price goes up", "the price hits <n>", "the price rises", "<s> hits <n>",
    "<s> reaches <n>", "<s> goes below <n>", "<s> goes above <n>", "<s> falls under <n>", "<s> crashes", "<s> depegs",
    "<s> rises", "<s> dips", "eth hits <n>", "eth reaches <n>", "eth goes to <n>", "eth falls", "bitcoin crashes",
    "bitcoin reaches <n>", "btc goes under <n>", "the market crashes", "the market turns", "the market tanks", "the market opens",
    "the market dips", "the bull market starts", "the yield falls below <n>", "the yield is better", "rates rise",
    "rates dip under <n>", "rates go up", "the rate goes up", "the rate is above <n>", "the apy is under <n>", "gas is cheap",
    "gas gets cheap", "gas gets cheaper", "gas falls below <n>", "fees go down", "the fee is low", "I say so", "I tell you to",
    "I tell you", "I ask", "I ask you to", "I give the word", "I give you a signal", "I approve", "I call", "I win the lottery",
    "I get paid", "I am back", "I land in lisbon", "I die", "I am away", "I forget", "I lose my job", "my salary arrives",
    "you hear from me", "you don't hear from me", "the sun rises", "it rains", "it rains tomorrow", "it snows", "pigs fly",
    "hell freezes over", "{someone} agrees", "{someone} approves", "{someone} pays me", "{someone} asks", "{someone} asks for it",
    "{someone} sends me <n> <s>", "{someone} calls", "{someone} says yes", "{someone} is ready", "the vote ends", "the vote succeeds",
    "the pool gets hacked", "the pool is hacked", "the pool fails", "the protocol fails", "the contract is upgraded", "the merge is done",
    "my balance is above <n>", "my balance falls below <n>", "my balance reaches <n> <s>", "my balance is over <n> <s>",
    "there is more than <n> <s>", "there are more than <n> <s> in the pool", "I have enough", "I have more than <n> <s>",
    "the month ends", "the year ends", "the weekend is over", "monday comes", "christmas comes", "someone pays me", "it is time",
    "the contract expires", "<n> hours have gone by", "<n> days have gone by", "the war ends", "we land on mars", "the deal is done",
    "everything goes well", "something goes wrong", "nothing changes", "things get worse", "a new pool opens",
)  # fmt: skip
