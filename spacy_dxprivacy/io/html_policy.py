"""What of HTML is kept: elements and attributes by what becomes of them."""

import re
from collections.abc import Callable

VOID = frozenset(
    "area base br col embed frame hr img input link meta param source track wbr".split()
)
# Elements that often have no end.
UNCLOSED = frozenset("p li dt dd tr td th thead tbody tfoot option optgroup rp rt".split())
INLINE = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark q rp rt "
    "ruby s samp small span strike strong sub sup time tt u var wbr".split()
)
BLOCK = frozenset(
    "address article aside blockquote body br button caption center col colgroup dd details dialog "
    "dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hgroup "
    "hr html input legend li main menu meta meter nav noscript ol optgroup option output p "
    "picture pre progress search section select style summary table tbody td textarea tfoot th "
    "thead title tr ul".split()
)
DROPPED = {
    **dict.fromkeys(["script", "template"], "scripts"),
    **dict.fromkeys(["svg", "canvas", "source"], "images"),
    **dict.fromkeys(
        "iframe object embed applet audio video math frame frameset".split(), "objects"
    ),
    **dict.fromkeys(["base", "link"], "link targets"),
}
TEXT = frozenset(
    "abbr alt aria-description aria-label aria-placeholder aria-valuetext label placeholder "
    "summary title value".split()
)
REFERENCES = frozenset(
    "id for headers list aria-labelledby aria-describedby aria-controls aria-owns".split()
)
# Those whose values are of a vocabulary; the names of classes are any.
KEPT = frozenset(
    "align aria-hidden bgcolor border cellpadding cellspacing checked color cols colspan dir "
    "disabled face height hidden high lang low max maxlength min multiple nowrap open optimum "
    "readonly required reversed role rows rowspan scope selected size span start step type valign "
    "width wrap xml:lang".split()
)
META = {"author": "PERSON", "description": "", "keywords": "", "title": "", "subject": ""}
DOCTYPE = re.compile(
    r'doctype html( public "-//W3C//DTD X?HTML [\d.]{1,5}( Strict| Transitional)?//EN"'
    r'( "http://www\.w3\.org/TR/(x?html\d*/)+(DTD/)?[a-z\d-]{1,30}\.dtd")?)?',
    re.I,
)
# Words that values of attributes and styles are made of.
_WORDS = frozenset(
    "align all and any arial auto background baseline before after black blink block blue bold "
    "bolder border both bottom box break button calc calibri cambria capitalize cell center "
    "checkbox checked child circle clear clip col colgroup collapse color column columns content "
    "courier cover cursor dashed date decimal decoration default direction disc display dotted "
    "double ellipsis em email even family file fill first fixed flex float flow focus font footer "
    "gap georgia gray green grey grid group grow hanging header heading height helvetica hidden "
    "hover image important indent inherit initial inline inset inside inter italic justify large "
    "larger last layout left letter lighter line link list lower lowercase ltr main margin max "
    "maroon medium middle min monospace navigation navy new no none normal not nowrap nth number "
    "oblique odd of olive opacity orange order outline outset outside over overflow padding page "
    "password pointer position pre presentation purple radio radius range red relative repeat "
    "reset rgb rgba right roman root row rowgroup rtl rule sans scroll search segoe self separate "
    "serif shadow shrink silver size small smaller solid space spacing square static sticky "
    "stretch style sub submit super tab table tahoma teal tel text thick thin time times top "
    "transform transparent true false type ui underline upper uppercase url verdana vertical "
    "visibility visible visited weight white width wrap x y yellow z".split()
)
_NUMBER = re.compile(r"\d{0,4}\.?\d{1,4}(?:%|[a-z]{1,3})?|#[0-9a-f]{3,8}|", re.A)
_VALUE = re.compile(rf"[+-]?(?:{_NUMBER.pattern})|[a-z]{{2}}(-[a-z]{{2}})?", re.A | re.I)
_AT_RULES = re.compile(
    r"/\*.*?(?:\*/|\Z)|<!--|-->|@[^{};]*(?:;|\{(?:[^{}]*\{[^{}]*\})*[^{}]*(?:\}|\Z)|\Z)", re.S
)


def is_value(text: str) -> bool:
    """Return whether the value of an attribute is one number, or of words that say nothing."""
    return bool(_VALUE.fullmatch(text)) or (_is_plain(text) and not re.search(r"\d", text))


def declarations(text: str) -> str:
    """Return the declarations of a style that can hold no text and lead nowhere."""
    return ";".join(one for one in text.split(";") if _is_plain(one))


def style_sheet(text: str, id_of: Callable[[str], str]) -> str:
    """Return the rules that can hold no text, but for names of classes; id_of: renames an id."""

    def rule(found: re.Match[str]) -> str:
        names = re.compile(r"([.#])([\w-]+)")
        if not _is_plain(names.sub("", found[1])):
            return ""
        new = names.sub(lambda n: n[0] if n[1] == "." else f"#{id_of(n[2])}", found[1])
        return f"{new}{{{declarations(found[2])}}}"

    rules = re.finditer(r"([^{}]*)\{([^{}]*)\}", _AT_RULES.sub("", text))
    return "".join(map(rule, rules))


def _is_plain(text: str) -> bool:
    words = re.split(r"[\s,()/!:\"'>+~*-]+", text.lower())
    return all(word in _WORDS | INLINE | BLOCK or _NUMBER.fullmatch(word) for word in words)
