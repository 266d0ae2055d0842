"""A reader fitted to one agent: what is chosen, and what is reported of prompts left out."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from zkagent.models.agents.reader import ReaderModel
from zkagent.models.agents.trial import called_by, context_of, try_prompts
from zkagent.models.agents.tuning import (
    CAUTIONS,
    NOTHING,
    Judged,
    Prompt,
    figures,
    folds,
    tune,
)
from zkagent.models.catalogue import load_decider
from zkagent.models.reader.agent_tools import AgentTools
from zkagent.models.reader.labelled import MOST_EXAMPLES
from zkagent.models.reader.tuned import tuned_of

REST = ["rest", "sleep for a while", "have a nap", "lie down", "recover", "go to bed", "doze off"]
REST += ["catch your breath", "regain your strength", "snooze", "take a break", "sleep it off"]
DANCE = [
    "dance",
    "do a waltz",
    "boogie with me",
    "let us tango",
    "shake it",
    "dance the night away",
]
DANCE += ["twirl around", "move to the music", "do the twist", "dance a jig", "swing", "samba"]
NOTHINGS = ["what a lovely morning", "who are you", "pay bob 5 USDC", "open the chest", "thanks"]
NOTHINGS += ["what is the weather like", "tell me a story", "where am I", "sell my axe", "hello"]


def said(**changes: Any) -> AgentTools:
    tools = [
        {"tool": "Rest", "description": "Sleep until strength is back", "means": REST},
        {"tool": "Dance", "description": "Dance to music", "means": DANCE},
    ]
    return AgentTools.model_validate({"tools": tools, "nothing": NOTHINGS} | changes)


@pytest.fixture(scope="module")
def model() -> ReaderModel:
    found = load_decider("reader")
    assert isinstance(found, ReaderModel)
    return found


def test_what_is_chosen_are_prompts_of_the_tool_eight_at_most(model: ReaderModel) -> None:
    found = tune(model, said())
    for examples, prompts in zip(found.examples, (REST, DANCE), strict=True):
        assert 0 < len(examples) <= MOST_EXAMPLES
        assert set(examples) <= set(prompts)
        assert len(set(examples)) == len(examples)
    assert (found.after.prompts, found.after.nothing) == (24, 10)
    assert found.caution in CAUTIONS


def test_the_same_seed_chooses_the_same(model: ReaderModel) -> None:
    assert tune(model, said()) == tune(model, said())


def test_eight_prompts_or_fewer_are_all_said(model: ReaderModel) -> None:
    few = said(tools=[{"tool": "Rest", "description": "Sleep", "means": REST[:8]}])
    assert tune(model, few).examples == (tuple(REST[:8]),)


def test_without_prompts_nothing_is_chosen_and_nothing_reported(model: ReaderModel) -> None:
    found = tune(model, said(tools=[{"tool": "Rest", "description": "Sleep"}], nothing=[]))
    assert (found.examples, found.caution) == (((),), 0)
    assert (found.after.prompts, found.after.accuracy, found.after.nothing_acted) == (0, None, None)


def test_where_little_is_known_the_model_s_own_margins_stay(model: ReaderModel) -> None:
    assert tune(model, said(nothing=NOTHINGS[:9])).caution == 0


def test_what_is_reported_are_prompts_that_were_not_learned_from() -> None:
    rows = [Prompt(text, means) for means, texts in enumerate((REST, DANCE)) for text in texts]
    rows += [Prompt(text, NOTHING) for text in NOTHINGS]
    left_out: list[Prompt] = []
    for kept, left in folds(rows, 1):
        assert not set(kept) & set(left)
        assert set(kept) | set(left) == set(rows)
        assert 2 <= sum(row.means == 0 for row in left) <= 3
        left_out += left
    assert sorted(left_out, key=str) == sorted(rows, key=str)


def test_shares_are_counted_by_what_would_be_called() -> None:
    judged = [
        Judged(0, 0, 2.0, 2.0, filled=True),
        Judged(0, 0, 2.0, 2.0, filled=False),  # asks for an argument
        Judged(0, 1, 2.0, 2.0, filled=True),  # calls another tool
        Judged(1, 1, 0.5, 2.0, filled=True),  # is not ahead enough
        Judged(NOTHING, 0, 2.0, 2.0, filled=True),
        Judged(NOTHING, 0, 2.0, 0.5, filled=True),
        Judged(NOTHING, 0, 2.0, 2.0, filled=False),
    ]
    found = figures(judged, ["A", "B"], (1.0, 1.0))
    assert (found.prompts, found.accuracy) == (4, 0.75)
    assert (found.acts_right, found.wrong_acts) == (0.25, 0.25)
    assert (found.nothing, found.nothing_acted) == (3, 0.3333)
    assert (found.worst, found.worst_accuracy) == ("A", 0.6667)
    strict = figures(judged, ["A", "B"], (3.0, 3.0))
    assert (strict.acts_right, strict.wrong_acts, strict.nothing_acted) == (0, 0, 0)


def test_an_agent_that_is_surer_calls_less(model: ReaderModel) -> None:
    tools = said()
    examples = [tool.means[:8] for tool in tools.tools]
    prompts = [*REST, *DANCE, *NOTHINGS]
    called = [
        sum(called_by(model, context_of(tools, examples, caution, p)) is not None for p in prompts)
        for caution in (1, 100, 300, 700, 100_000)
    ]
    assert called == sorted(called, reverse=True)
    assert called[0] > called[-1] == 0


def test_what_was_chosen_with_another_reader_is_said_to_be(
    model: ReaderModel, tmp_path: Path
) -> None:
    (tmp_path / "tools.yaml").write_text(yaml.safe_dump(said().model_dump(mode="json")))
    assert not try_prompts(model, tmp_path).is_stale
    for digest, stale in ((model.digest, False), ("0" * 64, True)):
        tuned = tuned_of(said(), digest, ((), ()), 0, {})
        (tmp_path / "tuned.json").write_text(tuned.to_json())
        found = try_prompts(model, tmp_path)
        assert found.is_stale is stale
        assert any("STALE" in line for line in found.lines()) is stale


def test_a_prompt_that_cannot_be_read_calls_nothing(model: ReaderModel) -> None:
    examples = [tool.means[:8] for tool in said().tools]
    assert called_by(model, context_of(said(), examples, 0, "caf\u00e9, then rest")) is None
