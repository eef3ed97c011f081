"""The stages of a draft, in their order: what becomes of each token between input and release.

Mechanisms, editors and policies may be anyone's. What they return is checked, since numpy would
take one word for all, and a row of -1 for the last word.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from spacy.strings import get_string_id
from spacy.tokens import Doc

from ..arrays import Bools1d, Floats2d, Ints1d
from ..entities.surrogates.base import Draws, Mention
from ..errors import DxError, Errors
from ..privacy.composition import repeat
from ..space import Space
from ..text.spelling import like, spell
from .draft import NUMBER, PLAIN, SAMPLED, SELECTED, UNKNOWN, Draft
from .persons import check_persons
from .selection import Run, bad_return, draw_surrogates, select
from .unknown import WHICH

NUMBERS_AT_ONCE = 2**22  # of noise, in one call of a mechanism: 32 MB as float64


def run_stages(docs: Sequence[Doc], run: Run) -> Draft:
    """Return what is released for a batch of one Doc or more. Raise DxError where a document would
    exceed its budget, or where a part returns something wrong."""
    draft, mechanism = Draft.of(docs, run.space), run.settings.mechanism
    if mechanism.guarantee.space not in ("", run.space.digest):  # fitted on another meanwhile
        raise DxError(Errors.DX041.format(name=mechanism.name))
    for stage in STAGES:
        draft = stage(draft, run)
    return draft


def check_budget(draft: Draft, run: Run) -> Draft:
    """Raise DxError, before any word is drawn, where a document would exceed its budget."""
    budget = run.settings.max_epsilon_per_doc
    if budget is not None:
        places = _places_to_draw(draft, (draft.kinds == SELECTED) & (draft.rows >= 0), run)
        draws = np.bincount(draft.documents[places], minlength=1)
        spent = repeat(run.settings.mechanism.guarantee, int(draws.max())).epsilon
        if spent > budget:
            raise DxError(Errors.DX006.format(spent=spent, budget=budget))
    return draft


# -- words -----------------------------------------------------------------------------------------


def sample_words(draft: Draft, run: Run) -> Draft:
    """Sample rows for the selected words. An unknown word has one where the mechanism draws it with
    its sentence; all others are left to the policy, and have no text until then."""
    selected, known = draft.kinds == SELECTED, draft.rows >= 0
    noisy = run.settings.vectors == "noisy"
    if not (selected.any() or noisy):
        return draft
    rows, vectors = draft.rows.copy(), None
    if noisy:
        vectors = run.space.vectors[rows]
        vectors[~known | selected | (draft.kinds == NUMBER)] = 0
    if run.together:
        places, starts = _context(draft, run, selected)
        is_fixed = ~selected[places]
        drawn = _sample_together(rows[places], starts, is_fixed, run)
        rows[places[~is_fixed]] = drawn[~is_fixed]
        rows[_left_to_policy(draft, run)] = -1
    else:
        _sample_alone(_places_to_draw(draft, selected, run), rows, vectors, run)
    kinds = np.where(selected, np.where(known, SAMPLED, UNKNOWN), draft.kinds)
    vectors = None if vectors is None else vectors[draft.draws]
    return _with_rows(replace(draft, kinds=kinds, vectors=vectors), rows, run)


def _places_to_draw(draft: Draft, mask: Bools1d, run: Run) -> Ints1d:
    """Return the words of a mask that have a draw of their own, int64 (k,)."""
    if run.settings.scope == "token":
        return np.flatnonzero(mask)
    # Distinct words of a document are drawn in the order of their rows, unknown ones of their ids.
    places = np.flatnonzero(mask & (draft.draws == np.arange(len(draft))))
    keys = [
        (document, row if row >= 0 else get_string_id(text.lower()))
        for document, row, text in zip(
            draft.documents[places].tolist(),
            draft.rows[places].tolist(),
            _input_texts(draft, places),
            strict=True,
        )
    ]
    return places[sorted(range(len(places)), key=keys.__getitem__)]


def _input_texts(draft: Draft, places: Ints1d) -> list[str]:
    """Return the texts of the input's tokens that these tokens come from."""
    pairs = zip(draft.documents[places].tolist(), draft.sources[places].tolist(), strict=True)
    return [draft.docs[document][source].text for document, source in pairs]


def _is_drawn(draft: Draft) -> Bools1d:
    """Return the words that were drawn, bool (t,)."""
    drawn: Bools1d = (draft.kinds == SAMPLED) | (draft.kinds == UNKNOWN)
    return drawn


def _context(draft: Draft, run: Run, drawn: Bools1d) -> tuple[Ints1d, Bools1d]:
    """Return the words that a mechanism or editor sees, int64 (k,), and where sentences begin.

    Unmodified words that the space lacks are left out: the prior knows nothing of them. drawn: bool
    (t,).
    """
    plain = (draft.kinds == PLAIN) & (draft.rows >= 0)
    if run.settings.surrogates:
        plain &= np.isin(draft.documents, draft.documents[drawn])
    places = np.flatnonzero(drawn | plain)
    return places, np.diff(draft.sentences[places], prepend=-1) > 0


def _sample_together(rows: Ints1d, starts: Bools1d, is_fixed: Bools1d, run: Run) -> Ints1d:
    mechanism: Any = run.settings.mechanism
    draw = mechanism.sample(rows, run.settings.rng, starts=starts, fixed=is_fixed, unknown=rows < 0)
    return _checked_rows(draw.rows, len(rows), run.space)


def _left_to_policy(draft: Draft, run: Run) -> Ints1d:
    """Return the unknown words that are not drawn with their sentence, int64."""
    policy: Any = run.settings.unknown
    places = np.flatnonzero((draft.kinds == SELECTED) & (draft.rows < 0))
    if not len(places) or not hasattr(policy, "in_context"):
        return places
    if not hasattr(policy, "keeps_form"):
        return places[:0]
    return places[[policy.keeps_form(text) for text in _input_texts(draft, places)]]


def _sample_alone(places: Ints1d, rows: Ints1d, vectors: Floats2d | None, run: Run) -> None:
    """Put in the rows, and noisy vectors, that are drawn for these tokens."""
    mechanism, rng, space = run.settings.mechanism, run.settings.rng, run.space
    unknown = rows[places] < 0
    for part in _at_once(places[~unknown], space):
        draw = mechanism.sample(rows[part], rng)
        rows[part] = _checked_rows(draw.rows, len(part), space)
        if vectors is not None:
            vectors[part] = _checked_vectors(draw.vectors, len(part), space)
    if vectors is not None:
        # The vector of an unknown word is that of a public word that is drawn uniformly, so which
        # words are unknown does not show.
        for part in _at_once(places[unknown], space):
            draw = mechanism.sample(rng.integers(len(space), len(part)), rng)
            vectors[part] = _checked_vectors(draw.vectors, len(part), space)


def _at_once(places: Ints1d, space: Space) -> Iterator[Ints1d]:
    """Yield parts of the places for one call of a mechanism each."""
    size = max(1024, NUMBERS_AT_ONCE // space.vectors.shape[1])
    for start in range(0, len(places), size):
        yield places[start : start + size]


def _with_rows(draft: Draft, rows: Ints1d, run: Run) -> Draft:
    """Return a draft with these rows, and their words: "" for a drawn word that has none."""
    places, public = np.flatnonzero(_is_drawn(draft)), run.space.words
    rows, words = rows[draft.draws], draft.words.copy()
    words[places] = [public[row] if row >= 0 else "" for row in rows[places].tolist()]
    return replace(draft, rows=rows, words=words)


def edit_words(draft: Draft, run: Run) -> Draft:
    """Edit the drawn words by public knowledge alone. A word that was drawn where another text will
    stand is not shown to the editor."""
    editor, mechanism = run.settings.editor, run.settings.mechanism
    drawn = _is_drawn(draft) & (draft.rows >= 0)
    if editor is None or not drawn.any():
        return draft
    rows = draft.rows.copy()
    if run.settings.scope == "type":
        places = _places_to_draw(draft, drawn, run)
        fixed = np.zeros(len(places), dtype=bool)
        edited = editor.edit(rows[places], mechanism)
    else:
        places, starts = _context(draft, run, drawn)
        fixed = ~drawn[places]
        edited = editor.edit(rows[places], mechanism, starts, fixed=fixed)
    rows[places] = _checked_edit(edited, rows[places], fixed)
    return _with_rows(draft, rows, run)


def replace_unknown(draft: Draft, run: Run) -> Draft:
    """Let the policy replace the unknown words that have no row."""
    places = _places_to_draw(draft, (draft.kinds == UNKNOWN) & (draft.rows < 0), run)
    if not len(places):
        return draft
    policy, rng = run.settings.unknown, run.settings.rng
    chosen = policy.replace(_input_texts(draft, places), run.space, rng)
    words = draft.words.copy()
    words[places] = _checked_texts(chosen, len(places), "The policy for unknown words")
    return replace(draft, words=words[draft.draws])


def draw_numbers(draft: Draft, run: Run) -> Draft:
    """Draw numbers by their value."""
    rule, rng = run.settings.numbers, run.settings.rng
    if rule is None:
        return draft
    words, part_name = draft.words.copy(), "The mechanism for numbers"
    places = np.flatnonzero((draft.kinds == NUMBER) & (draft.draws == np.arange(len(draft))))
    for document in np.unique(draft.documents[places]).tolist():
        numbers = places[draft.documents[places] == document]
        mentions = [Mention(text, "NUMBER") for text in _input_texts(draft, numbers)]
        drawn = rule.replace(mentions, Draws(rng))
        words[numbers] = _checked_texts(drawn, len(numbers), part_name)
    return replace(draft, words=words[draft.draws])


def apply_stages(draft: Draft, run: Run) -> Draft:
    """Apply the stages of other packages, which see the release alone."""
    for name, stage in run.settings.stages.items():
        shows_unknown = WHICH in run.settings.unknown.in_clear
        released = stage(draft.public(shows_unknown=shows_unknown), run.settings.rng)
        if not isinstance(released, Draft):
            shape = {"given": type(released).__name__, "count": len(draft), "expected": "a Draft"}
            raise DxError(Errors.DX038.format(part=f"The stage {name}", **shape))
        words = draft.words.copy()
        words[:] = _checked_texts(list(released.words), len(draft), f"The stage {name}")
        spaces = np.asarray(released.spaces)
        if spaces.shape != draft.spaces.shape or spaces.dtype != np.bool_:
            raise bad_return(f"The stage {name}", spaces, len(draft), "one boolean a token")
        draft = replace(draft, words=words, spaces=spaces)
    return draft


def replace_blocked(draft: Draft, run: Run) -> Draft:
    """Replace the words that are never to come out by their substitutes."""
    blocked, substitutes = run.blocked
    places = np.flatnonzero(_is_drawn(draft))
    drawn = draft.words[places].tolist()
    if not (found := blocked.intersection(drawn)):
        return draft
    words = draft.words.copy()
    words[places] = [substitutes[word] if word in found else word for word in drawn]
    return replace(draft, words=words)


def spell_words(draft: Draft, run: Run) -> Draft:
    """Spell drawn words as a person would, or in the case of the input."""
    first = np.flatnonzero(np.diff(draft.documents, prepend=-1))
    words = draft.words.copy()
    words[:], spaces = spell(draft.words.tolist(), draft.spaces, draft.kinds >= SAMPLED, first)
    if run.settings.casing == "preserve":
        places = np.flatnonzero(draft.kinds == SAMPLED)
        models = _input_texts(draft, places)
        for place, model in zip(places.tolist(), models, strict=True):
            words[place] = like(words[place], model)
    return replace(draft, words=words, spaces=spaces)


STAGES = (
    draw_surrogates, select, check_persons, check_budget, sample_words, edit_words, replace_unknown,
    draw_numbers, replace_blocked, apply_stages, spell_words,
)  # fmt: skip


# -- what other parts return -----------------------------------------------------------------------


def _checked_rows(returned: Any, k: int, space: Space) -> Ints1d:
    rows, n = np.asarray(returned), len(space.words)
    valid = rows.shape == (k,) and rows.dtype.kind in "iu"
    if not valid or (k and (rows.min() < 0 or rows.max() >= n)):
        raise bad_return("The mechanism", rows, k, f"as many row numbers from 0 to {n - 1}")
    return rows.astype(np.int64)


def _checked_edit(returned: Any, rows: Ints1d, fixed: Bools1d) -> Ints1d:
    """Raise DxError for rows of an editor that are no rows, or that change what is fixed."""
    edited = np.asarray(returned)
    valid = edited.shape == rows.shape and edited.dtype.kind in "iu"
    if not valid or (edited[fixed] != rows[fixed]).any():
        expected = "as many row numbers, unchanged for unmodified words"
        raise bad_return("The editor", edited, len(rows), expected)
    return edited


def _checked_vectors(returned: Any, k: int, space: Space) -> Floats2d:
    X, d = np.asarray(returned), space.vectors.shape[1]
    if X.shape != (k, d) or X.dtype.kind != "f" or not np.isfinite(X).all():
        raise bad_return("The mechanism", X, k, f"finite vectors of {d} numbers")
    return X


def _checked_texts(returned: Any, k: int, part: str) -> list[str]:
    valid = isinstance(returned, list) and len(returned) == k
    if not valid or not all(isinstance(text, str) and text for text in returned):
        shape = (len(returned),) if isinstance(returned, list) else ()
        raise bad_return(part, np.empty(shape, dtype=object), k, "a list of as many texts")
    return list(returned)
