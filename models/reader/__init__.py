"""A model family for which tools are input: what a prompt has for any tool's parameters.

kinds.py       types of parameters, kinds of candidates
lexicon.py     words that say where an argument begins and ends
view.py        a prompt's pieces as the rules look at them
quotes.py      quoted text
times.py       dates and times
spans.py       names, numbers and runs of words
literals.py    numbers, accounts, bytes, yes and no
mood.py        whether it asks for an act, a question, or nothing
statements.py  which prompts tell something
candidates.py  at most eight candidates of a parameter
observations.py  what the last observation has beside the prompt
words.py       words of what tools say of themselves
units.py       what a parameter's numbers count in
arguments.py   the chosen candidate to an argument, or to a question
abi.py         how arguments are encoded

And which tool a prompt means (docs/choosing.md):

labelled.py    prompts and tools from files, candidates drawn of them
rows.py        the table of words, as contracts hold it
vectors.py     texts, prompts and tools as directions
files.py       a reader's folder, and its use
evaluation.py  how well it chooses
corpora.py     what it learns from
distil.py      word vectors from a sentence model
lexis.py       which words have rows
train.py       from these to a reader
deciding.py    from the output of the network to a call, a question or no
"""
