"""What the prover cannot choose: encoder, model and decoder as exact integer arithmetic.

Training lives here too and is the only user of torch; the shipped models are ONNX files, so that
everything but training works without it. Nothing here knows about circuits, proofs or chains.
"""

__all__: list[str] = []
