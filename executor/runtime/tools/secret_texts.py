"""Leaves secrets out of what tools say, in the forms in which others repeat them."""

import base64
import json
from urllib.parse import quote, quote_plus

from zkagent.executor.runtime.core.json_values import Json

SHORTEST = 4  # characters; anything shorter stands everywhere


class SecretTexts:
    """What must not stand in a text, by the secrets' names."""

    def __init__(self) -> None:
        self._forms: dict[str, str] = {}

    def add(self, name: str, value: str) -> None:
        if len(value) < SHORTEST:
            return
        packed = value.encode()
        # Within other text, at each offset, but for the letters that its neighbours share.
        shifted = [base64.b64encode(b"\0" * n + packed).decode() for n in range(3)]
        inner = [text[(0, 2, 3)[n] : (len(packed) + n) * 8 // 6] for n, text in enumerate(shifted)]
        safe = [text.replace("+", "-").replace("/", "_") for text in inner]
        quoted = json.dumps(value)[1:-1]
        forms = [value, quoted, quoted.replace("/", "\\/"), quote(value, safe="")]
        forms.append(quote_plus(value))
        forms += [packed.hex(), packed.hex().upper(), *inner, *safe]
        self._forms |= {form: name for form in forms if len(form) >= SHORTEST}

    def without(self, text: str) -> str:
        for form in sorted(self._forms, key=len, reverse=True):
            text = text.replace(form, f"[secret {self._forms[form]}]")
        return text

    def without_in(self, value: Json) -> Json:
        """In each text, key and number of it."""
        if isinstance(value, str):
            return self.without(value)
        if isinstance(value, list):
            return [self.without_in(each) for each in value]
        if isinstance(value, dict):
            return {self.without(key): self.without_in(each) for key, each in value.items()}
        text = json.dumps(value)
        shown = self.without(text)
        return value if shown == text else shown


__all__ = ["SecretTexts"]
