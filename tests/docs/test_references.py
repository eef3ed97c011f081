"""What comments, docstrings, messages, pages and configuration name exists: files, modules, names
in code, options of commands, registered parts, codes of errors, and exceptions of tools.

A reference is recognised by its form. It holds if the tree has what it names, or if the same file
makes it: an example names the files and parts that its own blocks or strings create.
"""

import ast
import io
import os
import re
import shutil
import subprocess
import sys
import tokenize
from collections import defaultdict
from dataclasses import dataclass, field
from fnmatch import fnmatch
from functools import cache
from inspect import cleandoc
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import pytest
import typer

from spacy_dxprivacy.cli import dx_cli

ROOT = Path(__file__).parents[2]
PACKAGE = "spacy_dxprivacy"
PROSE = (".md",)
SETTINGS = (".cfg", ".toml", ".yml", ".yaml", ".in", ".txt")

pytestmark = pytest.mark.skipif(not (ROOT / "mkdocs.yml").exists(), reason="no repository")


class Text(NamedTuple):
    """Prose in a file. made: the code of the same file, whose names an example may use. blocks: the
    commands that belong to the prose."""

    file: str
    line: int
    prose: str
    made: str
    blocks: str = ""


# -- the texts -------------------------------------------------------------------------------------


def texts_of_python(file, source):
    """Yield comments, docstrings and strings with code in backticks."""
    lines = []
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    comments = [token for token in tokens if token.type == tokenize.COMMENT]
    docs = {id(node) for node in docstrings(nodes(source))}
    strings = [node for node in nodes(source) if isinstance(node, ast.Constant)]
    strings = [node for node in strings if isinstance(node.value, str)]
    made = [UNQUOTED.sub("", n.value) for n in strings if id(n) not in docs]
    made = "\n".join([*names_in(nodes(source)), *made])
    for node in strings:
        if id(node) in docs or (file.startswith(PACKAGE) and "`" in node.value):
            lines.append((node.lineno, cleandoc(node.value) if id(node) in docs else node.value))
    # Consecutive comments are one text, since a reference may be split at the end of a line.
    for _, run in groupby(enumerate(comments), lambda item: item[1].start[0] - item[0]):
        block = [comment for _, comment in run]
        lines.append((block[0].start[0], "\n".join(c.string.lstrip("# ") for c in block)))
    for line, text in lines:
        blocks = "\n".join(block[0] for block in INDENTED.finditer(text))
        yield Text(file, line, INDENTED.sub("\n", text), f"{made}\n{blocks}", blocks)


UNQUOTED = re.compile(r"`[^`\n]+`")  # what a message names is a reference


def docstrings(nodes):
    """Yield the nodes of strings that stand alone: docstrings, of names also."""
    for node in nodes:
        body = getattr(node, "body", None)
        for child in body if isinstance(body, list) else []:
            value = child.value if isinstance(child, ast.Expr) else None
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                yield value


NAMES = {
    ast.Name: ("id",),
    ast.Attribute: ("attr",),
    ast.arg: ("arg",),
    ast.keyword: ("arg",),
    ast.FunctionDef: ("name",),
    ast.AsyncFunctionDef: ("name",),
    ast.ClassDef: ("name",),
    ast.alias: ("name", "asname"),
    ast.ImportFrom: ("module",),
}


def names_in(nodes):
    """Yield the identifiers of a module."""
    for node in nodes:
        for attribute in NAMES.get(type(node), ()):
            yield from (getattr(node, attribute) or "").split(".")


# Code in a docstring, and commands in a page: a paragraph that is indented.
INDENTED = re.compile(r"(?<=\n\n)(?: {4}[^\n]*(?:\n|\Z)|\n(?= {4}))+")
BLOCK = re.compile(r"^( *)```.*?^\1```$", re.M | re.S)
INTRODUCTION = re.compile(r"[^\n]*:\n+(?=```| {4})")  # names the file that a block shows


def texts_of_page(file, source):
    """Yield a page without its blocks of code, which the tests run."""
    parts = [part for form in (BLOCK, INDENTED, INTRODUCTION) for part in form.finditer(source)]
    made = "\n".join(part[0] for part in parts)
    prose = re.sub("<!--.*?-->", "", source)  # for the tests that run a page
    for form in (BLOCK, INDENTED):
        prose = form.sub(lambda block: "\n" * block[0].count("\n"), prose)
    for number, paragraph in enumerate(prose.split("\n"), 1):
        yield Text(file, number, paragraph, made, made if number == 1 else "")


def texts_of_settings(file, source):
    """Yield the comments of a file of settings."""
    lines = [re.split(r"(?:^|\s)#\s?", line, maxsplit=1) for line in source.splitlines()]
    made = "\n".join(value for value, *_ in lines)
    for number, (_, *comment) in enumerate(lines, 1):
        if comment:
            yield Text(file, number, comment[0], made)


@cache
def tree():
    """The files of the tree, by path, with their text; None for data."""
    ignored = {"__pycache__", "build", "dist", "site", "node_modules"}
    files = {}
    for path in sorted(ROOT.rglob("*")):
        *parts, name = path.relative_to(ROOT).parts
        is_hidden = any(p[0] == "." and p not in (".ci", ".github") for p in parts)
        is_this = path == Path(__file__)  # which names much that does not exist
        if not (is_hidden or is_this) and ignored.isdisjoint(parts) and path.is_file():
            is_text = path.suffix in (".py", *PROSE, *SETTINGS) or parts == [".ci"]
            is_text = is_text and path.stat().st_size < 2**20
            files["/".join((*parts, name))] = path.read_text("utf8") if is_text else None
    return files


@cache
def nodes(source):
    return list(ast.walk(ast.parse(source)))


def texts_of(file, source):
    suffix = Path(file).suffix
    if suffix == ".py":
        return texts_of_python(file, source)
    if suffix in PROSE:
        return texts_of_page(file, source)
    is_settings = suffix != ".txt" and "/data/" not in file
    return texts_of_settings(file, source) if is_settings else ()


@cache
def texts():
    return [t for file, source in tree().items() if source for t in texts_of(file, source)]


# -- what the tree has -----------------------------------------------------------------------------


@dataclass
class Code:
    """What Python files and settings define.

    names: identifiers. words: these, and words of strings. made: names that f-strings make.
    strings: text of strings and settings. modules: names in each module of the package. classes:
    attributes by class; None if it inherits some from another package.
    """

    names: set[str] = field(default_factory=set)
    words: set[str] = field(default_factory=set)
    made: list[re.Pattern[str]] = field(default_factory=list)
    strings: list[str] = field(default_factory=list)
    modules: dict[str, set[str]] = field(default_factory=dict)
    classes: dict[str, set[str] | None] = field(default_factory=dict)


@cache
def code():
    known, definitions = Code(), defaultdict(list)
    for file, source in tree().items():
        if source is None or Path(file).suffix in PROSE:
            continue
        if not file.endswith(".py"):
            known.strings.append(source)
            continue
        names, docs = set(names_in(nodes(source))), {id(node) for node in docstrings(nodes(source))}
        known.names |= {*names, Path(file).stem}
        for node in nodes(source):
            is_string = isinstance(node, ast.Constant) and isinstance(node.value, str)
            if is_string and id(node) not in docs:
                known.strings.append(UNQUOTED.sub("", node.value))
            if isinstance(node, ast.JoinedStr):
                known.made += pattern_of(node)
            if isinstance(node, ast.ClassDef):
                definitions[node.name].append(node)
        if file.startswith(PACKAGE):
            dotted = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
            known.modules[dotted] = {*names, *submodules(file)}
    known.words = known.names.union(*(re.findall(r"\w+", string) for string in known.strings))
    known.classes = {name: attributes(name, definitions) for name in definitions}
    return known


def pattern_of(node):
    """Return a pattern of the names that an f-string makes, [] if it makes no names."""
    parts = [part.value if isinstance(part, ast.Constant) else None for part in node.values]
    fixed = "".join(filter(None, parts))
    if not re.fullmatch(r"\w*[a-z]{2}_\w*|\w*_[a-z]{2}\w*|\w*[a-z]{4}\w*", fixed):
        return []
    return [re.compile("".join(r"(\w+)" if part is None else part for part in parts))]


def submodules(file):
    folder = file.removesuffix("__init__.py")
    inside = [other.removeprefix(folder) for other in tree() if other.startswith(folder)]
    return {other.split("/")[0].removesuffix(".py") for other in inside}


def attributes(name, definitions):
    """Return the attributes of all classes of a name, or None if a base is of another package."""
    found = set()
    for node in definitions[name]:
        for part in node.body:
            is_method = isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)
            inside = [*ast.walk(part)] if is_method else []
            targets = [part.target] if isinstance(part, ast.AnnAssign) else []
            targets += part.targets if isinstance(part, ast.Assign) else []
            found |= {*names_in([part])} if is_method else set()
            found |= {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}
            stored = (n for n in inside if isinstance(getattr(n, "ctx", None), ast.Store))
            found |= {n.attr for n in stored if isinstance(n, ast.Attribute)}
        for base in (ast.unparse(base).split("[")[0] for base in node.bases):
            if base not in ("Protocol", "NamedTuple", "Generic", "str", "Exception"):
                if base not in definitions or (more := attributes(base, definitions)) is None:
                    return None
                found |= more
    return found


# -- files -----------------------------------------------------------------------------------------

FILE = re.compile(r"(?<![\w/.:@~$<>{-])(?:[\w*-]+/)*[\w*-]+\.(?:py|md|cfg|toml|yml|yaml|npz|svg)\b")
IN_FOLDER = re.compile(r"`((?:[\w.*-]+/)+[\w.*-]*)`")
REPOSITORY = re.compile(r"\([\w-]+/[\w.-]+\)")  # of others: what the text names is theirs


@cache
def folders():
    return {part for file in tree() for part in file.split("/")[:-1]}


@cache
def ends():
    """All files and folders, without the first folders of their paths also."""
    parts = [file.split("/") for file in tree()]
    return {
        "/".join(p[i:j]) for p in parts for i in range(len(p)) for j in range(i + 1, len(p) + 1)
    }


@cache
def has_file(name):
    """Return whether a file or folder has this name, at any depth. Capitals stand for any name."""
    name = re.sub(r"[A-Z]{3,}(?=[-./])", "*", name.strip("./"))
    forms = [name, f"{name}.py"] if "/" in name else [name]
    if "*" in name:
        return any(fnmatch(end, form) for form in forms for end in ends())
    return not ends().isdisjoint(forms)


def missing_files(text):
    """Yield the files that a text names, and neither the tree nor an example of the text has."""
    named = {match[0] for match in FILE.finditer(text.prose)}
    named |= {m[1] for m in IN_FOLDER.finditer(text.prose) if m[1].split("/")[0] in folders()}
    for name in named:
        is_ours = Path(name).suffix == ".py"
        is_example = name in text.made or (not is_ours and any(name in s for s in code().strings))
        is_theirs = REPOSITORY.search(text.prose) and name.split("/")[0] not in folders()
        if not (has_file(name) or is_example or is_theirs):
            yield name


# -- names in code ---------------------------------------------------------------------------------

IN_BACKTICKS = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
# Not a letter with an index, which is mathematics.
CONSTANT = re.compile(r"(?<![\w.\"'/$`{-])[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+(?![\w/])")
SNAKE = re.compile(r"(?<![\w.\"'/$`{<@:\\-])[a-z]\w+?_\w*[a-z0-9](?![\w/-])")
INDEXED = re.compile(r"\w+_\w|(?:alpha|lambda|sigma)_\w+")  # in a formula
DOTTED = re.compile(r"(?<![\w./-])([A-Za-z_]\w*)((?:\.[A-Za-z_]\w*)+)(?![\w=])")
# The values of a command in a sentence are an example.
COMMAND = re.compile(
    r"`(?:dx|python|pip|spacy|pytest|git|build-env/\S+|--\S+) [^`\n]*`|^Example: .*", re.M
)
IDENTIFIER = re.compile(r"[A-Za-z]\w*(?:\(\))?")
PIPELINE = re.compile(r"[a-z]{2}_\w+_(?:sm|md|lg|trf)")  # as spaCy names its packages
OWNER = re.compile(r"([\w-]+)['’]s[^.|]*\Z")


def missing_names(text):
    """Yield names of code that nothing defines."""
    prose = COMMAND.sub(lambda command: "~" * len(command[0]), text.prose)
    names = [*CONSTANT.finditer(prose), *SNAKE.finditer(prose)]
    for match in IN_BACKTICKS.finditer(prose):
        bare = match[1].removesuffix("()")
        has_form = "_" in bare or re.search(r"[a-z][A-Z]", bare) or match[1] != bare
        if IDENTIFIER.fullmatch(match[1]) and has_form:
            names.append(match)
    for match in names:
        name = match[match.re.groups].removesuffix("()")
        if not (is_known(name, text) or is_of_others(name, prose, match)):
            yield name
    for match in DOTTED.finditer(prose):
        if is_missing_attribute(match[0], text) and not is_of_others(match[0], prose, match):
            yield match[0]


def is_known(name, text):
    """Return whether code has a name. Capitals in a name in small letters stand for any name."""
    if name in code().words or name in text.made:
        return True
    if PIPELINE.fullmatch(name) or INDEXED.fullmatch(name):
        return True
    if any(code().words.issuperset(match.groups()) for match in map_patterns(name)):
        return True
    form = re.sub(r"(?<=[a-z]_)[A-Z]{3,}", "*", name)
    return form != name and any(fnmatch(word, form) for word in code().words)


def map_patterns(name):
    return filter(None, (pattern.fullmatch(name) for pattern in code().made))


def is_of_others(name, prose, match):
    """Return whether a text names a program that is not ours, and that has the name."""
    start, line = match.start(), prose[prose.rfind("\n", 0, match.start()) + 1 :].split("\n")[0]
    owner = OWNER.search(prose[:start])
    first = name.split("_")[0]
    words = {word.lower() for word in re.findall(r"(?<!`)\b[A-Za-z]+\b(?![`_])", line)}
    others = ([owner[1]] if owner else []) + ([first] if first in words else [])
    return any(word not in code().names for word in others)


def is_missing_attribute(dotted, text):
    """Return whether a dotted name begins with a module or class of ours, which lacks the rest."""
    known, (first, second, *_) = code(), dotted.split(".")
    if first == PACKAGE:
        return not has_dotted(dotted)
    if has_file(dotted) or dotted in text.made:
        return False
    if f"{PACKAGE}.{first}.{second}" in known.modules:
        return not has_dotted(f"{PACKAGE}.{dotted}")
    homes = [names for module, names in known.modules.items() if module.endswith(f".{first}")]
    if homes and second[0].isupper():
        return all(second not in names for names in homes)
    if first in known.classes:
        return known.classes[first] is not None and second not in known.classes[first]
    return bool(re.fullmatch(r"[A-Z][a-z]\w+", first)) and first not in known.names


def has_dotted(name):
    """Return whether a dotted name leads to a module of the package, or to a name in one."""
    modules = code().modules
    module = name
    while module not in modules:
        module = module.rpartition(".")[0]
    rest = name.removeprefix(module).strip(".").split(".")
    return rest == [""] or rest[0] in modules[module]


# -- options, registered parts, codes and tests ----------------------------------------------------

OPTION = re.compile(r"(?<![\w<-])--[a-z][\w-]*(?![\w.-]*\.)")
COMMAND_LINE = re.compile(r"(?:^ *|[`$] ?|spacy |Example: )dx ((?:[a-z]+ ?)+)([^`\n|;&]*)", re.M)
REGISTERED = re.compile(r"\bdx\.[A-Z]\w*\.v\d+\b")
CODE_OF_ERROR = re.compile(r"\bDX\d{3}\b")
TEST = re.compile(r"tests/([\w/]+\.py)::(\w+)")


@cache
def options():
    """The options of each command, of the page that is generated from them."""
    page = tree()["docs/reference/commands.md"]
    sections = re.split(r"^#+ `?dx ", page, flags=re.M)[1:]
    page_options = {s.split("\n")[0]: {*re.findall(r"--[\w-]+", s)} for s in sections}
    general = typer.main.get_command(dx_cli).params
    return {**page_options, "": {option for parameter in general for option in parameter.opts}}


@cache
def other_options():
    """Options of scripts, and those that commands of scripts, workflows and pages use."""
    blocks = {text.made for text in texts() if text.file.endswith(".md")}
    return {name for s in (*code().strings, *blocks) for name in re.findall(r"--[\w-]+", s)}


def missing_options(text):
    """Yield options that their command, or all commands, do not have."""
    for match in COMMAND_LINE.finditer(f"{text.prose}\n{text.blocks}"):
        words = match[1].split()
        names = [name for name in options() if name and f"{match[1]} ".startswith(f"{name} ")]
        used = {option for option in OPTION.findall(match[2]) if option != "--help"}
        yield from (f"dx {name} {option}" for name in names for option in used - options()[name])
        if words and not names and f"{words[0]} " not in " ".join((*options(), "lab ")):
            yield f"dx {words[0]}"
    known = other_options().union(*options().values())
    if not REPOSITORY.search(text.prose):
        yield from {*OPTION.findall(text.prose)} - known


def missing_parts(text):
    """Yield registered names, codes of errors and tests that do not exist."""
    settings = [source for file, source in tree().items() if file.endswith("setup.cfg")]
    for name in REGISTERED.findall(text.prose):
        if not any(name in source for source in (*settings, text.made)):
            yield name
    yield from (code_ for code_ in CODE_OF_ERROR.findall(text.prose) if code_ not in code().names)
    for file, test in TEST.findall(text.prose):
        if f"def {test}(" not in (tree().get(f"tests/{file}") or ""):
            yield f"tests/{file}::{test}"


# -- the tests -------------------------------------------------------------------------------------

FINDERS = (missing_files, missing_names, missing_options, missing_parts)


@pytest.mark.parametrize("find", FINDERS, ids=lambda find: find.__name__)
def test_what_the_tree_names_exists(find):
    missing = {f"{text.file}:{text.line}: {name}" for text in texts() for name in find(text)}
    assert sorted(missing) == []


def missing_in(file, source):
    return sorted({name for text in texts_of(file, source) for f in FINDERS for name in f(text)})


@pytest.mark.parametrize(
    ("file", "source", "missing"),
    [
        ("a.md", "See benchmarks/indices.py.", ["benchmarks/indices.py"]),
        ("a.md", "It is in `scripts/evaluate.py`.", ["scripts/evaluate.py"]),
        ("a.md", "The rooms are `space/sauces` and more.", ["space/sauces"]),
        ("a.md", "`tests/text/` has tests, `tests/texts/` has none.", ["tests/texts/"]),
        ("a.cfg", "x = 1  # as in configs/laplas.cfg", ["configs/laplas.cfg"]),
        ("a.toml", "# for spacy_dxprivacy.text.tokns", ["spacy_dxprivacy.text.tokns"]),
        ("a.py", '"""See spacy_dxprivacy.text.foo."""', ["spacy_dxprivacy.text.foo"]),
        ("a.py", "# like the one of Space.from_vektors", ["Space.from_vektors"]),
        ("a.py", "# like Terms.stages", ["Terms.stages"]),
        ("a.md", "It is a `surrogates.base.Mentions`.", ["surrogates.base.Mentions"]),
        ("a.py", "# see language.RAREST", ["language.RAREST"]),
        ("a.py", "# see ty.Stages", ["ty.Stages"]),
        ("a.py", "# at most MOST_RUNS of them", ["MOST_RUNS"]),
        ("a.py", '"""Call `sanitise_all()` first."""', ["sanitise_all"]),
        ("a.py", "# set_aside does it", ["set_aside"]),
        ("spacy_dxprivacy/a.py", 'x = "`max_wordz` must be 2"', ["max_wordz"]),
        ("a.md", "`dx sanitize notes.txt --epsilom 3`", ["--epsilom", "dx sanitize --epsilom"]),
        ("a.md", "`dx serve --fail-under x` stops.", ["dx serve --fail-under"]),
        ("a.md", "Give `--quieter`, or `dx attac`.", ["--quieter", "dx attac"]),
        ("a.py", '"""Use.\n\n    dx odds x --frobnicate\n\nAnd read."""', ["dx odds --frobnicate"]),
        ("a.py", "# as dx.Laplace.v7 does", ["dx.Laplace.v7"]),
        ("a.md", "See DX999.", ["DX999"]),
        ("a.md", "`tests/test_limits.py::test_no`", ["tests/test_limits.py::test_no"]),
    ],
)  # fmt: skip
def test_what_does_not_exist_is_found(file, source, missing):
    found = missing_in(file, source)
    assert [name for name in found if name not in missing] == [], found
    assert missing[-1] in found


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("a.md", "See benchmarks/flat.py, `space/search` and `space/search/exact`."),
        ("a.md", "Write this in `mine.cfg`:\n\n```ini\n[nlp]\n```\n\nThen read `mine.cfg`."),
        ("a.md", "It writes NAME.svg and pairs-KIND.npz."),
        (
            "a.md",
            "nginx's `limit_everything`, `en_vectors_web_lg`, and gliner as `gliner_for_all`.",
        ),
        ("a.md", "Run `dx sanitize my_notes.txt --epsilon 3`, or `--lang de`."),
        ("a.md", "where M_1 is the first, and length_0 is that of the graph"),
        ("a.py", '"""Use.\n\n    python train.py my_corpus\n\n`my_corpus` is yours."""'),
        ("a.py", "# as Space.from_vectors, ty.Facts and dx.Laplace.v1 do, see DX072"),
        ("a.py", "my_value = 1\n# my_value is one"),
    ],
)
def test_what_exists_or_is_an_example_is_not_reported(file, source):
    assert missing_in(file, source) == []


# -- exceptions of tools ---------------------------------------------------------------------------


def settings_of_tools():
    return pytest.importorskip("tomllib").loads(tree()["pyproject.toml"])["tool"]


def test_each_exception_of_the_linter_is_needed():
    ruff = shutil.which(
        "ruff", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    )
    if ruff is None:
        pytest.skip("needs ruff")
    for pattern, rules in settings_of_tools()["ruff"]["lint"]["per-file-ignores"].items():
        for rule in rules:
            files = [file for file in tree() if fnmatch(file, pattern) and file.endswith(".py")]
            command = [ruff, "check", "--isolated", "--quiet", "--select", rule, *files]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
            assert files and done.returncode == 1, (pattern, rule)


def test_each_module_with_an_exception_of_types_exists():
    for override in settings_of_tools()["mypy"]["overrides"]:
        ours = [name for name in override["module"] if name.startswith(PACKAGE)]
        for name in ours:
            assert any(fnmatch(module, name) for module in code().modules), name
