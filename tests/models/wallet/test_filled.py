"""The lines of the older corpus as messages: filled whole, and labelled with what they ask for."""

import re

from zkagent.models.wallet.text.filled import AUTHORS, filled
from zkagent.models.wallet.text.tagged import tagged
from zkagent.models.wallet.text.written import messages

FOUND = list(filled())


def test_they_are_the_same_each_time_and_nobody_elses() -> None:
    assert list(filled()) == FOUND
    assert {message.writer for message in FOUND} == {AUTHORS}
    assert AUTHORS not in {message.writer for message in messages()}
    assert len(FOUND) > 16_000


def test_no_mark_is_left_unfilled() -> None:
    assert not [m.text for m in FOUND if re.search(r"<\w>|~[a-z]|\{(?![ABCD]\})", m.text)]


def test_a_call_says_what_stands_in_its_line() -> None:
    calls = [(message, call) for message in FOUND for call in message.calls]
    assert len(calls) > 6_000
    for message, call in calls:
        assert call.asset == "all" or call.asset.lower() in message.text.lower()
        assert call.recipient in message.text
    assert {message.kind for message, _ in calls} == {"plain", "view"}


def test_nearly_all_have_tags_that_say_them() -> None:
    asking = [message for message in FOUND if message.calls]
    without = sum(each is None for each in tagged(asking))
    assert without < len(asking) / 20
