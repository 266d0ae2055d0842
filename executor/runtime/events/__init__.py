"""What a run tells while it happens: typed events, a bus, and sinks that keep or count them."""

__all__: list[str] = []
