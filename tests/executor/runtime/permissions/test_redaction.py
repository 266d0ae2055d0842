"""Secrets and people's data become tokens, wherever they stand; what looks like them stays."""

import json
import time
import unicodedata
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.executor.runtime.permissions.asking import verdict
from tests.executor.runtime.permissions.samples import (
    Sample,
    card,
    fours,
    iban,
    jwt,
    negatives,
    pem,
    phrase,
    positives,
)
from zkagent.executor.runtime.core.errors import AgentConfigRefused
from zkagent.executor.runtime.core.permissions import Place
from zkagent.executor.runtime.permissions.defaults import default_permissions
from zkagent.executor.runtime.permissions.engine import PermissionEngine
from zkagent.executor.runtime.permissions.redaction.kinds import DETECTORS, KINDS, detectors
from zkagent.executor.runtime.permissions.redaction.redactor import Redactor
from zkagent.executor.runtime.permissions.redaction.vault import MOST_RUNS, TAKEN, Vault, Vaults
from zkagent.executor.runtime.permissions.redactions import Redaction

ALL = Redactor(detectors(KINDS))
CARD, OTHER = "4111 1111 1111 1111", "5500 0000 0000 0004"


def redacted(value: Any) -> Any:
    return ALL.redact(value, Vault())[0]


def written(value: Any) -> str:
    """All that a value says, however it is written down."""
    return json.dumps(value) + json.dumps(value, ensure_ascii=False) + str(value)


@pytest.mark.parametrize("seed", [1, 11])
def test_what_is_planted_is_found(seed: int) -> None:
    samples = list(positives(seed))
    missed = [sample for sample in samples if sample.planted in written(redacted(sample.value))]
    assert len(samples) > 200
    assert missed == []


@pytest.mark.parametrize("seed", [2, 12])
def test_what_only_looks_like_it_stays(seed: int) -> None:
    samples = list(negatives(seed))
    changed = [sample for sample in samples if redacted(sample.value) != sample.value]
    assert len(samples) > 200
    assert changed == []


def test_every_kind_is_tried() -> None:
    found = set()
    for sample in positives():
        found |= ALL.redact(sample.value, Vault())[1]
    assert found == KINDS - {"known"}
    assert {each.kind for each in DETECTORS} == KINDS - {"known"} == TAKEN - {"known"}


def test_equal_things_have_equal_tokens_within_a_run() -> None:
    vault = Vault()
    found, _ = ALL.redact([CARD, OTHER, CARD.replace(" ", "-"), f"again {CARD}"], vault)
    assert found == ["<card:1>", "<card:2>", "<card:1>", "again <card:1>"]
    assert ALL.redact({"n": 4111111111111111}, vault)[0] == {"n": "<card:1>"}


def test_each_run_has_tokens_of_its_own() -> None:
    engine = PermissionEngine([Redaction()])
    assert verdict(engine, OTHER, run="a").value == "<card:1>"
    assert verdict(engine, CARD, run="a").value == "<card:2>"
    assert verdict(engine, CARD, run="b").value == "<card:1>"


def test_what_is_redacted_is_not_redacted_again() -> None:
    for sample in positives():
        once = redacted(sample.value)
        assert ALL.redact(once, Vault()) == (once, frozenset())


def test_a_token_that_is_there_already_is_not_given_to_something_else() -> None:
    """A run that goes on in another process sees its tokens; so may a tool make them up."""
    assert redacted([f"paid by <card:3>, now {CARD}"]) == ["paid by <card:3>, now <card:4>"]
    assert redacted(f"<card:9999999> <nothing:7> {CARD}") == "<card:9999999> <nothing:7> <card:1>"


def test_nothing_of_a_vault_is_a_secret() -> None:
    vault = Vault()
    ALL.redact(["my password is Hunter2x", CARD], vault)
    assert "Hunter2x" not in str(vars(vault))
    assert "4111" not in str(vars(vault))


def test_vaults_are_forgotten_beyond_a_number() -> None:
    vaults = Vaults()
    first = vaults.of("first")
    assert vaults.of("first") is first
    for number in range(MOST_RUNS):
        vaults.of(str(number))
    assert vaults.of("first") is not first


SPELT = ["pässwörd-1", "pa\u0308ssword-1", "ｐａｓｓ-ｗｏｒｄ", "a%41\u00ad-word"]


@pytest.mark.parametrize("secret", SPELT)
def test_a_known_secret_is_found_in_whatever_form_it_was_given(secret: str) -> None:
    redactor = Redactor((), known=[secret])
    assert redactor.redact([secret], Vault())[0] == ["<known:1>"]
    for kind in ("NFC", "NFD", "NFKC"):
        form = unicodedata.normalize(kind, secret)
        found, kinds = redactor.redact([f"it is {form}."], Vault())
        assert (found, kinds) == (["it is <known:1>."], {"known"})
    assert redactor.redact(["it is another."], Vault()) == (["it is another."], frozenset())


def test_two_keys_that_become_one_stay_two() -> None:
    found = redacted({CARD: 1, CARD.replace(" ", "-"): 2, "<card:1>#2": 3})
    assert sorted(found.values()) == [1, 2, 3]


def test_only_the_kinds_that_the_owner_wants_are_redacted() -> None:
    text = f"{CARD} of ada@example.org, password=hunter2"
    assert verdict(default_permissions(), text).value == (
        "<card:1> of ada@example.org, password=<secret:1>"
    )
    assert verdict(default_permissions(redact=["email"]), text).value == (
        f"{CARD} of <email:1>, password=hunter2"
    )
    with pytest.raises(AgentConfigRefused, match="take some of api-key, card"):
        default_permissions(redact=["emails"])
    with pytest.raises(AgentConfigRefused, match="take some of"):
        default_permissions(redact="email")


def test_a_secret_in_a_task_is_refused_where_the_owner_wants_that() -> None:
    engine = default_permissions(refuse_secrets_at=["task"])
    found = verdict(engine, "log in with password=hunter2", "task")
    assert not found.allowed
    assert found.rules == ("secrets", "redaction.secret")
    assert "hunter2" not in found.reason
    assert verdict(engine, "log in with password=hunter2", "output").changed
    assert verdict(engine, f"pay with {CARD}", "task").value == "pay with <card:1>"
    assert verdict(engine, "log in", "task").rules == ()


@pytest.mark.parametrize("wrong", [["tasks"], ["task", "Task"], [""], [None], [["task"]]])
def test_a_place_that_is_misspelt_turns_nothing_off_unheard(wrong: Any) -> None:
    said = "is no place: take some of input, memory, model, output, plan, prompt, recall, task"
    with pytest.raises(AgentConfigRefused, match=f"refuse_secrets_at: .*{said}"):
        default_permissions(refuse_secrets_at=wrong)


@pytest.mark.parametrize("wrong", ["task", None, 5])
def test_places_are_a_list(wrong: Any) -> None:
    with pytest.raises(AgentConfigRefused, match="give a list of some of input, memory"):
        default_permissions(refuse_secrets_at=wrong)


def test_secrets_are_refused_at_each_place_that_is_named_and_no_other() -> None:
    for place in get_args(Place):
        engine = default_permissions(refuse_secrets_at=(place,))
        assert not verdict(engine, "password=hunter2", place).allowed
        for other in set(get_args(Place)) - {place}:
            assert verdict(engine, "password=hunter2", other).changed


def test_32_bytes_are_a_hash_unless_they_are_called_a_key_or_the_owner_says_so() -> None:
    text = "0x" + "ab" * 32
    assert verdict(default_permissions(), f"see {text}").rules == ()
    assert verdict(default_permissions(), f"private key {text}").changed
    strict = default_permissions(any_hex_key=True)
    assert verdict(strict, f"see {text}").value == "see <private-key:1>"
    assert verdict(strict, "see 0x" + "ab" * 20).rules == ()


def test_the_owners_own_secrets_are_found_by_themselves() -> None:
    engine = default_permissions(known_secrets=["my-own-words"])
    for value in ("say my-own-words!", {"my-own-words": 1}, ["my-own", "-words"]):
        assert verdict(engine, value).rules == ("redaction.known",), value
    assert verdict(engine, "bXktb3duLXdvcmRz in base64").rules == ("redaction.known",)
    assert verdict(engine, "my own words").rules == ()
    with pytest.raises(AgentConfigRefused, match="shorter than 8") as refused:
        default_permissions(known_secrets=["short1"])
    assert "short1" not in str(refused.value)


PLANTED = st.randoms(use_true_random=False).flatmap(
    lambda chance: st.sampled_from(
        [
            card(chance),
            fours(card(chance)),
            fours(card(chance), "-"),
            fours(iban(chance)),
            phrase(chance),
            jwt(chance),
            pem(chance),
            f"password={chance.randbytes(9).hex()}",
        ]
    )
)
WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Nd", "L"]), max_size=6)


@st.composite
def around(draw: st.DrawFn) -> tuple[str, Any]:
    """A secret, and a value in which it stands somewhere."""
    secret = draw(PLANTED)
    value: Any = f"{draw(WORDS)} {secret} {draw(WORDS)}"
    for way in draw(st.lists(st.integers(0, 4), max_size=5)):
        other = draw(WORDS)
        value = [
            lambda v, o: [o, v],
            lambda v, o: {o: v},
            lambda v, o: {"x": 1, "y": [v, None, 2.5]},
            lambda v, o: {v: o} if isinstance(v, str) else [v],
            lambda v, o: json.dumps(v),
        ][way](value, other)
    return secret, value


@settings(max_examples=40)
@given(around())
def test_what_is_planted_is_gone_at_any_nesting(planted: tuple[str, Any]) -> None:
    secret, value = planted
    told = written(redacted(value))
    plain = secret.removeprefix("password=")
    assert plain not in told
    assert json.dumps(plain)[1:-1] not in told
    for line in plain.splitlines()[1:-1]:
        assert line not in told


@settings(max_examples=40)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=20,
    )
)
def test_whatever_the_value_it_keeps_its_shape(value: Any) -> None:
    found, kinds = ALL.redact(value, Vault())
    assert kinds or found == value
    assert type(found) is type(value) or isinstance(found, str)


@pytest.mark.parametrize(
    "text",
    ["4 ", "eyJ", "sk-", "password=", "key=", "-----BEGIN PRIVATE KEY-----", "abandon ", "a.b-",
     "\\u0034", "4\u200b", "://a:", "<card:1>", "token_", "DE89 ", "4", "-", "@a."],
)  # fmt: skip
def test_no_text_takes_time_by_the_square_of_its_length(text: str) -> None:
    def took_s(length: int) -> float:
        value = text * (length // len(text))
        begun = time.process_time()
        ALL.redact(value, Vault())
        return time.process_time() - begun

    took_s(2_000)
    tries = (took_s(80_000) < 16 * took_s(10_000) + 0.3 for _ in range(5))
    assert any(tries)  # one that nothing else on the machine disturbed


def test_the_samples_are_of_many_kinds() -> None:
    kinds = {sample.kind for sample in positives()}
    assert len(kinds) > 40
    assert all(isinstance(each, Sample) for each in negatives())
