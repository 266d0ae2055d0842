"""Which provider has what was asked for. Proposal: "Model provider selection"."""

from collections.abc import Sequence

from zkagent.executor.runtime.core.models import CallOptions, ModelInfo, TokenUsage
from zkagent.executor.runtime.core.steps import ChatMessage

MILLION = 1_000_000


def misfit(info: ModelInfo, messages: Sequence[ChatMessage], options: CallOptions) -> str | None:
    """What it lacks, in words; None if it fits."""
    if options.model not in (None, info.name):
        return f"is {info.name}, not {options.model}"
    if options.modality not in info.modalities:
        return f"has no {options.modality}"
    if info.max_tokens is not None and options.max_tokens > info.max_tokens:
        return f"answers with {info.max_tokens} tokens, not {options.max_tokens}"
    if missing := sorted(options.needs - info.capabilities):
        return f"cannot {missing[0]}"
    return (
        None
        if options.max_cost is None
        else _too_dear(most_cost(info, messages, options), options.max_cost)
    )


def _too_dear(cost: float | None, most: float) -> str | None:
    if cost is None:
        return f"does not say what it costs, and {most} US dollars are the most"
    return f"may cost {cost:.6f} US dollars" if cost > most else None


def most_cost(
    info: ModelInfo, messages: Sequence[ChatMessage], options: CallOptions
) -> float | None:
    """In US dollars, at most: no tokenizer makes more tokens than there are bytes."""
    prompt = sum(len(message.content.encode()) for message in messages)
    return cost_of(info, TokenUsage(prompt, options.max_tokens))


def cost_of(info: ModelInfo, usage: TokenUsage) -> float | None:
    """In US dollars; None if its prices are not known."""
    if info.cost is None:
        return None
    prompt, completion = info.cost
    return (usage.prompt_tokens * prompt + usage.completion_tokens * completion) / MILLION


__all__ = ["cost_of", "misfit", "most_cost"]
