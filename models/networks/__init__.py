"""Integer networks and their ONNX form: the shipped policy's layers, and the bounds that keep every
intermediate number inside int64."""

__all__: list[str] = []
