"""Ties hidden numbers to a circuit, by ONNX nodes in front of the network that change no result.

ezkl 23 leaves two holes, for which the tests mount the attacks:

- **Hashed weights are not those that compute.** A constant that one node uses is hashed in one
  place and assigned anew in another, with no copy constraint between them: a proof shows the hash
  of the true weights and the outputs of others. Only a constant of two uses is laid out once. So
  all weights become one tensor that two inputs of a Concat use, from which each node gathers its
  own; gathering costs no rows. The input stands in the Concat, too, or the reader would compute it.
- **Hidden inputs have no range.** ezkl's own check skips hashed ones, and any element of the field
  passes, with which most outputs can be had. So each hidden input x becomes (x + |x|) - |x|, for
  whose absolute value the circuit must decompose it: |x| < base^legs.

Circuits are made of networks that `tied` gives, and refused unless `check_tied` finds them so.
"""

from zkagent.circuits.halo2.hidden.tying import check_tied, tied

__all__ = ["check_tied", "tied"]
