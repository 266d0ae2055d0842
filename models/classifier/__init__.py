"""Text classifiers for any labelled text file, whose circuits cost what their structure costs.

Hashed n-grams as in the encoder, a learned int8 table, block-diagonal layers with permutations
between them, squares for activation. Three sizes; called by `zkagent model train-classifier` and
by the benchmarks.
"""

__all__: list[str] = []
