"""What crosses the network between the service and its clients: schemas and plain values."""

__all__: list[str] = []
