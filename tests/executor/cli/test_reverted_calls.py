"""A run that reverts is shown with the call that was decided on before it."""

import pytest

from zkagent.executor.cli.narrator import Narrator
from zkagent.executor.cli.sending import saying_what_was_sent
from zkagent.executor.runs.errors import RunReverted
from zkagent.executor.runs.events import Event, Planned, StateChanged
from zkagent.models.encoding.decoder import Argument, Decision
from zkagent.models.errors import UnknownModel

CHECKED_IN = Decision("call", "CheckIn", (), (), "", "")
FED = Decision(
    "call",
    "Feed",
    (Argument("asset", "grams", "prompt"), Argument("amount", "200", "prompt")),
    (),
    "",
    "",
)
ASKED = Decision("ask", "answer", (), (), "Which dog?", "")
NOT_HERE = 'NotHere(dog="grams")'
FAILED = f"the run reverts and nothing of it happened: {NOT_HERE}"


def said(*events: Event) -> str:
    tell = Narrator()
    for event in events:
        tell(event)
    with pytest.raises(RunReverted) as caught, saying_what_was_sent(tell):
        raise RunReverted(NOT_HERE, "NotHere", {"dog": "grams"})
    assert (caught.value.name, caught.value.arguments) == ("NotHere", {"dog": "grams"})
    return str(caught.value)


def test_the_last_call_stands_behind_the_error() -> None:
    decided = Planned(0, CHECKED_IN), Planned(1, FED)
    assert said(*decided) == f"{FAILED}, after Feed(asset=grams, amount=200)"


@pytest.mark.parametrize(
    "events",
    [(), (Planned(0, ASKED),), (Planned(0, FED), Planned(1, ASKED))],
    ids=["none", "an answer", "an answer after a call"],
)
def test_where_no_call_was_decided_on_last_none_is_shown(events: tuple[Event, ...]) -> None:
    assert said(*events) == FAILED


def test_a_call_of_an_outdated_plan_is_none_of_the_new_one() -> None:
    assert said(Planned(0, FED), StateChanged(1, "moved")) == FAILED


def test_other_errors_are_as_they_were() -> None:
    tell = Narrator()
    tell(Planned(0, FED))
    with pytest.raises(UnknownModel) as caught, saying_what_was_sent(tell):
        raise UnknownModel("walet", ["wallet"])
    assert "Feed" not in str(caught.value)


def test_a_call_with_a_stranger_s_text_stays_in_its_line() -> None:
    hostile = Decision("call", "Feed", (Argument("asset", "\x1b[2J\nsound", "prompt"),), (), "", "")
    line = said(Planned(0, hostile))
    assert line.isprintable()
