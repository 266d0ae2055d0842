"""The states that a run of the wallet goes through, and what is right in each, whoever wrote the
prompt: what training aims at."""

from zkagent.models.training.training_data import Target

#: Actions in order of their scores in y.
ACTIONS = ("ViewBalance", "Deploy", "Withdraw", "Transfer", "report", "ask", "decline")
VIEW, REPORT, ASK, DECLINE = 0, 4, 5, 6
#: Where the whole balance is: what is withdrawn lies in the pool, the rest in the wallet.
PROMPT, POOL, WALLET = 0, 1, 2


def carried_out(action: str, *, everything: bool) -> list[Target]:
    """A call is asked for, of an amount that the prompt says, or of the whole balance."""
    tool = ACTIONS.index(action)
    if not everything:
        return [state({tool}, source=PROMPT), state({REPORT}, done=tool),
                state({tool}, viewed=1, readable=True, source=PROMPT)]  # fmt: skip
    source = POOL if action == "Withdraw" else WALLET
    return [
        state({VIEW}),
        state({tool}, viewed=1, readable=True, source=source),
        state({REPORT, ASK}, viewed=1),
        state({REPORT}, viewed=1, done=tool),
    ]


def looked_up() -> list[Target]:
    """A balance is asked for."""
    return [state({VIEW}), state({REPORT}, viewed=1, readable=True),
            state({REPORT}, viewed=1)]  # fmt: skip


def held_back(answers: set[int]) -> list[Target]:
    """Nothing moves, nor does it where a balance was looked up first."""
    return [state(answers), state({ASK, DECLINE, REPORT}, viewed=1, readable=True)]


def state(
    allowed: set[int],
    viewed: int = 0,
    done: int | None = None,
    readable: bool = False,
    source: int | None = None,
) -> Target:
    taken = [viewed, 0, 0, 0]
    if done is not None:
        taken[done] += 1
    return Target(tuple(taken), readable, frozenset(allowed), source)


__all__ = ["ACTIONS", "ASK", "DECLINE", "POOL", "PROMPT", "REPORT", "VIEW", "WALLET"]
__all__ += ["carried_out", "held_back", "looked_up", "state"]
