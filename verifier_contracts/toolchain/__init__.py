"""Compiler, test runner and local node: installed on first use, driven from Python."""

__all__: list[str] = []
