"""A set-up that several people make, of whom one honest one suffices: files of snarkjs, so that
strangers contribute with the standard tool.

files.py does what `zkagent ceremony` offers. snarkjs computes keys and compares them with circuit
and powers of tau; who follows whom is checked here (transcript.py).
"""

__all__: list[str] = []
