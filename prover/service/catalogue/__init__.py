"""What the service can prove, and the processes in which it checks proofs."""

__all__: list[str] = []
