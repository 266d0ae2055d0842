"""What only a node says is said to be that, before and after a deployment."""

from zkagent.executor.cli.called import Called
from zkagent.executor.cli.deploy import _foundation_lines
from zkagent.verifier_contracts.chain.code import created_address
from zkagent.verifier_contracts.deployment.foundations import Foundations
from zkagent.verifier_contracts.deployment.record import Token

ONE, TWO, THREE = ("0x" + digit * 40 for digit in "123")


def test_what_a_deployment_builds_on_is_shown_and_what_the_node_says_of_it() -> None:
    there = Foundations(ONE, TWO, None, None, (Token("USD\nC", THREE, 6),))
    executor, registry, token = _foundation_lines(there)
    assert executor == f"uses executor {TWO}"
    assert registry == f"uses registry {ONE}, which is the executor's by the node's word"
    assert token.endswith(f" {THREE}: its 6 decimals are the node's word")
    assert "\n" not in token
    assert _foundation_lines(Foundations(registry=ONE)) == [f"uses registry {ONE}"]
    assert _foundation_lines(Foundations()) == []


def test_a_contract_that_tools_call_is_the_agent_s_own_or_given_or_said_to_be_a_node_s_word() -> (
    None
):
    assert Called(ONE, 3).of(TWO, ()) == created_address(TWO, 3)
    assert Called(ONE, 0).of(TWO, (7, ONE)) == ONE
    said = Called(ONE, 0).of(TWO, (TWO,))
    assert said.startswith(f"{ONE}, as the node says: ")
    assert "zkagent agent audit" in said
