"""An agent's memories through its permissions, and who may use whose."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.executor.runtime.memory.stage import done
from zkagent.executor.runtime.core.errors import StepRefused
from zkagent.executor.runtime.core.json_values import Json
from zkagent.executor.runtime.core.permissions import Asked, Verdict
from zkagent.executor.runtime.core.steps import PlanStep
from zkagent.executor.runtime.memory.guarded import (
    Access,
    Guard,
    GuardedCollections,
    GuardedStreams,
)
from zkagent.executor.runtime.memory.in_memory import InMemoryStore

SECRET = "hunter2"


class Redacting:
    """Takes the secret out at the places it looks at; refuses what says `forbidden` anywhere."""

    def __init__(self, *places: str) -> None:
        self.places = places
        self.asked: list[Asked] = []

    async def judge_step(self, asked: Asked, step: PlanStep) -> Verdict:
        return Verdict(True)

    async def judge_value(self, asked: Asked, value: Json) -> Verdict:
        self.asked.append(asked)
        if asked.place not in self.places:
            return Verdict(True, value)
        if "forbidden" in str(value):
            return Verdict(False, None, ("content",), "it is forbidden")
        if isinstance(value, str) and SECRET in value:
            return Verdict(True, value.replace(SECRET, "[secret]"), ("secrets",))
        return Verdict(True, value)


def notes_of(store: InMemoryStore, *places: str, agent: str = "alice") -> GuardedStreams:
    return GuardedStreams(store, Guard(Redacting(*places), agent))


def test_a_write_is_kept_as_the_rules_changed_it() -> None:
    store = InMemoryStore()
    done(notes_of(store, "memory").append("notes", f"it is {SECRET}"))
    assert done(store.streams("alice").read("notes")) == ["it is [secret]"]


def test_a_write_that_is_refused_leaves_nothing() -> None:
    store = InMemoryStore()
    with pytest.raises(StepRefused, match="kept out of memory: it is forbidden") as caught:
        done(notes_of(store, "memory").append("notes", "forbidden"))
    assert caught.value.info == {"rules": ["content"]}
    assert done(store.streams("alice").read("notes")) == []


@pytest.mark.parametrize(
    "names", [(SECRET, "key"), ("facts", f"of {SECRET}"), ("forbidden", "key")]
)
def test_names_are_no_way_around_the_rules(names: tuple[str, str]) -> None:
    facts = GuardedCollections(InMemoryStore(), Guard(Redacting("memory"), "alice"))
    done(facts.write("facts", "key", 1))
    with pytest.raises(StepRefused, match="a name is kept out"):
        done(facts.write(*names, 1))


def test_what_is_recalled_passes_the_rules_as_well() -> None:
    """What others wrote, or what was written before there was a rule."""
    store = InMemoryStore()
    for entry in (f"it is {SECRET}", "forbidden it is", "plain it is"):
        done(store.streams("alice").append("notes", entry))
    notes = notes_of(store, "recall")
    assert done(notes.read("notes")) == ["it is [secret]", "plain it is"]
    assert set(done(notes.search("it is"))) == {"it is [secret]", "plain it is"}


def test_a_single_value_that_is_refused_is_not_said_to_be_missing() -> None:
    store = InMemoryStore()
    done(store.collections("alice").write("facts", "a", "forbidden"))
    facts = GuardedCollections(store, Guard(Redacting("recall"), "alice"))
    assert done(facts.read("facts", "b")) is None
    with pytest.raises(StepRefused, match="forbidden"):
        done(facts.read("facts", "a"))


def test_collections_are_guarded_like_streams() -> None:
    store = InMemoryStore()
    facts = GuardedCollections(store, Guard(Redacting("memory", "recall"), "alice"))
    done(facts.write("facts", "a", {"n": 1}), facts.write("facts", "b", {"n": 1, "t": "open"}))
    done(store.collections("alice").write("facts", "c", {"n": 1, "t": "forbidden open"}))
    assert done(facts.query("facts", {"n": 1})) == [{"n": 1}, {"n": 1, "t": "open"}]
    assert done(facts.search("open")) == [{"n": 1, "t": "open"}]
    done(facts.clear("facts", "a"))
    assert done(facts.read("facts", "a")) is None


def test_an_agent_sees_its_own_memories_alone() -> None:
    store = InMemoryStore()
    alice, bob = notes_of(store), notes_of(store, agent="bob")
    done(alice.append("notes", "balance of alice"), bob.append("notes", "balance of bob"))
    assert done(alice.read("notes")) == ["balance of alice"]
    assert done(alice.search("balance")) == ["balance of alice"]
    assert done(alice.read("/alice/notes")) == ["balance of alice"]
    done(alice.clear("notes"))
    assert done(bob.read("notes")) == ["balance of bob"]


USES: dict[str, Callable[[GuardedStreams], Awaitable[Any]]] = {
    "read": lambda notes: notes.read("/bob/notes"),
    "search": lambda notes: notes.search("balance", stream="/bob/notes"),
    "append": lambda notes: notes.append("/bob/notes", 1),
    "clear": lambda notes: notes.clear("/bob/notes"),
}
ALLOWED = {
    Access(): set(),
    Access(read=("bob/notes",)): {"read", "search"},
    Access(write=("bob/*",)): {"append", "clear"},
    Access(read=("bob/note", "bob", "*/other")): set(),
}


@pytest.mark.parametrize("access", ALLOWED, ids=str)
@pytest.mark.parametrize("use", USES)
def test_another_agent_s_memories_are_used_where_a_rule_says_so(access: Access, use: str) -> None:
    notes = GuardedStreams(InMemoryStore(), Guard(Redacting(), "alice", access))
    if use in ALLOWED[access]:
        done(USES[use](notes))
    else:
        with pytest.raises(StepRefused, match=r"alice may not (read|write) /bob/notes"):
            done(USES[use](notes))


@pytest.mark.parametrize("name", ["/", "//notes", "/bob", "/host/../bob/notes"])
def test_no_other_name_leads_to_another_namespace(name: str) -> None:
    store = InMemoryStore()
    done(store.streams("").append("notes", "of the host"))
    notes = GuardedStreams(store, Guard(Redacting(), "alice", Access(read=("bob/notes",))))
    with pytest.raises(StepRefused):
        done(notes.read(name))


def test_the_rules_hear_whose_run_it_is() -> None:
    rules = Redacting()
    guard = replace(Guard(rules, "alice"), run_id="run-7", step=3)
    done(GuardedStreams(InMemoryStore(), guard).append("notes", 1))
    told = {(each.run_id, each.agent_id, each.step, each.place) for each in rules.asked}
    assert told == {("run-7", "alice", 3, "memory")}
