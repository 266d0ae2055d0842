"""What a proof says in the words of its model: a decision or a label, else the network's numbers.

Called by `zkagent prove`, which writes it into the proof's file, and by `zkagent verify`, which
makes all of it again before it believes a word.
"""

from zkagent.circuits.artifacts import About, Circuit, Proof
from zkagent.circuits.support.cache import file_digest
from zkagent.executor.api.decisions import decode_first, encode
from zkagent.executor.errors import CannotVerify
from zkagent.models.catalogue import AnyModel, load_model, shipped_models
from zkagent.models.classifier.files import TextClassifier
from zkagent.models.errors import ModelError


def about(model: AnyModel, prompt: str, proof: Proof) -> About:
    """What to write beside a proof whose x was made of `prompt`. Raises RefusedText,
    RefusedArgument, OutputOutOfRange."""
    if isinstance(model, TextClassifier):
        return About(model.name, prompt, model.best(proof.outputs))
    return About(model.name, prompt, decode_first(model, prompt, proof.outputs).words)


def objection(proof: Proof, circuit: Circuit, given: AnyModel | None = None) -> str:
    """Why what the file says of a proof is not so; empty where it is, or where it says nothing.

    given: the model to ask, by default the shipped one of the name in the file. Raises CannotVerify
    for a name that is none of these, and for another decision than an agent's model comes to here,
    since other versions decide by other rules: nobody here can tell what the proof says.
    """
    if proof.about is None:
        return ""
    model = given or _shipped(proof.about.model)
    if model is None:
        raise CannotVerify(
            f"what {proof.about.model!r} decides is not known here: give its folder as --model"
        )
    if file_digest(model.onnx_path) != circuit.origin.onnx:
        return f"its circuit is not one of the model {proof.about.model!r}"
    try:
        if encode(model, proof.about.prompt) != proof.inputs:
            return f"its inputs are not those of the text {proof.about.prompt!r}"
        found = about(model, proof.about.prompt, proof)
    except ModelError as exc:
        return f"the text {proof.about.prompt!r} leads to no decision: {exc}"
    if found == proof.about:
        return ""
    if isinstance(model, TextClassifier):  # the label of the highest score, in every version
        return f"the decision is {found.decision!r}, not as it says"
    raise CannotVerify(
        f"the decision is {found.decision!r} by this version, which is not as the file says: "
        "another version may decide so, or nobody"
    )


def _shipped(name: str) -> AnyModel | None:
    return load_model(name) if name in shipped_models() else None


__all__ = ["about", "objection"]
