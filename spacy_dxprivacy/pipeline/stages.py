"""The stages of a draft, in order: from input tokens to the release.

Mechanisms, editors and policies may come from other packages. Their results are checked, since
numpy would broadcast one word to all, and read row -1 as the last word.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from spacy.strings import get_string_id
from spacy.tokens import Doc

from ..arrays import Bools1d, Floats2d, Ints1d
from ..errors import DxError, Errors, PartCall
from ..privacy.composition import repeat
from ..space import Space
from ..space.blocked import substitutes_of
from ..surrogates.base import Draws, Mention
from ..text.spelling import match_case, spell
from .context import StageContext
from .draft import Draft
from .kinds import DRAWN, DRAWN_WORDS, Kind, of_kind
from .persons import check_persons
from .preparation import bad_return, checked_mask, draw_surrogates, select
from .unknown_words import UNKNOWN_SHOWN

BLOCK_NUMBERS = 2**22  # random numbers in one call of a mechanism: 32 MB as float64


def run_stages(docs: Sequence[Doc], context: StageContext) -> Draft:
    """Return the draft to release for one Doc or more. Raise DxError if a document would exceed its
    budget, or a part returns an invalid result."""
    draft, mechanism = Draft.of(docs, context.space), context.settings.mechanism
    if mechanism.guarantee.space not in ("", context.space.digest):  # fitted again
        raise DxError(Errors.DX041.format(name=mechanism.name))
    for stage in STAGES:
        draft = stage(draft, context)
    return draft


def check_budget(draft: Draft, context: StageContext) -> Draft:
    """Raise DxError, before any word is sampled, if a document would exceed its budget."""
    budget = context.settings.max_epsilon_per_doc
    if budget is not None:
        mask = of_kind(draft.kinds, Kind.SELECTED) & (draft.rows >= 0)
        places = _places_to_draw(draft, mask, context)
        draws = np.bincount(draft.documents[places], minlength=1)
        spent = repeat(context.settings.mechanism.guarantee, int(draws.max())).epsilon
        if spent > budget:
            raise DxError(Errors.DX006.format(spent=spent, budget=budget))
    return draft


# -- words -----------------------------------------------------------------------------------------


def sample_words(draft: Draft, context: StageContext) -> Draft:
    """Sample rows for the selected words. An unknown word gets a row if the mechanism samples it
    with its sentence; the policy replaces all others, which are empty until then."""
    selected, has_row = of_kind(draft.kinds, Kind.SELECTED), draft.rows >= 0
    noisy = context.settings.vectors == "noisy"
    if not (selected.any() or noisy):
        return draft
    rows, vectors = draft.rows.copy(), None
    if noisy:
        vectors = context.space.vectors[rows]
        vectors[~has_row | selected | of_kind(draft.kinds, Kind.NUMBER)] = 0
    if context.settings.draws_together:
        places, starts = _visible_words(draft, context, selected)
        is_fixed = ~selected[places]
        drawn = _sample_sentences(rows[places], starts, is_fixed, context)
        rows[places[~is_fixed]] = drawn[~is_fixed]
        rows[_left_to_policy(draft, context)] = -1
    else:
        _sample_words_alone(_places_to_draw(draft, selected, context), rows, vectors, context)
    kinds = np.where(selected, np.where(has_row, Kind.SAMPLED, Kind.UNKNOWN), draft.kinds)
    vectors = None if vectors is None else vectors[draft.draws]
    return _with_rows(replace(draft, kinds=kinds, vectors=vectors), rows, context)


def _places_to_draw(draft: Draft, mask: Bools1d, context: StageContext) -> Ints1d:
    """Return the words of a mask that have their own draw, int64 (k,)."""
    if context.settings.scope == "token":
        return np.flatnonzero(mask)
    # Distinct words of a document are sampled in the order of rows; unknown ones, of string ids.
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
    """Return the texts of the input tokens that these tokens come from."""
    pairs = zip(draft.documents[places].tolist(), draft.sources[places].tolist(), strict=True)
    return [draft.docs[document][source].text for document, source in pairs]


def _visible_words(draft: Draft, context: StageContext, drawn: Bools1d) -> tuple[Ints1d, Bools1d]:
    """Return the words that a mechanism or editor sees, int64 (k,), and where sentences begin.

    It sees the drawn words, bool (t,), and plaintext words of the space as context.
    """
    plain = of_kind(draft.kinds, Kind.PLAIN) & (draft.rows >= 0)
    if context.settings.surrogates:
        plain &= np.isin(draft.documents, draft.documents[drawn])
    places = np.flatnonzero(drawn | plain)
    return places, np.diff(draft.sentences[places], prepend=-1) > 0


def _sample_sentences(
    rows: Ints1d, starts: Bools1d, is_fixed: Bools1d, context: StageContext
) -> Ints1d:
    mechanism: Any = context.settings.mechanism
    with PartCall("mechanism", "Mechanism.sample", mechanism, reads_text=True):
        draw = mechanism.sample(
            rows, context.settings.rng, starts=starts, fixed=is_fixed, unknown=rows < 0
        )
    return _checked_rows(draw.rows, len(rows), context.space)


def _left_to_policy(draft: Draft, context: StageContext) -> Ints1d:
    """Return the unknown words that the policy replaces, int64."""
    policy: Any = context.settings.unknown
    places = np.flatnonzero(of_kind(draft.kinds, Kind.SELECTED) & (draft.rows < 0))
    if not len(places) or not hasattr(policy, "in_context"):
        return places
    if not hasattr(policy, "keeps_form"):
        return places[:0]
    with PartCall("policy for unknown words", "Unknown.replace", policy, reads_text=True):
        exceptions = [policy.keeps_form(text) for text in _input_texts(draft, places)]
    return places[checked_mask("The policy for unknown words", exceptions, len(places))]


def _sample_words_alone(
    places: Ints1d, rows: Ints1d, vectors: Floats2d | None, context: StageContext
) -> None:
    """Replace the rows, and vectors, of these tokens by sampled ones."""
    mechanism, rng, space = context.settings.mechanism, context.settings.rng, context.space
    unknown = rows[places] < 0
    for part in _blocks(places[~unknown], space):
        with PartCall("mechanism", "Mechanism.sample", mechanism, reads_text=True):
            draw = mechanism.sample(rows[part], rng)
        rows[part] = _checked_rows(draw.rows, len(part), space)
        if vectors is not None:
            vectors[part] = _checked_vectors(draw.vectors, len(part), space)
    if vectors is not None:
        # Unknown words get the noisy vector of a uniform public word: vectors must not reveal them.
        for part in _blocks(places[unknown], space):
            with PartCall("mechanism", "Mechanism.sample", mechanism, reads_text=True):
                draw = mechanism.sample(rng.integers(len(space), len(part)), rng)
            vectors[part] = _checked_vectors(draw.vectors, len(part), space)


def _blocks(places: Ints1d, space: Space) -> Iterator[Ints1d]:
    """Yield the places in parts, one for each call of a mechanism."""
    size = max(1024, BLOCK_NUMBERS // space.vectors.shape[1])
    for start in range(0, len(places), size):
        yield places[start : start + size]


def _with_rows(draft: Draft, rows: Ints1d, context: StageContext) -> Draft:
    """Return a draft with these rows and their words; "" for a drawn word without a row."""
    places = np.flatnonzero(of_kind(draft.kinds, DRAWN_WORDS))
    public = context.space.words
    rows, words = rows[draft.draws], draft.words.copy()
    words[places] = [public[row] if row >= 0 else "" for row in rows[places].tolist()]
    return replace(draft, rows=rows, words=words)


def edit_words(draft: Draft, context: StageContext) -> Draft:
    """Edit the drawn words by public knowledge only. The editor does not see words that the policy
    will replace."""
    editor, mechanism = context.settings.editor, context.settings.mechanism
    drawn = of_kind(draft.kinds, DRAWN_WORDS) & (draft.rows >= 0)
    if editor is None or not drawn.any():
        return draft
    rows = draft.rows.copy()
    if context.settings.scope == "type":
        places = _places_to_draw(draft, drawn, context)
        fixed = np.zeros(len(places), dtype=bool)
        with PartCall("editor", "Editor.edit", editor, reads_text=True):
            edited = editor.edit(rows[places], mechanism)
    else:
        places, starts = _visible_words(draft, context, drawn)
        fixed = ~drawn[places]
        with PartCall("editor", "Editor.edit", editor, reads_text=True):
            edited = editor.edit(rows[places], mechanism, starts, fixed=fixed)
    rows[places] = _checked_edit(edited, rows[places], fixed)
    return _with_rows(draft, rows, context)


def replace_unknown(draft: Draft, context: StageContext) -> Draft:
    """Replace the unknown words without a row by the policy."""
    unknown = of_kind(draft.kinds, Kind.UNKNOWN) & (draft.rows < 0)
    places = _places_to_draw(draft, unknown, context)
    if not len(places):
        return draft
    policy, rng = context.settings.unknown, context.settings.rng
    texts = _input_texts(draft, places)
    with PartCall("policy for unknown words", "Unknown.replace", policy, reads_text=True):
        chosen = policy.replace(texts, context.space, rng)
    words = draft.words.copy()
    words[places] = _checked_texts(chosen, len(places), "The policy for unknown words")
    return replace(draft, words=words[draft.draws])


def draw_numbers(draft: Draft, context: StageContext) -> Draft:
    """Sample numbers by their value."""
    rule, rng = context.settings.numbers, context.settings.rng
    if rule is None:
        return draft
    words, part_name = draft.words.copy(), "The mechanism for numbers"
    has_draw = draft.draws == np.arange(len(draft))
    places = np.flatnonzero(of_kind(draft.kinds, Kind.NUMBER) & has_draw)
    for document in np.unique(draft.documents[places]).tolist():
        numbers = places[draft.documents[places] == document]
        mentions = [Mention(text, "NUMBER") for text in _input_texts(draft, numbers)]
        with PartCall("mechanism for numbers", "Surrogate.replace", rule, reads_text=True):
            drawn = rule.replace(mentions, Draws(rng))
        words[numbers] = _checked_texts(drawn, len(numbers), part_name)
    return replace(draft, words=words[draft.draws])


def apply_stages(draft: Draft, context: StageContext) -> Draft:
    """Apply the stages of other packages, which see the release only."""
    for name, stage in context.settings.stages.items():
        shows_unknown = UNKNOWN_SHOWN in context.settings.unknown.in_clear
        public = draft.public(shows_unknown=shows_unknown)
        with PartCall(f"stage {name}", "ReleaseStage.__call__", stage, reads_text=True):
            released = stage(public, context.settings.rng)
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


def replace_blocked(draft: Draft, context: StageContext) -> Draft:
    """Replace blocked words by their substitutes."""
    places = np.flatnonzero(of_kind(draft.kinds, DRAWN_WORDS))
    drawn = draft.words[places].tolist()
    if not context.blocked.intersection(drawn):
        return draft
    substitutes, words = substitutes_of(context.space), draft.words.copy()
    words[places] = [substitutes.get(word, word) for word in drawn]
    return replace(draft, words=words)


def spell_words(draft: Draft, context: StageContext) -> Draft:
    """Restore capitals, contractions and articles; or copy the case of the input."""
    first = np.flatnonzero(np.diff(draft.documents, prepend=-1))
    words = draft.words.copy()
    drawn = of_kind(draft.kinds, DRAWN)
    words[:], spaces = spell(draft.words.tolist(), draft.spaces, drawn, first)
    if context.settings.casing == "preserve":
        places = np.flatnonzero(of_kind(draft.kinds, Kind.SAMPLED))
        models = _input_texts(draft, places)
        for place, model in zip(places.tolist(), models, strict=True):
            words[place] = match_case(words[place], model)
    return replace(draft, words=words, spaces=spaces)


STAGES = (
    draw_surrogates, select, check_persons, check_budget, sample_words, edit_words, replace_unknown,
    draw_numbers, replace_blocked, apply_stages, spell_words,
)  # fmt: skip


# -- checks of results -----------------------------------------------------------------------------


def _checked_rows(returned: Any, k: int, space: Space) -> Ints1d:
    rows, n = np.asarray(returned), len(space.words)
    valid = rows.shape == (k,) and rows.dtype.kind in "iu"
    if not valid or (k and (rows.min() < 0 or rows.max() >= n)):
        raise bad_return("The mechanism", rows, k, f"as many row numbers from 0 to {n - 1}")
    return rows.astype(np.int64)


def _checked_edit(returned: Any, rows: Ints1d, fixed: Bools1d) -> Ints1d:
    """Raise DxError if an editor returns invalid rows or changes fixed words."""
    edited = np.asarray(returned)
    valid = edited.shape == rows.shape and edited.dtype.kind in "iu"
    if not valid or (edited[fixed] != rows[fixed]).any():
        expected = "as many row numbers, unchanged for words in plaintext"
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
