"""Surrogates from the command line: options, previews, keys, restoring."""

import json
import os
import re
import subprocess
import sys
from datetime import date

import pytest
from conftest import ok, refusal, run_dx, space_options

from spacy_dxprivacy.errors import DxError, UsageError
from spacy_dxprivacy.files.keys import make_key, read_key
from spacy_dxprivacy.io.build import make_pipeline, surrogates_config
from spacy_dxprivacy.prompts.table import SurrogateTable, read_table, write_table
from spacy_dxprivacy.surrogates import Mention

NOTE = "Dr. Maria Lopez saw Mr. John Smith on March 5, 2023. Smith left on 03/12/2023.\n"


@pytest.fixture
def fast(space_path):
    return ["-m", "laplace", "-e", "0.01", *space_options(space_path)]


@pytest.fixture
def note(tmp_path):
    (tmp_path / "in").mkdir()
    path = tmp_path / "in" / "note.txt"
    path.write_text(NOTE)
    return path


@pytest.fixture
def key(tmp_path):
    path = tmp_path / "keys" / "a.key"
    make_key(path)
    return path


def test_labels_in_any_case_a_preset_and_its_receipt(note, tmp_path, fast):
    out = tmp_path / "out" / "note.txt"
    receipt = tmp_path / "receipt.json"
    names = ["--entities", "person,Date", "--receipt", receipt, "-v"]
    done = ok(run_dx("sanitize", note, out, *names, *fast))
    text = out.read_text()
    assert text.startswith("Dr. ") and " saw Mr. " in text
    assert not any(word in text for word in ("Maria Lopez", "John Smith"))
    told = json.loads(receipt.read_text())["count"]["mentions"]
    assert told["PERSON"]["found"] == told["PERSON"]["replaced"] == 3
    assert "dx.DateShift.v1" in done.stderr and json.loads(done.stderr)


def test_a_file_of_surrogates(note, tmp_path, fast):
    file = tmp_path / "surrogates.cfg"
    file.write_text('[PERSON]\n@dx_surrogates = "dx.Redact.v1"\ntext = "NN"\n')
    done = run_dx("sanitize", note, "--entities", "person", "--surrogates", file, "-q", *fast)
    assert done.exit_code == 0 and done.stdout.startswith("Dr. NN saw Mr. NN on March 5, 2023.")


@pytest.mark.posix
def test_a_key_is_made_once_and_links_documents(note, key, fast):
    before = key.read_text()
    with pytest.raises(UsageError, match="exists already"):
        make_key(key)
    options = ["--entities", "person", "--key", key]
    texts = [run_dx("sanitize", note, *options, "-q", *fast).stdout for _ in range(2)]
    assert texts[0] == texts[1] != NOTE and key.read_text() == before
    new = key.parent / "new.key"
    anew = [*options[:-1], new, "-q", *fast]
    first, second = (run_dx("sanitize", note, *anew) for _ in range(2))
    assert first.stdout == second.stdout not in (NOTE, texts[0])
    assert "new.key: new key" in first.stderr and "new key" not in second.stderr
    assert os.stat(new).st_mode & 0o777 == 0o600
    beside = run_dx("sanitize", note, key.parent / "out.txt", *options)
    assert "folder of the output" in refusal(beside)
    os.chmod(key, 0o640)
    public = refusal(run_dx("sanitize", note, *options, *fast))
    assert "DX111" in public and "Maria" not in public


def test_what_the_options_refuse(note, tmp_path):
    alone = run_dx("sanitize", note, "--entities", "person", "--table", tmp_path / "t")
    assert "--table-key" in refusal(alone)
    with pytest.raises(UsageError, match="surrogates"):
        surrogates_config("nonsense", None)
    with pytest.raises(UsageError, match="key"):
        surrogates_config(str(note), "key")


def date_block(**settings):
    """The settings of the surrogate of dates of these options."""
    return (
        make_pipeline(entities="date", model="rules", **settings)
        .get_pipe("dx_entity_sanitizer")
        .settings.active_surrogates["DATE"]
    )


def test_the_order_of_dates_is_an_option_or_that_of_the_region():
    assert date_block().order == "auto"
    assert date_block(date_order="ymd").order == "ymd"
    orders = {"en-GB": "dmy", "en_US": "mdy", "en-CA": "ymd", "de-AT": "dmy", "es-US": "dmy"}
    assert {name: date_block(language=name).order for name in orders} == orders
    assert date_block(language="en-GB", date_order="mdy").order == "mdy"
    assert any("dmy does not fit" in said for said in date_block(date_order="dmy").in_clear)
    for settings in ({"entities": "date", "date_order": "myd"}, {"date_order": "dmy"}):
        with pytest.raises(UsageError, match="date_order"):
            make_pipeline(**settings)
    with pytest.raises(UsageError, match="config"):
        make_pipeline(config="configs/x.cfg", language="en-GB")


def test_a_date_order_is_an_option_of_the_command(tmp_path, fast):
    note, out = tmp_path / "n.txt", tmp_path / "out.txt"
    note.write_text("Seen on 03/04/2019 and on 05/05/2019.")
    options = ["--entities", "date", "--model", "rules", "-v", *fast]
    gaps = {}
    for order in ("dmy", "mdy"):
        done = ok(run_dx("sanitize", note, out, "-F", *options, "--date-order", order))
        days = re.findall(r"(\d\d)/(\d\d)/(\d{4})", out.read_text())
        place = order.index("d")
        dates = [date(int(d[2]), int(d[1 - place]), int(d[place])) for d in days]
        gaps[order] = (dates[1] - dates[0]).days
        assert f"{order} does not fit" in done.stderr
    assert gaps == {"dmy": 32, "mdy": 62}


def test_a_run_says_in_which_order_numeric_dates_were_read(tmp_path, fast):
    notes = {
        "day": "Seen on 31/03/2019.",
        "month": "Seen on 03/04/2019.",
        "other": "Seen on 04/04/2019 and on 04/23/2019.",
        "words": "Seen on 3 April 2019, 24 hours after 2 April.",
    }
    (tmp_path / "in").mkdir()
    for name, text in notes.items():
        (tmp_path / "in" / f"{name}.txt").write_text(text)
    page, full = tmp_path / "r.html", tmp_path / "r.json"
    options = ["--entities", "date", "--model", "rules", *fast]
    for receipt in (page, full):
        done = ok(
            run_dx(
                "sanitize", tmp_path / "in", tmp_path / "out", "-F", *options, "--receipt", receipt
            )
        )
        said = " ".join(done.stderr.split())
        assert "the month first in 2 documents, the day first in 1 document" in said
    assert "the month first in 2 documents" in page.read_text()
    assert json.loads(full.read_text())["count"]["orders"] == {"dmy": 1, "mdy": 2}
    done = ok(run_dx("sanitize", tmp_path / "in" / "words.txt", tmp_path / "o.txt", *options))
    assert "first" not in done.stderr


@pytest.mark.posix
def test_originals_are_restored_by_a_table(note, key, tmp_path, fast):
    pytest.importorskip("cryptography")
    table, out = tmp_path / "keys" / "t", tmp_path / "o" / "n.txt"
    kept = ["--table", table, "--table-key", key]
    done = ok(run_dx("sanitize", note, out, "--entities", "person,date", *kept, "-v", *fast))
    assert os.stat(table).st_mode & 0o777 == 0o600 and b"Lopez" not in table.read_bytes()
    assert "table of surrogates" in " ".join(done.stderr.split())
    assert run_dx("restore", out, "--table", table, "--table-key", key).stdout == NOTE
    answer = tmp_path / "answer.txt"
    answer.write_text(out.read_text() + "They may march on.\n")
    done = run_dx("restore", answer, "--table", table, "--table-key", key)
    assert done.stdout == NOTE + "They may march on.\n" and "restored" in done.stderr


def test_what_is_not_restored_is_listed_without_its_text(key, tmp_path):
    pytest.importorskip("cryptography")
    table, answer = tmp_path / "t", tmp_path / "answer.txt"
    one = SurrogateTable()
    one.add(Mention("97", "QUANTITY"), "90", "dx.Number.v1")
    write_table(one, table, read_key(key))
    answer.write_text("Give 90 mg.\nBP 120/90; repeat in 90 days.\n")
    done = run_dx("restore", answer, "--table", table, "--table-key", key)
    assert done.stdout == answer.read_text()
    told = " ".join(done.stderr.split())
    assert "3 of QUANTITY" in told and "line 1, 2." in told and "9" not in told


def test_nothing_is_restored_where_whoever_wrote_the_answer_may_read_it(key, tmp_path):
    """As in answers of the proxy."""
    pytest.importorskip("cryptography")
    table, answer = SurrogateTable(), tmp_path / "answer.txt"
    table.add(Mention("Whitcombe", "PERSON"), "Ashworth", "dx.Name.v1")
    write_table(table, tmp_path / "table.dx", read_key(key))
    options = ["--table", tmp_path / "table.dx", "--table-key", key]
    for form in ("![x](https://a.example/?q={})", "https://a.example {} x", "<b id='{}'>",
                 "[x](<https://a.example/a {}>)", "({})", "<b>x</b> {} [a](b)"):  # fmt: skip
        answer.write_text(form.replace("{}", "Ashworth"))
        restored = run_dx("restore", answer, *options)
        held = form.startswith(("!", "<b id", "[x]"))
        expected = form.replace("{}", "Ashworth" if held else "Whitcombe")
        assert restored.stdout == expected
        assert restored.stderr.startswith("0 restored" if held else "1 restored")


def test_a_table_with_another_key_or_damage_is_refused(tmp_path):
    pytest.importorskip("cryptography")
    table = SurrogateTable()
    table.add(Mention("Maria", "PERSON"), "Ilene", "dx.Name.v1")
    write_table(table, tmp_path / "t", b"k" * 32)
    assert read_table(tmp_path / "t", b"k" * 32).entries == table.entries
    with pytest.raises(UsageError, match="another key"):
        read_table(tmp_path / "t", b"x" * 32)
    (tmp_path / "none").write_text("no table")
    with pytest.raises(UsageError, match="is not a table"):
        read_table(tmp_path / "none", b"k" * 32)
    with pytest.raises(UsageError, match="exists already"):
        write_table(table, tmp_path / "t", b"k" * 32)


def test_a_table_needs_its_extra(monkeypatch, tmp_path):
    for name in ("cryptography", "cryptography.hazmat.primitives.ciphers.aead"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(DxError, match="DX074"):
        write_table(SurrogateTable(), tmp_path / "t", b"k" * 32)


def test_each_file_of_a_folder_has_its_own_shift_by_a_key(key, tmp_path, fast):
    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    for i in range(12):
        (folder / f"{i}.txt").write_text("Seen on 2019-06-15.")
    ok(run_dx("sanitize", folder, out, "--key", key, "--entities", "date", *fast))
    assert len({path.read_text() for path in out.iterdir()}) > 6


@pytest.mark.parametrize("processes", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_the_dates_of_a_person_move_together(key, tmp_path, fast, processes):
    source, out = tmp_path / "in.jsonl", tmp_path / "o" / "out.jsonl"
    users = [7, "b", 7.0, "7", None, True, "c", "d", "e"]
    records = [{"text": "Seen on 2019-06-15.", "who": user} for user in users]
    source.write_text("\n".join(map(json.dumps, records)))
    options = ["--key", key, "--person-field", "who", "--entities", "date", "-n", processes]
    done = run_dx("sanitize", source, out, *options, *fast)
    assert done.exit_code == 1 and done.stderr.count("it has no user") == 2
    texts = [json.loads(line)["text"] for line in out.read_text().splitlines()]
    assert texts[0] == texts[2] == texts[3] and len(texts) == 7
    assert len(set(texts)) > 1  # two persons move by the same days by chance, five hardly do


def test_a_field_of_users_needs_a_key_and_fields(note, key, tmp_path, fast):
    for options in (["--person-field", "who"], ["--person-field", "who", "--key", key]):
        args = [note, tmp_path / "o" / "x.txt", "--entities", "date", *options, *fast]
        assert "--person-field" in refusal(run_dx("sanitize", *args))
        assert not (tmp_path / "o").exists()


def test_private_files_are_named_in_a_gitignore_beside_them(tmp_path):
    """`git add .` leaves keys, tables, tokens and pages of originals out."""
    pytest.importorskip("cryptography")
    repository = tmp_path / "work"
    repository.mkdir()
    assert subprocess.run(["git", "init", "-q"], cwd=repository).returncode == 0
    (repository / "keys").mkdir()
    (repository / "keys" / ".gitignore").write_text("*.old")  # without an end of its line
    (repository / "a.txt").write_text("Mary Hollis came.")

    key, table = repository / "keys" / "my [1].key", repository / "private" / "names.dx"
    args = ["--entities", "person", "--table", table, "--table-key", key, "--force"]
    for _ in range(2):
        ok(run_dx("sanitize", repository / "a.txt", repository / "out" / "a.txt", *args))
    ok(run_dx("serve", "--tokens", repository / "callers", "--new-token", "ann"))
    added = ["git", "add", "--all", "--dry-run", "."]
    listed = subprocess.run(added, cwd=repository, capture_output=True, text=True).stdout
    assert "my [1].key" not in listed and "names.dx" not in listed and "'callers'" not in listed
    assert "out/a.txt" in listed and (table.parent / ".gitignore").read_text() == "/names.dx\n"


def test_a_key_is_refused_where_it_would_be_handed_over_and_nowhere_else(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("Mary Hollis came.")
    out = tmp_path / "out"
    for name in ("key", "keys/key", "../apart/key"):
        make_key(out / name)

    def refused(source, target, name):
        args = ["sanitize", tmp_path / source, target, "--entities", "person", "--force"]
        done = run_dx(*args, "--key", out / name)
        assert done.exit_code in (0, 2), done.stderr
        return done.exit_code == 2

    assert refused("in/a.txt", out / "a.txt", "key")  # beside the file
    assert not refused("in/a.txt", out / "a.txt", "keys/key")
    assert refused("in", out, "key") and refused("in", out, "keys/key")
    assert not refused("in", out, "../apart/key")
