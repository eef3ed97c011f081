"""What of HTML is kept: elements and attributes by what becomes of them."""

import re

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
KEPT = frozenset(
    "align aria-hidden bgcolor border cellpadding cellspacing charset checked class color cols "
    "colspan dir disabled face height hidden high lang low max maxlength min multiple nowrap open "
    "optimum readonly rel required reversed role rows rowspan scope selected size span start step "
    "type valign width wrap xml:lang".split()
)
META = {"author": "PERSON", "description": "", "keywords": "", "title": "", "subject": ""}
VIEWPORT = re.compile(
    r"(?:(?:device-)?(?:width|height)|(?:initial|minimum|maximum)-scale|user-scalable|yes|no|"
    r"shrink-to-fit|[\d.=,; ])*",
    re.ASCII,
)
DOCTYPE = re.compile(
    r'doctype html( public "-//W3C//DTD [^">]{,60}"( "http://www\.w3\.org/[^">]{,60}")?)?', re.I
)
# What of styles may hold text or lead elsewhere.
CSS = re.compile(
    r"/\*.*?(\*/|$)|<!--|-->|@import[^;]*;?|url\([^)]*\)?|\bcontent\s*:[^;}]*", re.I | re.S
)
