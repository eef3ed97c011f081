"""Check the options of pipelines, files and the service, in their constructors."""

from __future__ import annotations

import csv
import multiprocessing
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from ..errors import UsageError, did_you_mean
from ..files.encodings import normal_name
from ..machine import is_loopback

# Options are annotated with their type (the first one is that of the command line), help text and
# short flags.


PROMPT_ENTITIES = "person,date,gpe,address,org,email,phone,url,id,secret"  # replaced in prompts
POLICIES = ("replace", "mask", "block", "leave")
REWRITING = ("rewrite", "rewrite_model")
PROXY_ONLY = ("upstream", "upstream_seconds", "tools", "models", "images", "policy", "note")


@dataclass(frozen=True)
class PipelineOptions:
    """Settings to make a pipeline with a sanitizer. None is the default of the component.

    `epsilon` is a number in nats per unit of the mechanism's metric, or the name of a level of the
    default mechanism; `level` takes only that name. A `config` can be combined only with `code`,
    `language` and `overrides`: values by path in the pipeline (`nlp.batch_size`) or in the block of
    the component (`mechanism.epsilon`).
    `config` is a config file, the folder of a saved pipeline, or the name of an installed one.
    `rewrite` adds dx_rewriter to any of them: the base URL of an OpenAI-compatible endpoint.
    `space` is "builtin", or the path of a saved space. The region of a `language`, as in en-GB, is
    the default of `date_order`.
    """

    config: Annotated[Path | str | None, "Config, folder or name of a pipeline", "-c"] = None
    model: Annotated[str | Sequence[str] | None, "Recognisers: rules, network, pipelines"] = None
    mechanism: Annotated[
        str | None, "Mechanism: path (default), 'mahalanobis lam=1', ...", "-m"
    ] = None
    epsilon: Annotated[
        str | float | None, "Smaller is more private: a number, light, balanced or strong", "-e",
        "--level",
    ] = None  # fmt: skip
    level: str | None = None
    entities: Annotated[
        str | tuple[str, ...] | list[str] | None, "Replace only these entities: person,date"
    ] = None
    surrogates: Annotated[str | Path | None, "Of entities: standard, clinical, none, or a file"] = (
        None
    )
    key: Annotated[Path | str | None, "Secret key: same original, same surrogate"] = None
    language: Annotated[str | None, "Language of the texts: en, en-GB, de, fr, es, nl, it"] = None
    date_order: Annotated[str | None, "How 03/04/19 is read: mdy, dmy or ymd"] = None
    code: Annotated[Path | str | None, "Python file to run first, with your own components"] = None
    rewrite: Annotated[str | None, "Rewrite releases by a language model at this URL"] = None
    rewrite_model: Annotated[str | None, "Name of that model"] = None
    space: Path | str | None = None
    overrides: Mapping[str, Any] = field(default_factory=dict)
    region: str = field(default="", init=False)

    def __post_init__(self) -> None:
        if self.language is not None:
            language, _, region = self.language.replace("_", "-").partition("-")
            object.__setattr__(self, "language", language)
            object.__setattr__(self, "region", region.upper())
        if (self.rewrite is None) != (self.rewrite_model is None):
            raise UsageError("`rewrite`, a URL, and `rewrite_model`, a name, go together.")
        for name in ("entities", "model"):
            object.__setattr__(self, name, to_names(getattr(self, name) or ()))
        for name in ("config", "key", "code"):
            if (path := getattr(self, name)) is not None:
                object.__setattr__(self, name, Path(path).expanduser())

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> PipelineOptions:
        """Return options from settings by name. Raise UsageError for an unknown name."""
        for name in settings:
            if name not in cls.__dataclass_fields__:
                raise unknown_key(name, cls.__dataclass_fields__)
        return cls(**settings)

    def of_component(self) -> dict[str, Any]:
        """Return the given options that cannot be combined with a config."""
        of_config = ("config", "code", "language", "region", "overrides", *REWRITING)
        settings = {name: value for name, value in vars(self).items() if name not in of_config}
        return {name: value for name, value in settings.items() if value not in (None, ())}


@dataclass(frozen=True)
class FileOptions:
    """Settings to read and write files.

    A `field` is a name, a column number from 1, or a path into JSON (a.b, items[].text). The fields
    in `keep_fields` are written in plaintext; None writes all fields.
    """

    field: Annotated[tuple[str, ...], "Field or column to sanitise; may be repeated"] = ("text",)
    keep_fields: Annotated[
        str | tuple[str, ...] | None, "Other fields to write in plaintext, or none"
    ] = None
    format: Annotated[str, "Input format, if the name does not show it: jsonl, ..."] = ""
    person_field: Annotated[str | None, "Field that identifies the person of a record"] = None
    encoding: Annotated[str | None, "Of .txt, .csv, .tsv and .eml (default: detected)"] = None

    def __post_init__(self) -> None:
        if self.encoding is not None:
            object.__setattr__(self, "encoding", normal_name(self.encoding))
        object.__setattr__(self, "field", ("text",) if self.field is None else to_names(self.field))
        if self.keep_fields is not None:
            names = () if self.keep_fields == "none" else to_names(self.keep_fields)
            object.__setattr__(self, "keep_fields", names)
        for name in self.field:
            if name in (self.keep_fields or ()):
                raise UsageError(f"`keep_fields` cannot keep {name!r}, the field to sanitise.")
            if self.field.count(name) > 1:
                raise UsageError(f"`field` names {name!r} twice.")


@dataclass(frozen=True)
class ServiceOptions:
    """Settings of the service and the proxy: addresses, callers, budgets, limits, the upstream."""

    address: Annotated[str, "Address to listen on; if not loopback, set tokens and host"] = (
        "127.0.0.1"
    )
    port: Annotated[int, "Port to listen on", "-p"] = 8000
    host: Annotated[tuple[str, ...], "Host names to accept besides loopback; * for any"] = ()
    tokens: Annotated[Path | None, "File of callers (mode 600), one NAME TOKEN per line"] = None
    budget: Annotated[float | None, "Privacy budget of each caller, as epsilon"] = None
    ledger: Annotated[Path | None, "SQLite file that records what each caller spent"] = None
    max_requests: Annotated[int, "Maximum number of connections of a worker"] = 1024
    max_bytes: Annotated[int, "Maximum size of a request body in bytes"] = 2**20
    max_seconds: Annotated[float, "Seconds until a request times out, its body included"] = 30.0
    workers: Annotated[int, "Worker processes; -1 for one per core", "-n"] = 1
    # PROXY_ONLY
    upstream: Annotated[str | None, "OpenAI-compatible API to send the prompts to"] = None
    upstream_seconds: Annotated[float, "Seconds until the upstream times out"] = 300.0
    tools: Annotated[tuple[str, ...], "Functions whose arguments get originals; * for all"] = ()
    models: Annotated[
        tuple[str, ...], "Model names to pass on whose words are in no public list"
    ] = ()
    images: Annotated[bool, "Send images, audio and files, in plaintext"] = False
    policy: Annotated[
        tuple[str, ...], "By label: replace, mask, block or leave, as in id=block,date=leave"
    ] = ()
    note: Annotated[bool, "Tell the model that names are surrogates"] = False

    def __post_init__(self) -> None:
        for name in ("host", "tools", "models", "policy"):
            object.__setattr__(self, name, to_names(getattr(self, name) or ()))
        object.__setattr__(self, "workers", process_count(self.workers))
        for name in ("upstream_seconds", "max_requests", "max_bytes", "max_seconds"):
            if getattr(self, name) <= 0:
                raise UsageError(f"`{name}` must be above 0.")
        reach = "other machines can reach this `address`: give"
        if not is_loopback(self.address) and self.tokens is None:
            raise UsageError(f"{reach} `tokens`, a file of callers.")
        if not is_loopback(self.address) and not self.host:
            raise UsageError(f"{reach} `host`, the host names to accept.")
        if self.upstream and not self.upstream.startswith(("http://", "https://")):
            raise UsageError("`upstream` must begin with http:// or https://.")
        if self.budget is not None and self.ledger is None:
            raise UsageError("`budget` needs `ledger`, a file that records what each caller spent.")
        for label, action in self.policies.items():
            if not label or action not in POLICIES:
                raise UsageError(f"`policy` must be LABEL=ACTION: {', '.join(POLICIES)}.")

    @property
    def policies(self) -> dict[str, str]:
        """Actions for mentions in prompts, by label."""
        pairs = (rule.partition("=") for rule in self.policy)
        return {label.strip().upper(): action.strip() for label, _, action in pairs}


def unknown_key(path: str, known: Iterable[str]) -> UsageError:
    """Return the error for an unknown key, with the most similar known one."""
    return UsageError(f"there is no setting `{path}`.{did_you_mean(path, known)}")


def to_names(given: str | Path | Iterable[str]) -> tuple[str, ...]:
    """Split comma-separated names: return ("a", "b") for "a, b", ["a", "b"] or ["a, b"]. A name in
    double quotes may have commas, as in a file of .csv."""
    strings = map(str, [given] if isinstance(given, (str, Path)) else given)
    rows = (
        next(csv.reader([string], skipinitialspace=True), [])
        if '"' in string
        else string.split(",")
        for string in strings
    )
    return tuple(filter(None, (name.strip() for row in rows for name in row)))


def process_count(n_process: int) -> int:
    """Return the number of processes to start. -1 stands for one per core, as in spaCy."""
    if n_process == 0 or n_process < -1:
        raise UsageError(f"`n_process` must be 1 or more, or -1, got {n_process}.")
    return multiprocessing.cpu_count() if n_process == -1 else n_process
