"""Bounds that commands and functions share; commands need them before anything heavy is loaded."""

MOST_SECONDS = 1_000_000.0  # eleven days; what the operating system waits for has an end

__all__ = ["MOST_SECONDS"]
