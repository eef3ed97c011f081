"""Streets, boxes, postal codes, and the lines that go with them, found in the text by their form.

An address begins with a core that tells itself (a street with a number or a word for it, a box, a
postal code) and goes on over what follows: units, towns, states, countries, postal codes.
"""
# A form is a line, however long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from .places import COUNTRIES, STATES

Span = tuple[int, int]
UP = r"[^\W\d_a-zß-öø-ÿ]"  # a letter that is not small: accents and other scripts included
# Only short forms end in a full stop.
_IN = r"(?:[^\W\d]|['’-])"
WORD = rf"{UP}(?:\w{{0,2}}\.(?=[ \t])|{_IN}{{0,30}}(?:\.{_IN}{{1,20}}){{0,3}}(?!\w))"
NUM = r"\d{1,6}[a-zA-Z]?(?:[-/]\d{1,5}[a-zA-Z]?)?"
GAP, OPT = r"[ \t]{1,3}", r"[ \t]{0,3}"
BLANKS = r"[ \t]{0,40}"  # bounded: else a search goes over the same blanks from each of them
_STRONG = (
    "Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Highway|Hwy|Parkway|Pkwy|Crescent|Cres|"
    "Turnpike|Expressway|Freeway|Causeway|Mews|Esplanade"
)
_WEAK = (
    "Drive|Dr|Court|Ct|Circle|Cir|Way|Place|Pl|Terrace|Ter|Square|Sq|Squares|Streets|Roads|Trail|"
    "Trl|Alley|Close|Grove|Gardens|Row|Walk|Plaza|Loop|Pike|Route|Rte|Ridge|Hill|Hills|Park|Parks|"
    "Bypass|Canyon|Corner|Corners|Cove|Crest|Dam|Divide|Estate|Estates|Extension|Falls|Ferry|Fork|"
    "Forks|Gateway|Hollow|Inlet|Isle|Junction|Knoll|Knolls|Manor|Meadow|Meadows|Motorway|Overpass|"
    "Passage|Ramp|Ranch|Rapids|Shoal|Shoals|Shore|Shores|Skyway|Spur|Summit|Track|Trace|Tunnel|"
    "Underpass|Viaduct|Villages|Vista|Wells|"
    "Quay|Wharf|Green|Rise|View|Vale|Mount|Bend|Creek|Crossing|Point|Landing|Heights|Run|Path"
)
_COMPOUND = (
    r"(?:straße|strasse|str\.|straat|gasse|gade|gata|gaten|gatan|gatu|vägen|väg|vejen|vej|veien|veg|"
    r"katu|kuja|tie|polku|utca|út|ulice|laan|plein|gracht|dijk|kade|weg|allee|platz|damm|ufer|stræti|"
    r"stígur|vegur|brekka|laantie|plass|torget|torg|stien|alle|allé|gatvė|iela|tänav|maantee|ulica)"
)
_FOREIGN = (
    r"Rue|Avenue|Boulevard|Place|Chemin|Impasse|Allée|Quai|Cours|Route|Via|Viale|Piazza|Corso|Largo|"
    r"Vicolo|Strada|Contrada|Calle|Avenida|Avda\.?|Plaza|Paseo|Carrer|Carrera|Camino|Ronda|Rambla|"
    r"Travesía|Rúa|Rua|Praça|Praca|Travessa|Estrada|Alameda|Rodovia|Ulica|ul\.|ulica|al\.|os\.|"
    r"Strasse|Straße|Jalan|Jl\.|Bulevardul|Calea|Aleea|Prospekt|Οδός|Πλατεία|Λεωφόρος"
)
_AFTER = r"(?:Straße|Strasse|Str\.|Gasse|Allee|Weg|Platz|Straat|Laan|Baan|Plein|u\.|utca|útja|út|krt\.|tér|sokak|sok\.|caddesi|cad\.|gate|vei|terrasse|allé|katu|tie|väg)"
_OF = r"(?:d[eiu]s?|dei|degli|delle|del(?:la|le|l[’'])?|d[’']|da|do|dos|das|la|le|las|los|l[’']|of|the|y|e|van|von|u|i)"
_NAMES = rf"(?:{_OF}{GAP}|[dl][’']){{0,3}}{WORD}(?:{GAP}(?:{_OF}{GAP}){{0,2}}{WORD}){{0,3}}"
_UNIT_WORD = (
    r"apt|apartment|apto|suite|ste|flat|unit|floor|fl|room|rm|bldg|building|piso|étage|stock"
)
_UNIT = rf"(?:(?i:{_UNIT_WORD})\b\.?{OPT}#?{OPT}(?:\d[\w-]{{0,5}}|[A-Z]\b)|#{OPT}\d[\w-]{{0,5}})"
_BOX = (
    rf"(?i:(?:p\.?{OPT}o\.?{OPT}box|post{OPT}(?:office{GAP})?box|postbox|postfach|apartado|casilla|"
    rf"boîte postale|locked bag|private bag|psc|poste restante){OPT}#?\d{{1,6}}(?:,?{GAP}box{GAP}\d{{1,6}})?)"
    rf"|(?i:(?:unit|hc|rr){GAP}\d{{1,6}},?{GAP}box{GAP}\d{{1,6}})"
)
_UK = r"(?:[A-Z]{1,2}\d[A-Z\d]? \d[ABD-HJLNP-UW-Z]{2})"
_CANADA = r"(?:[ABCEGHJ-NPRSTVXY]\d[A-Z][ -]?\d[A-Z]\d)"
_IRELAND = r"(?:[AC-FHKNPRTV-Y]\d[\dW] (?=[\dA-Z]{0,3}[A-Z])[\dAC-FHKNPRTV-Y]{4})"
_MILITARY = rf"(?:(?:USN?[SV]|USCGC|HMS){GAP}{WORD}(?:{GAP}{WORD})?\s{{1,3}})?(?i:[afd]po,? a[aep] \d{{5}}(?:-\d{{4}})?)"
# After a word for it; the code is the group.
_CUED = (
    r"\b(?:zip|zipcode|postal|postcode|post ?code|plz|postleitzahl|eircode|cep|pin ?code)s?\b[^\n.\d]{0,40}?"
    r"(?<![\w-])(\d{4} ?[A-Z]{2}|(?:[A-Z]{1,2}-)?\d{3,7}(?:[ -]\d{2,4})?|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d|"
    r"\d{4})\b"
)
# On a line of its own, and before or after a town where an address has its towns.
_PLACED = (
    rf"(?:\A|\n)[ \t>?|*]*(\d{{5}}(?:-\d{{4}})?|\d{{3}} \d\d|\d\d-\d{{3}}|[A-Z]{{1,2}}-\d{{4,5}})(?=[ \t]*(?:\n|\Z))|"
    rf"(?:,[ ]|\n[ \t>?|*]*)((?!(?:19|20)\d\d )\d{{4,5}} {WORD}(?:[ ]{WORD})?)(?=[ \t]*(?:[\n,;.]|\Z))|"
    rf"(?<=\bin )({WORD}(?:[ ]{WORD})?,? \d{{5}}(?:-\d{{4}})?)(?![\w.])|"
    rf"(?<=\bin )((?!(?:1[89]|20)\d\d )\d{{4}} {WORD})(?![\w.])"
    r"|\b(?:[Nn]ear(?:est to)?|[Aa]round|[Cc]lose to|[Ii]n|[Ff]rom|[Tt]o|[Aa]t|[Bb]y|[Oo]utside)"
    r"[ ]((?:[A-Z]{1,2}-)?\d{5}(?:-\d{4})?|\d{3} \d\d)(?![ ]?(?:[a-z%$€£]|[\d:]|[.,]\d))"
)
# Postal codes that tell themselves wherever they stand: five digits that count nothing, and forms
# that hardly anything else has. Amounts are round, or stand before what is counted.
_COUNTED = (
    r"(?:%|(?!(?:was|has|does|this|its|his|as|us|yes|always|sometimes|unless)\b)[a-zß-öø-ÿ]{2,20}s\b|people\b|men\b|women\b|children\b|percent\b|per\b|million\b|billion\b|"
    r"(?:aud|brl|cad|chf|clp|cny|czk|dkk|gbp|hkd|huf|idr|ils|inr|isk|jpy|krw|mxn|nok|nzd|php|pln|ron|rub|sek|sgd|thb|try|twd|uah|vnd|zar|rupees?|pounds?|yen|kr|mg|ml|mcg|g|kg|l|dl|cm|mm|km|m|ft|lb|oz|iu|kcal|cal|hz|khz|mhz|gb|mb|kb|rpm|bpm|psi|sq|am|pm|hrs?|mins?|secs?|usd|eur|dollar|euro)\b)"
)
_ALONE = (
    r"(?<![\w$€£¥#.,:/+*=<>~^-])(?<![$€£¥=<>~#] )(?<!\bover )(?<!\babout )(?<!\bthan )(?<!\bnearly )"
    r"(?<!\berror )(?<!\bport )(?<!\bcode )(?<!\bversion )(?<!\bbuild )(?<!\broom )(?<!\bpage )(?<!\bamount of )(?<!\btotal of )"
    r"(?<!\bis )(?<!\bwas )(?<!\bare )(?<!\bby )"
    rf"((?!\d\d000\b)\d{{5}}(?:-\d{{3,4}})?|\d{{4}}-\d{{3}}|\d\d-\d{{3}}(?= {UP}\w)|(?:SE|GR|CZ|SK)-?\d{{3}} \d\d|\d{{4}} (?!AM|PM|BC|AD|CE|HP|MG|ML)[A-Z]{{2}})"
    rf"(?![\w$€£%]|[.,:/-]\d|[ ]?(?i:{_COUNTED}))"
)
_SHORT = r"(?!(?:1[89]|20)\d\d\b|\d\d00\b)\d{4}|\d{3} \d\d|\d\d-\d{3}"  # no years, no amounts
_CLOCK = r"(?:[01]\d|2[0-3])[0-5]\d\b"
_END = rf"(?![\w%]|[.,:/-]\d|[ ]?(?i:{_COUNTED})|[ ](?:to|and|or|x)[ ]\d)"
# Where a place stands: "near 3021", "close to 123 45"; and beside a word for it.
_LIVING = (
    rf"\b(?:[Ii]n|[Nn]ear|[Aa]round|[Ff]rom|[Tt]o|[Oo]utside|(?:residents|people|outskirts|out|area) of|[Aa]rea code|[Aa]t(?![ ]{_CLOCK}))"
    rf"[ ]((?:{_SHORT})(?:[ ][A-Z]{{2}}\b)?){_END}|"
    rf"\b[Tt]he[ ]({_SHORT})(?=[ ](?:area|neighbou?rhood|district|region|zip|post)\b)|"
    rf"(?<![\w-])({_SHORT}|\d{{5}})(?=[ ]is[ ](?:my|the|our|his|her|their)[ ](?:zip|post))"
)
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|January|February|March|April|June|July|August|September|October|November|December)\b"
_NUMBER = re.compile(r"\d{3}|\d\d-\d{3}|\d[A-Z\d]? ?\d[A-Z]", re.IGNORECASE)
_SIDE = r"(?:[NSEWnsew]\.?|North|South|East|West|N\.?[EW]\.?|S\.?[EW]\.?)"

_LIVES = "|".join(
    rf"(?<=\b{cue} )"
    for cue in (
        "lives on|live on|lives at|live at|lived at|lived on|resides at|residing at|located at|located on|side of|"
        "address is|address of|return to|sent to|deliver to|delivered to|ship to|moved to|meet me at"
    ).split("|")
)
_FIELD = "|".join(
    rf"(?<={word}:{gap})"
    for word in ("Address", "address", "ADDRESS", "Street", "street")
    for gap in (" ", "\n", "  ", "\t")
)
_CORES = (
    rf"(?:{NUM}(?:,?{GAP}\d{{1,5}})?,?{GAP})?(?:{_FOREIGN}){GAP}{_NAMES}(?:,?{GAP}(?:n[°º.]|no\.?)?{OPT}{NUM})?",
    # 12 Main St; 137 Avenue Teboulbi; 7 of 2nd Street; small letters too where the word is plain
    rf"{NUM}(?:,?{GAP}\d{{1,5}})?,?{GAP}(?:{_SIDE}{GAP})?(?:(?:{WORD}|\d{{1,3}}(?:st|nd|rd|th)){GAP}){{1,4}}"
    rf"(?:{_STRONG}|{_WEAK}|street|st|road|avenue|ave|lane|boulevard|drive)\b\.?(?:{GAP}{_SIDE}\b)?",
    rf"{NUM}(?:,?{GAP}\d{{1,5}})?,?{GAP}(?:(?!(?:of|at|in|on|from|and|to|is|was|by)\b)[\w'’.-]{{1,30}}{GAP}){{1,3}}(?i:street|avenue|road|boulevard|blvd|lane)\b",
    rf"{NUM}{GAP}(?:rue|avenue|chemin|place|via|calle|rua){GAP}(?:{_OF}{GAP}){{0,3}}[\w'’-]{{1,30}}(?:{GAP}{NUM})?",
    rf"(?:{NUM}{GAP})?(?:{WORD}{GAP}){{0,3}}(?={UP})[\w'’-]{{2,30}}?{_COMPOUND}(?:{GAP}{NUM}|(?={OPT}\n))",
    # 4844 Lundby 52, at the end of a line or before a unit
    rf"\d{{1,6}}{GAP}(?!{_MONTH}){_NAMES}{GAP}\d{{1,5}}[a-zA-Z]?(?={OPT}(?:[\n,?!]|$|\.(?:\s|$)|{GAP}(?i:{_UNIT_WORD}|st)\b))",
    rf"(?!(?:19|20)\d\d\b)\d{{4,6}}{GAP}(?:(?=[^\W\d_])[\w'’.-]{{1,30}}{GAP}){{1,3}}\d{{1,5}}(?=\.?,?\s{{0,3}}(?i:{_UNIT_WORD}|st)\b|\.?,?{OPT}\n)",
    rf"(?:{NUM}{GAP})?{_NAMES}{GAP}\d{{1,5}}[a-zA-Z]?(?=\.?,?\s{{0,3}}(?i:apt|suite|flat)\b)",
    rf"(?:{NUM}{GAP})?{WORD}{GAP}(?:[\w.]{{1,20}}{GAP})?{_AFTER}{GAP}{NUM}",
    rf"(?:{WORD}{GAP}){{1,3}}(?:{_STRONG})\b\.?(?!{GAP}(?:Journal|Bank))",
    rf"(?:{_LIVES})(?:{NUM}{GAP})?{_NAMES}(?:{GAP}\d{{1,5}}[a-zA-Z]?)(?=\W)",
    rf"(?:{_LIVES}){NUM}{GAP}(?:{NUM}{GAP})?{_NAMES}",
    rf"(?:{_FIELD})(?=[^\n@]{{0,90}}\d)(?=[^\n@]{{0,90}}[^\W\d_]{{3}})[^\n@]{{5,90}}?(?=[.?!]?{BLANKS}(?:\n|$))",
    _BOX,
    _MILITARY,
    _UK,
    _CANADA,
    _IRELAND,
    # Vinohradská 22, 120 00 Praha
    rf"(?!{_MONTH}){_NAMES}{GAP}{NUM},{GAP}(?!(?:19|20)\d\d\b)(?:\d{{3}} \d\d|\d{{4,5}}(?:-\d{{3}})?|\d{{4}} [A-Z]{{2}}){GAP}{WORD}(?:{GAP}\d{{1,2}}\b)?",
    # 2-11-3 Meguro, Meguro-ku
    rf"\d{{1,3}}(?:-\d{{1,3}}){{1,2}}{GAP}{WORD}(?:,{GAP}{WORD}){{0,2}}-(?:ku|shi|cho|chō|machi|gun|mura)",
    rf"(?:{STATES})\.?{GAP}\d{{5}}(?:-\d{{4}})?",
    rf"(?i:(?:apt|apartment|suite|ste|flat)\b\.?){GAP}#?\d{{1,5}}[a-zA-Z]?",
    rf"(?i:the{GAP})?(?i:corner{GAP}of){GAP}(?:{NUM}{GAP})?{_NAMES}(?:{GAP}{NUM})?{GAP}and{GAP}(?:{NUM}{GAP})?{_NAMES}",
)
# A core begins with a digit, a capital or one of these words; nothing is tried elsewhere.
_START = r"(?<![\w.@/#$€£-])(?=\d|[^\W\d_a-zß-öø-ÿ]|ul\.|al\.|os\.|apt|suite|flat|ste|p\.? ?o|post|psc|unit|the corner|corner|[afd]po)"
_PIECES = {
    "unit": rf"{_UNIT}|{_BOX}",
    "code": rf"{_MILITARY}|{_UK}|{_CANADA}|{_IRELAND}|(?:[A-Z]{{1,2}}-)?\d{{4,6}}(?:-\d{{3,4}})?(?![\d:/.-]{{0,40}}\d)|\d{{3}} \d\d",
    "land": rf"(?i:{COUNTRIES})\b(?:{GAP}\([^()\n]{{2,20}}\))?",
    "state": rf"(?:{STATES}|[A-Z]{{2}})\b\.?",
    "small": r"\d{3}(?=[ \t]*(?:\n|\Z))",
    "null": r"(?i:nan|null|n/a)\b",
    "town": rf"(?!\w+{OPT}:){_NAMES}(?:{GAP}\d{{1,2}}\b(?!\w))?(?:{GAP}\([^()\n]{{2,20}}\))?",
    "lower": r"(?!(?:and|or|for|the|in|is|who|which|with|to|on|at|as|was|are|please|after|before)\b)[^\W\d_]{2,30}(?:[ -][^\W\d_]{2,30})?",
}
_BETWEEN = rf"(?:\.{BLANKS}\n{BLANKS}(?=(?i:apt|suite|flat))|\.[ \t]{BLANKS}(?=(?i:apt|suite|flat))|{BLANKS},{BLANKS}\n?{BLANKS}|{BLANKS}\n(?:[ \t>|*?]{{0,40}}\n)?[ \t>|*?]{{0,40}}(?:,{BLANKS})?|[ \t]{{1,3}}|-(?=\d))"
FIRM = {"unit", "code", "land", "small"}
# "in Bjert 6091", "from Barra de Carrasco 15000"
_TOWNS = re.compile(
    r"(?:\b(?:[Ii]n|[Aa]t|[Ff]rom|[Tt]o|[Nn]ear|[Oo]f)|,)[ ]"
    rf"(?P<town>(?:(?=[^\W\d_])[\w'’.-]{{1,30}}[ ]){{1,3}})(?P<code>{_SHORT}|\d{{5}}){_END}|"
    # on a line of its own; what tables without a state write for it may stand between
    rf"(?:\A|\n)[ \t>|*]*(?P<place>{WORD}(?:[ ]{WORD})?)[ ](?P<null>(?i:nan|null|n/a)[ ])?"
    rf"(?P<number>(?!(?:1[89]|20)\d\d\b)\d{{4,5}}|\d{{3}} \d\d)(?=[ \t]*(?:\n|\Z))"
)
_SHORTEST = re.compile(r" (?:\d{3} ?\d\d?|\d\d-\d{3})(?!\w)")
_JOINS = frozenset("de del di da do la le el upon am an sur der den nad pod".split())


@lru_cache(maxsize=1)
def _core() -> re.Pattern[str]:
    return re.compile(_START + "(?:" + "|".join(f"(?:{core})" for core in _CORES) + r")(?!\w)")


@lru_cache(maxsize=1)
def _piece() -> re.Pattern[str]:
    named = "|".join(f"(?P<{name}>{form})" for name, form in _PIECES.items())
    return re.compile(f"(?P<gap>{_BETWEEN})(?:{named})(?!\\w)")


@lru_cache(maxsize=1)
def _cued() -> re.Pattern[str]:
    return re.compile(f"(?i:{_CUED})|{_PLACED}|{_LIVING}|{_ALONE}")


def addresses(
    text: str, is_plain: Callable[[str], bool], is_new: Callable[[str], bool]
) -> Iterator[Span]:
    """(start, end) of each address. is_plain: whether a word is none that only names have, or is a
    name of persons; an address goes on over such a one only where a postal code or a country
    follows. is_new: whether a word is in no list, or in that of cities."""
    yield from _beside_towns(text, is_new)
    if _NUMBER.search(text):  # every postal code has one, and most texts have none
        yield from (found.span(found.lastindex or 0) for found in _cued().finditer(text))
    place = 0
    while found := _core().search(text, place):
        start, end = found.span()
        end = _extended(text, end, is_plain)
        yield start, end
        place = max(end, start + 1)


def _extended(text: str, end: int, is_plain: Callable[[str], bool]) -> int:
    """How far an address goes on: to the last piece that is surely of it, and over a town."""
    firm, pieces, unit = end, 0, False
    weak = False  # whether a piece since the last firm one may be something else
    while pieces < 9 and (found := _piece().match(text, end)):
        kind = str(found.lastgroup)
        broken = found["gap"].strip(" \t") != ""
        if kind in ("lower", "small") and not broken:
            break
        if kind == "town" and not broken and text[end - 1] in ".?!":
            break
        end, pieces = found.end(), pieces + 1
        if kind in FIRM or (kind == "state" and broken):
            firm, weak = end, False
        elif kind == "town" and not weak and (unit or not any(map(is_plain, found[0].split()))):
            firm = end
        else:
            weak = True
        unit = kind == "unit" and not broken  # a town may follow it on the same line
    return firm


def _beside_towns(text: str, is_new: Callable[[str], bool]) -> Iterator[Span]:
    """Short postal codes after a word that is no other than a town's."""
    for found in _TOWNS.finditer(text) if _SHORTEST.search(text) else ():
        words = (found["town"] or found["place"]).split()
        written = words[0][0].isupper() or not _JOINS.isdisjoint(words)
        if found["null"] or (any(map(is_new, words)) and (written or text.islower())):
            yield found.span("code" if found["code"] else "number")
