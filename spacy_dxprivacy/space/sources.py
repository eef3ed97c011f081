"""Load the space of a pipeline from a registered source.

A SpaceSource loads the Space when the pipeline is complete: spaCy loads vectors after it makes the
components.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import spacy
from spacy import util

from ..errors import DxError, Errors
from ..files.limits import NotAFile, regular
from ..files.word_lists import read_words
from ..registries import registry
from ..validate import fail, whole
from .blocked import OFFENSIVE, allowed_words
from .space import Allowed, Space, has_static_vectors

if TYPE_CHECKING:
    from spacy.language import Language

BUILTIN = "builtin"
OWN_WORDS = (
    "words of the pipeline's own vectors, and that they are there: private, if these were learned "
    "from private text (`public_words` restricts them to a public list)"
)
PIPELINE = (
    "a pipeline with vectors; `python -m spacy init vectors en FILE FOLDER` makes one of a file of "
    "vectors."
)


@dataclass(frozen=True)
class Filter:
    """The words that may be output; see Space.filtered.

    exclude: "offensive" for the list of the package, "nothing", the path of a text file with one
        word a line, or a list of words. "stem*" excludes all words with this beginning.
    """

    max_words: int | None = None
    pattern: str | None = None
    exclude: str | list[str] = "offensive"

    def __post_init__(self) -> None:
        if self.max_words is not None:
            whole("max_words", self.max_words, least=1)
        try:
            re.compile(self.pattern or "")
        except re.error:
            raise fail("pattern", "a regular expression", self.pattern) from None

    def apply(self, space: Space) -> Space:
        """Return the filtered space."""
        return space.filtered(
            max_words=self.max_words, pattern=self.pattern, exclude=self.excluded()
        )

    def excluded(self) -> tuple[str, ...]:
        """Return the excluded words. Raise DxError if their file cannot be read."""
        if not isinstance(self.exclude, str):
            return tuple(self.exclude)
        if self.exclude == "nothing":
            return ()
        return read_words(OFFENSIVE if self.exclude == "offensive" else Path(self.exclude))


@dataclass(frozen=True, eq=False, repr=False)
class SpaceSource:
    """Loads the Space of a pipeline.

    word_filter: the words that may be output, which `load` applies.
    packed: whether a saved pipeline includes a copy, since no other component has the vectors.
    own_vectors: whether the space has all words of the pipeline's own vectors, if any: these are
        private if they were learned from private text.
    is_default: whether the space was not chosen explicitly.
    """

    load: Callable[[Language], Space]
    word_filter: Filter = Filter(exclude=[])
    packed: bool = False
    own_vectors: bool = False
    is_default: bool = False

    @property
    def blocks_offensive(self) -> bool:
        """Whether offensive and harmful words are blocked."""
        return self.word_filter.exclude == "offensive"

    def allowed(self) -> Allowed:
        """Return the predicate of words that may be output, for editors with words of their own."""
        if self.blocks_offensive:
            return allowed_words()
        return Allowed(None, self.word_filter.excluded())

    def in_clear(self, nlp: Language | None) -> tuple[str, ...]:
        """Describe what a release reveals of the space, for receipts."""
        reveals = self.own_vectors and nlp is not None and has_static_vectors(nlp.vocab)
        return (OWN_WORDS,) if reveals else ()


@registry.dx_spaces("dx.AutoSpace.v1")
def make_auto_space(
    max_words: int | None = None,
    pattern: str | None = None,
    exclude: str | list[str] = "offensive",
    public_words: str | None = None,
) -> SpaceSource:
    """Use the pipeline's own static vectors if it has any, else the built-in space.

    Args:
        max_words: Use the first max_words words; all if None.
        pattern: A regular expression that each word must match.
        exclude: "offensive" for the list of the package, "nothing", the path of a text file with
            one word a line, or a list of words.
        public_words: For vectors learned from private text, see dx.PipelineVectors.v1.
    """
    word_filter = Filter(max_words, pattern, exclude)
    load = partial(_auto, word_filter=word_filter, public=public_words)
    return SpaceSource(load, word_filter, own_vectors=public_words is None, is_default=True)


@registry.dx_spaces("dx.BuiltinSpace.v1")
def make_builtin_space(
    max_words: int | None = None,
    pattern: str | None = None,
    exclude: str | list[str] = "offensive",
) -> SpaceSource:
    """Use the English space of the package.

    Args:
        max_words: Use the first max_words words; all if None.
        pattern: A regular expression that each word must match.
        exclude: "offensive" for the list of the package, "nothing", the path of a text file with
            one word a line, or a list of words.
    """
    word_filter = Filter(max_words, pattern, exclude)
    return SpaceSource(partial(_named, BUILTIN, word_filter=word_filter), word_filter)


@registry.dx_spaces("dx.PipelineVectors.v1")
def make_pipeline_vectors(
    words: str | None = None,
    max_words: int | None = None,
    pattern: str | None = None,
    exclude: str | list[str] = "offensive",
    public_words: str | None = None,
) -> SpaceSource:
    """Use the pipeline's own static vectors.

    Args:
        words: For floret vectors, the path of a text file with one word a line.
        max_words: Use the first max_words words; all if None.
        pattern: A regular expression that each word must match.
        exclude: "offensive" for the list of the package, "nothing", the path of a text file with
            one word a line, or a list of words.
        public_words: For vectors learned from private text: the path of such a file, or "builtin"
            for the words of the built-in space. All other words are left out.
    """
    word_filter = Filter(max_words, pattern, exclude)
    load = partial(_from_pipeline, words=words, word_filter=word_filter, public=public_words)
    return SpaceSource(load, word_filter, own_vectors=public_words is None and words is None)


@registry.dx_spaces("dx.FileSpace.v1")
def make_file_space(
    path: str,
    max_words: int | None = None,
    pattern: str | None = None,
    exclude: str | list[str] = "offensive",
    relearn: bool = False,
) -> SpaceSource:
    """Use a folder written by Space.save, or a pipeline with vectors.

    Args:
        path: The folder of a space or pipeline (see `spacy init vectors`), or the name of an
            installed pipeline.
        max_words: Use the first max_words words; all if None.
        pattern: A regular expression that each word must match.
        exclude: "offensive" for the list of the package, "nothing", the path of a text file with
            one word a line, or a list of words.
        relearn: Learn the graphs and tables of a saved space again; see Space.load.
    """
    word_filter = Filter(max_words, pattern, exclude)
    load = partial(_named, path, word_filter=word_filter, relearn=relearn)
    return SpaceSource(load, word_filter, packed=True)


def _named(source: str, nlp: Language, *, word_filter: Filter, **options: Any) -> Space:
    return load(source, word_filter, **options)


def _auto(nlp: Language, *, word_filter: Filter, public: str | None) -> Space:
    if has_static_vectors(nlp.vocab):
        return _from_pipeline(nlp, words=None, word_filter=word_filter, public=public)
    return load(BUILTIN, word_filter)


def _from_pipeline(
    nlp: Language, *, words: str | None, word_filter: Filter, public: str | None
) -> Space:
    candidates = None if words is None else read_words(Path(words))
    space = Space.from_nlp(nlp, words=candidates)
    if public is not None:
        listed = Space.builtin().words if public == BUILTIN else read_words(Path(public))
        space = space.of_words(listed)
    return word_filter.apply(space)


def load(source: str | Path, word_filter: Filter | None = None, *, relearn: bool = False) -> Space:
    """Load a space by the name that commands, configs and functions share.

    Args:
        source: "builtin", a folder written by Space.save, or a pipeline with vectors: a folder (see
            `spacy init vectors`) or an installed package.
        word_filter: The words that may be output; by default all but offensive ones.
        relearn: Whether to learn stored results again, see Space.load.

    Raises:
        DxError: For a missing or damaged source, or if no word is left.
    """
    word_filter = word_filter or Filter()
    if str(source) == BUILTIN:
        # The built-in space lacks the words of the default list already.
        return Space.builtin() if word_filter == Filter() else word_filter.apply(Space.builtin())
    if (Path(source) / "space.json").is_file():
        return word_filter.apply(Space.load(source, relearn=relearn))
    return word_filter.apply(Space.from_nlp(_vectors_of(source)))


def _vectors_of(source: str | Path) -> Language:
    """Read the vocabulary of a pipeline, without its components."""
    path = Path(source)
    try:
        if not path.is_dir() and util.is_package(str(source)):
            package = util.get_package_path(str(source))
            meta = util.get_model_meta(package)
            path = package / f"{meta['lang']}_{meta['name']}-{meta['version']}"
        meta = util.get_model_meta(regular(path))
        nlp = spacy.blank(meta["lang"], meta={"name": meta["name"]})
        nlp.vocab.from_disk(path / "vocab", exclude=["lookups"])
    except NotAFile:
        raise
    except FileNotFoundError:
        hint = f"A space is 'builtin', a folder written by Space.save, or {PIPELINE}"
        raise DxError(Errors.DX026.format(path=path, hint=hint)) from None
    except (OSError, ValueError, KeyError, ImportError):
        raise DxError(Errors.DX024.format(path=path, why=f"nor {PIPELINE}")) from None
    return nlp
