"""`dx tune --entities`: what is left under each kind of stand-in, and what an epsilon is there."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import typer
from wasabi import table

from ...about import __version__
from ...batch.build import make_pipeline
from ...batch.fields import Fields
from ...batch.jobs import Job, plan_jobs, text_job
from ...cli.mistakes import setting_up, settings_that_fail
from ...cli.preview import print_preview
from ...errors import UsageError
from ...files.atomic import check_new, write_bytes
from ...randomness import Rng
from ..tuning.entity_mode import (
    NUMBER,
    SAMPLE,
    DateLaw,
    Left,
    NumberLaw,
    Seen,
    date_laws,
    number_laws,
    what_is_left,
)

MOST = 200  # texts that are looked at


@dataclass(frozen=True)
class EntityMode:
    """What `dx tune` was asked of entity mode. space: of what is drawn word by word."""

    labels: tuple[str, ...]
    surrogates: str | None
    text: str | None
    field: str
    epsilons: list[float] | None
    to_json: Path | None
    force: bool
    space: str | None = None

    @property
    def settings(self) -> list[str]:
        """The kinds of stand-ins to look at; "none" draws word by word."""
        return [self.surrogates or "standard", "none"]


def tune_entities(asked: EntityMode) -> None:
    """Prints it. Raises UsageError for what cannot be read or does not fit."""
    if asked.to_json is not None:
        check_new(asked.to_json, force=asked.force)
    found, seen = _looked_at(asked)
    if not found[0].texts:
        raise UsageError("`text` holds no text.")
    dates = list(date_laws(asked.epsilons) if asked.epsilons else date_laws())
    numbers = list(number_laws(Rng()))
    if asked.text is None:
        print_preview(seen.previews[0])
    _print(found, dates, numbers)
    if asked.to_json is not None:
        report = as_dict(found, dates, numbers)
        data = (json.dumps(report, indent=2) + "\n").encode()
        write_bytes(asked.to_json, data, force=asked.force)


def _looked_at(asked: EntityMode) -> tuple[list[Left], Seen]:
    """What is left under each setting, and what was seen under the first."""
    found: list[Left] = []
    seen: Seen | None = None
    for setting in dict.fromkeys(asked.settings):
        with setting_up():
            job = _job(asked.text)
            nlp = make_pipeline(entities=asked.labels, surrogates=setting, space=asked.space)
        with settings_that_fail():
            left, one = what_is_left(nlp, setting, job, Fields(asked.field), MOST, seen)
        seen = seen or one
        found.append(left)
    return found, seen or Seen([], [])


def _job(text: str | None) -> Job:
    return text_job(SAMPLE) if text is None else plan_jobs(text, None)[0]


def as_dict(
    found: Sequence[Left], dates: Sequence[DateLaw], numbers: Sequence[NumberLaw]
) -> dict[str, Any]:
    """Plain values. No word of a text."""
    return {
        "spacy_dxprivacy": __version__,
        "left": [left.to_dict() for left in found],
        "dates": [asdict(law) for law in dates],
        "numbers": [asdict(law) for law in numbers],
    }


def _print(found: Sequence[Left], dates: Sequence[DateLaw], numbers: Sequence[NumberLaw]) -> None:
    first = found[0]
    lost = f"; {first.failed} failed" if first.failed else ""
    typer.secho(f"What was found in {first.texts} text(s){lost}:", bold=True)
    counts = sorted(first.counts.items())
    rows = [[label, of["found"], of["replaced"], of["kept"]] for label, of in counts]
    _table(rows, ["label", "found", "replaced", "kept"])
    typer.secho("What is left, by --surrogates:", bold=True)
    _table([_left(left) for left in found], ["setting", "names readable", "words changed"])
    typer.echo(
        "Names, places, addresses, numbers of accounts: drawn without the original, epsilon 0.\n"
        "There is nothing to tune; what is not found stays. none: word by word, as dx.Words.v1.\n"
    )
    typer.secho("Dates (dx.DateShift.v1): days by which all of a text move", bold=True)
    _table([_date(law) for law in dates], ["setting", "mean", "95% within", "stay", "within 7"])
    typer.echo(
        "Intervals within a text are kept. An epsilon is in nats per day; 0.01 if not said.\n"
    )
    typer.secho(f"Numbers (dx.Number.v1): what {NUMBER} becomes", bold=True)
    _table(
        [_number(law) for law in numbers],
        ["epsilon", "9 of 10 draws", "stays"],
    )
    typer.echo(
        "Set by --surrogates FILE (docs/surrogates.md). `dx audit release` looks for survivors."
    )


def _left(left: Left) -> list[str]:
    readable = f"{left.readable} of {left.named} texts"
    return [left.setting, readable, f"{left.changed / max(left.words, 1):.0%}"]


def _date(law: DateLaw) -> list[str]:
    return [
        law.setting, f"{law.mean:.0f}", f"{law.most}", f"{law.stays:.1%}", f"{law.in_a_week:.0%}",
    ]  # fmt: skip


def _number(law: NumberLaw) -> list[str]:
    return [f"{law.epsilon:g}", f"{law.low:.0f} to {law.high:.0f}", f"{law.stays:.0%}"]


def _table(rows: Sequence[Sequence[Any]], header: Sequence[str]) -> None:
    aligns: Any = ("l", *["r"] * (len(header) - 1))
    cells = [[str(cell) for cell in row] for row in rows]
    typer.echo(table(cells, header=list(header), aligns=aligns).strip("\n") + "\n")
