"""Asks the first provider that fits, then the next ones: retries, time-outs, fallbacks.

A provider that timed out is not asked again; one that said that it is worth another attempt
(`ModelFault.info["retriable"]`) is, by the policy. The host's strategy may order them otherwise.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite

from zkagent.executor.runtime.core.config import RetryPolicy, Strategy, name_of
from zkagent.executor.runtime.core.errors import ModelFault, ModelTimeout, NoModelFits
from zkagent.executor.runtime.core.models import (
    NOTHING_USED,
    CallOptions,
    LLMClient,
    ModelInfo,
    ModelResponse,
    TokenUsage,
)
from zkagent.executor.runtime.core.patience import answered
from zkagent.executor.runtime.core.steps import ChatMessage
from zkagent.executor.runtime.providers.fitting import cost_of, misfit

INFO_S = 10.0  # for a provider to say what it is
MOST_TEXT = 1 << 22  # characters that are read of one answer

#: Is told each chunk of a stream; None: the answer begins anew, another attempt's or provider's.
Listener = Callable[[str | None], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Answered:
    """A response, whose it is, and how often providers were asked for it."""

    response: ModelResponse
    provider: str
    attempts: int
    last_error: str | None = None


@dataclass
class Router:
    providers: Sequence[LLMClient]
    strategy: Strategy | None = None
    retries: RetryPolicy = field(default_factory=RetryPolicy)
    _infos: dict[int, ModelInfo] = field(default_factory=dict, init=False, repr=False)

    async def ask(
        self,
        messages: Sequence[ChatMessage],
        options: CallOptions,
        listener: Listener | None = None,
    ) -> Answered:
        """Raises NoModelFits; ModelTimeout or ModelFault, the last provider's."""
        asking = _Asking(tuple(messages), options, listener)
        for provider, info in await self._fitting(messages, options):
            response = await self._try(provider, info, asking)
            if response is not None:
                return Answered(response, name_of(provider), asking.attempts, asking.last_error)
        assert asking.fault is not None
        raise asking.fault

    async def _try(
        self, provider: LLMClient, info: ModelInfo, asking: "_Asking"
    ) -> ModelResponse | None:
        for attempt in range(1, self.retries.attempts + 1):
            if wait_s := self.retries.wait_s(attempt):
                await asyncio.sleep(wait_s)
            try:
                return priced(await asking.of(provider, info), info)
            except ModelFault as fault:
                asking.fault = fault
                if isinstance(fault, ModelTimeout) or not fault.info.get("retriable"):
                    break
        return None

    async def _fitting(
        self, messages: Sequence[ChatMessage], options: CallOptions
    ) -> list[tuple[LLMClient, ModelInfo]]:
        fits: list[tuple[LLMClient, ModelInfo]] = []
        lacks: list[str] = []
        for provider in self.providers:
            try:
                info = await self._info(provider)
            except ModelFault as fault:
                lacks.append(f"{name_of(provider)} {fault}")
                continue
            lack = misfit(info, messages, options)
            if lack is None:
                fits.append((provider, info))
            else:
                lacks.append(f"{name_of(provider)} {lack}")
        chosen = self._ordered(fits, options)
        if not chosen:
            why = "; ".join(lacks) or "there is none, or the strategy chose none"
            raise NoModelFits(f"no model provider fits: {why}")
        return chosen

    def _ordered(
        self, fits: list[tuple[LLMClient, ModelInfo]], options: CallOptions
    ) -> list[tuple[LLMClient, ModelInfo]]:
        if self.strategy is None:
            return fits
        infos = {id(provider): info for provider, info in fits}
        return [
            (provider, infos[id(provider)])
            for provider in self.strategy(fits, options)
            if id(provider) in infos
        ]

    async def _info(self, provider: LLMClient) -> ModelInfo:
        """Asked for once; of a provider that does not answer, again the next time."""
        if id(provider) not in self._infos:
            try:
                found: object = await answered("its info()", provider.info, ModelFault, INFO_S)
            except ModelFault as exc:
                raise ModelFault(f"does not say what it is: {exc}") from exc
            if not isinstance(found, ModelInfo):
                raise ModelFault(f"says that it is {type(found).__name__}, not a ModelInfo")
            self._infos[id(provider)] = found
        return self._infos[id(provider)]


@dataclass
class _Asking:
    """One question on its way through the providers."""

    messages: tuple[ChatMessage, ...]
    options: CallOptions
    listener: Listener | None
    attempts: int = 0
    fault: ModelFault | None = None
    began: bool = False
    heard: int = 0  # the attempt whose chunks are told

    @property
    def last_error(self) -> str | None:
        return str(self.fault) if self.fault else None

    async def of(self, provider: LLMClient, info: ModelInfo) -> ModelResponse:
        self.attempts += 1
        name, timeout_s, listener = name_of(provider), self.options.timeout_s, self.listener
        self.heard = self.attempts if listener and info.supports_streaming else 0

        async def ask() -> ModelResponse:
            if listener and self.heard:
                return await self._streamed(provider, info, listener)
            return await provider.call(self.messages, self.options)

        try:
            response = await answered(name, ask, ModelFault, timeout_s, late=ModelTimeout)
        finally:
            self.heard = 0
        return _checked(name, response)

    async def _streamed(
        self, provider: LLMClient, info: ModelInfo, listener: Listener
    ) -> ModelResponse:
        mine = self.heard
        if self.began:
            await listener(None)
        parts, length, usage = [""], 0, NOTHING_USED
        async for chunk in provider.stream(self.messages, self.options):
            if self.heard != mine:  # it was given up, and does not end
                break
            self.began = True
            parts.append(chunk.text)
            length += len(chunk.text)
            usage = chunk.usage or usage
            if length > MOST_TEXT:
                break
            await listener(chunk.text)
        return ModelResponse("".join(parts), usage, info.name)


def _checked(name: str, response: object) -> ModelResponse:
    """A provider may say anything: what is no text, or tokens that are no counts, is a fault."""
    if not isinstance(response, ModelResponse) or not isinstance(response.usage, TokenUsage):
        raise ModelFault(f"{name} answered with {type(response).__name__}, not a ModelResponse")
    usage, text = response.usage, response.text
    counts: tuple[object, ...] = (usage.prompt_tokens, usage.completion_tokens)
    if type(text) is not str or len(text) > MOST_TEXT:
        raise ModelFault(f"{name} answered with no text, or more than {MOST_TEXT:,} characters")
    if not all(type(count) is int and 0 <= count < 1 << 53 for count in counts):
        raise ModelFault(f"{name} says that it used {counts[0]!r:.40} and {counts[1]!r:.40} tokens")
    if usage.cost is not None and not (isfinite(usage.cost) and usage.cost >= 0):
        raise ModelFault(f"{name} says that it cost {usage.cost!r:.40}")
    return response


def priced(response: ModelResponse, info: ModelInfo) -> ModelResponse:
    """With the model's name, and its cost by its prices where it does not say one."""
    usage, model = response.usage, response.model or info.name
    if usage.cost is None:
        usage = TokenUsage(usage.prompt_tokens, usage.completion_tokens, cost_of(info, usage))
    return replace(response, usage=usage, model=model)


__all__ = ["Answered", "Listener", "Router", "priced"]
