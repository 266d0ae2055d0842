"""The models of the loan agent and the credit-score agent: wordings, training, evaluation."""

__all__: list[str] = []
