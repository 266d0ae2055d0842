"""Verb phrases and sentences that instruct the wallet, by tool.

In a verb phrase `@` is any verb and `!` one that says by itself which tool is meant; both carry the
form that the surrounding clause asks for. {M} is an amount of an asset; {M2} and {P} likewise in the
other tools' frames. `@done` and `!done` are always past participles.
"""

VERB_PHRASES = {
    "Withdraw": (
        "! {M}", "! {M}", "! {M}", "! {M} {pool_out}", "! {M} {pool_out}",
        "@ {M} {pool_out}", "@ {M} {pool_out}", "@ {M} {pool_out}", "@ {M} {pool_out}",
        "@ {M} {pool_out}", "@ {M} {pool_out}", "@ {M} {pool_out}", "@ {M} {pool_out}",
        "@ {M} {pool_out} {to_me}", "@ {M} {pool_out} [and |]back {to_me}",
        "@ {M} {pool_out} and {put_it} {to_me}", "@ {M} back {to_me}", "@ {M} back {to_me}",
        "@ back {M} {pool_out}", "@ out {M} {pool_out}", "@ me {M} {pool_out}",
        "@ {pool_out} {M}", "@ {pool_out} {to_me} {M}", "@ {M} {to_me} {pool_out}",
        "@ {M} over {to_me} {pool_out}", "@ {pool}'s {M} back {to_me}",
        "! {M} {to_me}", "@ {M} out {pool_out}", "@ {M} that [sit|are|is|lie|sits|lies] in {pool} back {to_me}",
        "! the {M} that [sit|are|is|lie|sits] in {pool}", "! {M} [held|kept|sitting|lying|deposited] in {pool}",
        "@ my deposit of {M} back {to_me}", "@ [{M} of |]my lending position by {M}", "! {M} so [that |]I [can|could] {use_it}",
        "@ {M} {pool_out} so [that |]I [can|could] {use_it}", "have {M} @done {pool_out}",
        "get {M} @done {pool_out}", "have {M} !done", "make a withdrawal of {M}", "do a withdrawal: {M}",
        "start a withdrawal of {M}", "process a withdrawal of {M}", "arrange the withdrawal of {M}",
        "[make|do|perform|execute|trigger|initiate|start|carry out] [a|the|my] withdrawal of {M} {pool_out}",
        "[perform|execute|trigger|initiate|start] the return of {M} {pool_out} {to_me}",
        "[lower|decrease|shrink|reduce|cut|lessen] my [pool|lending|supply] [position|deposit|balance] by {M}",
        "[lower|decrease|shrink|reduce|cut] [what I have|my share|my deposit] in {pool} by {M}",
        "[end|stop|cease|quit] lending {M}", "[end|stop|undo|reverse|close] my deposit of {M}", "take {M} off the market",
        "[refill|fund|replenish|fill] my wallet with {M} {pool_out}", "give {M} back {to_me}",
        "[give|return|send|bring] me [back |]{M}", "give me back my {M}", "[give|return] me my {M} {pool_out}",
        "@ {M} out", "take {M} out", "pull {M} out", "get {M} out", "pull {M} back", "bring {M} back", "get {M} back",
        "! {M} {pool_out}, not from my wallet", "let {pool} give {M} back", "make {pool} [give|return|send|pay] [back |]{M}",
        "make {pool} [give|return|send|pay] me {M}", "ask {pool} for {M} back", "@ {M} loose from {pool}",
        "bring my {pool_noun} deposit down by {M}", "[get|obtain] {M} {pool_out}",
    ),
    "Deploy": (
        "! {M}", "! {M}", "! {M}", "! {M} {pool_in}", "! {M} {pool_in}",
        "@ {M} {pool_in}", "@ {M} {pool_in}", "@ {M} {pool_in}", "@ {M} {pool_in}",
        "@ {M} {pool_in}", "@ {M} {pool_in}", "@ {M} {pool_in}", "@ {M} {pool_in}",
        "@ {M} from my [wallet|balance|purse|pocket|idle funds|side] {pool_in}", "@ {pool_in} {M}",
        "@ {M} out of my [wallet|pocket|purse] {pool_in}", "@ the {M} in my wallet {pool_in}",
        "@ {M} more {pool_in}", "! {M} from my wallet", "! the {M} [that is |]in my wallet",
        "@ {M} that [sit|are|is|lie|sits|lies] in my wallet {pool_in}", "! {M} {pool_in} so [that |]it earns [interest|yield]",
        "@ {pool} another {M}", "@ {pool} {M}", "give {pool} {M}", "let {pool} have {M}", "let {M} [earn|work|grow|sit] {pool_in}",
        "let {M} earn [interest|yield|something|some interest]", "make {M} earn [interest|yield|something]",
        "have {M} @done {pool_in}", "get {M} @done {pool_in}", "have {M} !done", "make a deposit of {M}", "do a deposit: {M}",
        "[make|do|perform|execute|trigger|initiate|start|carry out|arrange] [a|the|my] deposit of {M} {pool_in}",
        "[make|do|perform|arrange] a [supply|deployment] of {M} {pool_in}", "open a [position|deposit] of {M} {pool_in}",
        "[raise|increase|grow|boost|lift|enlarge|extend] my [pool|lending|supply] [position|deposit|balance] by {M}",
        "[raise|increase|grow|boost|lift|enlarge] [what I have|my share|my deposit] in {pool} by {M}",
        "add {M} to [my deposit|what is in {pool}|my position|my lending]", "[start|begin] lending {M}", "lend out {M}",
        "[fund|fill|refill|replenish|strengthen] {pool} with {M}", "@ {M} [and let it|so it can|to] earn [interest|yield|something]",
        "put {M} to work", "put {M} in", "put {M} to use in {pool}", "@ {M} [with|through|via|using] {pool}", "use {M} [for|as] [lending|liquidity|a deposit]",
        "! {M} {pool_in}, not to my wallet", "@ {M} away {pool_in}", "@ {M} where it [earns|can earn|will earn] [interest|yield]",
        "move {M} from [my |the |]wallet to {pool}", "@ {M} from [my |the |]wallet [in|]to {pool}", "turn {M} into a [pool |lending |]deposit",
        "get {M} working {pool_in}", "get {M} earning {pool_in}", "set {M} to work", "keep adding {M} {pool_in}", "bring my {pool_noun} deposit up by {M}",
    ),
    "Transfer": (
        "! {M} {to_recipient}", "! {M} {to_recipient}", "@ {M} {to_recipient}", "@ {M} {to_recipient}",
        "@ {M} {to_recipient}", "@ {M} {to_recipient}", "@ {M} {to_recipient}", "@ {M} {to_recipient}", "@ {M} {to_recipient}",
        "@ <R> {M}", "! <R> {M}", "! <R> {M}", "@ <R> [their|his|her|its] {M}", "! {person} (<R>) {M}", "! {person} at <R> {M}",
        "! {to_recipient} {M}", "@ {to_recipient} {M}", "@ {to_recipient} {M}", "@ over {M} {to_recipient}",
        "@ {M} over {to_recipient}", "@ {M} away {to_recipient}", "@ {M} from my [wallet|balance|funds|account|pocket] {to_recipient}", "@ {M} out of my [wallet|pocket|account] {to_recipient}",
        "have {M} @done {to_recipient}", "get {M} @done {to_recipient}", "have {M} !done {to_recipient}", "make {M} go {to_recipient}",
        "make a [transfer|payment] of {M} {to_recipient}", "[make|do|perform|execute|start|arrange|trigger|initiate] [a|the|my] [transfer|payment] of {M} {to_recipient}",
        "[make|do|perform] a [transfer|payment] {to_recipient} of {M}", "let <R> have {M}", "let {M} go {to_recipient}", "[see|make sure] [that |]<R> gets {M}",
        "see to it that {M} [reach|reaches|arrive at|arrives at|get to|gets to] <R>", "make sure {M} [reach|reaches|arrive at|arrives at|get to|gets to] <R>",
        "pay {M} {to_recipient}", "pay <R> {M}", "pay <R> the {M} [I owe|that I owe|we agreed on|I promised]", "pay <R> back the {M} I borrowed",
        "give <R> {M}", "give {person} {M} at <R>", "send {person} {M} at <R>", "send {person} {M}, [address|wallet|his address is|her address is|their wallet is] <R>", "send {M}, [recipient|destination|receiver]: <R>",
        "send {M}, [recipient|destination|receiver|target] <R>", "! {M} [with|using] <R> as [recipient|destination|receiver]", "use <R> as the [recipient|destination|receiver] and ! {M}",
        "for <R>, ! {M}", "[reward|treat|thank|surprise|help|support] <R> with {M}", "share {M} with <R>", "split {M} off my balance {to_recipient}", "leave {M} with <R>", "credit <R> with {M}",
        "@ {M} {to_recipient} {because}", "! {M} {to_recipient} {because}", "! <R> {M} {because}", "pay {because} with {M} {to_recipient}",
        "move {M} {to_recipient}", "move {M} [out of my wallet|from my wallet|from my side] {to_recipient}", "@ {M} {to_recipient} from my wallet",
    ),
}  # fmt: skip

#: What most people write.
PLAIN = {
    "Withdraw": ("! {M}", "! {M}", "withdraw {M}", "withdraw {M}", "@ {M} from the pool", "@ {M} out of the pool", "@ {M} from the lending pool"),
    "Deploy": ("! {M}", "! {M}", "deposit {M}", "deploy {M}", "supply {M}", "@ {M} into the pool", "@ {M} in the pool", "@ {M} into the lending pool"),
    "Transfer": ("! {M} to <R>", "send {M} to <R>", "transfer {M} to <R>", "pay <R> {M}", "pay {M} to <R>", "@ {M} to <R>", "@ {M} to <R>", "send <R> {M}"),
}  # fmt: skip

#: Whole sentences that instruct without an imperative.
SENTENCES = {
    "Withdraw": (
        "I['d like| want| need|'d love|'d prefer| would like] {M} back[ in my wallet| {to_me}|]", "I [want|need|require] {M} {pool_out}", "I [want|need|require] {M} out of {pool}",
        "I [want|need|require] {M} [in my wallet|on my side|in my own wallet][ again|]", "I['d like| would like] to have {M} [back |]in my wallet",
        "I['d like| want| would like] {M} [@done|!done] {pool_out}", "I want {M} !done", "{M} [should|must|has to|have to|needs to|need to|ought to|shall] [come|go|move|return|leave {pool} and go] back {to_me}",
        "{M} [should|must|has to|needs to|ought to|shall] be @done {pool_out}", "{M} [should|must|needs to|shall] be !done", "{M} [should|must|needs to|has to] [leave|come out of|get out of|go out of] {pool}",
        "{pool} [should|must|has to|needs to|shall] [give|return|send] [me |][back |]{M}", "my wallet [needs|wants|could use|should get|should receive|lacks|requires] {M} {pool_out}", "{pool_out}, {M}", "{pool_out}: {M}", "{pool_out} {to_me}: {M}",
        "{M} {pool_out}", "{M} out of {pool}", "{M} {pool_out} {to_me}", "{M} back {to_me}", "{M}: {pool_out} {to_me}", "withdrawal: {M}", "withdrawal of {M}", "withdrawal, {M}", "{pool_out}, @ {M}", "{pool_out}, ! {M}",
        "{pool_out}, [please |]@ {M}", "{to_me} {pool_out}: {M}", "{M}, @ [it|them] {pool_out}", "{M}, ! [it|them]", "{M} - @ [it|them|that] {pool_out}", "{M} [is|are] to be @done {pool_out}", "{M} [is|are] to be !done", "{M} [is|are] to [come|go] back {to_me}",
        "there [is|are|should be] {M} in {pool}, @ [it|them] {pool_out}", "there [is|are] {M} in {pool} that I want [back|out]", "{pool} has {M} of mine, [@|!] [it|them] {pool_out}", "I have {M} in {pool}, ! [it|them]", "{pool} to wallet: {M}", "{pool} to [my |the |]wallet, {M}", "{M}, {pool} to wallet",
        "it's time {M} [came|went] back {to_me}", "it's time to @ {M} {pool_out}", "what I want is {M} {pool_out}", "what I need is {M} back {to_me}", "my [wish|order|instruction|request] is {M} {pool_out}", "from where it earns interest back {to_me}: {M}",
        "wanted: {M} back {to_me}", "enough lending: {M} back {to_me}", "enough interest earned, @ {M} {pool_out}", "no more lending for {M}, @ [it|them] back {to_me}",
    ),
    "Deploy": (
        "I['d like| want| need|'d love|'d prefer| would like] {M} {pool_in}", "I [want|need] {M} to [earn|work|be earning|be working] {pool_in}", "I['d like| want] {M} [@done|!done] {pool_in}", "I want {M} !done",
        "I [want|need] {M} to [go|move|be moved|end up|sit] {pool_in}", "{M} [should|must|has to|needs to|ought to|shall|can|may] [go|move|head|flow] {pool_in}", "{M} [should|must|has to|needs to|ought to|shall] be @done {pool_in}", "{M} [should|must|needs to|shall] be !done",
        "{M} [should|must|could] [earn|be earning] [interest|yield]", "{pool} [should|must|may|can|shall] [get|have|receive|take|hold] {M}[ more| from me| from my wallet|]", "{pool} [needs|gets|could use|deserves|wants] {M}[ more| from me|]", "{pool_in}, {M}", "{pool_in}: {M}",
        "{M} {pool_in}", "{M} into {pool}", "{M} {pool_in}", "deposit: {M}", "deposit of {M}", "deposit, {M}", "lending {M}", "{pool_in}, @ {M}", "{pool_in}, ! {M}", "{pool_in}, please @ {M}", "{M}, @ [it|them] {pool_in}", "{M}, ! [it|them]",
        "{M} - @ [it|them|that] {pool_in}", "{M} [is|are] to be @done {pool_in}", "{M} [is|are] to be !done", "{M} [is|are] to go {pool_in}", "there [is|are] {M} in my wallet, @ [it|them] {pool_in}", "I have {M} [idle|in my wallet|lying around|doing nothing], @ [it|them] {pool_in}",
        "I have {M} [idle|in my wallet|lying around|doing nothing], ! [it|them]", "my wallet has {M}, @ [it|them] {pool_in}", "wallet to {pool}: {M}", "wallet to {pool}, {M}", "{M}, wallet to {pool}", "it's time {M} went {pool_in}", "it's time {M} [earned|started earning] [interest|yield]", "what I want is {M} {pool_in}",
        "my [wish|order|instruction|request] is {M} {pool_in}", "I['d like| want] to [see|have] {M} {pool_in}", "I['d like| want] to earn [interest|yield|something] on {M}", "I [want|would like] [interest|yield] on {M}, [so |]@ [it|them] {pool_in}", "{M} [is|are] doing nothing in my wallet, [so |]@ [it|them] {pool_in}", "{M} for {pool}",
        "no more idling for {M}, @ [it|them] {pool_in}", "{M} is [idle|bored], @ [it|them] {pool_in}", "may {M} earn [interest|yield] {pool_in}",
    ),
    "Transfer": (
        "I['d like| want| need|'d love|'d prefer| would like] {M} {to_recipient_plain}", "I['d like| want| need] {M} to [go|move|be moved|be sent|end up] {to_recipient}", "I want <R> to [have|get|receive|own] {M}", "I['d like| want] {M} [@done|!done] {to_recipient}",
        "<R> [should|must|has to|needs to|ought to|shall|will|can|may] [get|have|receive|be given|be sent] {M}", "<R> [gets|receives|is owed|deserves|needs|is due|wants] {M}[ from me|]", "{M} [should|must|has to|needs to|ought to|shall] [go|move|be sent|end up|head] {to_recipient}",
        "{M} [should|must|needs to|shall] be @done {to_recipient}", "{M} [goes|go|moves] {to_recipient}", "{M} {to_recipient}", "{to_recipient}, {M}", "{to_recipient}: {M}", "<R>: {M}", "<R> {M}", "{M} <R>", "transfer: {M} {to_recipient}", "payment: {M} {to_recipient}",
        "[transfer|payment] of {M} {to_recipient}", "{to_recipient}, @ {M}", "{to_recipient}, ! {M}", "{to_recipient}, please ! {M}", "{to_recipient} please @ {M}", "{M}, @ [it|them] {to_recipient}", "{M}, ! [it|them] {to_recipient}", "{M} - @ [it|them|that] {to_recipient}", "{M} [is|are] to be @done {to_recipient}",
        "{M} [is|are] to go {to_recipient}", "{M} [is|are] for <R>", "{M} for <R>", "[recipient|destination|receiver|beneficiary]: <R>, {M}", "{M}, [recipient|destination|receiver|beneficiary]: <R>", "{M}, [recipient|destination|receiver] <R>", "my wallet to <R>: {M}", "wallet to <R>, {M}", "I owe <R> {M}, ! [it|them]", "I owe <R> {M}, [so |]@ [it|them] [over|there]",
        "I owe {person} {M}, @ [it|them] {to_recipient_plain}", "I promised <R> {M}, [so |]! [it|them]", "{person} [needs|is owed|wants|gets|expects] {M}, ! [it|them] {to_recipient_plain}", "{person} at <R> [should get|gets|must get|must have|should have|needs|is owed] {M}[ from me|]", "{person} ([address |]<R>) [should get|gets|must get|should have|needs|is owed] {M}[ from me|]", "let {person} at <R> have {M}",
        "there is {M} in my wallet that [belongs|goes|should go] {to_recipient}", "what I want is {M} {to_recipient_plain}", "my [wish|order|instruction|request] is {M} {to_recipient_plain}", "I['d like| want] to see {M} [reach|arrive at|land at|land in|get to] <R>", "here is {person}'s [address|wallet]: <R>, [@|!] {M}[ there|]", "[address|wallet] <R>, [amount |]{M}", "<R> is {person}'s [address|wallet]. [@|!] [him|her|them] {M}",
        "<R> is where {M} [should|must|needs to] go", "my debt to <R> is {M}, [@|!] [it|them]", "it's time {M} went {to_recipient}", "it's time <R> [got|received] {M}", "my [wallet|address] is <a>, ! {M} {to_recipient_plain}", "from <a> to <R>: {M}", "from <a>, ! {M} {to_recipient_plain}", "I am <a> and want {M} {to_recipient_plain}",
    ),
}  # fmt: skip

#: How the verb phrases end when the recipient must be the only address.
TO_RECIPIENT_PLAIN = ("to <R>", "to <R>", "to address <R>", "to the wallet <R>", "over to <R>", "to wallet <R>", "at <R>", "to account <R>",
                      "[@done|sent|moved|given] to <R>", "in the wallet <R>", "for <R>")  # fmt: skip

PUT_IT = ("put it", "put them", "bring it", "move it", "send it", "bring it all", "send it all", "transfer it", "let it go")
USE_IT = ("use it", "use them", "spend it", "spend them", "pay someone", "pay the rent", "buy something", "sleep better", "hold it myself",
          "keep it in my wallet", "shop", "pay my bills", "go on holiday")  # fmt: skip
POOL_NOUN = ("pool", "lending", "vault", "protocol", "savings", "market")
BECAUSE = (
    "for rent", "for lunch", "for dinner", "for the concert", "for groceries", "for my [share|part]", "for the invoice", "for invoice <n>", "for the ticket", "for his birthday", "for her birthday", "for their wedding",
    "for coffee", "for the work", "for the logo", "for the website", "as a thank you", "as payment", "as agreed", "as promised", "as a present", "because I owe it", "because he helped me", "because she asked me to", "since I lost the bet",
    "since we agreed on it", "for the last <n> months", "for month <n>", "for <n> hours of work", "for <n> tickets", "for the <n> beers", "for pizza", "for cleaning", "for the repair", "for the taxi", "for the books", "for tuition", "for the trip", "in return for the help", "in memory of grandpa",
)  # fmt: skip
