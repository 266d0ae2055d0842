"""What an agent may do: one engine through which every step, input, output and memory goes."""

__all__: list[str] = []
