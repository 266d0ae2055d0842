"""Sentences about moving tokens that are no instruction: refusals and stories.

{vb}, {vg}, {vd}, {vs}, {vn}, {amount} as in `questions.py`.
"""

REFUSALS = (
    "[don't|do not|dont|never|don't ever|do not ever|never ever] {vb}", "[don't|do not|dont] {vb}",
    "don't {vb}", "never {vb}", "[please |pls |][don't|do not|never] {vb}",
    "[hey|listen|ok|wait|stop|no], [don't|do not|never] {vb}",
    "don't you [dare|ever|go and|think you can|even think you may] {vb}",
    "don't [go|start|bother|try|risk|consider|even think about|you go] {vg}",
    "[do not|don't], I repeat, [do not|don't] {vb}",
    "don't let [anyone|anybody|{someone}|them|him] {vb}",
    "don't [try to|attempt to|dare to|bother to] {vb}",
    "don't [allow|permit|accept|process|start|make] [any|the|a] {vg}",
    "[you|the agent|nobody|no one|anyone|people] [must|should|may|shall|can|could|will|"
        "would] [not|never] {vb}",
    "you [mustn't|shouldn't|can't|cannot|needn't|won't|couldn't|wouldn't] {vb}",
    "you [are|'re] [not|never] [to|allowed to|supposed to|authorized to|permitted to|going "
        "to|meant to|asked to] {vb}",
    "you [are|'re] [forbidden|prohibited|banned] [from {vg}|to {vb}]",
    "you have no [permission|right|reason|authority|mandate] to {vb}",
    "you [don't|do not] [have|need|ought] to {vb}", "you'd better not {vb}", "you better not {vb}",
    "you didn't have to {vb}",
    "I [don't|do not|didn't|did not|never|no longer] [want|wish|need|intend|plan|mean|have] "
        "to {vb}",
    "I [don't|do not|never|didn't] want you to {vb}",
    "I [don't|do not|didn't|never] [want|like|need|approve of|agree with|consent to|support|"
        "authorize|endorse|allow] {vg}",
    "I [didn't|did not|never] [ask|tell|order|instruct|allow|authorize|want] you to {vb}",
    "I [won't|will not|will never|'d never|would never|wouldn't|can't|cannot|couldn't|could "
        "never|shan't|may not|must not|should not|shouldn't] {vb}",
    "I [refuse|decline|hesitate|hate|am afraid|'m afraid|am not willing|'m reluctant|am too "
        "scared] to {vb}",
    "I'd [hate|be mad|be stupid|be a fool] to {vb}",
    "I'd rather [not {vb}|you didn't {vb}|you not {vb}|die than {vb}|wait than {vb}]",
    "I would [rather not|prefer not to|sooner not] {vb}",
    "I'd [prefer|like] [you |][not to|never to] {vb}",
    "I'm not [going to|asking you to|about to|planning to|ready to|saying you should|here to|"
        "trying to|in the mood to] {vb}",
    "I am not [going to|asking you to|about to|ready to|willing to] {vb}",
    "I have [decided not to|no wish to|no intention to|no plans to|no desire to|no reason to|"
        "no need to] {vb}",
    "I have [decided against|no interest in|no intention of|second thoughts about|doubts "
        "about|given up on] {vg}",
    "I [changed my mind|have changed my mind|'ve reconsidered|had second thoughts] about {vg}",
    "I [forbid|ban|prohibit|oppose|reject|disallow|object to] {vg}",
    "I forbid [you|anyone|everybody] to {vb}", "I am against {vg}", "I [said|say] no to {vg}",
    "I [take back|withdraw|revoke|cancel|retract] [my|the] [request|order|instruction|wish] "
        "to {vb}",
    "we [shouldn't|won't|can't|don't|mustn't|never|will not|should not|must not] {vb}",
    "[let's|let us|lets] not {vb}",
    "[let's|lets] [skip|avoid|forget|cancel|postpone|delay|stop] {vg}", "better [not|never] {vb}",
    "better not to {vb}", "best not to {vb}",
    "[no need|there's no need|there is no need|no reason|there is no reason|not necessary|"
        "it's not necessary|it isn't necessary] to {vb}",
    "[there's|there is] no [need|reason|point|hurry|rush|sense] [to {vb}|in {vg}]",
    "no way [I'm|we're|you're|am I] {vg}", "no way [I|will I|would I|you] {vb}",
    "[no|nope|nah], [don't|I won't|do not|never] {vb}",
    "[no|nope|nah], [not|no] {vg} [today|now|please|for me|]", "not {vg}",
    "not [going to|to|about to|allowed to] {vb}", "not [today|now|yet|anymore], [so |]don't {vb}",
    "not now, I'll {vb} later",
    "[stop|quit|avoid|abort|cancel|halt|suspend|block|prevent|reject|refuse|postpone|delay|"
        "skip|forget|scrap|call off|put off|hold off on|refrain from|abstain from|desist from|"
        "think twice before] {vg}",
    "[please |][stop|avoid|cancel|postpone|skip|forget|reject|refrain from|hold off] {vg}",
    "[stop|cancel|abort|reverse|undo|scrap|call off|reject|postpone|forget|block] the "
        "[transfer|deposit|withdrawal|payment] of {amount}",
    "[stop|cancel|abort|scrap|forget|ignore|call off|revoke|delete] [my|the|that|any|every] "
        "[order|request|instruction|plan|command|idea|attempt] to {vb}",
    "stop, don't {vb}", "stop trying to {vb}",
    "[reject|refuse|deny|ignore|block|decline] any [request|attempt|order|instruction|"
        "proposal] to {vb}",
    "[reject|refuse|deny|ignore] anyone who [asks|wants|tells] you to {vb}",
    "forget [it|that], don't {vb}", "forget that I [asked|told] you to {vb}",
    "ignore the message that says {vb}", "ignore my request to {vb}",
    "under no [circumstances|condition|conditions] [{vb}|should you {vb}|may you {vb}|will I "
        "{vb}|are you to {vb}|let anyone {vb}]",
    "[by no means|in no case|at no point|at no time|on no account|in no way|in no event] "
        "[{vb}|should you {vb}|may you {vb}|will I {vb}]",
    "[nobody|no one|none of you] [should|may|must|can|is to|is allowed to|gets to] {vb}",
    "[nobody|no one] [{vs}|said to {vb}|asked you to {vb}|told you to {vb}]",
    "nothing [should|must|may|shall|can] be done, don't {vb}",
    "wait, [don't|do not|I didn't mean to|no need to] {vb}",
    "wait [before you|with your plan to] {vb}", "wait [with|before] {vg}",
    "hold [off|on|it|your horses], [don't|do not|no] {vb}",
    "hold [off|your horses], no {vg} [yet|please|]",
    "delay {vg} until [I say so|further notice|later|tomorrow]", "undo that, I didn't mean to {vb}",
    "[it was|it is|it's|it would be|that would be] a [mistake|bad idea|crime|sin|shame|pity|"
        "disaster|blunder] to {vb}",
    "it's [forbidden|not allowed|too risky|a bad idea|dangerous|against the rules|illegal|"
        "stupid|not my intention|not my plan|not my wish|not wise] to {vb}",
    "it would be [foolish|a mistake|wrong|reckless|silly|dangerous|stupid] to {vb}",
    "it makes no sense to {vb}", "it's too [late|early|expensive|risky] to {vb}",
    "there will be no {vg}", "there must be no {vg}",
    "no {vg} [please|today|allowed|for me|under any circumstances|without my approval|]",
    "no more {vg}", "[not allowed|forbidden|prohibited|banned|out of bounds]: {vg}",
    "make sure [not to|nobody can|no one can|you don't|you never|they can't] {vb}",
    "[be careful|take care|be sure|try|remember] not to {vb}",
    "[be sure|make sure|ensure|see] that {amount} [isn't|is not|are not|is never|are never] {vn}",
    "promise [me you won't|not to|never to|you'll never] {vb}",
    "whatever [you do|happens|I say|anyone says], [don't|do not|never] {vb}",
    "unless I [say so|tell you|sign], [don't|never|do not] {vb}",
    "even if [I ask|I beg|someone begs you|{someone} asks|{event}], [don't|do not|never] {vb}",
    "only [a fool|an idiot|fools] would {vb}",
    "{vg} is [forbidden|out of the question|a bad idea|not what I want|not allowed|not an "
        "option|prohibited|off the table|not happening|stupid|too risky|pointless]",
    "{vg} [must|should|may|will|can] not [happen|be done|occur]",
    "{amount} [must|should|may|can|shall|will] [not|never] be {vn}",
    "{amount} [mustn't|shouldn't|can't|won't|needn't] be {vn}",
    "{amount} [must|should|shall|will] [stay|remain|be left|be kept] [where it is|in {pool}|"
        "in my wallet|untouched|there|exactly where it is]",
    "[keep|leave|let] {amount} [stay |remain |][in {pool}|in my wallet|where it is|where "
        "they are|alone|untouched|there]",
    "[please |][keep|leave] [my |the |]{amount} [in {pool}|where it is|alone|there|as it is]",
    "keep your [fingers|paws|mitts] off {amount}",
    "[nobody|no one|don't|do not|never] [touches|touch|move|moves] {amount}",
    "not a single [<S>|token|unit|coin] [may|must|should|shall|will] [leave|enter|be {vn}|move|go]",
    "no [<S>|tokens|money|funds|coins] [may|must|should|shall|leaves|leave|goes|go] [leave|"
        "enter|be {vn}|{pool}|to <R>|into {pool}|out of {pool}]",
    "no [withdrawals|deposits|transfers|payments] of {amount}[ please|]",
    "without my [approval|consent|signature|permission], [no|never|don't|nobody may] {vb}",
    "neither {vb} nor {vb}", "without {vg}, [how can I earn more|what can I do|I'm fine]?",
    "instead of {vg}, do nothing", "rather than {vg}, [just wait|do nothing|wait]",
    "{vb}? [no way|no thanks|never|not today|not a chance|I don't think so|no|forget it|dream on]",
    "{vb}... [just kidding|kidding|or rather don't|no, don't]",
    "{vb}[,|.|] [just kidding|no wait, don't|actually no|no, forget it|on second thought "
        "don't|no, cancel that|scratch that|or better not|not|oh wait no|I take that back]",
    "{vb}, [I'd never say that|said nobody ever|that's what I won't do|that's not what I want]",
    "{vb} is [what you must not do|the last thing I want|not my plan|not an option|forbidden|"
        "not what I said]",
    "the last thing I [want|need|would do] is to {vb}", "nothing [could|would|will] make me {vb}",
    "over my dead body will you {vb}", "not in a million years would I {vb}",
    "I'd sooner die than {vb}", "[anything|everything] [but|except] {vg}", "do anything but {vb}",
    "[absolutely|definitely|certainly|really|strictly] [do not|don't|never|no] {vb}",
    "[far be it from me|I know better than] to {vb}", "I'm [done|finished|through] with {vg}",
    "I [gave up|stopped|quit] {vg}", "please don't let anything happen to {amount}",
    "I do not consent to {vg}", "not with my money: don't {vb}", "pay nobody, and don't {vb}",
)  # fmt: skip

STORIES = (
    "I {vd}", "I {vd} {past}", "{past} I {vd}", "{past}, I {vd}",
    "I {vd} {past} [and|but|so|because] [it was fine|it failed|I regret it|I was happy|rates "
        "were good|I needed money|lost a fortune|all is well]",
    "I [already|just|once|also|even|almost|nearly|finally|only|never|accidentally|stupidly|"
        "happily] {vd}",
    "I[ have|'ve|ve] [already |just |never |once |recently |]{vn}", "I[ have|'ve|ve] {vn} {past}",
    "I had {vn} [before|already|{past}]",
    "I [used|tried|wanted|meant|planned|hoped|intended|attempted|managed|failed|began|"
        "started] to {vb}",
    "I tried to {vb} [but|and] [it failed|nothing happened|it worked|the app crashed|got an error]",
    "I wanted to {vb} but [changed my mind|forgot|it rained|gas was high|I fell asleep]",
    "I was [going to|about to|supposed to|planning to|able to|forced to|asked to|told to|"
        "trying to|happy to] {vb}[ but I changed my mind| when the phone rang| {past}|]",
    "I [almost|nearly] {vd}", "I forgot to {vb} [yesterday|again|{past}]",
    "I [regret|remember|enjoy|love|like|hate|miss|imagined|considered|finished|stopped|kept|"
        "began|started|dreamt of|dreamed of|am proud of|am ashamed of|am tired of|got rich by|"
        "lost money by|learned a lot from] {vg}",
    "I [regret|regretted|remember|dreamed|think|believe|know|noticed|forgot|see|saw|heard|"
        "hope|assume|bet] that [I|you|{someone}] {vd}",
    "I remember when [I|you|{someone}] {vd}", "I had a dream in which I {vd}",
    "I was {vg} when [it happened|the phone rang|you called|the power went out]",
    "I [should|could|would|might|must|may] have {vn}",
    "I wish I [had {vn}|could {vb}|hadn't {vn}|{vd}]", "I wish [someone|you|{someone}] would {vb}",
    "I [hope|heard|saw|think|know|believe|noticed|see|was told|suspect|guess|bet] [that |"
        "]{someone} [{vs}|{vd}]",
    "I [told|asked|helped|taught|begged|forced|paid|saw|watched|ordered|allowed|wanted] "
        "{name} to {vb}",
    "I saw {name} {vb}", "I helped {name} {vb}",
    "I [usually|often|sometimes|always|normally|rarely|never|regularly|occasionally|"
        "typically] {vb}",
    "I [always|usually|often|sometimes] {vb} [on mondays|at the end of the month|when rates "
        "are good|every friday]",
    "I got [rich|poor|scammed|lucky] by {vg}",
    "it took [me|us|him|her] [ages|hours|days|forever|<n> minutes|a while] to {vb}",
    "it [was|is] {someone} [who|that] {vd}", "it was {amount} that I {vd_bare}",
    "it's been [a year|a month|ages|<n> days|a week] since [I|we|{someone}] {vd}",
    "it [felt|was] [good|bad|great|easy|hard|fun|scary|expensive] to {vb}", "[we|you|they] {vd}",
    "[we|you|they] {vd} {past}", "{past} [we|you|they] {vd}",
    "[we|you|they] [have|had|already|just|never] {vn}", "[we|you|they] have [already |just |]{vn}",
    "we [usually|often|always|never] {vb}", "you [already|just|only|once] {vd}",
    "you {vd} {past}, [thanks|thank you|right|why|remember]", "{someone} {vd}",
    "{someone} {vd} {past}", "{past} {someone} {vd}", "{someone} {vs}",
    "{someone} {vs} [every week|every month|each week|all the time|daily|on fridays|regularly]",
    "{someone} [wants|would like|wishes|needs|has|plans|intends|hopes|tries|tried|wanted|"
        "forgot|promised|refused|managed|decided|prefers|loves|likes|is going|is about|is trying|"
        "is able|is allowed|is ready|is supposed|is planning|was told|was asked|used|asks me|"
        "asked me|told me|begged me|wants me|expects me|forced me] to {vb}",
    "{someone} would [love|like|prefer|hate|be happy] to {vb}",
    "{someone} [should|must|can|could|will|would|may|might|can't|won't|didn't|doesn't|cannot|"
        "never] {vb}",
    "{someone} will {vb} {future}", "{someone} is [about|going|due|set|ready] to {vb}",
    "{someone} [is|was|has been|keeps|kept|started|stopped|likes|loves|hates|enjoys|"
        "suggested|suggests|recommends|plans on|thinks of|considers|is thinking of|dreams of|"
        "insists on|talks about] {vg}",
    "{someone} [has|had] [already |just |]{vn}",
    "{someone} [asked|wonders|wants to know|is asking|would like to know] [whether|if|how] "
        "[to|I could|he should|she can|I should] {vb}",
    "{someone} [says|thinks|believes|insists|feels] [that |][I|we|you|one] should {vb}",
    "{others_subject} {vb}",
    "{others_subject} [{vd}|are {vg}|were {vg}|have {vn}|want to {vb}|will {vb}|intend to "
        "{vb}|keep {vg}|should {vb}|plan to {vb}|would love to {vb}|tried to {vb}]",
    "{others_subject} {vb} [all the time|every day|when rates are good|to make money|these days]",
    "{whose} [plan|job|task|idea|wish|dream|goal|duty|order|request|instruction|hobby|habit|"
        "intention|problem|mission] [is|was] to {vb}",
    "it's {whose} [job|task|turn|duty|plan|idea|wish] to {vb}",
    "{whose} plan: {vb} [and relax|and hope|]",
    "{amount} [was|were|has been|have been|had been|got|is being|are being] {vn}",
    "{amount} [was|were|has been|have been|got] {vn} {past}",
    "{amount} [will be|is going to be|are going to be|would be] {vn} {future}",
    "{amount} [had|has|have] already been {vn}",
    "{amount} I [{vd_bare}|have {vd_bare}] [is|are|was|were] [gone|spent|lost|safe|already spent]",
    "{amount} [left|reached|entered|went into|came out of|came from|arrived at|arrived from|"
        "went to|disappeared from] [my wallet|{pool}|<R>|<a>] {past}",
    "{past} {amount} [left my wallet|arrived from <R>|went to <R>|came out of {pool}|went "
        "into {pool}|vanished from {pool}]",
    "{vg} [was|is|has been|feels|felt|seems|made me|costs|cost|takes|took|went] [a mistake|"
        "fun|easy|expensive|good|great|rich|happy|gas|money|a minute|time|ages|well|smoothly|"
        "fine|wrong|hard|slow]",
    "{vg} is [what {name} does|what people do|how I got rich|my hobby|a waste of time|"
        "popular|common]",
    "my [transfer|deposit|withdrawal|payment|last deposit|last transfer|latest withdrawal|"
        "first deposit] of {amount} [went fine|went well|failed|succeeded|was fine|is done|has "
        "arrived|took ages|was a mistake|is pending|went through|cost a lot]",
    "the [transfer|deposit|withdrawal|payment] of {amount} [went fine|went well|failed|"
        "succeeded|is done|has arrived|was a mistake|is pending|went through|cost a lot|took "
        "ages|happened {past}|was {past}]",
    "my last [deposit|transfer|withdrawal|payment] was {amount}",
    "{amount} was my last [deposit|transfer|withdrawal]",
    "[thanks|thank you|sorry|forgive me|praise] for {vg}",
    "[thanks|thank you|great|nice|good|wow|sad], [you|we|they] {vd}",
    "[thanks|thank you] for the [transfer|deposit|withdrawal] of {amount}",
    "[great|nice|good|sad|funny|strange|odd] that [you|we|I|{someone}] {vd}",
    "[why|well|yes|no|oh|ah|haha|lol|hmm|true], I {vd} [only yesterday|{past}|already]",
    "[as I said|to be honest|fun fact|true story|by the way|for the record|as you know|"
        "believe it or not|confession|news flash], [I|{someone}] {vd}",
    "[breaking|breaking news|headline|rumor has it|news|gossip|word is|apparently|it seems|"
        "it looks like|it turns out|reportedly|allegedly|supposedly|they say]: "
        "{someone} [{vd}|{vs}]",
    "[apparently|reportedly|allegedly|supposedly|it seems|it looks like|according to {name}|"
        "as {name} said|they say|word is|rumor has it] {someone} {vd}",
    "[after|before|while|since|when|because|although|though|until|whenever] [I|we|you|"
        "{someone}] {vd}, [I felt bad|the fee was high|my balance is lower|I have less now|"
        "everything changed|the price fell|nothing happened|I was sad|it was too late]",
    "[after|before|while|by] {vg}, I [went home|had a coffee|fell asleep|got rich|lost money|"
        "learned a lot|felt better]",
    "once upon a time {someone} {vd}",
    "in [the story|the movie|my dream|the film|the book|the game|the tale|my novel], "
        "{someone} [{vs}|{vd}]",
    "[the|a] [transaction|tx|log|record|receipt|history] [shows|says|proves] [that |][I|you|"
        "{someone}] {vd}",
    "according to the [log|record|receipt|history|explorer], [I|you|{someone}] {vd}",
    "the [record|log|receipt|history]: {vd}", "I owe [it to |]{name} [because|since] I {vd}",
    "{name} and I {vd}", "[{name}|he|she|they] and {name} [{vd}|want to {vb}|are {vg}]",
)  # fmt: skip
