"""What a language model's client does. Proposal: "Core Components", LLMClient."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from zkagent.executor.runtime.core.json_values import fields_of
from zkagent.executor.runtime.core.steps import ChatMessage


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """cost: in US dollars, None if nobody said what a token costs."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None

    @property
    def total_tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    def to_json(self) -> dict[str, Any]:
        return fields_of(self)


NOTHING_USED = TokenUsage()


@dataclass(frozen=True, slots=True)
class CallOptions:
    """timeout_s: for one provider; then the next one is asked. needs: capabilities."""

    model: str | None = None
    modality: str = "text"
    max_tokens: int = 1024
    temperature: float = 0.0
    seed: int | None = None
    stop: tuple[str, ...] = ()
    timeout_s: float = 60.0
    max_cost: float | None = None
    needs: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ModelResponse:
    text: str
    usage: TokenUsage = NOTHING_USED
    model: str = ""


@dataclass(frozen=True, slots=True)
class TokenChunk:
    text: str
    usage: TokenUsage | None = None  # with the last one


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """cost: US dollars for a million tokens, prompt and completion; None: not known."""

    name: str
    max_tokens: int | None = None
    supports_streaming: bool = False
    modalities: frozenset[str] = frozenset({"text"})
    capabilities: frozenset[str] = frozenset()
    cost: tuple[float, float] | None = None


class LLMClient(Protocol):
    async def call(self, messages: Sequence[ChatMessage], options: CallOptions) -> ModelResponse:
        """Raises ModelFault, ModelTimeout."""

    def stream(
        self, messages: Sequence[ChatMessage], options: CallOptions
    ) -> AsyncIterator[TokenChunk]:
        """Raises ModelFault, ModelTimeout."""

    async def info(self) -> ModelInfo: ...

    async def close(self) -> None: ...


__all__ = ["NOTHING_USED", "CallOptions", "LLMClient", "ModelInfo", "ModelResponse"]
__all__ += ["TokenChunk", "TokenUsage"]
