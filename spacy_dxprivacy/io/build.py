"""Build a pipeline with a sanitizer from settings."""

from __future__ import annotations

import configparser
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import spacy
from spacy import util
from spacy.language import Language
from spacy.training.initialize import get_sourced_components
from thinc.api import Config, ConfigValidationError

from ..config.code import import_code
from ..config.options import PROMPT_ENTITIES, PipelineOptions, to_names, unknown_key
from ..config.spacy_config import read_config
from ..entities import NETWORK, NETWORK_CONFIG
from ..errors import DxError, UsageError
from ..files.limits import MAX_CONFIG, check_size, read_json
from ..mechanisms.named import mechanism_config, parameters_of
from ..pipeline.component import DEFAULT_CONFIG, ENTITY_CONFIG, DxSanitizer
from ..pipeline.receipt import ANNOTATIONS, ReceiptTerms
from ..pipeline.selectors import entity_labels
from ..registries import REGISTRIES, registry
from ..space.sources import BUILTIN
from ..surrogates.plain import PRESETS
from ..text.language import COVERED, ORDERS, region_order

BATCH_SIZE = 128  # documents, if the config sets none; spaCy's default is 1000
RECOGNISERS = {"rules": "dx_entity_ruler", "network": NETWORK}  # of this package, as models
REWRITER = "dx_rewriter"
NO_LIMIT = 2**40  # characters; spaCy's max_length must be a number
DEFAULTS = {"dx_sanitizer": DEFAULT_CONFIG, "dx_entity_sanitizer": ENTITY_CONFIG}
# What None stands for in the block of a sanitizer, of which an override may change a part.
IF_NONE = {name: DEFAULT_CONFIG[name] for name in ("mechanism", "unknown")}
ROOTS = (*DEFAULT_CONFIG, "nlp", "components")  # first parts of override paths


def make_pipeline(options: PipelineOptions | None = None, /, **settings: Any) -> Language:
    """Return a pipeline with a sanitizer whose space is loaded and mechanism fitted.

    Args:
        options: Settings of the pipeline.
        settings: Fields of PipelineOptions by name, instead of `options`.

    Raises:
        UsageError: If options do not fit together. Errors of spaCy about a config pass through.
    """
    options, of_rewriter = _split_rewriter(options or PipelineOptions.of(settings))
    import_code(options.code)
    if options.config is None:
        nlp = unfitted(options)
    elif options.of_component() or options.region:
        raise UsageError(
            "`config` takes no other settings: give them in the file, or leave it out."
        )
    else:
        with _errors_of(options.config):
            nlp = _configured(options.config, options.overrides)
    sanitizer = get_sanitizer(nlp)
    if options.language is not None:
        sanitizer.settings.language = options.language
    if of_rewriter is not None:
        nlp.add_pipe(REWRITER, config=of_rewriter)
    # Before workers are forked, so that they share the tables that are built at first use.
    sanitizer.warm_up()
    for rewriter in rewriters_of(nlp):
        rewriter.warm_up()
    # max_length protects parsers and recognisers, which need a gigabyte for 100,000 words.
    if not any(getattr(pipe, "is_trainable", False) for _, pipe in nlp.pipeline):
        nlp.max_length = NO_LIMIT
    return nlp


def make_anonymizer(options: PipelineOptions) -> Language | None:
    """Return a pipeline that replaces the entities which come with a text by surrogates.

    It has no recogniser. None if the options choose a config or a mechanism, which samples words.
    """
    if options.config or options.mechanism or options.epsilon or options.level:
        return None
    if options.surrogates == "none":
        return None
    nlp = spacy.blank(_language(options.language))
    chosen = replace(options, entities=options.entities or to_names(PROMPT_ENTITIES))
    nlp.add_pipe("dx_entity_sanitizer", config=component_config(chosen))
    get_sanitizer(nlp).warm_up()
    nlp.max_length = NO_LIMIT
    return nlp


def unfitted(options: PipelineOptions) -> Language:
    """Return a pipeline with these options. Its space is not loaded yet."""
    name = "dx_entity_sanitizer" if options.entities else "dx_sanitizer"
    of_block, of_pipeline = _split(options.overrides, name)
    models, of_network = tuple(options.model or RECOGNISERS), dict[str, Any]()
    if "network" in models:
        start = f"components.{NETWORK}."
        ours = [path for path in of_pipeline if path.startswith(start)]
        of_network = {path.removeprefix(start): of_pipeline.pop(path) for path in ours}
    nlp = _base(models, options.language, of_pipeline, name)
    block = component_config(options)
    if any(isinstance(pipe, DxSanitizer) for _, pipe in nlp.pipeline):
        if block or of_block:
            raise UsageError("the model has a dx_sanitizer of its own: leave its settings out.")
        return nlp
    block = override(block, of_block, Config(DEFAULTS[name]).merge(block))
    if "selector" not in block and block.get("surrogates") is None:
        for path in of_network:
            raise unknown_key(path, ROOTS)  # the pipeline has no recogniser
        nlp.add_pipe(name, config=block, first=True)
        nlp.select_pipes(enable=[name])
        return nlp
    settings = {NETWORK: override({}, of_network, Config(NETWORK_CONFIG))}
    for factory in [RECOGNISERS[model] for model in RECOGNISERS if model in models]:
        nlp.add_pipe(factory, config=settings.get(factory, {}))
    if len(models) > 1 and (other_models := [name for name in models if name not in RECOGNISERS]):
        nlp.add_pipe("dx_models", config={"models": other_models})
    if not options.model and (installed := installed_pipelines()):
        nlp.add_pipe("dx_language_models", config={"models": installed})
    if options.entities:
        # person -> PERSON, if a recogniser of the pipeline predicts PERSON and not person.
        labels = entity_labels(nlp, before="") or ()
        cased = {label.casefold(): label for label in labels} | {label: label for label in labels}
        selector = block["selector"]
        selector["labels"] = [
            cased.get(label, cased.get(label.casefold(), label))
            for label in to_names(selector["labels"])
        ]
    nlp.add_pipe(name, config=block)
    return nlp


def _split_rewriter(options: PipelineOptions) -> tuple[PipelineOptions, dict[str, Any] | None]:
    """Return the options without those of a rewriter, and the block of that; None for none."""
    if options.rewrite is None:
        return options, None
    start = f"components.{REWRITER}."
    ours = {path: value for path, value in options.overrides.items() if path.startswith(start)}
    others = {path: value for path, value in options.overrides.items() if path not in ours}
    endpoint = {"base_url": options.rewrite, "model": options.rewrite_model}
    block = {"model": {"@llm_models": "dx.ChatEndpoint.v1", **endpoint}}
    of_block = {path.removeprefix(start): value for path, value in ours.items()}
    block = override(block, of_block, Config({"prompt": None, "retries": None}).merge(block))
    return replace(options, overrides=others), block


def rewriters_of(nlp: Language) -> list[Any]:
    """Return the active rewriters of a pipeline. No module imports them unless one is asked for."""
    names = [name for name in nlp.pipe_names if nlp.get_pipe_meta(name).factory == REWRITER]
    return [nlp.get_pipe(name) for name in names]


def check_limit(nlp: Language, limit: str) -> None:
    """Raise UsageError for a limit of losses that is checked after a model has read the release."""
    if rewriters_of(nlp):
        why = "is checked after the model of a rewriter has read a release"
        raise UsageError(f"`{limit}` {why}: leave one of the two out.")


def terms_of(nlp: Language) -> ReceiptTerms:
    """Return the terms of the receipts that a pipeline attaches. Raise UsageError for none."""
    terms, rewriters = get_sanitizer(nlp).terms, rewriters_of(nlp)
    return replace(terms, rewriter=rewriters[-1].stage) if rewriters else terms


def _base(
    models: tuple[str, ...], language: str | None, overrides: Mapping[str, Any], component: str
) -> Language:
    """Return the pipeline of a single model, or else a blank one, with overrides applied."""
    load: Callable[..., Language] = partial(util.load_model, models[0])
    if len(models) > 1 or models[0] in RECOGNISERS:
        load = partial(spacy.blank, _language(language))
    config: dict[str, Any] = {"nlp": {"batch_size": BATCH_SIZE}}
    if overrides:
        defaults = load().config
        defaults["components"].setdefault(component, {})
        config = override(config, overrides, defaults)
    return load(config=config)


def _language(language: str | None) -> str:
    """Return the language, or "en" for None. Raise UsageError if it is not covered."""
    if language is not None and language not in COVERED:
        raise UsageError(f"`language` must be one of {', '.join(COVERED)}, got {language!r}.")
    return language or "en"


def _configured(config: Path | str, overrides: Mapping[str, Any]) -> Language:
    """Return the pipeline of a config file, of the folder of a saved pipeline, or of the name of an
    installed one. Raise UsageError for anything else."""
    path = Path(config)
    if path.is_dir():
        if not (path / "config.cfg").is_file():
            why = "is a folder without config.cfg, so it is not a saved pipeline"
            example = next(iter(sorted(path.glob("*.cfg"))), "")
            remedy = (
                f"name one of its files, such as {example}" if example else "name a config file"
            )
            raise UsageError(f"{path}: {why}: {remedy}.")
        read_config(path / "config.cfg")
        return _loaded(path, overrides)
    if not path.exists():
        if not _is_installed(str(config)):
            kinds = "no such config file, no saved pipeline, and no installed one"
            raise UsageError(f"{config}: {kinds}.")
        return _loaded(str(config), overrides)
    return _assemble(path, overrides)


def _is_installed(name: str) -> bool:
    """Return whether a package is installed and holds a pipeline, as `spacy package` makes it."""
    found = find_spec(name) if util.is_package(name) and name.isidentifier() else None
    folders = () if found is None else found.submodule_search_locations or ()
    return any((Path(folder) / "meta.json").is_file() for folder in folders)


def installed_pipelines() -> dict[str, str]:
    """Return language -> the largest installed pipeline of spaCy for it that fits this spaCy; not
    for English, which the network reads."""
    found: dict[str, str] = {}
    for language in COVERED[1:]:
        for size in ("lg", "md", "sm"):
            name = f"{language}_core_news_{size}"
            if language not in found and _is_installed(name) and _fits(name):
                found[language] = name
    return found


def only_by_rules(nlp: Language, language: str) -> list[str]:
    """Return the language if only the rules of this package find names in it, else nothing: the
    network is of English, and `dx_language_models` has a pipeline for some languages."""
    factories = {nlp.get_pipe_meta(name).factory for name in nlp.pipe_names}
    ours = {*RECOGNISERS.values(), *DEFAULTS, "dx_language_models"}
    models = [getattr(p, "models", ()) for _, p in nlp.pipeline if hasattr(p, "recognisers")]
    is_other = not factories <= ours or any(language in by_language for by_language in models)
    return [] if language == "en" or is_other or "dx_entity_ruler" not in factories else [language]


def _fits(package: str) -> bool:
    """Return whether an installed pipeline was made for this version of spaCy."""
    meta = read_json(util.get_package_path(package) / "meta.json")
    return util.is_compatible_version(spacy.__version__, meta["spacy_version"]) is True


@contextmanager
def _errors_of(config: Path | str) -> Iterator[None]:
    """Make a UsageError, with the name of a pipeline, of what a damaged one raises."""
    try:
        yield
    except (DxError, ConfigValidationError, OSError):
        raise  # they name what is wrong
    except (ImportError, ValueError) as error:
        raise UsageError(f"{config}: {error}") from None
    except Exception as error:
        why = f"it or a file in it is damaged ({type(error).__name__})."
        raise UsageError(f"{config}: {why}") from None


def _loaded(name: Path | str, overrides: Mapping[str, Any]) -> Language:
    """Return a saved or installed pipeline, as `spacy.load` does, with overrides applied."""
    nlp = util.load_model(name)
    if not overrides:
        return nlp
    component, blocks = _last_sanitizer(nlp.config), nlp.config["components"]
    of_block, of_pipeline = _split(overrides, component)
    changes = override({}, of_pipeline, nlp.config)
    if of_block:
        block = override({}, of_block, Config(blocks[component]))
        changes = Config(changes).merge({"components": {component: block}})
    return util.load_model(name, config=changes)


def _last_sanitizer(config: Mapping[str, Any]) -> str:
    """Return the name of the last sanitizer of a config; "" for none."""
    blocks = config.get("components", {})
    return next((name for name in reversed(blocks) if blocks[name].get("factory") in DEFAULTS), "")


def _assemble(path: Path | str, overrides: Mapping[str, Any]) -> Language:
    """Return the pipeline of a complete config, as `spacy assemble` makes it."""
    config = Config(read_config(path))
    blocks = config.get("components", {})
    ours = [name for name in blocks if blocks[name].get("factory") in DEFAULTS]
    of_block, of_pipeline = _split(overrides, ours[-1] if ours else "")
    defaults = Config(Language.default_config).merge(config)
    for name in ours:
        factory = DEFAULTS[blocks[name]["factory"]]
        defaults["components"][name] = Config(factory).merge(blocks[name])
    for name in (name for name in blocks if blocks[name].get("factory") == NETWORK):
        defaults["components"][name] = Config(NETWORK_CONFIG).merge(blocks[name])
    if of_block:
        settings = Config(defaults["components"][ours[-1]])
        blocks[ours[-1]] = override(blocks[ours[-1]], of_block, settings)
    config = override(config, of_pipeline, defaults)
    config.setdefault("nlp", {}).setdefault("batch_size", BATCH_SIZE)
    nlp = util.load_model_from_config(config, auto_fill=True)
    nlp._link_components()
    with nlp.select_pipes(disable=[*get_sourced_components(config.interpolate())]):
        nlp.initialize()
    return nlp


def get_sanitizer(nlp: Language) -> DxSanitizer:
    """Return the last active sanitizer: its receipts are on the Docs. Raise UsageError if none."""
    sanitizers = [pipe for _, pipe in nlp.pipeline if isinstance(pipe, DxSanitizer)]
    if not sanitizers:
        raise UsageError(
            "the pipeline has no active dx_sanitizer, so text would stay unchanged. Add one."
        )
    if any(pipe.settings.write == ANNOTATIONS for pipe in sanitizers):
        raise UsageError("the sanitizer has write = 'annotations', so its Docs are no releases.")
    return sanitizers[-1]


# -- overrides -------------------------------------------------------------------------------------


def _split(overrides: Mapping[str, Any], component: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the overrides of the sanitizer, by path in its block, and those of the pipeline.

    component: the name of the sanitizer; "" for none. Raise UsageError for other paths.
    """
    of_block, of_pipeline = dict[str, Any](), dict[str, Any]()
    for path, value in overrides.items():
        below = path.removeprefix(f"components.{component}.")
        root, _, tail = below.partition(".")
        if root in DEFAULT_CONFIG:
            of_block[below] = value
        elif below == path and root in Language.default_config:
            of_pipeline[path] = value
        else:
            start = path.removesuffix(below)
            raise unknown_key(path, [f"{start}{name}.{tail}".rstrip(".") for name in ROOTS])
    if of_block and not component:
        path = next(iter(of_block))
        raise UsageError(f"`{path}` is a setting of dx_sanitizer, which the config does not have.")
    return of_block, of_pipeline


def override(block: dict[str, Any], overrides: Mapping[str, Any], known: Config) -> Config:
    """Return a block of a config with values set by path. known: its defaults.

    A new registered name (`unknown.@dx_unknowns`) drops the settings of the old one. Raise
    UsageError for an unknown path, with the nearest known one.
    """
    config = Config(block)
    for path in sorted(overrides, key=lambda path: "@" not in path):
        root, _, below = path.partition(".")
        if below and root in IF_NONE and known.merge(config)[root] is None:
            config = Config({**config, root: IF_NONE[root]})
        check_path(path, known.merge(config))
        value = overrides[path]
        for part in reversed(path.split(".")):
            value = {part: value}
        config = config.merge(value)
    return config


def check_path(path: str, block: Mapping[str, Any]) -> None:
    """Raise UsageError, with the nearest known path, if a block has no such setting."""
    start, tail = "", path
    while tail:
        part, _, tail = tail.partition(".")
        names = {*block, *(f"@{name}" for name in REGISTRIES)}
        for key, name in block.items():  # parameters of the registered function
            if key.startswith("@") and hasattr(registry, key[1:]):
                names.update(parameters_of(key[1:], name))
        if part not in names:
            alike = [name for name in names if name.startswith("@") == part.startswith("@")]
            raise unknown_key(path, [f"{start}{name}.{tail}".rstrip(".") for name in alike])
        inner = block.get(part)
        block = inner if isinstance(inner, Mapping) else {}
        start += f"{part}."


# -- the block of the sanitizer --------------------------------------------------------------------


def component_config(options: PipelineOptions) -> dict[str, Any]:
    """Return the block of the sanitizer in a config, with only the settings that are given."""
    epsilon = options.epsilon if options.level is None else options.level
    if options.level is not None and options.epsilon is not None:
        raise UsageError("`level` sets `epsilon` by name: give one of the two.")
    block: dict[str, Any] = {
        "mechanism": mechanism_config(options.mechanism, epsilon),
        "space": _space_config(options.space),
        "surrogates": surrogates_config(options.surrogates, options.key, _date_order(options)),
    }
    block = {name: value for name, value in block.items() if value}
    if options.surrogates == "none":
        block["surrogates"] = None
    if options.entities:
        block["selector"] = {"@dx_selectors": "dx.Entities.v1", "labels": [*options.entities]}
    return block


def _space_config(space: Path | str | None) -> dict[str, Any]:
    if space is None:
        return {}
    if space == BUILTIN:
        return {"@dx_spaces": "dx.BuiltinSpace.v1"}
    if space in registry.dx_spaces:
        return {"@dx_spaces": space}
    return {"@dx_spaces": "dx.FileSpace.v1", "path": str(space)}


def _date_order(options: PipelineOptions) -> str | None:
    """Return the order of numeric dates: the given one, else that of the region of the language."""
    has_surrogates = bool(options.entities or options.surrogates not in (None, "none"))
    if options.date_order is None:
        language, region = options.language or "", options.region
        return region_order(language, region) if region and has_surrogates else None
    if not has_surrogates:
        raise UsageError("`date_order` is for dates that move: give `entities` or `surrogates`.")
    if options.date_order not in ORDERS:
        raise UsageError(
            f"`date_order` must be one of {', '.join(ORDERS)}, got {options.date_order!r}."
        )
    return options.date_order


def surrogates_config(
    given: Path | str | None, key: str | Path | None, date_order: str | None = None
) -> Any:
    """Return the block of a preset, with its key and the order of dates if given, or the sections
    of a file by label."""
    if given == "none" or (given is None and key is None and date_order is None):
        return None
    if given is None or given in PRESETS:
        block = {"@dx_surrogates": "dx.Preset.v1", "name": str(given or PRESETS[0])}
        block |= {} if date_order is None else {"order": date_order}
        return block if key is None else {**block, "scope": "corpus", "key": str(key)}
    for name, setting, inside in (("key", key, "key"), ("date_order", date_order, "order")):
        if setting is not None:
            raise UsageError(
                f"`{name}` needs a preset: in a file, give `{inside}` in the section of each label."
            )
    path = Path(given)
    if not path.is_file():
        names = ", ".join([*PRESETS, "none"])
        raise UsageError(f"`surrogates` must be one of {names}, or a file, got {given!r}.")
    try:
        check_size(path, MAX_CONFIG)
        return dict(util.load_config(path, interpolate=True))
    except (ValueError, configparser.Error):
        raise UsageError(f"{path}: is not a config file with a section for each label.") from None
