"""A guess at the region of a name that no locale lists, from its letters."""

from __future__ import annotations

from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

from builtin_space.sources import Names

SURE = 0.6


def guess_regions(names: Names) -> None:
    """Adds a region to the names that have none, where naive Bayes over letter groups is sure."""
    known = sorted(name for name, regions in names.regions.items() if len(regions) == 1)
    labels = [min(names.regions[name]) for name in known]
    model = make_pipeline(CountVectorizer(analyzer="char_wb", ngram_range=(2, 4)), MultinomialNB())
    model.fit(known, labels)
    tables = (names.female, names.male, names.surname)
    unknown = sorted({name for table in tables for name in table} - set(names.regions))
    chances = model.predict_proba(unknown)
    for name, chance in zip(unknown, chances, strict=True):
        if chance.max() >= SURE:
            names.regions[name] = {str(model.classes_[chance.argmax()])}
