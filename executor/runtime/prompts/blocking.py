"""The prompt store for who does not await: each method is the other's, waited for."""

import asyncio
from collections.abc import Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from zkagent.executor.runtime.core.json_values import Json
from zkagent.executor.runtime.core.permissions import Asked
from zkagent.executor.runtime.prompts.store import PromptStore, Rendered, Validation
from zkagent.executor.runtime.prompts.template import NewTemplate, PromptTemplate

T = TypeVar("T")


@dataclass(frozen=True)
class SyncPromptStore:
    """See PromptStore."""

    store: PromptStore

    def get(self, template_id: str, version: str | None = None) -> PromptTemplate | None:
        return _waited(self.store.get(template_id, version))

    def render(
        self,
        template_id: str,
        params: Mapping[str, Json] | None = None,
        *,
        version: str | None = None,
        throw_on_missing: bool = True,
        asked: Asked | None = None,
    ) -> Rendered:
        return _waited(
            self.store.render(
                template_id,
                params,
                version=version,
                throw_on_missing=throw_on_missing,
                asked=asked,
            )
        )

    def put(self, template: NewTemplate, *, author: str = "") -> PromptTemplate:
        return _waited(self.store.put(template, author=author))

    def list(
        self, *, tag: str | None = None, name: str | None = None
    ) -> tuple[PromptTemplate, ...]:
        return _waited(self.store.list(tag=tag, name=name))

    def versions(self, template_id: str) -> tuple[PromptTemplate, ...]:
        return _waited(self.store.versions(template_id))

    def validate(self, text: str, required_vars: tuple[str, ...] = ()) -> Validation:
        return _waited(self.store.validate(text, required_vars))


def _waited(work: Coroutine[Any, Any, T]) -> T:
    """Also where a loop runs already, as in a notebook: then in another thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


__all__ = ["SyncPromptStore"]
