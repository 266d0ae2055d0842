"""Tools off chain and on: what an agent may call, each behind the same small contract."""

__all__: list[str] = []
