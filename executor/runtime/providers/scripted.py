"""A model whose answers are written down: for tests, examples and benchmarks. No network."""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field

from zkagent.executor.runtime.core.errors import ModelFault
from zkagent.executor.runtime.core.models import (
    CallOptions,
    ModelInfo,
    ModelResponse,
    TokenChunk,
    TokenUsage,
)
from zkagent.executor.runtime.core.steps import ChatMessage

#: A text, a whole response, a fault to raise, or what makes one of these of what was asked.
Scripted = str | ModelResponse | BaseException
Answer = Scripted | Callable[[Sequence[ChatMessage]], Scripted]


@dataclass
class ScriptedClient:
    """Gives its answers in turn; a ModelFault when there are none left, unless the last one
    repeats. A text's usage is counted in words. asked: what it was asked, oldest first."""

    answers: Sequence[Answer]
    name: str = "scripted"
    repeats: bool = False
    about: ModelInfo | None = None
    asked: list[tuple[ChatMessage, ...]] = field(default_factory=list, init=False)
    closed: bool = field(default=False, init=False)
    deterministic: bool = field(default=True, init=False)

    async def call(self, messages: Sequence[ChatMessage], options: CallOptions) -> ModelResponse:
        answer = self._next(messages)
        if isinstance(answer, BaseException):
            raise answer
        if isinstance(answer, ModelResponse):
            return answer
        usage = TokenUsage(sum(map(_words, messages)), len(answer.split()))
        return ModelResponse(answer, usage, self.name)

    async def stream(
        self, messages: Sequence[ChatMessage], options: CallOptions
    ) -> AsyncIterator[TokenChunk]:
        """Word by word."""
        response = await self.call(messages, options)
        words = response.text.split(" ")
        for number, word in enumerate(words):
            last = number == len(words) - 1
            yield TokenChunk(word if last else f"{word} ", response.usage if last else None)

    async def info(self) -> ModelInfo:
        return self.about or ModelInfo(self.name, supports_streaming=True)

    async def close(self) -> None:
        self.closed = True

    def _next(self, messages: Sequence[ChatMessage]) -> Scripted:
        number = len(self.asked)
        self.asked.append(tuple(messages))
        if number >= len(self.answers) and not (self.repeats and self.answers):
            raise ModelFault(
                f"{self.name} has {len(self.answers)} answers, and was asked for one more"
            )
        answer = self.answers[min(number, len(self.answers) - 1)]
        is_made = callable(answer) and not isinstance(answer, BaseException)
        return answer(messages) if is_made else answer  # type: ignore[operator, return-value]


def _words(message: ChatMessage) -> int:
    return len(message.content.split())


__all__ = ["Answer", "ScriptedClient"]
