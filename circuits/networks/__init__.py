"""What can become a circuit: ONNX files, their operators, samples and batches, and what onnxruntime
says that they compute."""

__all__: list[str] = []
