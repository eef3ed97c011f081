"""Where originals come back in a text of somebody else: in prose, not in what is fetched."""

import json
import random
import re
import time

import pytest

from spacy_dxprivacy.prompts.prose import Prose, last_blank
from spacy_dxprivacy.prompts.restoring import Restorer

ROWS = {
    "percy": ("Priya", [], False),
    "ilene cartwright": ("Ulla Zorblatt", [], False),
    "cartwright": ("Zorblatt", [], False),
    "[date 1]": ("May 5", ["[DATE 1]"], False),
    "pa@x.example": ("ulla@stmary.org", [], False),
    "https://y.example/u": ("https://portal.stmary.org/ulla", [], False),
}
ORIGINALS = ("Priya", "Ulla", "Zorblatt", "May 5", "stmary")

RAW = """<style>b{background:url(//e.example/{})}</style>
<style>.a::after{content:"{}"}</style>
<STYLE type='text/css'>@import "//e.example/{}";</STYLE>
<style>
 p { background: url("https://e.example/a {}") }
</style>
<script>fetch(`https://e.example/${"{}"}`)</script>
<script>new Image().src = "//e.example/" + "{}"</script>
<script>let a = "</b>"; send("{}")</script>
<svg><text>{}</text></svg>
<svg viewBox="0 0 1 1"><a xlink:href="https://e.example/"><text> {} </text></a></svg>
<svg><style>@import url(https://e.example/{});</style></svg>
<svg:style>a{b:url(x {})}</svg:style>
<math><mtext>{}</mtext></math>
<textarea>{}</textarea>
<xmp>{}</xmp>
<iframe srcdoc="x">{}</iframe>
<noembed>{}</noembed>
<plaintext>{}
<script>a<!-- </script> --> {}
<style>/* never ends {}""".split("\n<")
RAW = [text if text.startswith("<") else f"<{text}" for text in RAW]
STYLED = [
    'background: url("https://e.example/a {}")',
    "background: url( 'a {}' )",
    "url(a b/{})",
    'url("a) {}")',
    "URL(\n  https://e.example/{} )",
    '@import "foo {}";',
    "@import url(x {});",
    'image-set("https://e.example/a {}" 1x)',
    "src: url(x.woff?a {})",
]
QUOTED = [
    '{"url": "https://e.example/?q=a {}"}',
    '{"url":"//e.example/a {}"}',
    "{'u': 'https://e/a {}'}",
    '{"url": " https://e.example/a {}"}',
    '{"u": "https:\\/\\/e.example\\/a {}"}',
    '{"u": "www.e.example/a {}"}',
    '{"u": "e.example/a {}"}',
    '{"u": "10.0.0.1/a {}"}',
    '{"u": "\\u0068ttps://e.example/a {}"}',
    '{"u": "mailto:a?body=b {}"}',
    "`https://e.example/a {}`",
    '"{\\"u\\": \\"https://e.example/a {}\\"}"',
    "fetch('https://e.example/a {}')",
    'click A "https://e.example/a {}"',
    "“https://e.example/a {}”",
    '{"u": "sms:1 {}"}',
    "url: https://e.example/a {}",
    "  image = https://e.example/a {}",
    "- href: //e.example/a {}",
    "URL = https://e.example/a {}",
]
MATHS = [
    "$\\href{https://e.example/a {}}{x}$",
    "$\\includegraphics{https://e.example/a {}.png}$",
    "\\url{https://e.example/{b} {}}",
    "$$\\htmlData{a=https://e.example/a {}}$$",
    "\\href{//e/a {}}{x}",
    "\\href {www.e.example/a {}} {x}",
]
LINKED = [
    "`x <https://e.example/a {}>`_",
    ".. image:: https://e.example/a {}.png",
    ".. _x: //e.example/a {}",
    ".. figure:: a\n   :target: https://e.example/a {}\n",
    ".. |x| image:: https://e.example/a\n   {}",
    "  .. image:: a {}",
    "__ https://e.example/a {}",
    "[https://e.example/a {}]",
    "[[https://e/a {}]]",
    "[[https://e.example/a {}][x]]",
    "[[file:a {}]]",
    "[[File:a {}.png]]",
    "{{https://e.example/a {}}}",
    "{{a {}.png|x}}",
    "[img]https://e.example/a {}[/img]",
    "[url=https://e.example/a {}]x[/url]",
    "!https://e.example/a_b {}!",
    '"x":https://e.example/a {}',
    "[my text|https://e.example/a {}]",
    "image::a {}[]",
    "link:https://e.example/a {}[x]",
    "<https://e.example/a {}|x>",
    "[x]: //e/{}",
    "((https://e.example/(a) {}))",
    "[x](a (b) {})",
    "![x](data:image/png,{})",
    "[[{}/a]]",
]
SCHEMED = [
    "sms:+15550100?body={}",
    "magnet:?xt=urn:btih:a&dn={}",
    "intent:#Intent;S.name={};end",
    "SMS:{}",
    "skype:{}?call",
    "geo:0,0?q={}",
    "whatsapp://send?text={}",
    "tg:msg?text={}",
    "urn:x:{}",
    "view-source:{}",
    "vscode:{}",
    "xmpp:a@e?body={}",
    "cid:{}",
    "steam:{}",
    "x-help:{}",
    "news:{}",
    "javascript:'{}'",
    "10.0.0.1/{}",
    "10.0.0.1:80?{}",
    "[::1]/{}",
    "[fe80::1]:80/{}",
    "127.1/{}",
    "2130706433/{}",
    "0x7f000001/{}",
    "localhost/{}",
    "localhost:80/{}",
    "intranet:8080/{}",
    "evil。example/{}",
    "пример.рф/{}",
    "git@evil:{}",
    "{}.evil.example",
    "{}@evil.example",
    "0177.0.0.1?{}",
    "<base href=//e.example>![x]({})",
    "a@10.0.0.1:{}",
]
FETCHED = [*RAW, *STYLED, *QUOTED, *MATHS, *LINKED, *SCHEMED]
PROSE = [
    "See {}.",
    "({})",
    "**{}**, x",
    "_{}_ and __{}__, ___{}___",
    "~~{}~~ ***{}*** ==_{}_==",
    "(_{}_), _**{}**_: “_{}_”",
    "Ask {}; see https://a.example.",
    "“{}’s”",
    "<b>x</b> {} [a](b) {}",
    "a < b, {}",
    "[{}](https://a.example)",
    "<p>{}</p>",
    "{}/{}",
    "<a b=\"c > d\" e='f' g=h>{}</a>",
    "Map<A, B> {}",
    "{}: yes",
    "{}, {}\n{}\t{}",
    "# {}\n\n> {}",
    "- {}\n- https://a.example\n- {}",
    "| {} | https://a.example | {} |",
    "`{}` and ```\n{}\n```",
    '{"name": "{}", "at": "x", "url": "https://a.example", "who": ["{}"]}',
    '[["{}", 3], [4, 5]]',
    "(see https://a.example for {})",
    "(https://a.example), {}",
    '"https://a.example" by {}',
    "**https://a.example** by {}",
    "https://a.example by {}",
    "At 10:30 {} said: {}",
    "Dr. {}, M.D.",
    "e.g. {} vs. {}",
    "Website: https://a.example ({})",
    "5 + 5: {}",
    "<script>a()</script>\n<p>{}</p>",
    "<svg/> {}",
    "<svg><path d='M0'/></svg> {}",
    "std::map {}",
    "Dear {},\n\nthank you. -- {}",
    "x = {} # comment",
    "$x^2$ and {}",
    "\\textbf{{}}",
    "[1]: {} et al.",
    "{} <a@b.example>",
    "Well.{}",
    "line one\n..\n{}",
    "[DATE 1](about {})",
    "a@b.example {}",
]


def restored(text, size=None, **how):
    restorer = Restorer(ROWS, **how)
    if size is None:
        return restorer.restore(text)
    one = restorer.fresh_copy()
    parts = [one.feed(text[i : i + size]) for i in range(0, len(text), size)]
    return "".join([*parts, one.flush()])


def has_original(text):
    return any(name in text for name in ORIGINALS)


@pytest.mark.parametrize("name", ["Percy", "Ilene Cartwright", "Ilene\nCartwright", "PERCY"])
@pytest.mark.parametrize("form", FETCHED)
def test_nothing_is_restored_in_what_may_be_fetched_or_run(form, name):
    text = f"Well, {form.replace('{}', name)}" if form in SCHEMED else form.replace("{}", name)
    for size in (None, 1, 3, 7):
        assert restored(text, size) == text


@pytest.mark.parametrize(
    "name, original", [("Percy", "Priya"), ("Ilene Cartwright", "Ulla Zorblatt")]
)
@pytest.mark.parametrize("form", PROSE)
def test_all_is_restored_in_prose(form, name, original):
    for before in ("", "Percy. <b>x</b>\n\n", "[a](b c) "):
        text = before + form.replace("{}", name)
        expected = before.replace("Percy", "Priya") + form.replace("{}", original)
        for size in (None, 1, 5):
            assert restored(text, size).replace("May 5", "[DATE 1]") == expected


def test_what_stays_is_counted_once_a_surrogate():
    restorer = Restorer(ROWS)
    text = "https://e.example/Percy Percy <style>Percy PERCY Cartwright</style> Ilene Cartwright"
    for _ in range(2):
        assert restorer.restore(text).endswith("Ulla Zorblatt")
    assert restorer.kept == {"percy", "cartwright"}


def test_an_address_as_a_whole_is_restored_and_no_part_of_one():
    whole = [
        "{}",
        "<{}>",
        "[x]({})",
        "({}).",
        '"{}"',
        "see {}, or",
        "url: {}",
        "{}'s",
    ]
    for address in ("pa@x.example", "https://y.example/u"):
        original = ROWS[address][0]
        for form in whole:
            assert restored(form.replace("{}", address)) == form.replace("{}", original), form
        for form in (
            "x{}",
            "{}/a",
            "{}?q=Percy",
            "https://e.example/{}",
            '"https://e.example {}"',
            "<a href={}>",
            "{}@e.example",
            "//{}",
        ):
            assert not has_original(restored(form.replace("{}", address))), form


@pytest.mark.parametrize(
    "value",
    [
        "https://e.example/a Percy",
        " //e.example/a\nPercy",
        "www.e.example a Percy",
        "sms:1 Percy",
        "10.0.0.1/a Percy",
        "e.example/a\n\nPercy",
        "\\\\e\\a Percy",
    ],
)
def test_a_value_that_begins_with_an_address_is_one(value):
    assert restored(value, is_value=True) == value
    assert restored(f"Well, {value.split()[-1]}", is_value=True) == "Well, Priya"


def test_a_text_of_json_is_restored_string_by_string():
    text = {
        "who": "Percy",
        "url": "https://e.example/a Percy",
        "text": "See\nIlene Cartwright.",
        "list": ["Percy"],
        "html": '<a href="x Percy">',
        "nested": '{"u": "//e/a Percy"}',
    }
    expected = {**text, "who": "Priya", "text": "See\nUlla Zorblatt.", "list": ["Priya"]}
    for indent, size in ((None, None), (2, None), (None, 1), (1, 3)):
        written = json.dumps(text, indent=indent)
        assert json.loads(restored(written, size, escaped=True)) == expected


def test_however_a_text_is_cut_its_pieces_are_the_whole():
    choice, forms = random.Random(5), [*FETCHED, *PROSE]
    words = " \n \" ' ` < > ( ) [ ]( [[ {{ }} .. :: url( @import // a: x.example/ <style> </style> "
    words = [*words.split(" "), "\n", " ", "Percy", "Ilene Cartwright", "pa@x.example", "\\", "\\n"]
    for seed in range(1500):
        parts = [
            choice.choice((*words, choice.choice(forms))) for _ in range(choice.randint(1, 12))
        ]
        text = choice.choice(["", " "]).join(parts).replace("{}", "Percy")
        how = {"escaped": seed % 3 == 1, "is_value": seed % 3 == 2}
        expected = restored(text, **how)
        for size in (1, 2, 9):
            assert restored(text, size, **how) == expected, text


def test_runs_and_blanks_are_those_of_a_split_text():
    choice = random.Random(6).choice
    for _ in range(3000):
        text = "".join(choice(["a", ":", ".", "_", "é", "(", "\x1c", "\u2003", *" \t\n\r\f\v"])
                       for _ in range(choice(range(25))))  # fmt: skip
        spans = [match.span() for match in re.finditer(r"[^ \t\n\r\f\v]+", text)]
        hints = re.compile(r"\(|[:.](?=\S)|__(?!\S)|\.\.(?!\S)")
        assert Prose().read(text).runs == [span for span in spans if hints.search(text, *span)]
        for end in range(len(text) + 1):
            blanks = [match.span() for match in re.finditer(r"[ \t\n\r\f\v]+", text[:end])]
            assert last_blank(text, end, escaped=False) == (blanks or [(0, 0)])[-1]


# -- time ----------------------------------------------------------------------------------------


MB = 2**20
LOADS = {
    "one run": "Percy,",
    "names": "Percy ",
    "lines": "Ilene Cartwright said:\n",
    "plain": "so it is ",
    "no blank": "abcdefgh",
    "addresses": "https://e.example/Percy ",
    "begun": "Ilene ",
    "tags": "<b>x</b> ",
    "open tags": "<b ",
    "quotes": '" ',
    "open quotes": '"https://e.example ',
    "brackets": "[[[[((((",
    "links": "[Percy](b)",
    "raw": "<style>a</style>",
    "keys": "url: //e\n",
    "dots": "a.b.",
    "colons": "ab:",
    "escapes": '\\n\\"',
    "at": "@a",
    "calls": "url(a) ",
    "open calls": "url(",
    "stars": "*//e*",
    "json": '{"a": "Percy"}, ',
    "entities": "&#x2f;",
    "pairs": "Percy,pa@x.example,",
    "digits": "12345678",
    "underscores": "_a_a",
    "slashes": "/\\",
    "directives": "\n.. a",
    "classes": "a::b ",
    "settings": "name:Percy town:Cartwright key:value a.b c=d ",
    "table": "Percy,Cartwright,pa@x.example,2020-01-02\n",
    "paths": "https://percy.example/a ",
}


def seconds(text, **how):
    start = time.thread_time()
    restored(text, **how)
    return time.thread_time() - start


@pytest.mark.parametrize("load", LOADS)
def test_a_text_of_any_form_is_restored_in_linear_time(load):
    short, long = (LOADS[load] * (size // len(LOADS[load])) for size in (MB // 128, MB // 16))
    for how in ({}, {"escaped": True}, {"size": 64}, {"size": 64, "escaped": True}):
        least = min(seconds(short, **how) for _ in range(3))
        most = min(seconds(long, **how) for _ in range(2))
        assert most < 3 * 8 * least + 0.05, how


@pytest.mark.parametrize("load", [
    "one run", "names", "lines", "json", "pairs", "settings", "table", "paths",
])  # fmt: skip
def test_a_megabyte_of_names_takes_few_times_the_time_of_plain_text(load):
    """Plain text takes a tenth of a second on a machine of today, and names eight times that."""
    plain, text = (LOADS[kind] * (MB // len(LOADS[kind])) for kind in ("plain", load))
    assert min(seconds(text) for _ in range(2)) < 25 * min(seconds(plain) for _ in range(2))


def test_prose_holds_nothing_of_a_text_but_its_line():
    prose = Prose()
    for _ in range(100):
        prose.read(" so it is" * 1000)
    assert len(str(vars(prose))) < 1000
