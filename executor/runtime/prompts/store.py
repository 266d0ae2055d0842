"""Prompts in any database of memories: each version stays, and changes are audited.

A template lies under ID/VERSION, and what is current under ID. A version is a digest of its
content, so putting the same twice makes no second one, two who put at once lose nothing, and a row
that somebody changed in the database is noticed when it is read. Called by planners and hosts.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from zkagent.executor.runtime.core.errors import MemoryFault, PromptFault, StepRefused
from zkagent.executor.runtime.core.json_values import Json, JsonObject
from zkagent.executor.runtime.core.memory import DatabaseClient
from zkagent.executor.runtime.core.permissions import Asked, Permissions
from zkagent.executor.runtime.memory.json_text import text_of, value_of
from zkagent.executor.runtime.memory.retention import Clock, now
from zkagent.executor.runtime.prompts.engine import Checked, Engine
from zkagent.executor.runtime.prompts.template import (
    ENGINES,
    NewTemplate,
    PromptTemplate,
    check_id,
    version_of,
)

#: Takes {"event", "who", "at", "template", "version", "digest", "previous"}; what it raises keeps
#: the change from becoming current.
Audit = Callable[[JsonObject], Awaitable[None]]
COLLECTION = "prompts"  # of which stores drop nothing, see retention.Limits
BYTES_OF_A_TOKEN = 4  # of English text, roughly


@dataclass(frozen=True, slots=True)
class Validation:
    """errors: one line each."""

    errors: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return not self.errors


@dataclass(frozen=True, slots=True)
class Rendered:
    """tokens_estimate: a quarter of the text's bytes, rounded up: rough, and other for each model.
    missing: variables that were left empty. changed_by: rules."""

    text: str
    template: str
    version: str
    tokens_estimate: int
    missing: tuple[str, ...] = ()
    changed_by: tuple[str, ...] = ()


async def _unaudited(_: JsonObject) -> None:
    """For tests, and hosts that audit elsewhere."""


@dataclass(frozen=True)
class PromptStore:
    """permissions: asked about each text that is put and each prompt that is rendered (place
    "prompt"). audit: told of each change before it becomes current. Methods raise PromptFault,
    MemoryFault from the database, and StepRefused from the permissions."""

    database: DatabaseClient
    permissions: Permissions | None = None
    audit: Audit = _unaudited
    engine: Engine = field(default_factory=Engine)
    clock: Clock = now

    async def get(self, template_id: str, version: str | None = None) -> PromptTemplate | None:
        """The current version, or that one; None where there is none."""
        wanted = version or await self._current(template_id)
        if wanted is None:
            return None
        found = await self.database.read(COLLECTION, f"{check_id(template_id)}/{wanted}")
        if found is None and version is None:
            raise PromptFault(f"version {wanted} of prompt {template_id} is gone: put it again")
        return None if found is None else PromptTemplate.from_json(found, template_id, wanted)

    async def render(
        self,
        template_id: str,
        params: Mapping[str, Json] | None = None,
        *,
        version: str | None = None,
        throw_on_missing: bool = True,
        asked: Asked | None = None,
    ) -> Rendered:
        """throw_on_missing: else what is missing is left empty. asked: for whom; the permissions
        may change the text, or refuse it."""
        template = await self.get(template_id, version)
        if template is None:
            raise PromptFault(f"there is no prompt {template_id!r:.120} of this version: put it")
        plain = _plain(params or {})
        missing = tuple(sorted(set(template.required_vars) - set(plain)))
        if missing and throw_on_missing:
            raise PromptFault(f"prompt {template_id} wants {', '.join(missing)}")
        text = await asyncio.to_thread(
            self.engine.render, template.text, plain, strict=throw_on_missing
        )
        text, rules = await self._allowed(text, asked)
        size = len(text.encode("utf-8", "surrogatepass"))
        tokens = -(-size // BYTES_OF_A_TOKEN)
        return Rendered(text, template_id, template.version, tokens, missing, rules)

    async def put(self, template: NewTemplate, *, author: str = "") -> PromptTemplate:
        """Make it the current version; one of the same content stays as it was put first."""
        checked = self._checked(template)
        await self._refuse_unfit(checked.text)
        previous = await self._current(template.id)
        at = self.clock().isoformat()
        made = replace(checked, created_by=author, created_at=at)
        kept = await self.get(template.id, made.version)
        if kept is None:
            await self.database.write(COLLECTION, f"{made.id}/{made.version}", made.to_json())
        await self.audit(
            {
                "event": "prompt_put",
                "who": author,
                "at": at,
                "template": made.id,
                "version": made.version,
                "digest": made.digest,
                "previous": previous,
            }
        )
        current = {"kind": "current", "id": made.id, "version": made.version}
        await self.database.write(COLLECTION, made.id, current)
        return kept or made

    async def list(
        self, *, tag: str | None = None, name: str | None = None
    ) -> tuple[PromptTemplate, ...]:
        """The current version of each prompt, by id."""
        heads: Any = await self.database.query(COLLECTION, {"kind": "current"})
        found = [await self.get(head["id"]) for head in heads]
        return tuple(
            one
            for one in found
            if one and name in (None, one.name) and (tag is None or tag in one.tags)
        )

    async def versions(self, template_id: str) -> tuple[PromptTemplate, ...]:
        """All that there are of a prompt, the first one first."""
        where = {"kind": "version", "id": check_id(template_id)}
        rows: Any = await self.database.query(COLLECTION, where)
        found = [
            PromptTemplate.from_json(row, template_id, str(row.get("version"))) for row in rows
        ]
        return tuple(sorted(found, key=lambda one: one.created_at))

    async def validate(self, text: str, required_vars: tuple[str, ...] = ()) -> Validation:
        """Whether a text is a template, takes the variables that are said to be required, and is
        one that the permissions let pass."""
        errors = _errors(self.engine.check(text), required_vars)
        try:
            await self._refuse_unfit(text)
        except StepRefused as exc:
            errors.append(str(exc))
        return Validation(tuple(errors))

    def _checked(self, template: NewTemplate) -> PromptTemplate:
        """Without who and when. Raises PromptFault."""
        if template.engine not in ENGINES:
            raise PromptFault(f"the engine is one of {ENGINES}, not {template.engine!r:.40}")
        checked, required = self.engine.check(template.text), template.required_vars
        errors = _errors(checked, required or ())
        if errors:
            raise PromptFault(f"prompt {check_id(template.id)}: {errors[0]}")
        needed = tuple(sorted(checked.needed if required is None else set(required)))
        made = PromptTemplate(
            id=check_id(template.id),
            version="",
            text=template.text,
            name=template.name,
            required_vars=needed,
            engine=template.engine,
            metadata=_plain(template.metadata),
            tags=tuple(sorted(set(template.tags))),
            created_by="",
            created_at="",
        )
        return replace(made, version=version_of(made.digest))

    async def _current(self, template_id: str) -> str | None:
        head = await self.database.read(COLLECTION, check_id(template_id))
        if head is None:
            return None
        if not isinstance(head, Mapping) or not isinstance(head.get("version"), str):
            raise PromptFault(f"what is current of prompt {template_id} is not there: put it again")
        return str(head["version"])

    async def _allowed(self, text: str, asked: Asked | None) -> tuple[str, tuple[str, ...]]:
        """The text as the permissions let it pass, and the rules that changed it."""
        if self.permissions is None:
            return text, ()
        verdict = await self.permissions.judge_value(asked or self._nobody(), text)
        if not verdict.allowed or not isinstance(verdict.value, str):
            raise StepRefused(f"the prompt is refused: {verdict.reason}", rules=list(verdict.rules))
        return verdict.value, verdict.rules

    async def _refuse_unfit(self, text: str) -> None:
        """A template is kept as it is or not at all: with a secret in it, not at all."""
        allowed, rules = await self._allowed(text, None)
        if allowed != text:
            raise StepRefused(
                f"the template has what its rules would change ({', '.join(rules)}): take it out",
                rules=list(rules),
            )

    def _nobody(self) -> Asked:
        return Asked("", "", 0, "prompt", self.clock().timestamp())


def _errors(checked: Checked, required_vars: tuple[str, ...]) -> list[str]:
    if checked.errors:
        return [*checked.errors]
    unused = sorted(set(required_vars) - checked.needed - checked.optional)
    return [f"{name} is required, and the text does not take it" for name in unused]


def _plain(value: Mapping[str, Json]) -> dict[str, Any]:
    """JSON, and a copy: a template sees no object of this process. Raises PromptFault."""
    try:
        return dict(value_of(text_of(value), "a parameter"))
    except MemoryFault as exc:
        raise PromptFault(f"the parameters of a prompt: {exc}") from exc


__all__ = ["COLLECTION", "Audit", "PromptStore", "Rendered", "Validation"]
