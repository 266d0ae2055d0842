"""Language models: what a client must do, and which one is asked."""

__all__: list[str] = []
