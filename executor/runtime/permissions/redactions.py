"""The rule of an engine that redacts, or refuses where the owner wants no secrets at all."""

from collections.abc import Collection, Mapping, Sequence

from zkagent.executor.runtime.core.errors import AgentConfigRefused
from zkagent.executor.runtime.core.json_values import Json
from zkagent.executor.runtime.core.permissions import SECRETS_REFUSED, Asked, Place
from zkagent.executor.runtime.core.threads import apart
from zkagent.executor.runtime.permissions.engine import Opinion, Rule
from zkagent.executor.runtime.permissions.places import checked_places
from zkagent.executor.runtime.permissions.redaction.kinds import PAYMENT, SECRETS, detectors
from zkagent.executor.runtime.permissions.redaction.redactor import Redactor
from zkagent.executor.runtime.permissions.redaction.vault import Vaults

#: Characters in all, and values.
SMALL, MOST_SMALL = 4096, 32
LEAST_KNOWN = 8  # characters of a secret that is looked for everywhere


class Redaction(Rule):
    """Puts typed tokens in place of secrets and personal data, at every place.

    kinds: of `kinds.KINDS`. refuse_at: places where a value that has a secret is refused instead,
    such as task; a card or an IBAN is redacted there as everywhere. known: secrets of the owner,
    which are found by themselves. any_hex_key: 32 bytes in hex are a private key also where nothing
    says so; hashes of transactions are redacted as well. Raises AgentConfigRefused.
    """

    name = "redaction"

    def __init__(
        self,
        kinds: Collection[str] = SECRETS | PAYMENT,
        *,
        refuse_at: Collection[Place] = (),
        known: Sequence[str] = (),
        any_hex_key: bool = False,
    ) -> None:
        if any(len(each) < LEAST_KNOWN for each in known):
            raise AgentConfigRefused(
                f"a known secret is shorter than {LEAST_KNOWN} characters: it would be found in "
                "other words"
            )
        self._redactor = Redactor(
            detectors(kinds, any_hex_key=any_hex_key), named="secret" in kinds, known=known
        )
        self._refuse_at = checked_places("refuse_secrets_at", refuse_at)
        self.longest_secret = max(map(len, known), default=0)
        self.vaults = Vaults()

    async def value(self, asked: Asked, value: Json) -> Opinion | None:
        vault = self.vaults.of(asked.run_id)
        if _is_small(value):
            redacted, kinds = self._redactor.redact(value, vault)
        else:
            redacted, kinds = await apart(self._redactor.redact, value, vault)
        if not kinds:
            return None
        names = tuple(f"{self.name}.{kind}" for kind in sorted(kinds))
        said = f"{', '.join(sorted(kinds))} in the value at {asked.place}"
        if asked.place in self._refuse_at and kinds & SECRETS:
            reason = f"{said}: leave it out, or name the tool that has it"
            return Opinion("refuse", reason, None, (SECRETS_REFUSED, *names))
        return Opinion("change", f"redacted: {said}", redacted, names)


def _is_small(value: Json) -> bool:
    """Whether it is looked through in a few milliseconds: all else keeps no other run waiting."""
    characters, values, left = 0, 0, [value]
    while left:
        each = left.pop()
        values += 1
        if isinstance(each, str):
            characters += len(each)
        elif isinstance(each, Mapping):
            left += [*each, *each.values()]
        elif isinstance(each, list | tuple):
            left += each
        if characters > SMALL or values + len(left) > MOST_SMALL:
            return False
    return True


__all__ = ["LEAST_KNOWN", "Redaction"]
