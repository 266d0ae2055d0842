"""What can go wrong in `executor`, as one tree.

ExecutorError
├── ObservationWithoutCall   an observation given after the final answer
└── TrainingExtraMissing     torch is not installed
"""


class ExecutorError(Exception):
    """Root of this package's errors; the message is one line and names the remedy."""


class ObservationWithoutCall(ExecutorError):
    def __init__(self, number: int, answer: str) -> None:
        super().__init__(
            f"observation {number} has no tool call before it: "
            f"the answer was already {answer!r}; leave it out"
        )


class TrainingExtraMissing(ExecutorError):
    def __init__(self) -> None:
        super().__init__("training needs torch: pip install 'zkagent[train]'")
