"""Finds the cheapest sound settings of a network's circuit: by a cost model, then by measuring.

Called by `zkagent circuit tune` and by the benchmarks. Integer networks keep their exactness, so
only the layout of their cells is searched; networks with fractions are also searched for scales,
decompositions and tables, and held to onnxruntime's decisions on the user's samples. The rules of
zkagent.circuits.halo2.settings hold throughout.
"""

__all__: list[str] = []
