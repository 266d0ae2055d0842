"""Small public networks of the kinds that users bring, with samples: an MLP, a CNN, a transformer
and a forest of decision trees, all over floats.

They exist to be turned into circuits by tests, the tuner and the benchmarks, and to try
`zkagent circuit build FILE --data FILE` on: `python -m zkagent.models.examples cnn FOLDER` writes
one. They really decide something: features are random, the last layer is fitted, in numpy within
seconds.
"""

__all__: list[str] = []
