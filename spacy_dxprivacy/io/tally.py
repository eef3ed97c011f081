"""Add up the receipts of a run to that of the run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..pipeline.count import Count
from ..pipeline.receipt import Receipt, ReceiptTerms, revealed_by_counts
from ..privacy.loss import Loss

# What a run shows of its input besides the terms: phrases, or their beginnings.
FIELDS, FILE_NAMES = "the fields", "the names of the files"
BARE_FILES = "files without an ending"  # of a folder, that were not read
SHEETS = "sheets after the first"  # of a file, that were not read
MARKUP = "markup: elements and formatting"
TABLE = "nothing more by the table of surrogates, which only its key decrypts"

Columns = dict[str, tuple[int, int]]  # head -> numbers of cells that changed, and that stayed


def add_columns(counts: Columns, others: Mapping[str, Sequence[int]]) -> Columns:
    """Return the sums of two counts of cells."""
    sums = dict(counts)
    for head, (changed, stayed) in others.items():
        before = sums.get(head, (0, 0))
        sums[head] = before[0] + changed, before[1] + stayed
    return sums


@dataclass
class Tally:
    """Counts and losses of a run, and the terms that the receipts of its documents share."""

    terms: ReceiptTerms
    count: Count = field(default_factory=Count)
    loss: Loss = field(default_factory=Loss)
    in_clear: list[str] = field(default_factory=list)  # visible besides the terms' in_clear
    encodings: dict[str, None] = field(default_factory=dict)  # of files that are not in UTF-8
    languages: dict[str, None] = field(default_factory=dict)  # of files that rules alone read
    columns: Columns = field(default_factory=dict)  # of tables, where entities are recognised
    by_person: dict[str, Any] | None = None  # number of persons, and the largest loss of a person

    @property
    def failures(self) -> int:
        """Number of documents that could not be sanitised."""
        return sum(map(len, self.count.failed))

    @property
    def visible(self) -> list[str]:
        """Descriptions of what is visible of the input, without duplicates."""
        visible = [*self.terms.in_clear, *self.in_clear, *revealed_by_counts(self.count)]
        return list(dict.fromkeys(visible))

    @property
    def unknown_share(self) -> float:
        """Share of the words of all documents that are not in the space, 0 to 1."""
        words = self.count.perturbed + self.count.unknown
        return self.count.unknown / words if words else 0.0

    def add(self, receipt: Receipt) -> None:
        """Add the receipt of a document."""
        self.count += receipt.count
        self.loss += receipt.loss

    def to_dict(self) -> Receipt:
        """Return the receipt of the run, for JSON."""
        loss: dict[str, Any] = self.loss.to_dict()
        if self.by_person is not None:
            loss["by_person"] = self.by_person
        stages = self.terms.stages(self.visible)
        count = self.count.to_dict()
        if self.columns:
            count["columns"] = {
                head: {"changed": changed, "stayed": stayed}
                for head, (changed, stayed) in self.columns.items()
            }
        return Receipt(stages=stages, count=count, loss=loss)
