"""What a prompt template is: its fields, and the version that names exactly them."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from zkagent.executor.runtime.core.errors import PromptFault
from zkagent.executor.runtime.core.json_values import Json, JsonObject, fields_of
from zkagent.executor.runtime.memory.json_text import sorted_text

ID = re.compile(r"[A-Za-z0-9_.-]{1,100}")
ENGINES = ("jinja2",)
VERSION_DIGITS = 32  # of a SHA-256, in hex: 128 bits


@dataclass(frozen=True)
class NewTemplate:
    """What one puts into a store. required_vars: None for all that the text cannot do without.
    metadata: JSON of the host's own. tags: to list by."""

    id: str
    text: str
    name: str = ""
    required_vars: tuple[str, ...] | None = None
    engine: str = "jinja2"
    metadata: JsonObject = field(default_factory=dict)
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class PromptTemplate:
    """version: of its content, see `digest`; so nobody can change a text and keep its version.
    created_by, created_at: who put it first, and when (UTC, ISO 8601); no part of the version."""

    id: str
    version: str
    text: str
    name: str
    required_vars: tuple[str, ...]
    engine: str
    metadata: JsonObject
    tags: tuple[str, ...]
    created_by: str
    created_at: str

    @property
    def digest(self) -> str:
        """SHA-256 of all but who and when, as JSON with sorted fields, in hex."""
        content: dict[str, Json] = {
            "id": self.id,
            "text": self.text,
            "name": self.name,
            "required_vars": self.required_vars,
            "engine": self.engine,
            "metadata": self.metadata,
            "tags": self.tags,
        }
        return hashlib.sha256(sorted_text(content).encode()).hexdigest()

    def to_json(self) -> dict[str, Json]:
        found = fields_of(self)
        lists = {"required_vars": list(self.required_vars), "tags": list(self.tags)}
        return {**found, **lists, "kind": "version"}

    @classmethod
    def from_json(cls, found: Any, template_id: str, version: str) -> "PromptTemplate":
        """Raises PromptFault: not what was put under this version."""
        changed = PromptFault(
            f"version {version} of prompt {template_id} is not what was put there: restore it from "
            "a backup, or put the prompt again"
        )
        if not isinstance(found, Mapping) or found.get("kind") != "version":
            raise changed
        values: dict[str, Any] = {name: found.get(name) for name in cls.__dataclass_fields__}
        for name in ("required_vars", "tags"):
            if not isinstance(values[name], list):
                raise changed
            values[name] = tuple(values[name])
        if not isinstance(values["created_by"], str) or not isinstance(values["created_at"], str):
            raise changed
        template = cls(**values)
        if (template.id, version_of(template.digest)) != (template_id, version):
            raise changed
        return template


def version_of(digest: str) -> str:
    return digest[:VERSION_DIGITS]


def check_id(template_id: object) -> str:
    """Raises PromptFault."""
    if isinstance(template_id, str) and ID.fullmatch(template_id):
        return template_id
    raise PromptFault(f"a prompt's id is {ID.pattern}, not {template_id!r:.80}")


__all__ = ["ENGINES", "NewTemplate", "PromptTemplate", "check_id", "version_of"]
