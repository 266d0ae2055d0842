"""Secrets that a tool asked for by name: what it gives back holds them no more."""

from collections.abc import Callable, Mapping
from typing import Any

from zkagent.executor.runtime.tools.secret_texts import SHORTEST, SecretTexts


class Withholding:
    """Of one call. secrets: a name to its value, by the host."""

    def __init__(self, secrets: Callable[[str], str] | None) -> None:
        self._secrets = secrets
        self._texts = SecretTexts()
        self._short: dict[str, str] = {}  # found everywhere, so withheld where they stand alone

    def secret(self, name: str) -> str:
        """For the tool, in CallContext.secrets."""
        if self._secrets is None:
            raise KeyError(name)
        value = self._secrets(name)
        self._texts.add(name, value)
        if 0 < len(value) < SHORTEST:
            self._short[value] = name
        return value

    def of(self, value: Any) -> Any:
        """The value with [secret NAME] for each secret that was given."""
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, Mapping):
            return {self._text(str(key)): self.of(one) for key, one in value.items()}
        if isinstance(value, list | tuple):
            return [self.of(one) for one in value]
        return value

    def _text(self, text: str) -> str:
        short = self._short.get(text)
        return self._texts.without(text) if short is None else f"[secret {short}]"


__all__ = ["Withholding"]
