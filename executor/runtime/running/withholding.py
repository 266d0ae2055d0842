"""Secrets that a tool asked for by name: what it gives back holds them no more."""

from collections.abc import Callable, Mapping
from typing import Any

#: Shorter ones are found everywhere; they are withheld where they stand alone.
LEAST = 4


class Withholding:
    """Of one call. secrets: a name to its value, by the host."""

    def __init__(self, secrets: Callable[[str], str] | None) -> None:
        self._secrets = secrets
        self._given: dict[str, str] = {}

    def secret(self, name: str) -> str:
        """For the tool, in CallContext.secrets."""
        if self._secrets is None:
            raise KeyError(name)
        value = self._secrets(name)
        self._given[value] = name
        return value

    def of(self, value: Any) -> Any:
        """The value with [secret:NAME] for each secret that was given."""
        return self._without(value) if self._given else value

    def _without(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, Mapping):
            return {self._text(str(key)): self._without(one) for key, one in value.items()}
        if isinstance(value, list | tuple):
            return [self._without(one) for one in value]
        return value

    def _text(self, text: str) -> str:
        for secret in sorted(self._given, key=len, reverse=True):
            if secret and (len(secret) >= LEAST or text == secret):
                text = text.replace(secret, f"[secret:{self._given[secret]}]")
        return text


__all__ = ["Withholding"]
