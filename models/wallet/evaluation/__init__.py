"""What a wallet's model is measured by, and never learns from."""

__all__: list[str] = []
