"""What was refused or changed, in a log that shows whether anybody tampered with it.

Records are chained by hashes, their head is signed into a file and into transactions; what they are
about stands in them as keyed digests only, so the log tells no secret.
"""

__all__: list[str] = []
