"""What an audit of a run says where the model's contracts do not answer."""

from typing import Any, cast

import pytest

from zkagent.executor.audit.run import RunContracts
from zkagent.executor.errors import NoAgentThere
from zkagent.verifier_contracts.errors import ChainUnreachable, RevertError

NOTHING = cast(Any, None)
AGENT = "0x" + "a1" * 20


@pytest.mark.parametrize(
    "error", [RevertError("reverted", data=b""), NoAgentThere(AGENT, "no answer")]
)
def test_contracts_of_a_model_that_do_not_answer_are_a_problem(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def model(*given: object) -> Any:
        raise error

    monkeypatch.setattr(RunContracts, "_model", model)
    contracts = RunContracts(NOTHING, NOTHING, NOTHING)
    (found,) = contracts._built(NOTHING, NOTHING, NOTHING)
    assert (found.subject, found.claim) == ("model", "its contracts answer")
    assert (found.held, found.unknown, found.problem) == (False, False, str(error))


def test_a_node_that_does_not_answer_is_no_problem_of_the_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def model(*given: object) -> Any:
        raise ChainUnreachable("http://node", "refused")

    monkeypatch.setattr(RunContracts, "_model", model)
    with pytest.raises(ChainUnreachable):
        list(RunContracts(NOTHING, NOTHING, NOTHING)._built(NOTHING, NOTHING, NOTHING))
