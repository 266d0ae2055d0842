"""Decisions of a model alone, as `zkagent decide` and `import zkagent` give them."""

from pathlib import Path

import pytest

from tests.support.classifiers import random_classifier
from zkagent.executor.api.decisions import decide, encode
from zkagent.executor.errors import ObservationWithoutCall
from zkagent.models.catalogue import Model, load_model
from zkagent.models.encoding.book import plain_book
from zkagent.models.encoding.context import Context
from zkagent.models.errors import PromptNotAscii, UnknownModel, WrongKind

BALANCE = "The balance is: 120.5 USDC in the pool, 30 USDC in the wallet"


@pytest.fixture(scope="module")
def wallet() -> Model:
    return load_model("wallet")


def test_a_decision_follows_from_the_observations_so_far(wallet: Model) -> None:
    prompt = "withdraw all my USDC"
    assert decide(wallet, prompt).action == "ViewBalance"
    withdrawn = decide(wallet, prompt, [BALANCE])
    assert withdrawn.action == "Withdraw"
    assert [a.text for a in withdrawn.arguments] == ["USDC", "120.5"]
    assert decide(wallet, prompt, [BALANCE, "Successfully withdrawn"]).kind == "report"


def test_a_model_is_itself_or_named(wallet: Model) -> None:
    prompt = "deposit 5 USDC"
    assert decide("wallet", prompt) == decide(wallet, prompt)
    assert encode("wallet", prompt) == encode(wallet, prompt)
    with pytest.raises(UnknownModel, match="walet"):
        decide("walet", prompt)


def test_an_observation_after_the_answer_is_refused(wallet: Model) -> None:
    with pytest.raises(ObservationWithoutCall, match="observation 1 has no tool call before it"):
        decide(wallet, "what is the weather like?", ["sunny"])


def test_the_features_are_those_that_the_decision_follows_from(wallet: Model) -> None:
    prompt = "withdraw all my USDC"
    book = plain_book(wallet.manifest.symbols)
    assert encode(wallet, prompt) == wallet.encode(Context(prompt.encode(), (), book))
    assert encode(wallet, prompt, [BALANCE]) != encode(wallet, prompt)


def test_a_further_symbol_is_known_when_the_book_lists_it(wallet: Model) -> None:
    prompt = "deposit 5 PEPE"
    assert decide(wallet, prompt).action == "answer"
    assert decide(wallet, prompt, symbols=["PEPE"]).action == "Deploy"


@pytest.mark.parametrize("ask", [decide, encode])
def test_what_no_agent_can_read_is_refused(ask, wallet: Model) -> None:  # type: ignore[no-untyped-def]
    for prompt in ("café", "half of a pair \ud800"):
        with pytest.raises(PromptNotAscii):
            ask(wallet, prompt)


def test_a_text_classifier_has_features_and_no_decisions(tmp_path: Path) -> None:
    classifier = random_classifier(tmp_path)
    assert encode(classifier, "play some jazz") == classifier.features("play some jazz")
    with pytest.raises(WrongKind):
        decide(classifier, "play some jazz")
    with pytest.raises(WrongKind):
        encode(classifier, "play some jazz", ["played"])
