import json

import pytest

from tests.assurance.static_analysis import TRIAGE, compare, place, triaged

READ = {("reentrancy", "Executor.run"): 1}


def test_what_was_read_is_no_problem():
    assert compare(READ, READ) == []


def test_a_new_finding_is_told():
    found = {**READ, ("unused-return", "Executor.run"): 1}
    assert compare(found, READ) == [
        "unused-return in Executor.run: 1 found, 0 in triage.json; read it"
    ]


def test_one_more_finding_of_a_known_kind_is_told():
    assert compare({("reentrancy", "Executor.run"): 2}, READ) == [
        "reentrancy in Executor.run: 2 found, 1 in triage.json; read it"
    ]


def test_an_entry_that_nothing_answers_to_is_told():
    assert compare({}, READ) == [
        "reentrancy in Executor.run: 1 in triage.json, 0 found; correct it"
    ]


def test_every_entry_has_a_reason():
    entries = json.loads(TRIAGE.read_text())
    assert triaged(entries).total() > 0
    with pytest.raises(ValueError, match="no reason"):
        triaged([{**entries[0], "reason": " "}])


def test_a_place_is_a_contract_and_a_function():
    contract = {"type": "contract", "name": "Executor"}
    function = {
        "type": "function",
        "name": "run",
        "type_specific_fields": {"parent": contract},
    }
    variable = {
        "type": "variable",
        "name": "x",
        "type_specific_fields": {"parent": function},
    }
    assert place({"elements": [function]}) == "Executor.run"
    assert place({"elements": [variable]}) == "Executor.run"
