"""What assistants are asked all day that is no business of a wallet."""

PATTERNS = (
    "what is the {noun}", "what's the {noun} of {noun}?",
    "what is the {adjective} {noun} in {town}?", "what are the {noun}s in {town}?",
    "what's a good {noun} for {noun}?", "what's the best {noun} near {town}?",
    "what kind of {noun} is {adjective}?", "what does {noun} mean?",
    "what's the {language} word for {noun}?", "what time is it in {town}?",
    "what time does the {noun} open?", "what's the weather in {town}?",
    "will it rain in {town} {when}?", "is it {adjective} in {town} {when}?", "what day is {when}?",
    "what's on my calendar {when}?", "what's on my {noun} for {when}?",
    "what should I {verb} {when}?", "what song is this?", "what movie should I watch?",
    "what ingredients are in {noun}?", "what's your name?", "what's your favorite {noun}?",
    "what do you think of {noun}?", "what is {n} plus {n}?", "what's {n} times {n}?",
    "what is {n} percent of {n}?", "what's the square root of {n}?",
    "what is the capital of {town}?", "what's the population of {town}?",
    "what's the meaning of life?", "what's the news {when}?", "what's the traffic like in {town}?",
    "how do I {verb} a {noun}?", "how do I {verb} my {noun}?", "how can I {verb} {noun}?",
    "how do you say {noun} in {language}?", "how long does it take to {verb} a {noun}?",
    "how long is the flight to {town}?", "how far is {town} from {town}?",
    "how many {noun}s are in {town}?", "how many calories are in {noun}?",
    "how many days until {when}?", "how much does a {noun} cost?", "how much is a {noun}?",
    "how old is {name}?", "how old are you?", "how tall is {name}?", "how is the weather {when}?",
    "how's the {noun}?", "how does a {noun} work?", "how often should I {verb} my {noun}?",
    "how are you?", "how was your {noun}?", "how big is {town}?", "how do I get to {town}?",
    "how do I spell {noun}?", "where is {town}?", "where is my {noun}?",
    "where can I {verb} a {noun}?", "where do {noun}s live?", "where did I put my {noun}?",
    "where are you from?", "where should I go {when}?", "when is {when}?",
    "when does the {noun} start?", "when was {name} born?", "when should I {verb} my {noun}?",
    "when is my {noun}?", "when will my {noun} arrive?", "why is the {noun} {adjective}?",
    "why do {noun}s {verb}?", "why can't I {verb}?", "who is {name}?", "who invented the {noun}?",
    "who wrote {noun}?", "who won the {noun}?", "who made you?", "who do you work for?",
    "which {noun} is better?", "which {noun} is {adjective}?", "do you like {noun}?",
    "do you know {name}?", "do I need a {noun} for {town}?", "do I have to {verb} {when}?",
    "do I have any {noun}s {when}?", "does {town} have a {noun}?", "does {name} like {noun}?",
    "is {noun} {adjective}?", "is the {noun} {adjective}?", "is there a {noun} in {town}?",
    "is it going to be {adjective} {when}?", "are there any {noun}s near me?", "are you a {noun}?",
    "are you human?", "can you {verb} a {noun}?", "can you {verb} my {noun}?",
    "can you tell me about {noun}?", "can I {verb} with a {noun}?", "can dogs eat {noun}?",
    "could you {verb} the {noun}?", "could you {verb} my {noun} {when}?",
    "would you {verb} my {noun}?", "will you {verb} me?", "please {verb} the {noun}",
    "please {verb} my {noun}", "please {verb} {name}", "please tell me the {noun}", "play {noun}",
    "play some {noun}", "play the next {noun}", "play {name}", "play {adjective} {noun}",
    "put on some {noun}", "turn on the {noun}", "turn off the {noun}", "turn up the {noun}",
    "turn the {noun} down", "set an alarm for {n}", "set a timer for {n} minutes",
    "set the {noun} to {n}", "set the volume to {n}", "wake me up at {n}",
    "remind me to {verb} {when}", "remind me about the {noun}",
    "remind me to {verb} the {noun} at {n}", "book a {noun} for {n} people in {town}",
    "book a flight to {town}", "book me a {noun} in {town} {when}", "reserve a table for {n}",
    "order a {noun}", "order {n} {noun}s", "buy a {noun}", "buy {n} {noun}s", "get me a {noun}",
    "get me directions to {town}", "find a {noun} in {town}", "find my {noun}",
    "find me a {adjective} {noun}", "search for {noun}", "look for {noun}s near {town}",
    "show me {noun}s", "show me pictures of {noun}", "show me the {noun}", "show me my {noun}",
    "tell me a joke", "tell me a joke about {noun}", "tell me a story", "tell me about {town}",
    "tell me about {name}", "tell me the {noun}", "tell {name} I'm {adjective}",
    "tell me the weather in {town}", "give me a {noun}", "give me a recipe for {noun}",
    "give me {n} {noun}s", "give me the {noun} for {town}", "call {name}", "call a {noun}",
    "text {name} that I am {adjective}", "send a message to {name}", "send {name} a {noun}",
    "send an email to {name}", "send my {noun} to {name}", "write a {noun}",
    "write a poem about {noun}", "translate {noun} to {language}", "translate this into {language}",
    "spell {noun}", "define {noun}", "add {noun} to my shopping {noun}",
    "add {n} {noun}s to my cart", "add a {noun} to my calendar", "add {noun} to the playlist",
    "delete the {noun}", "delete my {noun}", "cancel my {noun}", "cancel the {noun} for {when}",
    "change my {noun}", "change the {noun} to {noun}", "change your name to {name}",
    "start the {noun}", "stop the {noun}", "pause the {noun}", "open the {noun}",
    "close the {noun}", "start a {noun}", "make a {noun}", "make me a {noun}",
    "make it {adjective}", "rate this {noun} {n} stars", "rate {noun} {n} out of {n}",
    "schedule a {noun} for {when}", "schedule a {noun} with {name} at {n}", "track my {noun}",
    "check my {noun}", "check the {noun} in {town}", "check if the {noun} is {adjective}",
    "convert {n} miles to kilometers", "convert {n} pounds to kilos", "roll a die", "flip a coin",
    "pick a number", "sing a song", "dance for me", "say something in {language}", "say {noun}",
    "repeat that", "speak slower", "speak {language}", "say that again", "never mind",
    "good morning", "good night", "hello there", "hi, how are you", "thanks for the {noun}",
    "thank you so much", "you are {adjective}", "you're a {noun}", "I love {noun}", "I hate {noun}",
    "I like {adjective} {noun}", "I am {adjective}", "I'm {adjective} {when}", "I feel {adjective}",
    "I need a {noun}", "I need a {adjective} {noun} for {when}", "I need to {verb} my {noun}",
    "I need to {verb} {when}", "I want a {noun}", "I want to {verb} a {noun}",
    "I want to {verb} in {town}", "I want to go to {town}", "I'd like a {noun}",
    "I'd like to {verb} {when}", "I'd like to order a {noun}", "I lost my {noun}",
    "I forgot my {noun}", "I broke my {noun}", "I have a {noun}", "I have {n} {noun}s",
    "I have a {noun} in {town} {when}", "I saw a {noun}", "I saw {name} {when}", "I went to {town}",
    "I think {noun} is {adjective}", "I don't know", "I don't like {noun}", "I live in {town}",
    "my {noun} is {adjective}", "my {noun} is broken", "my {noun} lost its {noun}",
    "my name is {name}", "my {noun} costs {n} dollars", "the {noun} is {adjective}",
    "the {noun} in the {noun}", "{noun}s are {adjective}", "{name} is {adjective}",
    "{name} has a {noun}", "{name} went to {town}", "{name} bought {n} {noun}s",
    "{adjective} {noun}", "{noun}", "{noun} {noun}", "{noun} near me", "{noun} in {town} {when}",
    "{noun} recipe", "{noun} or {noun}?", "{n} {noun}s", "{verb} the {noun}", "{verb} my {noun}",
    "{verb} {n} {noun}s", "{verb} the {adjective} {noun} in {town}", "{verb} {noun} to {name}",
    "{verb} {noun} from the {noun}", "{verb} {n} {noun}s from {town}", "{verb} all the {noun}s",
    "{verb} all my {noun}s from the {noun}", "{verb} {n} {noun}s into the {noun}",
    "{verb} the {noun} into the {noun}", "{verb} it", "{verb} {name} about the {noun}",
    "let's {verb}", "let's {verb} a {noun}", "let's talk about {noun}", "don't {verb} the {noun}",
    "if it rains, {verb} the {noun}", "when the {noun} is {adjective}, {verb} it",
    "once {name} comes, {verb} the {noun}", "is {name} at {town}?", "did {name} {verb} the {noun}?",
    "have you seen my {noun}?", "has the {noun} started?", "should I {verb} my {noun}?",
    "should I bring a {noun} to {town}?", "help me {verb} a {noun}", "help me with my {noun}",
    "{invented} {invented}", "{invented} {invented} {invented}",
    "{invented} the {invented} of {invented}", "{invented}", "{invented} {noun} {invented} {noun}",
    "{noun} {invented} the {noun}", "{invented} is {invented}",
    "the {invented} {verb} a {invented}", "what is {invented}?", "how do I {invented} {noun}?",
    "{verb} {invented}", "{word} {word} {word}", "{word} {word} {word} {word} {word}",
    "{word} {word} {word} {word} {word} {word} {word} {word}", "{word} {n} {word} {word}",
    "{word} {word}, {word} {word} {word}", "{word} {word} {word}?",
    "{word} the {word} {word} to {word}", "{word} my {word}", "{word} all {word}",
)  # fmt: skip

NOUN = (
    "weather song movie recipe pizza sandwich salad soup coffee tea water milk bread cheese "
    "apple banana orange chicken beef pasta rice noodle burger taco sushi cake cookie candy "
    "chocolate dinner lunch breakfast meal restaurant hotel room house apartment kitchen garden "
    "door window lamp light heater oven fridge dishwasher vacuum car truck bike bus train plane "
    "flight boat taxi tire engine battery oil gas phone laptop computer tablet screen keyboard "
    "mouse printer camera photo video music playlist radio podcast alarm timer clock calendar "
    "meeting appointment reminder event party birthday wedding holiday vacation trip passport "
    "visa ticket luggage map road traffic museum beach mountain river lake ocean forest tree "
    "flower grass dog cat bird horse cow lion bear insect doctor dentist nurse hospital "
    "medicine vaccine pill fever headache insurance policy lawyer school teacher student class "
    "exam homework book story poem letter email message call contact language word sentence "
    "math science history geography physics chemistry planet star moon sun sky cloud rain snow "
    "storm temperature game football soccer basketball tennis score team player race job salary "
    "resume interview boss office company shop store mall shirt shoe dress hat coat watch ring "
    "toy box bag cup plate knife spoon bed chair table sofa carpet wall roof floor bridge tower "
    "castle church temple city country village street address zip code password account bill "
    "credit card debit tax loan mortgage rent payment budget receipt invoice discount coupon "
    "package delivery shipment order menu waiter chef barber hair skin tooth eye leg arm heart "
    "brain baby child mother father sister brother uncle friend neighbor president king queen "
    "president actor singer band album concert theater film joke riddle puzzle question answer "
    "idea dream plan goal problem error bug code website app internet wifi router server robot "
    "ai "
).split()

ADJECTIVE = (
    "red blue green big small hot cold warm cheap expensive good bad best worst happy sad tired "
    "hungry thirsty busy late early new old young fast slow loud quiet dark bright dirty clean "
    "safe dangerous easy hard rich poor healthy sick strong weak tall short long wide thin "
    "thick heavy soft sweet sour salty spicy fresh dry wet nice funny weird smart lazy angry "
    "calm famous local italian french chinese mexican vegan "
).split()

TOWN = (
    "paris london new_york tokyo berlin rome madrid boston chicago texas california florida canada "
    "mexico brazil india china japan france germany spain italy russia egypt kenya australia "
    "the_airport the_office the_store the_gym the_library the_beach home work school downtown "
    "the_kitchen the_garage"
).split()

WHEN = (
    "today tomorrow tonight monday tuesday friday sunday christmas easter next_week "
    "this_weekend this_morning in_the_evening next_month july october the_weekend my_birthday "
    "new_year "
).split()

LANGUAGE = (
    "spanish french german italian chinese japanese russian arabic hindi portuguese korean "
    "latin greek turkish polish english "
).split()
