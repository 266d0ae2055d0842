"""What of a proof is public, and what is said of the rest."""

import itertools

import pytest

from zkagent.circuits.visibility import KNOWN, OF_INPUTS, OF_OUTPUTS, OF_WEIGHTS, OPEN, Visibility


def test_only_where_nothing_is_hidden_a_visibility_is_open() -> None:
    every = [Visibility(*each) for each in itertools.product(OF_INPUTS, OF_OUTPUTS, OF_WEIGHTS)]
    assert [each for each in every if each.open] == [OPEN]
    hiding = [each for each in every if not each.hides_values]
    assert {(each.inputs, each.outputs) for each in hiding} == {("public", "public")}


@pytest.mark.parametrize("name", ["inputs", "outputs", "weights"])
def test_other_words_are_refused(name: str) -> None:
    for word in ("Public", "", "polycommit", "fixed" if name != "weights" else "public"):
        with pytest.raises(ValueError, match=f"{name} are '{word}', expected"):
            Visibility(**{name: word})
    with pytest.raises(ValueError, match="expected public or hashed"):
        Visibility(outputs="private")


def test_each_hidden_part_has_a_line_of_what_is_known_of_it() -> None:
    assert OPEN.known == ()
    assert Visibility("private", "hashed", "private").known == (
        KNOWN["inputs", "private"],
        KNOWN["outputs", "hashed"],
        KNOWN["weights", "private"],
    )
    assert "bound to nothing" in Visibility(weights="private").known[0]
    assert Visibility("hashed").words == "inputs hashed, outputs public, weights fixed"
