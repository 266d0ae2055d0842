"""The wallet model's training text: reproducible, labelled right, free of held-out words."""

import re
from random import Random

import pytest

from zkagent.models.encoding.book import plain_book
from zkagent.models.encoding.context import Context
from zkagent.models.encoding.encoder import parse_context
from zkagent.models.encoding.tokens import TokenType
from zkagent.models.wallet.dataset import SYMBOLS, targets
from zkagent.models.wallet.development import development_samples
from zkagent.models.wallet.evaluation.dataset import held_out_words
from zkagent.models.wallet.states import ASK, POOL, REPORT, VIEW, WALLET
from zkagent.models.wallet.text import contrasts, handwritten
from zkagent.models.wallet.text.generator import Sample, generate, rendered
from zkagent.models.wallet.text.phrases.expansion import Grammar, parse_template
from zkagent.models.wallet.text.phrases.verbs import inflect
from zkagent.models.wallet.text.prompts import draw_prompts
from zkagent.models.wallet.text.usual import usual
from zkagent.models.wallet.train import DEFAULT_SEED

TYPES = {"A": TokenType.NUMBER, "n": TokenType.NUMBER, "S": TokenType.SYMBOL,
         "s": TokenType.SYMBOL, "X": TokenType.ADDRESS, "R": TokenType.ADDRESS,
         "a": TokenType.ADDRESS}  # fmt: skip


def test_training_text_never_contains_a_held_out_word() -> None:
    held_out = {word.lower() for word in held_out_words()}
    words = {
        word
        for sample in draw_prompts(30_000, DEFAULT_SEED)
        for word in re.findall("[a-z]+", sample.text.lower())
    }
    assert held_out
    assert words & held_out == set()


def test_equal_seeds_give_equal_samples_and_other_seeds_others() -> None:
    assert list(draw_prompts(50, 1)) == list(draw_prompts(50, 1)) != list(draw_prompts(50, 2))


def test_roles_name_the_candidates_that_the_encoder_finds() -> None:
    book = plain_book(SYMBOLS)
    for sample in [*generate(2_000, 3), *development_samples()]:
        if len(sample.roles) <= 6:
            parse = parse_context(Context(sample.text.encode(), (), book), (), 0)
            assert [c.type for c in parse.candidates] == [TYPES[r] for r in sample.roles]


def test_hand_written_lines_whose_roles_the_encoder_sees_otherwise_are_few() -> None:
    """Literal digits and "0x..'s" stay in; `build_dataset` leaves such a prompt out."""
    book, other = plain_book(SYMBOLS), 0
    for sample in draw_prompts(2_000, 3):
        if len(sample.roles) <= 6:
            parse = parse_context(Context(sample.text.encode(), (), book), (), 0)
            other += [c.type for c in parse.candidates] != [TYPES[r] for r in sample.roles]
    assert other < 20


def test_markup_becomes_text_roles_and_loose_words() -> None:
    text, roles, loose = rendered("~zap <A> <S> to <R>, not <a>", Random(0))
    assert re.fullmatch(r"zap [0-9.]+ [A-Za-z]+ to 0x\w{40}, not 0x\w{40}", text)
    assert (roles, loose) == ("ASRa", [0])


def test_a_grammar_expands_choices_rules_and_functions() -> None:
    grammar = Grammar(Random(0), {"fruit": ("apple",)}, {"n": lambda: "3"})
    assert grammar.expand("{n} [{fruit}s|{fruit}[s|s]]") == "3 apples"


def test_an_unclosed_choice_is_an_error() -> None:
    with pytest.raises(ValueError, match="unclosed"):
        parse_template("a [b|c")


def test_verbs_inflect_in_their_first_word() -> None:
    assert [inflect("take out", f) for f in ("s", "ing", "past", "done")] == [
        "takes out", "taking out", "took out", "taken out",
    ]  # fmt: skip


def test_everything_is_viewed_first_and_moved_from_where_it_lies() -> None:
    for tool, source in (("Withdraw", POOL), ("Deploy", WALLET), ("Transfer", WALLET)):
        first, second, *_ = targets(Sample("", "S", frozenset(), "call", tool, everything=True))
        assert (first.allowed, first.source) == ({VIEW}, None)
        assert second.source == source
        assert second.readable


def test_an_unreadable_balance_never_leads_to_a_call() -> None:
    sample = Sample("", "S", frozenset(), "call", "Withdraw", everything=True)
    unreadable = [t for t in targets(sample) if t.taken[VIEW] and not t.readable]
    assert all(t.allowed <= {REPORT, ASK} for t in unreadable)


def test_an_order_and_its_contrast_differ_in_the_roles_of_the_arguments() -> None:
    assert contrasts.is_order("~stuff <A> <S> into the pool")
    assert not contrasts.is_order("of my <n> <S> take <A>")
    assert "<A> <S>" in contrasts.ordered("Stuff <A> <S> into the pool", Random(1))
    for seed in range(50):
        text = contrasts.not_ordered("~stuff <A> <S> into <R>", Random(seed))
        assert "<n> <s> into <a>" in text
        assert not {"<A>", "<S>", "<R>"} & set(re.findall("<.>", text))


def test_hand_written_lines_are_well_formed() -> None:
    for line in (*handwritten.instructions(), *handwritten.declined()):
        marks = set(re.findall("<(.)>", line.text))
        if line.kind == "call":
            assert marks & {"S", "X"}, line
            assert ("A" in marks) != line.everything, line
            assert ("R" in marks) == (line.tool == "Transfer"), line
        if line.kind == "decline":
            assert not marks & set("ASXR"), line


def test_usual_ways_are_what_the_encoder_reads_them_as() -> None:
    book, rng = plain_book(SYMBOLS), Random(0)
    for line in Random(0).sample(usual(), 500):
        text, roles, _ = rendered(line.text, rng)
        parse = parse_context(Context(text.encode(), (), book), (), 0)
        assert [c.type for c in parse.candidates] == [TYPES[r] for r in roles]
        wanted = {"ViewBalance": "S", "Transfer": "ASR"}.get(line.tool or "", "AS")
        wanted = wanted.replace("S", "X") if "<X>" in line.text else wanted
        assert sorted(roles) == sorted(wanted.replace("A", "") if line.everything else wanted)
