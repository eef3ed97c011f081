"""`dx attack`: how often attackers succeed on a text of yours, over epsilon."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Annotated, Any, TypeVar

import numpy as np
import typer
from typer import Argument, Option

from ...cli import options
from ...cli.options import above_bar, attack_lines, pulse, setup_errors, usage_errors
from ...config.code import import_code
from ...errors import DxError, UsageError, quiet
from ...machine import CAN_FORK, forks, map_ended, product_threads
from ...mechanisms.levels import LEVELS
from ...pipeline.component import DEFAULT_CONFIG
from ...progress import over
from ...space import Space
from ...space.sources import BUILTIN
from ...validate import between, needs, one_of
from ..attacks import ATTACKS, AttackFigure, Reader
from ..attacks.frontier import AttackTarget, FrontierPoint, at_attacker, frontier
from ..attacks.frontier import result_of as frontier_result
from ..attacks.language import OF_DOMAIN, RARE
from ..attacks.ranges import Make, epsilons_of, points_at
from ..attacks.trial import AttackTrial
from ..attacks.tries import attack_all
from ..attacks.whole import NAME as ATTRIBUTES
from ..attacks.whole import STRONGER, Posts, infer, link_texts
from ..corpus import read_corpus, read_fields, sanitizer
from ..mechanisms import (
    all_tunable,
    load_space,
    longest_first,
    make_mechanism,
    parse_epsilons,
    parse_tunable,
)
from ..results import NAN, ResultTable, attack_result, check_out, plain, text_table

ALL_ATTACKS, FRONTIER, LINK = "all", "frontier", "link"
ALL = "all"  # of the mechanisms
NO_SOLUTION = "no mechanism has a solution on this space."
BY_PROMPT = ("guess", ALL_ATTACKS, FRONTIER)
BY_MODEL = (*BY_PROMPT, ATTRIBUTES)
PLAINTEXT = "plaintext"
DEFAULT = DEFAULT_CONFIG["mechanism"]
COLUMNS = (
    "mechanism", "epsilon", "unchanged", "recovered", "rare unchanged", "rare recovered", "cosine",
    "nats",
)  # fmt: skip
Makers = Mapping[str, Make]
Result = TypeVar("Result")
Attacked = Callable[[str], Iterator[Any]]  # label -> results, or an error
BY = ("recovered by", "rare by")  # with a second attacker, who has a causal model


def attack_cli(
    name: Annotated[str, Argument(
        metavar="NAME", show_default=False,
        help="guess repeat membership link all frontier attributes",
    )],
    text: Annotated[str, Argument(
        metavar="TEXT", show_default=False,
        help="Text whose words to recover: a file, or - for stdin",
    )],
    public: Annotated[str | None, Option(
        "--public", help="File of similar texts that the attacker has read"
    )] = None,
    mechanism: options.Mechanisms = None,
    epsilon: options.Epsilons = None,
    space: options.Space = BUILTIN,
    max_words: options.MaxWords = None,
    words: Annotated[int, Option(
        "--words", "-w", min=1, help="Attack the first documents, up to this many words"
    )] = 10_000,
    candidates: Annotated[int, Option(
        "--candidates", min=2, help="Number of words the attacker guesses among"
    )] = 8000,
    opening: Annotated[int | None, Option(
        "--opening", min=1, help="Use only the first N words of each document"
    )] = None,
    model: Annotated[str | None, Option(
        "--model", help="Causal language model that the attacker uses as well"
    )] = None,
    prompt: Annotated[str, Option(
        "--prompt", help="Prompt for the attacker's language model"
    )] = "",
    at: Annotated[str, Option(
        "--at", help="For frontier: compare at these top-1 recovery rates"
    )] = ".35,.5,.6",
    rewriting: Annotated[str | None, Option(
        "--released", help="link: field with somebody else's rewriting of the text"
    )] = None,
    attribute: Annotated[list[str] | None, Option(
        "--attribute", help="attributes: field to infer, such as personality.age"
    )] = None,
    author: Annotated[str | None, Option(
        "--author", help="attributes: field with the author, to split by"
    )] = None,
    field: options.Field = "text",
    out: Annotated[Path | None, Option(
        "--out", help="Folder for NAME.csv and NAME.svg (needs matplotlib)"
    )] = None,
    code: options.Code = None,
    force: options.Force = False,
) -> None:  # fmt: skip
    """Sanitise a text, attack it, and report the attack success rate.

    frontier compares mechanisms, and attributes infers what the author is. Without --epsilon,
    frontier finds the epsilons at which the attacker recovers the shares of --at, and other attacks
    take five over the range of each mechanism, from few to many unchanged words; the default
    mechanism alone has its levels. A table is printed, and NAME.csv written, as soon as there is
    one. No word of TEXT is printed or written, but the figures are about this text.

    Example: dx attack guess tickets.jsonl -m path -m laplace

    Example: dx attack frontier tickets.jsonl -m all --max-words 5000 --words 500
    """
    with attack_lines(name), setup_errors():
        import_code(code)
        one_of("NAME", name, (*ATTACKS, ALL_ATTACKS, FRONTIER, ATTRIBUTES))
        _check_options(name, model, prompt, rewriting)
        search = name != ATTRIBUTES and rewriting is None
        configs = _configs(mechanism or ["path"], search=search)
        given = None if epsilon is None else parse_epsilons(epsilon)
        epsilons = _epsilons(configs, given, search=search)
        shares = _shares(at)
        names = list(ATTACKS) if name == ALL_ATTACKS else [name]
        if out is not None:
            check_out(out, names, force=force)
        table = load_space(space, max_words)
        reader = None if model is None else Reader.of(model, table, prompt)
    with attack_lines(name), usage_errors():
        if name == ATTRIBUTES or rewriting is not None:
            releases = partial(_releases, configs=configs, epsilons=epsilons, space=table)
            if rewriting is not None:
                figures = _link_figures(Path(text), field, rewriting, releases)
            else:
                posts = _posts(Path(text), field, attribute, author)
                figures = _inference_figures(posts, reader, releases)
            _print_tables(figures)
            _print_note(NOTES[name])
            results = {name: ResultTable([asdict(f) for f in figures], digits=4)}
            return _write(results, out, force=force)
        read_all = partial(read_corpus, space=table, field=field)
        corpus = read_all(text)
        corpus = corpus if opening is None else corpus.opening(opening)
        read = None if public is None else read_all(public)
        if name != FRONTIER and read is None:
            corpus, read = corpus.halves()
        corpus = corpus.first(words)
        begun = longest_first(configs)
        makers = {label: partial(make_mechanism, configs[label], table) for label in begun}
        target = AttackTarget(table, corpus, read, reader, candidates).prepared()
        if name == FRONTIER:
            points = _frontier(makers, epsilons, target, shares, out)
            results = {FRONTIER: frontier_result(points)}
            _print_frontier(points, target, shares)
        else:
            figures = _attack(names, makers, epsilons, target, out)
            results = _results(figures, names)
            _print_note(_note(figures, target))
    _write(results, out, force=True)  # over those that were written so far


def _write(
    results: Mapping[str, ResultTable], out: Path | None, *, force: bool, figure: bool = True
) -> None:
    for name, result in results.items() if out is not None else ():
        result.write(Path(out or ""), name, force=force, figure=figure)


def _results(figures: Sequence[AttackFigure], names: Sequence[str]) -> dict[str, ResultTable]:
    by_name = {name: [f for f in figures if f.attack == name] for name in names}
    return {name: attack_result(rows) for name, rows in by_name.items() if rows}


def _attack(
    names: Sequence[str],
    makers: Makers,
    epsilons: Mapping[str, Sequence[float]],
    target: AttackTarget,
    out: Path | None,
) -> list[AttackFigure]:
    """Return the figures of each attack on each mechanism, by label, at its epsilons, or at those
    of its range. Tables are printed and written as soon as there are any."""
    found = {label: list[AttackFigure]() for label in epsilons}

    def attacked(label: str) -> Iterator[list[AttackFigure] | DxError]:
        try:
            tried = epsilons[label] or epsilons_of(makers[label], target)
        except DxError as error:
            yield error
            return
        for epsilon in tried:
            trial = AttackTrial(target, makers[label](epsilon), label=label)
            yield attack_all(names, trial)

    def add(label: str, figures: list[AttackFigure]) -> None:
        found[label] += figures
        _write(_results(all_found(), names), out, force=True, figure=False)

    def all_found() -> list[AttackFigure]:
        return [figure for figures in found.values() for figure in figures]

    for label in _by_mechanism(attacked, add, [*makers], target):
        _print_tables(found[label])
    return all_found()


def _by_mechanism(
    attacked: Callable[[str], Iterator[Result | DxError]],
    add: Callable[[str, Result], None],
    labels: Sequence[str],
    target: AttackTarget,
) -> Iterator[str]:
    """Yield each label, when all results of `attacked` were given to `add`: those of several
    mechanisms at a time, which begin in order, by as many processes as matrix products have
    threads.

    A mechanism for which `attacked` yields an error is left out, with a line. Raises UsageError if
    all are left out.
    """
    adding, any_attacked, running = Lock(), False, list[str]()

    def attack(label: str) -> DxError | None:
        running.append(label)
        shown.set_description_str(", ".join(running))
        for result in attacked_by_worker(label):
            if isinstance(result, DxError):
                return result
            with adding:
                add(label, result)
        running.remove(label)
        return None

    with quiet(), _workers(attacked, len(labels), target) as (attacked_by_worker, threads):
        with pulse(ALL, len(labels)) as shown:
            for label, error in map_ended(attack, labels, threads):
                shown.update(1)
                if error is not None:
                    above_bar(f"{label}: left out. {error}")
                    continue
                any_attacked = True
                yield label
    if not any_attacked:
        raise UsageError(NO_SOLUTION)


@contextmanager
def _workers(attacked: Attacked, mechanisms: int, target: AttackTarget) -> Iterator[Any]:
    """Yield `attacked` by processes, and their number; in this process, where it cannot fork: the
    libraries of causal models do not survive that."""
    with product_threads(True) as threads:
        count = min(threads, mechanisms)
    if count == 1 or target.reader is not None or not CAN_FORK:
        yield attacked, 1
    else:
        with forks(attacked, count) as by_fork:
            yield by_fork, count


def _check_options(name: str, model: str | None, prompt: str, rewriting: str | None) -> None:
    """Raise UsageError for an option of another attack."""
    options = (("model", model, BY_MODEL), ("prompt", prompt, BY_PROMPT))
    for option, value, names in (*options, ("released", rewriting, [LINK])):
        if value and name not in names:
            raise UsageError(f"`{option}` is for {', '.join(names)}, not for {name}.")
    if prompt and model is None:
        raise UsageError("`prompt` needs a language model: give one by `model`.")


def _configs(settings: Sequence[str], *, search: bool) -> dict[str, dict[str, Any]]:
    """Return the configs of mechanisms by label. "all" stands for each of them, where their
    epsilons are searched."""
    if ALL not in settings:
        return dict(parse_tunable(setting) for setting in settings)
    if not search or len(settings) > 1:
        raise UsageError("`mechanism` all is for attacks on words, and stands alone.")
    return all_tunable()


def _epsilons(
    configs: Mapping[str, Any], chosen: Sequence[float] | None, *, search: bool
) -> dict[str, Sequence[float]]:
    """Return the epsilons of each mechanism: the chosen ones, or the default's levels; without
    them, none if they are to be searched."""
    levels, epsilons = [level.epsilon for level in LEVELS.values()], dict[str, Sequence[float]]()
    for label, config in configs.items():
        is_default = config["@dx_mechanisms"] == DEFAULT["@dx_mechanisms"]
        if chosen is None and not is_default and not search:
            raise UsageError(f"{label} needs `epsilon`: the levels are those of the default.")
        epsilons[label] = chosen or (levels if is_default and len(configs) == 1 else [])
    return epsilons


def _frontier(
    makers: Makers,
    epsilons: Mapping[str, Sequence[float]],
    target: AttackTarget,
    shares: Sequence[float],
    out: Path | None,
) -> list[FrontierPoint]:
    """Return the points of all mechanisms: at their epsilons, or around those where the attacker
    recovers the shares. The table of a mechanism is printed and written when it is complete."""

    found = {label: list[FrontierPoint]() for label in epsilons}

    def attacked(label: str) -> Iterator[FrontierPoint | DxError]:
        if epsilons[label]:
            yield from frontier({label: makers[label]}, epsilons, target)
            return
        try:
            yield from points_at(label, makers[label], target, shares)
        except DxError as error:
            yield error

    def add(label: str, p: FrontierPoint) -> None:
        found[label].append(p)
        if not epsilons[label]:
            above_bar(f"{p.mechanism}: epsilon {p.epsilon:.3g}, {p.found:.0%} recovered")

    several, points, ended = target.reader is not None, list[FrontierPoint](), list[str]()
    for label in _by_mechanism(attacked, add, [*makers], target):
        found[label].sort(key=lambda p: p.epsilon)
        if not epsilons[label]:
            typer.echo(_frontier_table(found[label], several) + "\n")
        ended.append(label)
        points = [p for label in epsilons if label in ended for p in found[label]]
        _write({FRONTIER: frontier_result(points)}, out, force=True, figure=False)
    return points


def _shares(text: str) -> list[float]:
    try:
        return [between("at", float(part), 0.0, 1.0) for part in text.split(",")]
    except ValueError:
        expected = "shares between 0 and 1 with commas"
        raise UsageError(f"`at` must be {expected}, got {text!r}.") from None


def _print_tables(figures: Sequence[AttackFigure]) -> None:
    for name, mechanism in dict.fromkeys((f.attack, f.mechanism) for f in figures):
        typer.secho(f"{name}: {mechanism}", bold=True)
        subset = [f for f in figures if (f.attack, f.mechanism) == (name, mechanism)]
        typer.echo(_table(subset) + "\n")


def _print_note(note: str) -> None:
    typer.echo(
        f"{note}\n'Without' is a guess without the output. Intervals are in the .csv file. The "
        "figures are about this text: they are not private."
    )


def _note(figures: Sequence[AttackFigure], target: AttackTarget) -> str:
    text, public = target.text, target.read
    covered = float((target.places >= 0).mean())
    read = f"{len(public.rows):,} words" if public else "how often each word comes"
    note = (
        f"{len(text.rows):,} words of {len(text):,} documents were attacked. The attacker has read "
        f"{read}, and guesses among\n{len(target.words):,} words, which are {covered:.1%} of those "
        "that were attacked."
    )
    missing = sorted({*ATTACKS} - {f.attack for f in figures})
    is_small = 0 < len(missing) < len(ATTACKS) - 1
    return f"{note} The text is too small for {', '.join(missing)}." if is_small else note


def _table(figures: Sequence[AttackFigure]) -> str:
    epsilons = list(dict.fromkeys(f.epsilon for f in figures))
    lines: dict[tuple[str, str, str], dict[float, AttackFigure]] = {}
    for f in figures:
        lines.setdefault((f.measure, f.attacker, f.setting), {})[f.epsilon] = f
    unchanged = {f.epsilon: f.unchanged for f in figures}
    rows = [["words unchanged", *(_share(unchanged[e]) for e in epsilons), ""]]
    for parts, values in lines.items():
        cells = [_share(values[e].value) if e in values else "-" for e in epsilons]
        without = next(iter(values.values())).baseline
        rows.append([", ".join(part for part in parts if part), *cells, _share(without)])
    return text_table(["epsilon", *(plain(e, 4) or "-" for e in epsilons), "without"], rows, "lr")


def _share(value: float) -> str:
    return "" if value != value else f"{value:.1%}"


def _print_frontier(
    points: list[FrontierPoint], target: AttackTarget, shares: Sequence[float]
) -> None:
    several = target.reader is not None
    typer.echo(_frontier_table(points, several) + "\n")
    for attacker in shares:
        if at_rate := at_attacker(points, attacker):
            typer.secho(f"Where the attacker recovers {attacker:.0%} of the words:", bold=True)
            typer.echo(_frontier_table(at_rate, several) + "\n")
    read = "texts like these" if target.read else "how often each word comes in these texts"
    models = [target.language.name]
    models += [OF_DOMAIN] if target.language.domain_chain is not None else []
    models += [f"a {target.reader.name}"] if target.reader is not None else []
    choice = " (whichever recovers more)" if len(models) > 1 else ""
    typer.echo(
        f"{len(target.text.rows):,} words of {len(target.text):,} documents, "
        f"{int(target.rare.sum()):,} of them rare (below {RARE:g} in web text). The attacker "
        f"knows the mechanism,\n{' or '.join(models)}{choice}, and {read}. Nats are the excess "
        "negative log-likelihood\nper word over the original, under the word pairs of the package. "
        "The figures are about this text: they are not private."
    )


def _frontier_table(points: Sequence[FrontierPoint], several: bool) -> str:
    rows = [
        (p.mechanism, f"{p.epsilon:.3g}", f"{p.kept:.1%}", f"{p.found:.1%}", f"{p.rare_kept:.1%}",
         f"{p.rare_found:.1%}", f"{p.cosine:.2f}", f"{p.nats:+.2f}",
         *((p.attacker, p.rare_attacker) if several else ()))
        for p in points
    ]  # fmt: skip
    return text_table((*COLUMNS, *BY) if several else COLUMNS, rows, "lrrrrrrrll")


Releases = Callable[[Sequence[str]], Iterator[tuple[tuple[str, float], Sequence[str]]]]


def _releases(
    texts: Sequence[str],
    configs: Mapping[str, Any],
    epsilons: Mapping[str, Sequence[float]],
    space: Space,
) -> Iterator[tuple[tuple[str, float], Sequence[str]]]:
    """Yield the label and epsilon of each release, and its texts."""
    for label, config in configs.items():
        for epsilon in over(epsilons[label], label):
            nlp, _ = sanitizer(config, epsilon, space)
            yield (label, epsilon), [doc.text for doc in nlp.pipe(texts)]


def _fields(path: Path, *names: str) -> list[tuple[str, ...]]:
    """Return the fields of the rows of a file, a tuple for each field."""
    needs("scikit-learn", "this attack", extra="sklearn")
    return [*zip(*read_fields(path, names), strict=True)]


def _posts(path: Path, field: str, attributes: Sequence[str] | None, author: str | None) -> Posts:
    if not attributes:
        raise UsageError(f"{ATTRIBUTES} needs `attribute`: a field with what to infer.")
    texts, *values = _fields(path, field, *attributes, *([author] if author else []))
    authors = np.unique(values.pop(), return_inverse=True)[1] if author else np.arange(len(texts))
    return Posts(texts, dict(zip(attributes, values, strict=True)), authors)


def _inference_figures(
    posts: Posts, reader: Reader | None, releases: Releases
) -> list[AttackFigure]:
    model = None if reader is None else reader.words.model
    figures = [*infer(posts, posts.texts, (PLAINTEXT, NAN), model)]
    for release, texts in releases(posts.texts):
        figures += infer(posts, texts, release, model)
    return figures


def _link_figures(path: Path, field: str, rewriting: str, releases: Releases) -> list[AttackFigure]:
    originals, rewritten = _fields(path, field, rewriting)
    figures = [*link_texts(originals, rewritten, (rewriting, NAN))]
    for release, texts in releases(originals):
        figures += link_texts(originals, texts, release)
    return figures


NOTES = {
    ATTRIBUTES: "Top-1; without the text: the most frequent value. "
    f"{STRONGER} No such model was asked here.",
    LINK: "The attacker has all originals. Words count wherever they stand in their document.",
}
