"""Models that read whole instructions: word by word, up to four calls in one prompt.

grammar.py      the words that numbers, parts and payees are made of
scanner.py      a prompt's bytes to words, numbers and marks
quantities.py   amounts: digits and number words, exactly, or in doubt
languages.py    whether a prompt is in another language
reader.py       the tokens that a network reads, each with what it stands for
calls.py        the network's tags to calls, by rules
codes.py        48 bits for each token, by its text or its kind
codetable.py    those codes as the contract looks them up
packing.py      codes to a network's features, its numbers to tags
manifest.py     what a model is, beside its weights
parse.py        the tokens, as the decoder gets them
decoder.py      the network's numbers and the history to a decision
"""
