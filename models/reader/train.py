"""From word vectors and prompts to a reader: `zkagent model train reader`."""

import random
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from zkagent.models.folders import Folder
from zkagent.models.reader.corpora import SHARES, Corpus, by_tool, load_corpora, rewordings
from zkagent.models.reader.files import Reader, save_reader
from zkagent.models.reader.filling import given_to_fill, lessons_of
from zkagent.models.reader.labelled import kind_of
from zkagent.models.reader.lexis import Given, Lexis, by_use, chosen, load_vectors
from zkagent.models.reader.pairs import Roles
from zkagent.models.reader.rows import Rows, rows_of
from zkagent.models.reader.vectors import LENGTH
from zkagent.models.training.filling import FillingNet
from zkagent.models.training.filling_training import FillingPlan, train_filling
from zkagent.models.training.reading import SPECIAL, Floats, ReadingNet
from zkagent.models.training.reading_training import Plan, Source, Taught, Words, padded, train

DEFAULT_SEED = 1
WORDS = 20_000
#: Of log-odds, chosen on services that were held out of training: ahead of the next, and of none.
MARGINS = 0.65, 2.25
#: Likewise, of a candidate against none.
FILLS = -1.0
#: Longest text, in words, of prompts and of what tools say, in training.
PROMPT_WORDS, ADDRESSED_WORDS, TEXT_WORDS = 40, 70, 80
#: Prompts of each tool that are kept to be its examples.
POOL = 40


@dataclass(frozen=True)
class Trained:
    """frequent: the words that are likeliest in prompts first."""

    net: ReadingNet
    lexis: Lexis
    frequent: Sequence[str] = ()


def train_net(
    folder: Path,
    given: Given,
    plan: Plan,
    say: Callable[[str], None],
    *,
    without: Collection[str] = (),
    words: int = WORDS,
    corpora: Sequence[str] = tuple(SHARES),
) -> Trained:
    """Raises DatasetError."""
    found = [c for c in load_corpora(folder, without) if c.name in corpora]
    texts = _texts(found)
    places = chosen(given, texts, words)
    lexis = Lexis([given.words[place] for place in places])
    vectors = given.vectors[places]
    own = _own(lexis, texts, plan.own)
    net = ReadingNet(vectors - vectors.mean(0), _frequencies(places), own, plan.size, plan.seed)
    sources = [source(corpus, lexis, plan) for corpus in found]
    trained = train(net, sources, taught_of(given, lexis, found), plan, say)
    return Trained(trained, lexis, by_use(given, places, texts))


def taught_of(given: Given, lexis: Lexis, corpora: Sequence[Corpus]) -> Taught:
    """Of texts that are in the corpora, so that nothing is learned of what is held out."""
    known = set(_texts(corpora))
    kept = [place for place, text in enumerate(given.texts) if text in known]
    words = padded([lexis.rows(given.texts[place]) for place in kept], PROMPT_WORDS)
    return Taught(words, given.taught[kept])


def train_reader(
    directory: Path | Folder,
    seed: int,
    say: Callable[[str], None],
    *,
    folder: Path,
    vectors: Path,
) -> Reader:
    """Raises DatasetError, and ModelError where the table does not hold the words."""
    trained = train_net(folder, load_vectors(vectors), Plan(seed=seed), say)
    rows = table_of(trained)
    lessons = lessons_of(given_to_fill(folder, seed), rows, seed)
    filling = train_filling(lessons, FillingPlan(seed=seed), say)
    return save_trained(directory, trained, rows, filling, {"id": "reader", "seed": seed})


def table_of(trained: Trained) -> Rows:
    """The words' rows in integers, which arguments are learned with. Raises ModelError."""
    found = trained.net.table()
    return rows_of(
        trained.lexis.words, found[SPECIAL:], found[1:SPECIAL], frequent=trained.frequent
    )


def save_trained(
    directory: Path | Folder,
    trained: Trained,
    rows: Rows,
    filling: FillingNet,
    facts: dict[str, object],
) -> Reader:
    """In integers. facts: the manifest's id and seed."""
    net = trained.net
    weights, unit = net.integers(LENGTH)
    fillings, content, filling_unit = filling.integers()
    ahead, fits = (round(unit * margin) for margin in MARGINS)
    fills = round(filling_unit * FILLS)
    margins = {"ahead": ahead, "fits": fits, "unit": unit, "fills": fills}
    sizes = {"shares": net.shares(), "margins": margins, "words": len(trained.lexis.words)}
    facts = {**sizes, "accuracy": {}, **facts}
    return save_reader(directory, (rows, Roles(content)), (weights, fillings), facts)


def source(corpus: Corpus, lexis: Lexis, plan: Plan) -> Source:
    """Some prompts of each tool become its examples, and are never asked."""
    shuffled, strange = random.Random(plan.seed), random.Random(plan.seed)
    pools: list[Words] = []
    asked: list[tuple[str, int]] = []
    prompts = by_tool(corpus)
    for place, tool in enumerate(corpus.tools):
        texts = sorted(set(prompts[tool.key]))
        shuffled.shuffle(texts)
        cut = min(POOL, len(texts) // 3)
        pools.append(padded([lexis.rows(text) for text in texts[:cut]], PROMPT_WORDS))
        kept = set(texts[cut:])
        asked += [(text, place) for text in prompts[tool.key] if text in kept]
    tools = corpus.tools
    others = rewordings() if corpus.name == "sgd" else {}
    services = sorted({tool.service for tool in tools})
    names = sorted({tool.name for tool in tools})
    groups = [services.index(tool.service) for tool in tools]
    if len(services) == 1:
        groups = list(range(len(tools)))
    return Source(
        prompts=padded(
            [lexis.rows(_addressed(text, plan.addresses, strange)) for text, _ in asked],
            ADDRESSED_WORDS if plan.addresses else PROMPT_WORDS,
        ),
        means=np.array([place for _, place in asked], dtype=np.int64),
        name=padded([lexis.rows(tool.name) for tool in tools], TEXT_WORDS),
        description=padded([lexis.rows(tool.description) for tool in tools], TEXT_WORDS),
        parameters=padded([lexis.parameters(tool) for tool in tools], TEXT_WORDS),
        pool=pools,
        group=np.array(groups, dtype=np.int64),
        alike=np.array([names.index(tool.name) for tool in tools], dtype=np.int64),
        weight=SHARES[corpus.name],
        reworded=[
            [
                (np.array(lexis.rows(name)), np.array(lexis.rows(description)))
                for name, description in others.get((kind_of(tool.service), tool.name), [])
            ]
            for tool in tools
        ],
    )


def _texts(corpora: Sequence[Corpus]) -> list[str]:
    found = [row.prompt for corpus in corpora for row in corpus.asked]
    for tool in (tool for corpus in corpora for tool in corpus.tools):
        found += [tool.name, tool.description]
        found += [text for each in tool.parameters for text in (each.name, each.description)]
    return found


def _own(lexis: Lexis, texts: Sequence[str], count: int) -> list[int]:
    """Places of the most frequent words of the texts."""
    seen = Counter(row for text in texts for row in lexis.rows(text))
    return sorted([row - SPECIAL for row, _ in seen.most_common() if row >= SPECIAL][:count])


def _addressed(text: str, share: float, chance: random.Random) -> str:
    """At times with an account among the words, of which many small words are made."""
    if chance.random() >= share:
        return text
    words = text.split(" ")
    words.insert(chance.randint(0, len(words)), f"0x{chance.getrandbits(160):040x}")
    return " ".join(words)


def _frequencies(places: Sequence[int]) -> Floats:
    """By Zipf's law, as words are given in order of how frequent they are."""
    found = 1.0 / (np.array(places, dtype=np.float64) + 20)
    return np.asarray(found / found.sum(), dtype=np.float32)


__all__ = ["DEFAULT_SEED", "WORDS", "Trained", "source", "taught_of", "train_net"]
