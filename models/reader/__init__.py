"""A model family for which tools are input: what a prompt has for any tool's parameters.

kinds.py       types of parameters, kinds of candidates
lexicon.py     words that say where an argument begins and ends
view.py        a prompt's pieces as the rules look at them
quotes.py      quoted text
times.py       dates and times
spans.py       names, numbers and runs of words
literals.py    numbers, accounts, bytes, yes and no
candidates.py  at most eight candidates of a parameter
observations.py  what the last observation has beside the prompt
words.py       words of what tools say of themselves
units.py       what a parameter's numbers count in
arguments.py   the chosen candidate to an argument, or to a question
abi.py         how arguments are encoded
"""
