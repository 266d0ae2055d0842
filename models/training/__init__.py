"""How an integer network is trained: the only use of torch beside the classifier's."""

__all__: list[str] = []
