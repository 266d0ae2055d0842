"""Instructions that are not for now, or not the owner's own words: conditions, plans, quotations.

{vb}, {vg}, {vd}, {vs}, {vn}, {amount} as in `questions.py`.
"""

CONDITIONS = (
    "[if|when|once|whenever|as soon as|after|unless|in case|only if|should|every time|each "
        "time|the moment|provided that|assuming|as long as|until|before|the day|by the time|"
        "suppose] {event}[,|, then|] {vb}",
    "if {event}, {vb}", "if {event} then {vb}", "when {event}, {vb}", "once {event}, {vb}",
    "{vb} [if|when|once|whenever|as soon as|after|unless|in case|only if|every time|each "
        "time|the moment|the minute|provided that|assuming|as long as|but only if|but only when|"
        "but not before|but not until|only after|only when|only once|in the event that] {event}",
    "{vb} if {event}", "{vb} when {event}", "{vb} once {event}", "{vb} {future}", "{vb} {future}",
    "{vb} {future}", "{vb}, but [do it |]{future}",
    "{vb}, [but |][not now|not today|not yet], {future}", "{future}[,|:|] {vb}", "{future}, {vb}",
    "{future} {vb}",
    "{future} [I'll|I will|we will|I'm going to|I want to|you should|I'd like to|I plan to|"
        "please] {vb}",
    "{future}, [please |could you |you may |kindly ]{vb}",
    "[I'll|I will|we'll|we will|I'm going to|I am going to|I plan to|I intend to|I want to|"
        "I'd like to|I hope to|I might|I may|I could|you can|you may|you should|you could] {vb} "
        "{future}",
    "[could|can|would|will] you {vb} {future}?", "[please|kindly] {vb} {future}",
    "if [I|you|we|they|{someone}] {vb}, [how much is left|what will my balance be|what then|"
        "I'll be angry|we lose|let me know|tell me|what remains|what happens|is that okay]?",
    "if [I|you|we|they|{someone}] {vd}, [would I be poor|how much would I have|tell me why|"
        "I'd be sad|would it matter|what would be left|where would it go]?",
    "if {someone} {vs}, [let me know|tell me|call me|stop him|that's fine]",
    "if {someone} asks[ you|], {vb}",
    "if someone [asks|tells|begs|wants] you to {vb}, [refuse|say no|ignore them|don't]",
    "if I were [to|you I would|richer I'd|rich I would|younger I would] {vb}",
    "if I were to {vb}, what would remain?",
    "if I [had|owned|found|won] {amount}, I [would|'d|could] {vb}",
    "if [I could|only I could|I was able to|I ever] {vb}",
    "if I could {vb}, I'd [be happy|do it|be rich]",
    "[were I|had I|should I ever|if I ever] [to {vb}|{vn}|{vb}], [what would it cost|I would "
        "be rich|what would be left|I'd be poor|I'd tell you]",
    "were I [richer|younger|braver|smarter|to have more] I'd {vb}",
    "[suppose|supposing|assume|assuming|say|let's say|let's suppose|let's assume|imagine|"
        "pretend|what if|given that] [I|we|you|{someone}] [{vb}|{vd}], [then what|what then|what "
        "happens|how much would be left|how much is left|what's my balance then|what would you "
        "say|would it work|how much would I have|is that good]?",
    "suppose [I|we|you] {vd}, how much would be left?",
    "[hypothetically|theoretically|in theory|in principle|speaking theoretically|in a "
        "perfect world|in an ideal world|ideally|in another life|in my next life|one could "
        "argue], [I|one|you|we] [could|would|might|may|'d] {vb}",
    "[hypothetically|theoretically|in theory], [could|can|would|may|might] [I|one|you|we] {vb}?",
    "[hypothetically|theoretically|for the sake of argument], if I {vd}, what would happen?",
    "I could {vb}, but [I'm lazy|why|I won't|not now|I'm scared|it's late]",
    "I would {vb} [if I could|if {event}|but I'm lazy|gladly|in a heartbeat|were I you]",
    "I'd {vb} [if {event}|if I could|but I'm afraid|but gas is high]",
    "[remind|nudge|ping|alert|notify|wake|tell|ask|call] me [tomorrow|later|in the morning|"
        "{future}|soon|again|] [to|so that I|when to|if I should|before I|and I will] {vb}",
    "remind me to {vb}",
    "remind [me|us|{name}|everyone] [to|that I must|that we should|to never] {vb}",
    "remind me [that|when] [I|you|{someone}] {vd}",
    "[set|make|create|add|write] [a|an] [reminder|alarm|note|todo|appointment|calendar entry|"
        "event|task] [to|that says|saying] {vb}",
    "schedule [a time to {vb}|{vg} for {future}|{vg} {future}|a task to {vb}]",
    "[put|add] {vg} [on my calendar|to my calendar|to my todo|in my diary|on the agenda]",
    "put a note in my [diary|calendar]: {vb}",
    "[make a note|note to self|memo|write down|jot down|remember|note][:|,|] {vb} {future}",
    "note [to self: {vb}|that I {vd}|down that I should {vb}]", "don't let me forget to {vb}",
    "ask me [tomorrow|again|later|first] [whether to|before you|if I want to] {vb}",
    "[ask|tell|remind|advise|instruct|order|beg|convince|invite|teach|help] {someone} to {vb}",
    "ask {someone} [whether to|to|if they would|how to] {vb}",
    "tell {someone} [to {vb}|that I {vd}|that I will {vb}|not to {vb}]",
    "[let|make|have|watch|see] {someone} {vb}", "wait [until|till] {event} and [then |]{vb}",
    "wait for {event}, then {vb}",
    "wait [a bit|a week|until noon|until tomorrow|an hour|<n> hours|<n> days] [and|and then|"
        "then|before you] {vb}",
    "[get ready|be ready|be prepared|prepare|stand by] to {vb} [once {event}|if {event}|when "
        "{event}|{future}|but don't do it yet|]",
    "keep {amount} ready [in case|for when|until] {event}", "plan to {vb} {future}",
    "plan {vg} for {future}",
    "[one day|someday|some day|eventually|later|soon|sooner or later|maybe|perhaps later on"
        "|one of these days] [I'll|I will|I'm going to|I'd like to|I want to|I might|I'd|"
        "we'll] {vb}",
    "I [promise|swear|vow|intend|plan|hope] to {vb} {future}",
    "I want to [be able to|be allowed to|know how to|learn to] {vb}", "I'd like to {vb} {future}",
    "I want to {vb} {future}",
    "[watch|track|follow|check|observe] the [price|market|rate|pool] and {vb} [if|when|once] "
        "{event}",
    "keep an eye on [the market|the price|rates] and {vb} [when|if|once] {event}",
    "[notify|alert|tell|warn|email|text|inform] me [if|when|once|as soon as] [someone|"
        "{someone}] {vs}",
    "[notify|alert|tell|warn|email|text|inform] me [if|when|once] {event}",
    "[set|make|create] a [limit|stop|trigger|rule] to {vb} [if|when|at] {event}",
    "from {future} on, {vb}",
)  # fmt: skip

QUOTES = (
    "{source} {said}[:|,|] {vb}",
    "{source} {said} [to {vb}|that I should {vb}|that you should {vb}|I should {vb}|{vb}|"
        "don't {vb}|please {vb}|you can {vb}|you ought to {vb}|how to {vb}]",
    "{source} {said} [that |]{someone} [{vd}|{vs}|wants to {vb}]",
    "{source} [wants|told|asked|ordered|urged|advised|begged|invited|tempted|instructed] [me|"
        "us|you|everyone|him|her] to {vb}",
    "according to {source}, [you should|you ought to|I should|one should|we must|I must|you "
        "can] {vb}",
    "[his|her|their|the|my teacher's|my boss's|{name}'s] [words|order|message|text|advice|"
        "instruction|example|suggestion|tweet|request|answer] [was|were|is|said]:[ please|] {vb}",
    "[his|her|their|{name}'s] [words|order|message|advice|example] [was|were|is] [to {vb}|{vb}]",
    "{vb} is what {source} {said}", "{vb}, {source} {said}", "{vb}, {said} {name}",
    "{vb} is [written|what it says] [there|on the sign|in the docs|in the email|on the screen]",
    '"{vb}" is what {source} {said}', '"{vb}" {said} {source}', '{source} {said} "{vb}"',
    'what does "{vb}" mean?',
    "I [heard|overheard|saw|got told|was told|got an email|got a text|got a message|received "
        "a message|found a note|saw a sign] [that says|saying|telling me to|to|:] {vb}",
    "I overheard {someone} [say|talk about|ask to|mention] {vg}",
    "I [was|got|am being] [told|asked|ordered|advised|urged|instructed|forced] to {vb}",
    "[somebody|someone|{someone}] messaged me saying {vb}",
    "[translate|spell|repeat|say|shout|sing|type|write|rephrase|pronounce|analyze|parse|"
        "quote|paraphrase|correct|proofread] [this|the sentence|the phrase|the words|after me|"
        "backwards|]:[ |]{vb}",
    "translate {vb} into [french|german|spanish|latin]",
    "what does {vb} translate to in [german|french|spanish]?",
    "how do you [say|spell|write|pronounce] {vb} in [french|german|spanish|latin|chinese]?",
    "repeat [after me|]: {vb}", "say {vb}",
    "is {vb} a [valid|correct|proper|good] [command|sentence|instruction|phrase]?",
    "the [phrase|sentence|command|instruction|words|word|expression] {vb} [is|means|has|"
        "contains|sounds] [an instruction|a verb|<n> words|funny|correct|too long|ambiguous]",
    "an [example|instruction|example instruction] [is|would be|could be]: {vb}",
    "[for example|e.g.|for instance|such as|like|as in][,|:|] {vb}",
    "say someone [writes|says|types] {vb}, what would you do?",
    "if someone [writes|says|types] {vb}, what [do you do|happens]?",
    "[tell|write|make|give] me a [joke|story|poem|riddle|limerick] about {vg}", "a joke about {vg}",
    "the opposite of {vg}", "define {vg}",
    "[rhyme|synonym|antonym|another word] [with|for|of] {vb}", "finish the sentence: {vb}",
    "[quiz|trivia|question|true or false|poll]: {someone} {vd}", "quiz: who {vd}?",
    "true or false: {someone} {vd}", "the docs [have|contain|show] the line {vb}",
    "the [tooltip|manual|guide|video|tutorial|page] [explains|shows|describes|teaches] how to {vb}",
    "{source} [promises|promised|offers|offered] {amount} to [anyone|everyone|people] who "
        "[{vs}|{vb}|deposits]",
    "{source} claims that {vg} [doubles it|makes you rich|is safe|is easy]",
    "{source} [is|was] about {vg}", "the title [is|was]: {vb}", "chapter <n>: {vg}",
    "lesson <n>: how to {vb}",
    "my [chatbot|agent|other bot|ai|assistant] [answered|said|replied]: {vb}",
    "dear diary, today I {vd}", "dear {name}, please {vb}", "hi {name}, can you {vb}?",
    "{name}, please {vb}", "[message|email|text|letter] [to|from|for] {name}: {vb}", "quote: {vb}",
    "[he|she|they] [said|shouted|wrote|told me] {vb} [and ran|and left|and laughed|yesterday|"
        "but I refused|]",
)  # fmt: skip
