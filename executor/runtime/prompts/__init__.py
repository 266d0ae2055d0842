"""Prompt templates with versions."""

__all__: list[str] = []
