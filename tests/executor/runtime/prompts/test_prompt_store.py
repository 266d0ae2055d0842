"""Prompts in a database: versions stay, changes are told, what was tampered with is noticed."""

import asyncio
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from zkagent.executor.runtime.core.errors import PromptFault, StepRefused
from zkagent.executor.runtime.core.json_values import Json, JsonObject
from zkagent.executor.runtime.core.permissions import Asked, Verdict
from zkagent.executor.runtime.core.steps import PlanStep
from zkagent.executor.runtime.memory.encrypted import new_key
from zkagent.executor.runtime.memory.in_memory import InMemoryStore
from zkagent.executor.runtime.memory.sqlite import open_sqlite
from zkagent.executor.runtime.prompts.blocking import SyncPromptStore
from zkagent.executor.runtime.prompts.store import COLLECTION, PromptStore
from zkagent.executor.runtime.prompts.template import NewTemplate

GREETING = NewTemplate("greeting", "Answer {{ name }} in one line.", tags=("short",))


@dataclass
class Told:
    changes: list[JsonObject] = field(default_factory=list)
    fails: bool = False

    async def __call__(self, change: JsonObject) -> None:
        if self.fails:
            raise OSError("the audit log is full")
        self.changes.append(change)


class NoSecrets:
    """Refuses what is forbidden and takes secrets out."""

    asked: Asked | None = None

    async def judge_step(self, asked: Asked, step: PlanStep) -> Verdict:
        return Verdict(True)

    async def judge_value(self, asked: Asked, value: Json) -> Verdict:
        self.asked = asked
        if "forbidden" in str(value):
            return Verdict(False, None, ("content",), "it is forbidden")
        if "hunter2" in str(value):
            return Verdict(True, str(value).replace("hunter2", "[secret]"), ("secrets",))
        return Verdict(True, value)


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def store(told: Told) -> PromptStore:
    return PromptStore(InMemoryStore().collections(), audit=told)


@pytest.fixture
def prompts(store: PromptStore) -> SyncPromptStore:
    return SyncPromptStore(store)


def test_what_is_put_is_rendered_and_says_its_version(prompts: SyncPromptStore) -> None:
    made = prompts.put(GREETING, author="ann")
    rendered = prompts.render("greeting", {"name": "Bob"})
    assert rendered.text == "Answer Bob in one line."
    assert (rendered.template, rendered.version) == ("greeting", made.version)
    assert rendered.tokens_estimate == 6  # of 23 bytes
    assert (made.created_by, made.required_vars) == ("ann", ("name",))


def test_an_old_version_stays(prompts: SyncPromptStore) -> None:
    first = prompts.put(GREETING)
    second = prompts.put(replace(GREETING, text="Greet {{ name }}."))
    assert prompts.get("greeting") == second
    assert prompts.get("greeting", first.version) == first
    old = prompts.render("greeting", {"name": "B"}, version=first.version)
    assert old.text == "Answer B in one line."
    assert [one.version for one in prompts.versions("greeting")] == [first.version, second.version]


@pytest.mark.parametrize(
    "change",
    [{"text": "x"}, {"name": "n"}, {"tags": ()}, {"metadata": {"a": 1}}, {"required_vars": ()}],
    ids=str,
)
def test_any_other_content_is_another_version(prompts: SyncPromptStore, change: Any) -> None:
    first, same = prompts.put(GREETING, author="ann"), prompts.put(GREETING, author="bob")
    assert same == first
    assert prompts.put(replace(GREETING, **change)).version != first.version


def test_an_old_text_that_is_put_again_is_current_again(prompts: SyncPromptStore) -> None:
    first = prompts.put(GREETING)
    prompts.put(replace(GREETING, text="x"))
    assert prompts.put(GREETING) == first == prompts.get("greeting")
    assert len(prompts.versions("greeting")) == 2


def test_what_is_not_there_is_none_and_cannot_be_rendered(prompts: SyncPromptStore) -> None:
    prompts.put(GREETING)
    assert prompts.get("other") is None
    assert prompts.get("greeting", "0" * 32) is None
    for wrong in (("other", None), ("greeting", "0" * 32)):
        with pytest.raises(PromptFault, match="there is no prompt"):
            prompts.render(wrong[0], {"name": "B"}, version=wrong[1])


def test_changes_are_told_before_they_are_current(store: PromptStore, told: Told) -> None:
    prompts = SyncPromptStore(store)
    first = prompts.put(GREETING, author="ann")
    second = prompts.put(replace(GREETING, text="x"), author="bob")
    told.fails = True
    with pytest.raises(OSError, match="full"):
        prompts.put(replace(GREETING, text="y"), author="eve")
    assert prompts.get("greeting") == second
    assert [(c["event"], c["who"], c["version"], c["previous"]) for c in told.changes] == [
        ("prompt_put", "ann", first.version, None),
        ("prompt_put", "bob", second.version, first.version),
    ]
    assert told.changes[0]["digest"] == first.digest
    assert told.changes[0]["at"]


def test_a_missing_variable_is_a_fault_or_left_empty_and_named(prompts: SyncPromptStore) -> None:
    prompts.put(GREETING)
    with pytest.raises(PromptFault, match="wants name"):
        prompts.render("greeting", {"nom": "B"})
    rendered = prompts.render("greeting", throw_on_missing=False)
    assert (rendered.text, rendered.missing) == ("Answer  in one line.", ("name",))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"text": "{{ name() }}"}, "call is not of the language"),
        ({"text": "{{ name"}, "cannot be read"),
        ({"required_vars": ("name", "age")}, "age is required"),
        ({"engine": "mustache"}, "the engine is one of"),
        ({"id": "a/b"}, "a prompt's id"),
        ({"id": ""}, "a prompt's id"),
        ({"metadata": {"a": float("nan")}}, "nan"),
    ],
    ids=str,
)
def test_what_is_no_prompt_is_refused_when_it_is_put(
    prompts: SyncPromptStore, told: Told, change: Any, words: str
) -> None:
    with pytest.raises(PromptFault, match=words):
        prompts.put(replace(GREETING, **change))
    assert (told.changes, prompts.list()) == ([], ())


def test_validation_says_all_that_is_wrong(prompts: SyncPromptStore) -> None:
    assert prompts.validate("{{ name }}", ("name",)).ok
    found = prompts.validate("{{ name }}", ("name", "age"))
    assert (found.ok, found.errors) == (False, ("age is required, and the text does not take it",))
    assert len(prompts.validate("{{ a() }}{{ b ~ c }}").errors) == 2


def test_prompts_are_listed_by_tag_and_name(prompts: SyncPromptStore) -> None:
    prompts.put(GREETING)
    prompts.put(replace(GREETING, text="Greet {{ name }}."))
    prompts.put(NewTemplate("bye", "Bye.", name="farewell", tags=("short", "old")))
    assert [one.id for one in prompts.list()] == ["bye", "greeting"]
    assert [one.id for one in prompts.list(tag="old")] == ["bye"]
    assert [one.text for one in prompts.list(name="")] == ["Greet {{ name }}."]
    assert prompts.list(tag="none") == ()


@pytest.mark.parametrize(
    "where", ["text", "required_vars", "tags", "metadata", "name", "id", "kind"]
)
def test_a_row_that_somebody_changed_is_noticed(store: PromptStore, where: str) -> None:
    prompts = SyncPromptStore(store)
    made = prompts.put(GREETING)
    row: Any = {**made.to_json()}
    row[where] = ["evil"] if isinstance(row[where], list) else "evil"
    asyncio.run(store.database.write(COLLECTION, f"greeting/{made.version}", row))
    for use in (prompts.get, lambda name: prompts.render(name, {"name": "B"})):
        with pytest.raises(PromptFault, match="is not what was put there"):
            use("greeting")


@pytest.mark.parametrize("row", ["text", {"version": 7}, {}, []], ids=str)
def test_a_pointer_that_somebody_changed_is_noticed(store: PromptStore, row: Any) -> None:
    prompts = SyncPromptStore(store)
    prompts.put(GREETING)
    asyncio.run(store.database.write(COLLECTION, "greeting", row))
    with pytest.raises(PromptFault, match="put it again"):
        prompts.get("greeting")


def test_a_version_that_somebody_deleted_is_noticed(store: PromptStore) -> None:
    prompts = SyncPromptStore(store)
    made = prompts.put(GREETING)
    asyncio.run(store.database.clear(COLLECTION, f"greeting/{made.version}"))
    with pytest.raises(PromptFault, match="is gone"):
        prompts.get("greeting")
    assert prompts.get("greeting", made.version) is None


def test_rendered_prompts_pass_the_permissions() -> None:
    rules = NoSecrets()
    prompts = SyncPromptStore(PromptStore(InMemoryStore().collections(), rules))
    prompts.put(GREETING)
    asked = Asked("run-7", "alice", 3, "prompt", 0.0)
    rendered = prompts.render("greeting", {"name": "hunter2"}, asked=asked)
    assert (rendered.text, rendered.changed_by) == ("Answer [secret] in one line.", ("secrets",))
    assert rules.asked == asked
    with pytest.raises(StepRefused, match="the prompt is refused: it is forbidden"):
        prompts.render("greeting", {"name": "forbidden"})


@pytest.mark.parametrize(("text", "words"), [("I am hunter2", "secrets"), ("forbidden", "refused")])
def test_a_template_that_the_rules_would_change_is_not_kept(text: str, words: str) -> None:
    prompts = SyncPromptStore(PromptStore(InMemoryStore().collections(), NoSecrets()))
    with pytest.raises(StepRefused, match=words) as caught:
        prompts.put(NewTemplate("a", text))
    assert "hunter2" not in str(caught.value)
    assert not prompts.validate(text).ok
    assert prompts.list() == ()


def test_two_who_put_at_once_lose_no_version(store: PromptStore) -> None:
    async def both() -> None:
        texts = [f"text {number}" for number in range(10)]
        await asyncio.gather(*(store.put(replace(GREETING, text=text)) for text in texts))

    asyncio.run(both())
    prompts = SyncPromptStore(store)
    assert len(prompts.versions("greeting")) == 10
    assert prompts.get("greeting") in prompts.versions("greeting")


def test_parameters_are_json(prompts: SyncPromptStore) -> None:
    prompts.put(GREETING)
    for bad in (object(), float("inf"), {1: 2}, "x" * (1 << 20)):
        with pytest.raises(PromptFault, match="the parameters"):
            prompts.render("greeting", {"name": bad})  # type: ignore[dict-item]


def test_prompts_are_kept_in_a_file_and_waited_for_within_a_loop(tmp_path: Path) -> None:
    new_key(tmp_path / "key")
    opened = open_sqlite(tmp_path / "prompts.db", key_file=tmp_path / "key")
    SyncPromptStore(PromptStore(opened.collections())).put(GREETING)
    asyncio.run(opened.close())

    async def later() -> str:
        again = open_sqlite(tmp_path / "prompts.db", key_file=tmp_path / "key")
        prompts = SyncPromptStore(PromptStore(again.collections()))
        text = prompts.render("greeting", {"name": "Bob"}).text
        await again.close()
        return text

    assert asyncio.run(later()) == "Answer Bob in one line."
