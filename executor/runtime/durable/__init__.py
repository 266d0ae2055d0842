"""Runs that outlive their process: records, events and results in a database, taken up again.

What a run did is on record under a name before it goes on, and so are its events; whoever finds
that the process of a run has ended takes the run up, and what is on record is not done again.
"""

__all__: list[str] = []
