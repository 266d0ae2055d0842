"""Networks of the kinds that users bring, over floats: their circuits round."""

from pathlib import Path

from zkagent.executor.bench.subjects import Say, Subject, saved

TITLES = {
    "mlp": ("mlp-relu", "64-32-8 MLP, float ReLU"),
    "cnn": ("cnn", "CNN, 28 x 28 pixels"),
    "transformer": ("transformer", "one-layer transformer"),
    "trees": ("trees", "forest of 8 trees"),
}


def example(kind: str, folder: Path, say: Say) -> Subject:
    """One of zkagent.models.examples, with all of its samples."""
    from zkagent.models.examples.networks import EXAMPLES

    say("fitting")
    made = EXAMPLES[kind]()
    name, title = TITLES[kind]
    network = saved(made.content, folder, name)
    return Subject(
        name=name,
        title=title,
        family=name,
        network=network,
        samples=made.samples.reshape(-1, *network.inputs[0].shape),
        labels=made.labels,
        accuracy_of=f"{len(made.samples)} samples of its made-up task",
    )


__all__ = ["TITLES", "example"]
