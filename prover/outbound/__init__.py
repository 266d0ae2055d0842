"""Requests to addresses that somebody else names: whom to call, at which address, how much to read.

Callbacks of the proof service and HTTP tools of agents go this way. An address is looked up once,
checked, and then connected to as it was checked.
"""

__all__: list[str] = []
