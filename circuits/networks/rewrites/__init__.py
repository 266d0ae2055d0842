"""From ONNX to ONNX: operators that ezkl lacks, or computes otherwise than they are meant, in terms
of such that it computes as onnxruntime does."""

__all__: list[str] = []
