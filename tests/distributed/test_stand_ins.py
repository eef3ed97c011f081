"""Stand-ins over shards, on this machine and on clusters: counted by label, and nobody left."""

from __future__ import annotations

import json

import pytest
import spacy
from spacy.cli._util import app
from spacy.tokens import DocBin
from typer.testing import CliRunner

from spacy_dxprivacy import assert_sanitized
from spacy_dxprivacy.lab.audit.files import as_receipt

from .corpus import finish, pa, pq

NOTE = "Dr. Priya Okonkwo saw Mr. Ignatius Wimbleford on March 5, 2023. Okonkwo was told."
NAMES = ("Priya", "Okonkwo", "Ignatius", "Wimbleford")  # in no name that is drawn
FAST = ["-m", "exponential", "-e", "2", "--entities", "person,date"]


def parts(folder):
    folder.mkdir()
    for number in range(2):
        table = pa.table({"text": [NOTE] * (number + 1)})
        pq.write_table(table, folder / f"part-{number}.parquet")
    return sorted(folder.iterdir())


def check(out):
    told = json.loads((out / "_manifest.json").read_text())
    texts = [t for p in sorted(out.glob("*.parquet")) for t in pq.read_table(p)["text"].to_pylist()]
    assert len(texts) == 3 and not any(name in text for text in texts for name in NAMES)
    assert told["corpus"]["mentions"]["PERSON"] == {"found": 9, "replaced": 9, "kept": 0}
    assert told["corpus"]["mentions"]["DATE"]["found"] == 3 and told["corpus"]["stood_in"] > 9
    receipt = as_receipt(told)
    assert receipt["surrogates"]["PERSON"]["found"] == 9
    assert receipt["surrogates"]["PERSON"]["stand_in"] == "dx.Name.v1"
    return dict(told)


def test_shards_count_what_stands_in_by_label(tmp_path, space_path):
    sources, out = parts(tmp_path / "in"), tmp_path / "out"
    given = [*map(str, sources), str(out), *FAST, "--space", space_path]
    done = CliRunner().invoke(app, ["dx", "sanitize", *given])
    assert done.exit_code == 0, done.output
    told = check(out)
    of_shards = [told["shards"][name]["mentions"]["PERSON"]["found"] for name in told["shards"]]
    assert sorted(of_shards) == [3, 6] and "PERSON" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["ray", "spark"])
def test_clusters_do_the_same(tmp_path, space_path, engine):
    pytest.importorskip({"ray": "ray", "spark": "pyspark"}[engine])
    sources, out = parts(tmp_path / "in"), tmp_path / "out"
    finish(*sources, out, *FAST, "--space", space_path, "--set", f"cluster.engine={engine}")
    check(out)


def test_a_docbin_keeps_receipts_and_no_names(tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("dx_entity_ruler")
    nlp.add_pipe("dx_entity_sanitizer")
    data = DocBin(docs=[nlp(NOTE)], store_user_data=True).to_bytes()
    assert not any(name.encode() in data for name in NAMES)
    (doc,) = DocBin().from_bytes(data).get_docs(spacy.blank("en").vocab)
    assert_sanitized(doc)
    assert doc._.dx.surrogates["PERSON"]["found"] == 3
