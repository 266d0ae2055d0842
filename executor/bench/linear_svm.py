"""A linear support vector machine on n-grams of words and characters, beside our classifiers.

What a text classifier without a proof is measured against: TF-IDF of one and two words, and of two
to five characters within words, each in length 1; a machine for each label against all others
(Fan et al. 2008), at scikit-learn's own settings. `zkagent model train-classifier --svm` calls
this. It needs scikit-learn, of the extra `import`.
"""

from typing import TYPE_CHECKING, Any

from zkagent.executor.errors import SvmExtraMissing

if TYPE_CHECKING:
    from zkagent.models.classifier.dataset import LabelledTexts

WORDS, CHARACTERS = (1, 2), (2, 5)


def svm_hits(train: "LabelledTexts", test: "LabelledTexts") -> int:
    """How many texts of `test` it labels rightly, taught by `train` alone. Raises
    SvmExtraMissing."""
    machine = _machine()
    machine.fit(train.texts, train.intents)
    given = machine.predict(test.texts)
    return sum(label == intent for label, intent in zip(given, test.intents, strict=True))


def require_sklearn() -> None:
    """Before the minutes of training, not after. Raises SvmExtraMissing."""
    _machine()


def _machine() -> Any:
    try:
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.pipeline import make_pipeline, make_union
        from sklearn.svm import LinearSVC
    except ModuleNotFoundError as exc:
        if (exc.name or "").partition(".")[0] != "sklearn":
            raise
        raise SvmExtraMissing from exc
    words = TfidfVectorizer(ngram_range=WORDS, sublinear_tf=True, token_pattern=r"(?u)\b\w+\b")
    characters = TfidfVectorizer(analyzer="char_wb", ngram_range=CHARACTERS, sublinear_tf=True)
    return make_pipeline(make_union(words, characters), LinearSVC(random_state=0))


__all__ = ["require_sklearn", "svm_hits"]
