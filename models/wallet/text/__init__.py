"""The text that the wallet's model learns from: hand-written lines, phrases, and the generator that
joins them into labelled prompts."""

__all__: list[str] = []
