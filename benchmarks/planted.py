"""Audits of releases with planted names, and of clean ones: what is found, and false alarms.

    python benchmarks/planted.py                                    # two minutes, to the terminal
    python benchmarks/planted.py --out docs/audits/planted.json

Each of 30 letters is sanitised in entity mode, one file a letter or one row. Then one form of what
was replaced in it is written into it, such as a genitive or a user name. The clean releases are
letters of six languages, as `dx sanitize` writes them.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import re
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from html import escape
from pathlib import Path
from typing import Any

import spacy
from figures import write_result
from spacy.tokens import Doc, DocBin
from typer.testing import CliRunner

from spacy_dxprivacy.cli import dx_cli
from spacy_dxprivacy.lab.audit import ReleaseReport, audit_release

LABELS = "person,date,gpe,address,phone,email,id"
SEED = "7"
FILES = ("txt", "md", "log", "srt", "vtt", "html", "eml", "docx")  # a letter a file
ROWS = ("csv", "tsv", "jsonl", "xlsx", "parquet", "spacy")  # a letter a row
HERE = {
    "de": "Ende des Berichts", "en": "End of the report", "fr": "Fin du rapport",
    "es": "Fin del informe", "nl": "Einde van het verslag", "it": "Fine del referto",
}  # fmt: skip
LETTERS = {
    "de": "Wir berichten über Frau {given} {family}, geb. {maiden}, geboren am {day}.\n"
    "Frau {family} wohnt in {town} und ist unter {phone} oder {mail} zu erreichen.\n"
    "Fallnummer: {case}.\nDer Blutdruck war normal, das Gewicht blieb gleich.\n{here}.\n",
    "en": "We report on Ms. {given} {family}, née {maiden}, born on {day}.\n"
    "Ms. {family} lives in {town} and can be reached at {phone} or {mail}.\n"
    "MRN: {case}.\nThe blood pressure was normal, and the weight was the same.\n{here}.\n",
    "fr": "Nous avons vu Madame {given} {family}, née {maiden}, le {day}.\n"
    "Madame {family} habite à {town} et répond au {phone} ou à {mail}.\n"
    "La tension était normale et le poids est resté le même.\n{here}.\n",
    "es": "Hemos visto a la señora {given} {family}, nacida el {day}.\n"
    "La señora {family} vive en {town}, teléfono {phone}, correo {mail}.\n"
    "La tensión era normal y el peso no cambió.\n{here}.\n",
    "nl": "Wij zagen mevrouw {given} {family}, geboren op {day}.\n"
    "Mevrouw {family} woont in {town}, telefoon {phone}, e-mail {mail}.\n"
    "De bloeddruk was normaal en het gewicht bleef gelijk.\n{here}.\n",
    "it": "Abbiamo visto la signora {given} {family}, nata il {day}.\n"
    "La signora {family} abita a {town}, telefono {phone}, posta {mail}.\n"
    "La pressione era normale e il peso è rimasto uguale.\n{here}.\n",
}
DAYS = {"de": "12.03.19{n}", "en": "March 12, 19{n}", "fr": "12 mars 19{n}",
        "es": "12 de marzo de 19{n}", "nl": "12 maart 19{n}", "it": "12 marzo 19{n}"}  # fmt: skip
TOWNS = {"de": "Apolda Bautzen Cottbus Dessau Erfurt Gotha Jena Pirna".split(),
         "en": "Houston Denver Atlanta Boston Phoenix Chicago Seattle Austin".split(),
         "fr": "Grenoble Limoges Nancy Rouen Toulouse Dijon Angers Rennes".split(),
         "es": "Sevilla Valencia Zaragoza Bilbao Murcia Granada Oviedo Cuenca".split(),
         "nl": "Utrecht Eindhoven Groningen Tilburg Breda Arnhem Zwolle Leiden".split(),
         "it": "Torino Bologna Genova Verona Padova Trieste Modena Parma".split()}  # fmt: skip
GIVEN = {"de": "Sabine Monika Renate Ursula Helga Ingrid Karin Petra".split(),
         "en": "Susan Karen Linda Nancy Donna Carol Sandra Sharon".split(),
         "fr": "Sylvie Nathalie Monique Chantal Valérie Isabelle".split(),
         "es": "Carmen Pilar Teresa Rosario Isabel Beatriz".split(),
         "nl": "Anneke Marijke Ingrid Saskia Wilma Mieke".split(),
         "it": "Giulia Francesca Paola Silvia Elena Chiara".split()}  # fmt: skip
# Made of syllables, so that no list has them: a name of nobody.
_FIRST = "Habber Lunder Krommen Wester Tolver Brinkel Hasten Ostrel Rehden Sorben".split()
_LAST = ("mehl", "gard", "stett", "wick", "bold")


@dataclass(frozen=True)
class Person:
    """Who a letter is about."""

    language: str
    given: str
    family: str
    maiden: str
    town: str
    phone: str
    mail: str
    case: str
    day: str

    @property
    def letter(self) -> str:
        return LETTERS[self.language].format(**vars(self), here=HERE[self.language])


def family_of(number: int) -> str:
    return _FIRST[number % len(_FIRST)] + _LAST[number // len(_FIRST) % len(_LAST)]


def person(number: int, language: str) -> Person:
    """Return the person of a letter, by number from 0."""
    of = GIVEN[language], TOWNS[language]
    given, town = (names[number % len(names)] for names in of)
    family, maiden = family_of(number), family_of(number + 17)
    mail = f"{given.lower()}.{family.lower()}@example.org".replace("é", "e")
    phone = {"en": f"212-555-{1000 + 37 * number}", "de": f"03641 {445000 + 37 * number}"}
    return Person(
        language, given, family, maiden, town,
        phone.get(language, f"+33 4 76 {10 + number % 80} 24 {10 + number % 70}"), mail,
        f"KX-{20417 + 311 * number}", DAYS[language].format(n=30 + number % 60),
    )  # fmt: skip


# What is written into a letter: 30 forms of its names, place and numbers.
FORMS: dict[str, Callable[[Person], str]] = {
    "family name": lambda p: p.family,
    "given name": lambda p: p.given,
    "maiden name": lambda p: p.maiden,
    "full name": lambda p: f"{p.given} {p.family}",
    "family name first": lambda p: f"{p.family}, {p.given}",
    "genitive": lambda p: f"{p.family}s",
    "genitive with an apostrophe": lambda p: f"{p.family}'s",
    "genitive of the maiden name": lambda p: f"{p.maiden}s",
    "upper case": lambda p: p.family.upper(),
    "lower case": lambda p: p.family.lower(),
    "upper case, given name": lambda p: p.given.upper(),
    "initials": lambda p: f"{p.given[0]}.{p.family[0]}.",
    "initials with a blank": lambda p: f"{p.given[0]}. {p.family[0]}.",
    "initials in brackets": lambda p: f"({p.given[0]}{p.family[0]})",
    "initial and family name": lambda p: f"{p.given[0]}. {p.family}",
    "mail address": lambda p: p.mail,
    "another mail address": lambda p: f"{p.family.lower()}@example.com",
    "user name": lambda p: f"{p.given[0]}{p.family}".lower(),
    "user name of both names": lambda p: f"{p.given}{p.family}".lower(),
    "name of a file": lambda p: f"{p.family}_2023.pdf",
    "path": lambda p: f"/home/{p.family.lower()}/scan",
    "double name": lambda p: f"{p.family}-Ohlendonk",
    "broken by a hyphen": lambda p: f"{p.family[:5]}-\n{p.family[5:]}",
    "letters apart": lambda p: " ".join(p.family),
    "a letter missing": lambda p: p.family[:4] + p.family[5:],
    "a letter wrong": lambda p: p.family[:4] + "x" + p.family[5:],
    "two letters swapped": lambda p: p.family[:3] + p.family[4] + p.family[3] + p.family[5:],
    "town": lambda p: p.town,
    "telephone number": lambda p: re.sub(r"\D", "", p.phone),
    "case number": lambda p: p.case.replace("-", " "),
}


def plant(text: str, language: str, form: str) -> str:
    """Return a text with a form before its last sentence."""
    return text.replace(HERE[language], f"{form} {HERE[language]}")


# -- the formats -----------------------------------------------------------------------------------


def write_letter(path: Path, text: str) -> None:
    """Write a letter in the format of a file's name."""
    kind = path.suffix
    if kind == ".html":
        body = "".join(f"<p>{escape(line)}</p>" for line in text.splitlines())
        path.write_text(f"<html><body>{body}</body></html>", encoding="utf8")
    elif kind == ".eml":
        mail = EmailMessage()
        mail["Subject"] = "Report"
        mail.set_content(text)
        path.write_bytes(mail.as_bytes())
    elif kind == ".docx":
        _write_docx(path, text)
    elif kind in (".srt", ".vtt"):
        lines = [f"00:00:0{i}.000 --> 00:00:0{i + 1}.000\n{line}\n"
                 for i, line in enumerate(text.splitlines())]  # fmt: skip
        path.write_text("WEBVTT\n\n" * (kind == ".vtt") + "\n".join(lines), encoding="utf8")
    else:
        path.write_text(text, encoding="utf8")


def _write_docx(path: Path, text: str) -> None:
    from spacy_dxprivacy.io.docx import TEMPLATE, W

    lines = "".join(f"<w:p><w:r><w:t>{escape(line)}</w:t></w:r></w:p>" for line in text.split("\n"))
    document = f'<w:document xmlns:w="{W}"><w:body>{lines}</w:body></w:document>'
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in sorted({**TEMPLATE, "word/document.xml": document.encode()}.items()):
            archive.writestr(name, data)


def change_letter(path: Path, change: Callable[[str], str]) -> None:
    """Change the text of a file of a letter."""
    if path.suffix == ".docx":
        with zipfile.ZipFile(path) as archive:
            parts = {name: archive.read(name) for name in archive.namelist()}
        parts["word/document.xml"] = change(parts["word/document.xml"].decode()).encode()
        with zipfile.ZipFile(path, "w") as archive:
            for name, data in parts.items():
                archive.writestr(name, data)
    elif path.suffix == ".eml":
        mail: Any = message_from_bytes(path.read_bytes(), policy=default)
        mail.set_content(change(mail.get_content()))
        path.write_bytes(mail.as_bytes())
    else:
        path.write_text(change(path.read_text(encoding="utf8")), encoding="utf8")


def write_rows(path: Path, texts: Sequence[str]) -> None:
    """Write a file with a row for each text."""
    kind = path.suffix
    if kind == ".jsonl":
        path.write_text("".join(json.dumps({"text": t}) + "\n" for t in texts), encoding="utf8")
    elif kind in (".csv", ".tsv"):
        out = io.StringIO()
        writer = csv.writer(out, delimiter="\t" if kind == ".tsv" else ",")
        writer.writerows([["text"], *([text] for text in texts)])
        path.write_text(out.getvalue(), encoding="utf8")
    elif kind == ".xlsx":
        import openpyxl

        book: Any = openpyxl.Workbook()
        for row in (["text"], *([text] for text in texts)):
            book.active.append(row)
        book.save(path)
    elif kind == ".parquet":
        import pyarrow as pa
        from pyarrow import parquet

        parquet.write_table(pa.table({"text": list(texts)}), path)
    else:
        nlp = spacy.blank("en")
        DocBin(docs=[nlp.make_doc(text) for text in texts]).to_disk(path)


def change_rows(path: Path, change: Callable[[int, str], str]) -> None:
    """Change the text of each row, by number from 0."""
    if path.suffix == ".spacy":
        nlp = spacy.blank("en")
        docs = []
        old = DocBin(store_user_data=True).from_disk(path)
        for number, doc in enumerate(old.get_docs(nlp.vocab)):
            new = nlp.make_doc(change(number, doc.text))
            docs.append(Doc(nlp.vocab, [t.text for t in new], [bool(t.whitespace_) for t in new]))
            docs[-1].user_data.update(doc.user_data)
        DocBin(docs=docs, store_user_data=True).to_disk(path)
        return
    from spacy_dxprivacy.config.options import FileOptions
    from spacy_dxprivacy.io.jobs import FORMAT_OF_ENDING, read
    from spacy_dxprivacy.io.records import Record

    with path.open("rb") as handle:
        records = list(read(handle, FORMAT_OF_ENDING[path.suffix], FileOptions()))
    texts = [str(record.texts[0]) for record in records if isinstance(record, Record)]
    write_rows(path, [change(number, text) for number, text in enumerate(texts)])


# -- runs and audits -------------------------------------------------------------------------------


def sanitise(source: Path, target: Path) -> dict[str, Any]:
    """Sanitise in entity mode with a fixed seed, and return the receipt."""
    receipt = target.with_name(f"{target.stem}.receipt.json")
    args = [source, target, "--entities", LABELS, "--receipt", receipt, "-q",
            "--components.dx_entity_sanitizer.seed", SEED]  # fmt: skip
    done = CliRunner().invoke(dx_cli, ["sanitize", *map(str, args)])
    if done.exit_code:
        raise SystemExit(done.output)
    return dict(json.loads(receipt.read_text(encoding="utf8")))


def planted(kind: str, folder: Path, language: str) -> dict[str, bool]:
    """Return for each form whether the audit finds it in a release of a format."""
    people = [person(number, language) for number in range(len(FORMS))]
    forms = [form(person) for form, person in zip(FORMS.values(), people, strict=True)]
    if kind in ROWS:
        source, target = folder / f"in.{kind}", folder / f"out.{kind}"
        write_rows(source, [person.letter for person in people])
        receipt = sanitise(source, target)
        change_rows(target, lambda number, text: plant(text, language, forms[number]))
        return _found_in_rows(target, source, receipt, forms)
    source, target = folder / "in", folder / "out"
    source.mkdir()
    for number, person_ in enumerate(people):
        write_letter(source / f"{number:02}.{kind}", person_.letter)
    receipt = sanitise(source, target)
    for number, form in enumerate(forms):
        change_letter(
            target / f"{number:02}.{kind}",
            lambda text, form=form: plant(text, language, form),  # type: ignore[misc]
        )
    report = audit_release(target, source, receipt=receipt)
    where = {leak.where for leak in leaks_of(report)}
    return {name: f"{number:02}.{kind}" in where for number, name in enumerate(FORMS)}


def _found_in_rows(
    target: Path, source: Path, receipt: dict[str, Any], forms: Sequence[str]
) -> dict[str, bool]:
    """Return for each form whether it is among the words of the leaks."""
    leaks = leaks_of(audit_release(target, source, receipt=receipt))
    words = {word for leak in leaks for word in leak.words}
    bare = {re.sub(r"\W", "", word) for word in words}
    held = [re.sub(r"\W", "", form.lower()) for form in forms]
    return {
        name: any(word == form or (len(word) > 3 and word in form) for word in bare)
        for name, form in zip(FORMS, held, strict=True)
    }


def leaks_of(report: ReleaseReport) -> list[Any]:
    """Return what the audit calls a leak."""
    return [leak for leak in report.leaks if not (leak.by_chance or leak.declared)]


def clean(kind: str, folder: Path, language: str, first: int, count: int) -> ReleaseReport:
    """Return the audit of a release as `dx sanitize` writes it."""
    texts = [person(number, language).letter for number in range(first, first + count)]
    if kind in ROWS:
        source, target = folder / f"in.{kind}", folder / f"out.{kind}"
        write_rows(source, texts)
    else:
        source, target = folder / "in", folder / "out"
        source.mkdir()
        for number, text in enumerate(texts):
            write_letter(source / f"{number:02}.{kind}", text)
    return audit_release(target, source, receipt=sanitise(source, target))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path)
    out = parser.parse_args().out
    warnings.simplefilter("ignore")
    rows, languages = [], list(LETTERS)
    for place, kind in enumerate((*FILES, *ROWS)):
        with tempfile.TemporaryDirectory() as a, tempfile.TemporaryDirectory() as b:
            found = planted(kind, Path(a), ("de", "en")[place % 2])
            report = clean(kind, Path(b), languages[place % 6], 31, 15)
        missed = [name for name, is_found in found.items() if not is_found]
        row = [kind, f"{sum(found.values())} of {len(found)}", "15", str(int(report.leaked))]
        print(*row, *missed, sep=" | ", flush=True)
        rows.append(row)
    if out is not None:
        write_result(
            out, command="python benchmarks/planted.py --out docs/audits/planted.json",
            settings={"component": {"factory": "dx_entity_sanitizer"}},
            data="Letters of made-up persons, German and English where forms are planted, in six "
            "languages where they are clean.",
            attacker="reads the release, and knows the names",
            columns=["format", "planted forms found", "clean letters", "false alarms"], rows=rows,
        )  # fmt: skip


if __name__ == "__main__":
    main()
