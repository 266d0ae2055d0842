"""What of a wrong type is given to `import zkagent`: an error of ours that names it."""

from collections.abc import Callable
from typing import Any

import pytest

import zkagent
from zkagent.errors import ZkagentError

given: Any = 5
ones: Any = b"wallet"
CALLS: dict[str, Callable[[], object]] = {
    "model is 5, expected a model": lambda: zkagent.decide(given, "hello"),
    "model is b'wallet', expected a model": lambda: zkagent.decide(ones, "hello"),
    "prompt is 5, expected a text": lambda: zkagent.decide("wallet", given),
    "prompt is b'wallet', expected": lambda: zkagent.encode("wallet", ones),
    "observations is 'so', expected a list": lambda: zkagent.decide("wallet", "hello", "so"),
    "observations is 5, expected a list": lambda: zkagent.encode("wallet", "hello", given),
    "observations is b'wallet'": lambda: zkagent.decide("wallet", "withdraw 5 USDC", [ones]),
    "symbols is 'DAI', expected a list": lambda: zkagent.decide("wallet", "hello", symbols="DAI"),
    "model is None, expected a model": lambda: zkagent.build_circuit(None),  # type: ignore[arg-type]
    "srs is 5, expected a path": lambda: zkagent.build_circuit("wallet", srs=given),
    "path is 5, expected a path": lambda: zkagent.build_circuit("wallet", data=given),
    "tolerance is '1', expected a number": lambda: zkagent.build_circuit(
        "wallet",
        data="no.npz",
        tolerance="1",  # type: ignore[arg-type]
    ),
    "timeout_s is '1', expected seconds": lambda: zkagent.prove(given, [1], timeout_s="1"),  # type: ignore[arg-type]
    "receipt is 5, expected a path": lambda: zkagent.verify_receipt(given),
    "receipt is b'wallet', expected": lambda: zkagent.verify_receipt(ones),
    "at 5 .*expected an address": lambda: zkagent.ServiceClient(given),
    "at None .*expected an address": lambda: zkagent.AsyncServiceClient(None),  # type: ignore[arg-type]
    "key cannot be an API key: it is no text": lambda: zkagent.ServiceClient("http://h", key=given),
}


@pytest.mark.parametrize("told", CALLS)
def test_it_is_refused_in_a_line_that_names_it(told: str) -> None:
    with pytest.raises(ZkagentError, match=told) as refused:
        CALLS[told]()
    assert "\n" not in str(refused.value)
