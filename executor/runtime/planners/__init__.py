"""Who decides the next step: a script, a language model, or a model whose decisions are proven."""

__all__: list[str] = []
