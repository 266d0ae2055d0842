"""Bounds that commands and functions share; commands need them before anything heavy is loaded."""

MOST_SECONDS = 1_000_000.0  # eleven days; what the operating system waits for has an end
MOST_DAYS = 36_500.0  # a century; times of long before 1970 cannot be written down
MOST_TIMES = 1_000_000_000  # what a database's integers hold
MOST_THREADS = 1024
MOST_SLOTS = 128  # each looks for work by itself; more machines' worth is more workers

__all__ = ["MOST_DAYS", "MOST_SECONDS", "MOST_SLOTS", "MOST_THREADS", "MOST_TIMES"]
