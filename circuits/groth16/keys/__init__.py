"""Keys: as .zkey files, as the code of contracts, and whose they are.

Keys of `development` are made of secrets that this process drew; `../ceremony` makes the others.
"""

__all__: list[str] = []
