"""Documents as people have them: the parts of inputs/docx, and others in their places."""

import io
import zipfile
from pathlib import Path

INPUTS = Path(__file__).parent / "inputs"
BODY = (INPUTS / "docx" / "word" / "document.xml").read_text("utf8")
# What stands around the content of a part, and around that of the document.
PART = (INPUTS / "docx" / "word" / "settings.xml").read_text("utf8")


def run(text, more=""):
    return f'<w:r><w:rPr>{more}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def paragraph(*runs):
    return f"<w:p>{''.join(runs)}</w:p>"


def part(name, content):
    """A part with its namespaces."""
    start, _, rest = PART.partition("<w:settings ")
    return f"{start}<w:{name} {rest.partition('>')[0]}>{content}</w:{name}>"


def docx(body=None, extra=()):
    """A document of Word, its parts in place of those that are given."""
    parts = {path.relative_to(INPUTS / "docx").as_posix(): path.read_bytes()
             for path in sorted((INPUTS / "docx").rglob("*")) if path.is_file()}  # fmt: skip
    if body is not None:
        start, _, rest = BODY.partition("<w:body>")
        end = rest[rest.index("<w:sectPr>") :]
        parts["word/document.xml"] = f"{start}<w:body>{''.join(body)}{end}"
    return zipped({**parts, **dict(extra)})


def zipped(parts):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return out.getvalue()


def members(raw):
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}
