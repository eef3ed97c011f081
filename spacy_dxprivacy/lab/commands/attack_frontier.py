"""`python -m spacy dx attack frontier`: what stays of a text over what an attacker finds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import typer
from wasabi import table

from ...cli.bars import Steps
from ...errors import UsageError
from ...files.atomic import check_new, write_bytes
from ...space import Space
from ..attacks.causal import Reader
from ..attacks.corpus import Corpus
from ..attacks.frontier import Ground, Point, at_attacker, frontier, points_as_csv
from ..attacks.language import OF_KIND, RARE
from ..attacks.over_epsilon import epsilons_for
from ..attacks.plots import plot_frontier
from ..tuning.plots import check_plot
from ..tuning.settings import make_of_config, parse_mechanism

FILES = ("frontier.csv", "frontier.svg")
COLUMNS = (
    "mechanism", "epsilon", "kept", "found", "rare kept", "rare found", "cosine", "nats",
)  # fmt: skip
BY = ("found by", "rare by")  # where one with a causal model tries as well


@dataclass(frozen=True)
class Frontier:
    """Options of the command, checked. attackers: shares of words found, to compare at."""

    mechanisms: Sequence[str]
    epsilons: Sequence[float] | None
    attackers: Sequence[float]
    out: Path | None
    force: bool

    def run(
        self, space: Space, text: Corpus, read: Corpus | None, reader: Reader | None = None
    ) -> None:
        ground = Ground(space, text, read, reader)
        configs = dict(parse_mechanism(given) for given in self.mechanisms)
        makers = {label: partial(make_of_config, c, space) for label, c in configs.items()}
        chosen = {
            label: self.epsilons or epsilons_for(make, space.vectors, text.rows)
            for label, make in makers.items()
        }
        total = sum(len(some) for some in chosen.values())
        with Steps("points") as steps:
            points = frontier(makers, chosen, ground, lambda p: steps("mechanisms", total))
        self._tell(points, ground)
        if self.out is not None:
            write_bytes(self.out / FILES[0], points_as_csv(points), force=self.force)
            write_bytes(self.out / FILES[1], plot_frontier(points), force=self.force)

    def _tell(self, points: list[Point], ground: Ground) -> None:
        several = ground.reader is not None
        typer.echo(_table(points, several))
        for attacker in self.attackers:
            met = at_attacker(points, attacker)
            if met:
                typer.secho(f"Where the attacker finds {attacker:.0%} of the words:", bold=True)
                typer.echo(_table(met, several))
        read = "texts like these" if ground.read else "how often each word comes in these texts"
        typer.echo(
            f"{len(ground.text.rows):,} words of {len(ground.text):,} documents, "
            f"{int(ground.rare.sum()):,} of them rare (below {RARE:g} in web text). The attacker "
            f"knows the mechanism,\n{_knows(ground)}, and {read}. Nats are a word over the "
            "clear text, under the\nword pairs of the package. The figures are about this text: "
            "they are not private."
        )


def _knows(ground: Ground) -> str:
    known = [ground.language.name]
    if ground.language.of_kind is not None:
        known.append(OF_KIND)
    if ground.reader is not None:
        known.append(f"a {ground.reader.name}")
    return " or ".join(known) + (" (who finds more)" if len(known) > 1 else "")


def check_frontier(
    mechanisms: Sequence[str], epsilons: Sequence[float] | None, attackers: str, out: Path | None,
    *, force: bool,
) -> Frontier:  # fmt: skip
    """Raises UsageError for names and numbers that there are not, and files that there are."""
    for given in mechanisms:
        parse_mechanism(given)
    try:
        shares = [float(part) for part in attackers.split(",")]
    except ValueError:
        shares = [-1.0]
    if not all(0 < share < 1 for share in shares):
        raise UsageError(f"`at` takes shares between 0 and 1 with commas, got {attackers!r}.")
    if out is not None:
        check_folder(out, FILES, force=force)
    return Frontier(mechanisms, epsilons, shares, out, force)


def check_folder(out: Path, names: Iterable[str], *, force: bool) -> None:
    """Raises UsageError where files of these names cannot be written there, and DxError where there
    is no matplotlib to draw them."""
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out}: is a file; --out names a folder.")
    check_plot(out / "figure.svg")
    for name in names:
        check_new(out / name, force=force)


def _table(points: Sequence[Point], several: bool) -> str:
    header = (*COLUMNS, *BY) if several else COLUMNS
    rows = [
        (p.mechanism, f"{p.epsilon:.3g}", f"{p.kept:.1%}", f"{p.found:.1%}", f"{p.rare_kept:.1%}",
         f"{p.rare_found:.1%}", f"{p.cosine:.2f}", f"{p.nats:+.2f}",
         *((p.attacker, p.rare_attacker) if several else ()))
        for p in points
    ]  # fmt: skip
    aligns = ["l", *"r" * (len(COLUMNS) - 1), *"ll"][: len(header)]
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lined: str = table(rows, header=header, aligns=aligns, widths=widths, spacing=2)
    return lined.strip("\n") + "\n"
