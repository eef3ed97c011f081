"""Every setting of a run: its name, default, check and help stand here and nowhere else.

The command line makes its options of these fields; `dx serve`, `spacy_dxprivacy.clean`,
scikit-learn, Ray and Spark take a SanitizeConfig. A setting has a path: `level`, `files.encoding`,
`cluster.workers`. What the parts of the pipeline take has one as well (`mechanism.epsilon`,
`space.max_words`): it is the path of a spaCy config below the sanitizer's block.
"""

from __future__ import annotations

import configparser
import dataclasses
import json
import math
import multiprocessing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from .errors import UsageError
from .files.limits import MOST_CONFIG, TooLarge, check_size

# Blocks and settings of the component, whose paths may be set: `mechanism.epsilon`, `casing`.
COMPONENT = (
    "mechanism", "selector", "space", "unknown", "numbers", "editor", "surrogates", "casing",
    "vectors", "carry", "max_epsilon_per_doc",
)  # fmt: skip
DELIMITERS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " "}
KINDS = {
    "text": "text",
    "path": "a path",
    "number": "a finite number above 0",
    "count": "a whole number",
    "flag": "true or false",
    "names": "names, with commas between them",
}


def _setting(
    kind: str, default: Any, help: str, *flags: str, more: str = "", least: int = 1
) -> Any:
    """A field. kind: see KINDS. help: at most 60 characters. more: a sentence for the reference.
    flags: further names of its option."""
    about = {"kind": kind, "help": help, "more": more, "flags": flags, "least": least}
    return field(default=default, metadata=about)


def _section(kind: Any) -> Any:
    return field(default_factory=kind)


class _Checked:
    """A group of settings whose values are brought into form once, where it is made."""

    def __post_init__(self) -> None:
        for one in fields(self):  # type: ignore[arg-type]
            if "kind" in one.metadata:
                value = checked(one.name, one.metadata, getattr(self, one.name))
                object.__setattr__(self, one.name, value)


@dataclass(frozen=True)
class FileConfig(_Checked):
    """How files are read and written."""

    field: tuple[str, ...] = _setting(
        "names", ("text",), "The field or column to sanitise",
        more="A name, a number from 1, or a path into nested JSON (a.b, items[].text).",
    )  # fmt: skip
    keep_fields: tuple[str, ...] | None = _setting(
        "names", None, "Other fields to write unmodified, or none",
        more="All of them if left out, and the receipt names them. `none` drops all.",
    )  # fmt: skip
    format: str = _setting(
        "text", "", "Input format: txt, lines, jsonl, csv, ...",
        more="What the file name says if left out; guessed on stdin from the first bytes.",
    )  # fmt: skip
    output_format: str = _setting("text", "", "Output format, such as jsonl or csv.gz")
    encoding: str | None = _setting(
        "text", None, "Input encoding, such as latin-1",
        more="UTF-8 if left out, or what a byte-order mark says. The output is UTF-8.",
    )  # fmt: skip
    delimiter: str | None = _setting("text", None, "Delimiter of .csv: a character, or its name")
    receipt_field: str | None = _setting("text", None, "Add this field with the record's receipt")
    person_field: str | None = _setting(
        "text", None, "The field that says whose record it is", "--user-field",
        more="With a key, all dates of a person move by the same days.",
    )  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.keep_fields == ("none",):
            object.__setattr__(self, "keep_fields", ())
        between = DELIMITERS.get(self.delimiter or "", self.delimiter)
        object.__setattr__(self, "delimiter", between)
        if between is not None and len(between) != 1:
            raise UsageError(
                f"`delimiter` must be one character, or one of {', '.join(DELIMITERS)}, "
                f"got {between!r}."
            )
        if between in ('"', "\n", "\r"):
            raise UsageError("`delimiter` cannot be a quote or the end of a line.")


@dataclass(frozen=True)
class RunConfig(_Checked):
    """How a run works, and what it writes besides."""

    n_process: int = _setting("count", 1, "Worker processes; -1 for one per core", "-n", least=-1)
    batch_size: int = _setting("count", 128, "Documents in a batch")
    receipt: Path | None = _setting("path", None, "Write the receipt to this .json file")
    sign: Path | None = _setting(
        "path", None, "Sign receipt and outputs with this key",
        more="`dx report` and `dx audit release` check the signature by --key.",
    )  # fmt: skip
    table: Path | None = _setting(
        "path", None, "Write who got which surrogate, encrypted",
        more="For you alone. It needs run.table_key, and one process.",
    )  # fmt: skip
    table_key: Path | None = _setting("path", None, "The key that encrypts run.table")
    log: Path | None = _setting("path", None, "Append progress and failures to this file")
    preview: int = _setting("count", 0, "Print the first N documents; write nothing", least=0)
    dry_run: bool = _setting("flag", False, "Print what would be done; write nothing")
    quiet: bool = _setting("flag", False, "Print no receipt", "-q")
    force: bool = _setting("flag", False, "Overwrite files that exist", "-F")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.n_process == 0:
            raise UsageError("`n_process` must be 1 or more, or -1, got 0.")

    @property
    def processes(self) -> int:
        """How many processes; -1 stands for one per core."""
        return multiprocessing.cpu_count() if self.n_process == -1 else self.n_process


@dataclass(frozen=True)
class ClusterConfig(_Checked):
    """Who sanitises shards: many files, or Parquet."""

    engine: str | None = _setting("text", None, "Sanitise shards by: local, ray or spark")
    address: str | None = _setting(
        "text", None, "Ray cluster address, or Spark master",
        more="One is started on this machine if left out.",
    )  # fmt: skip
    workers: int | None = _setting("count", None, "Workers of the cluster; one per core")
    again: bool = _setting(
        "flag", False, "Sanitise finished shards once more",
        more="A further release of the same texts: it spends the budget again.",
    )  # fmt: skip
    user_column: str | None = _setting("text", None, "Add up spending by this column too")


SECTIONS = {"files": FileConfig, "run": RunConfig, "cluster": ClusterConfig}


@dataclass(frozen=True)
class SanitizeConfig(_Checked):
    """What sanitises, and how. A value that is left out (None) is the component's default.

    Raises:
        UsageError: For values of another kind, and for keys of `overrides` that there are not.
    """

    config: Path | None = _setting(
        "path", None, "A config file: a pipeline, settings, or both", "-c",
        more="As for `spacy assemble`; [sanitize], [files], [run] and [cluster] hold settings.",
    )  # fmt: skip
    model: str | None = _setting("text", None, "A spaCy pipeline: tokenizer, vectors, recogniser")
    mechanism: str | None = _setting(
        "text", None, "Mechanism: path (default), laplace, ...", "-m",
        more="A short or a registered name (dx.Laplace.v1); a wrong one lists them all.",
    )  # fmt: skip
    epsilon: float | None = _setting(
        "number", None, "Privacy: less is more private", "-e",
        more="Nats per unit of the mechanism's metric. The default mechanism starts at 0.9.",
    )  # fmt: skip
    level: str | None = _setting("text", None, "In place of epsilon: light, balanced, strong")
    policy: str | None = _setting(
        "text", None, "What is hidden best: general, clinical, ...",
        more="general (the default), clinical, strict or plain.",
    )  # fmt: skip
    prior: str | None = _setting(
        "text", None, "Public language that sentences are drawn from",
        more="word-pairs (the default), word-frequency, uniform, clinical, dialogues, a folder "
        "made by `dx prior`, or an ARPA file.",
    )  # fmt: skip
    space: str | None = _setting(
        "text", None, "Word vectors: builtin, a file, or a saved space",
        more="The vectors of the model if left out, else builtin.",
    )  # fmt: skip
    entities: tuple[str, ...] = _setting(
        "names", (), "Replace these entities alone: person,date",
        more="All else stays in plaintext, and so does what the recogniser misses.",
    )  # fmt: skip
    surrogates: str | None = _setting(
        "text", None, "For entities: standard, clinical, none, a file",
        more="standard with entities, if left out. Without entities all other words are replaced "
        "too.",
    )  # fmt: skip
    key: Path | None = _setting(
        "path", None, "Secret key: same person, same surrogate",
        more="In all documents, which can then be linked. Dates move by document, or by "
        "files.person_field.",
    )  # fmt: skip
    unknown: str | None = _setting(
        "text", None, "Words not in the space: redact, context, ...",
        more="redact (the default), context, random-word, random-digits or raise.",
    )  # fmt: skip
    scope: str | None = _setting("text", None, "Draw each token, or each type once per document")
    numbers: str | None = _setting(
        "text", None, "Draw numbers near their value: relative, absolute:5"
    )
    code: Path | None = _setting("path", None, "A Python file to run first, with parts of yours")
    editor: str | None = _setting("text", None, "Edit the release by public knowledge: remap")
    lm: str | None = _setting("text", None, "A causal language model for the editor")
    prompt: str | None = _setting("text", None, "Public words on the texts, for the model")
    overrides: tuple[tuple[str, str], ...] = ()  # paths below the component, values as JSON
    files: FileConfig = _section(FileConfig)
    run: RunConfig = _section(RunConfig)
    cluster: ClusterConfig = _section(ClusterConfig)

    def with_settings(self, settings: Mapping[str, Any]) -> SanitizeConfig:
        """Return these settings with others in their place, by path.

        Args:
            settings: Values by path: "level", "files.encoding", "mechanism.epsilon".

        Raises:
            UsageError: For a path that there is not, with the nearest one that there is.
        """
        changes: dict[str, Any] = {}
        parts: dict[str, dict[str, Any]] = {}
        overrides = dict(self.overrides)
        for path, value in settings.items():
            section, _, name = path.partition(".")
            if section == "sanitize" and name in SETTINGS:
                section, name = name, ""
            if not name and section in SETTINGS:
                changes[section] = value
            elif f"{section}.{name}" in SETTINGS:
                parts.setdefault(section, {})[name] = value
            elif section in COMPONENT or section in ("components", "nlp"):
                overrides[path] = json.dumps(value)
            else:
                raise unknown_key(path, [*SETTINGS, *COMPONENT])
        for section, values in parts.items():
            changes[section] = dataclasses.replace(getattr(self, section), **values)
        return dataclasses.replace(self, **changes, overrides=tuple(overrides.items()))

    def pipeline_settings(self) -> dict[str, Any]:
        """Return the settings of the pipeline that are given, by name."""
        aside = ("config", "code")
        found = {n: getattr(self, n) for n in settings_of_pipeline() if n not in aside}
        return {name: value for name, value in found.items() if value not in (None, ())}


def _settings() -> Iterator[tuple[str, Mapping[str, Any]]]:
    for one in fields(SanitizeConfig):
        if "kind" in one.metadata:
            yield one.name, one.metadata
    for name, section in SECTIONS.items():
        yield from ((f"{name}.{one.name}", one.metadata) for one in fields(section))


def settings_of_pipeline() -> list[str]:
    """Return the names of the settings that make a pipeline."""
    return [one.name for one in fields(SanitizeConfig) if "kind" in one.metadata]


SETTINGS = dict(_settings())  # by path: kind, help, more, flags


def read_config(path: Path | None, settings: Mapping[str, Any]) -> SanitizeConfig:
    """Return the settings of a file with those that are given in their place.

    Args:
        path: A config file or None. Sections [sanitize], [files], [run] and [cluster] are
            settings; all others are of a spaCy pipeline.
        settings: By path; see SanitizeConfig.with_settings.

    Raises:
        UsageError: For a file that is none, and for unknown paths and wrong values.
    """
    start = SanitizeConfig()
    if path is not None:
        own, pipeline = sections_of(path)
        start = start.with_settings(own)
        start = dataclasses.replace(start, config=path if pipeline else None)
    return start.with_settings(settings)


def sections_of(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the settings of a config file by path, and its pipeline as spaCy has it ({} for none).

    Raises:
        UsageError: For a file that is missing, too large, or no config.
    """
    from spacy import util

    path = Path(path).expanduser()
    if not path.is_file():
        raise UsageError(f"{path}: no such config file.")
    try:
        check_size(path, MOST_CONFIG)
        whole = util.load_config(path, interpolate=False)
    except TooLarge as error:
        raise UsageError(str(error)) from None
    except (ValueError, configparser.Error):
        # The parser quotes the line that it stumbles over, and this may be a text.
        raise UsageError(f"{path}: this is not a config file of spaCy.") from None
    own = {
        (name if section == "sanitize" else f"{section}.{name}"): value
        for section in ("sanitize", *SECTIONS)
        for name, value in whole.pop(section, {}).items()
    }
    return own, whole


def parse_assignments(given: Iterable[str]) -> dict[str, Any]:
    """Return {"mechanism.epsilon": 0.5} for "mechanism.epsilon=0.5". Values are JSON, else text.

    Raises:
        UsageError: For what has no key or no equals sign.
    """
    found: dict[str, Any] = {}
    for one in given:
        path, equals, value = one.partition("=")
        if not equals or not path.strip():
            raise UsageError("`set` takes KEY=VALUE, such as files.encoding=latin-1.")
        try:
            found[path.strip()] = json.loads(value)
        except ValueError:
            found[path.strip()] = value
    return found


def unknown_key(path: str, known: Iterable[str]) -> UsageError:
    """Return the error for a key that there is not, with the nearest one that there is."""
    near = get_close_matches(path, list(known), n=1, cutoff=0.5)
    hint = f" Did you mean {near[0]}?" if near else ""
    return UsageError(f"there is no setting `{path}`.{hint}")


def names_of(given: str | Iterable[str]) -> tuple[str, ...]:
    """Return ("a", "b") for "a, b", and for a list with such strings."""
    some = [given] if isinstance(given, str) else given
    return tuple(name.strip() for one in some for name in str(one).split(",") if name.strip())


def checked(name: str, about: Mapping[str, Any], value: Any) -> Any:
    """Return a value as its kind has it.

    Raises:
        UsageError: For a value of another kind; it is not shown where it might be a text.
    """
    if value is None or value == () or value == "":
        return value if value != "" or about["kind"] == "text" else None
    made = _MAKERS[about["kind"]](value)
    small = about["kind"] == "count" and made is not None and made < about["least"]
    if made is None or small:
        limit = f", {about['least']} or more" if small else ""
        got = f", got {value}" if isinstance(value, int | float) else ""
        raise UsageError(f"`{name}` must be {KINDS[about['kind']]}{limit}{got}.")
    return made


def _number(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and math.isfinite(value) and value > 0 else None


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _names(value: Any) -> tuple[str, ...] | None:
    if isinstance(value, str | int) and not isinstance(value, bool):
        return names_of(str(value))
    return names_of(value) if isinstance(value, Sequence) else None


_MAKERS: dict[str, Any] = {
    "text": lambda value: str(value) if isinstance(value, str | int | float | Path) else None,
    "path": lambda value: Path(value).expanduser() if isinstance(value, str | Path) else None,
    "number": _number,
    "count": _whole,
    "flag": lambda value: value if isinstance(value, bool) else None,
    "names": _names,
}
