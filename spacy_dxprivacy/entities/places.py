"""Countries, states, and words that stand where places stand."""
# A form is a line, however long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

_STATES = (
    "AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM "
    "NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY DC PR GU VI AS MP "
    "AB BC MB NB NL NS NT NU ON PE QC SK YT NSW VIC QLD TAS ACT"
)
STATES = "|".join(_STATES.split())
_COUNTRIES = """
Afghanistan|Albania|Algeria|Andorra|Angola|Argentina|Armenia|Australia|Austria|Azerbaijan|Bahamas|
Bahrain|Bangladesh|Barbados|Belarus|Belgium|Belize|Benin|Bhutan|Bolivia|Bosnia and Herzegovina|Bosnia|
Botswana|Brazil|Brunei|Bulgaria|Burkina Faso|Burundi|Cambodia|Cameroon|Canada|Cape Verde|
Central African Republic|Chile|China|Colombia|Comoros|Costa Rica|Croatia|Cuba|Cyprus|Czech Republic|
Czechia|Côte d'Ivoire|Ivory Coast|Democratic Republic of the Congo|Denmark|Djibouti|Dominican Republic|
East Timor|Ecuador|Egypt|El Salvador|Equatorial Guinea|Eritrea|Estonia|Eswatini|Ethiopia|Faroe Islands|
Fiji|Finland|France|French Guiana|French Polynesia|Gabon|Gambia|Germany|Ghana|Gibraltar|Greece|
Greenland|Guadeloupe|Guatemala|Guinea|Guinea-Bissau|Guyana|Haiti|Honduras|Hong Kong|Hungary|Iceland|
India|Indonesia|Iran|Iraq|Ireland|Isle of Man|Israel|Italy|Jamaica|Japan|Kazakhstan|Kenya|Kosovo|
Kuwait|Kyrgyzstan|Laos|Latvia|Lebanon|Lesotho|Liberia|Libya|Liechtenstein|Lithuania|Luxembourg|
Macau|North Macedonia|Macedonia|Madagascar|Malawi|Malaysia|Maldives|Mali|Malta|Marshall Islands|
Martinique|Mauritania|Mauritius|Mexico|Micronesia|Moldova|Monaco|Mongolia|Montenegro|Morocco|
Mozambique|Myanmar|Burma|Namibia|Nepal|Netherlands|New Caledonia|New Zealand|Nicaragua|Nigeria|
North Korea|Northern Ireland|Norway|Oman|Pakistan|Palau|Palestine|Panama|Papua New Guinea|Paraguay|
Peru|Philippines|Poland|Portugal|Puerto Rico|Qatar|Romania|Russia|Russian Federation|Rwanda|Samoa|
San Marino|Saudi Arabia|Scotland|Senegal|Serbia|Seychelles|Sierra Leone|Singapore|Slovakia|Slovenia|
Solomon Islands|Somalia|South Africa|South Korea|South Sudan|Spain|Sri Lanka|Sudan|Suriname|Sweden|
Switzerland|Syria|Taiwan|Tajikistan|Tanzania|Thailand|Togo|Tonga|Trinidad and Tobago|Tunisia|
Turkmenistan|Uganda|Ukraine|United Arab Emirates|United Kingdom|United States of America|
United States|Uruguay|Uzbekistan|Vanuatu|Vatican City|Venezuela|Vietnam|Viet Nam|Wales|Western Sahara|
Yemen|Zambia|Zimbabwe|Deutschland|Österreich|Schweiz|España|Italia|Türkiye|Brasil|Polska|Sverige|
Norge|Danmark|Suomi|Nederland|België|Belgique|U\\.S\\.A\\.|U\\.S\\.|U\\.K\\.|USA|UAE|Great Britain
"""
COUNTRIES = _COUNTRIES.replace("\n", "")
PLACE_NOUNS = (
    "Republic|Kingdom|States|Islands?|Emirates|Federation|Territory|Province|County|Village"
)
# Of capitals alone, and none of them a place.
CAPITALS = frozenset(
    "HEENT PERRL PERRLA EOMI LASIK NSAID NSAIDS HIPAA COVID ICD10 STEMI NSTEMI LFTS CBC BMP TURP "
    "ASAP FAQ HTTPS HTML JSON AIDS LVEF CABG COPD GERD ADHD PTSD MRSA BRCA SOAP ROS HPI PMH PSH".split()
)
_IN = r"(?:(?<=\bin )|(?<=\bfrom )|(?<=\bat )|(?<=\bnear )|(?<=\bto )|(?<=\bof )|(?<=\bvia ))"
_CAPITALS = r"[^\W\d_a-zß-öø-ÿ]{3,30}"
_UP = r"[^\W\d_a-zß-öø-ÿ]"
_TITLE = r"[^\W\d_a-zß-öø-ÿ][\w'’]{1,20}"
_GOING = (
    "(?:"
    + "|".join(
        rf"(?<=\b{cue} )"
        for cue in (
            "in|originally from|here from|came from|back from|returned to|return from|arrived at|arrived in|moved to|"
            "move to|traveling to|travelling to|traveled to|travelled to|travel to|flew to|fly to|flight to|trip to|"
            "drive to|drove to|relocated to|emigrated to|tour of|city of|town of|village of|capital of|outskirts of"
        ).split("|")
    )
    + ")"
)
_FORMS = (
    rf"(?!china\b|guinea\b)(?:{COUNTRIES})\b(?:[ ]\([A-Z]\w{{2,15}}\))?",
    rf"(?:[A-Z][a-z]{{2,20}}[ ]){{1,2}}(?:{PLACE_NOUNS})\b(?:[ ]of[ ][A-Z]\w{{2,20}})?",
    rf"{_IN}(?:{_CAPITALS}['’-]?(?:[ ]?\(?(?={_CAPITALS}))?){{1,4}}\)?(?:[ ]\d{{1,2}}\b)?",
    rf"{_IN}[A-Z]\w{{2,20}}[ ]\d{{1,2}}(?=[.,;]|[ ]which)",
    rf"{_GOING}{_TITLE}(?:(?:[ ]|-|[ ]['’]?[a-z]{{1,4}}['’]?[ ])(?:{_TITLE}|{_CAPITALS})){{0,3}}",
)


@lru_cache(maxsize=2)
def _pattern(small: bool) -> re.Pattern[str]:
    """small: for a text without capitals, where countries alone are sought."""
    if small:
        return re.compile(rf"(?<![\w@./'’-])(?:{_FORMS[0]})(?!\w)", re.IGNORECASE)
    forms = "|".join(f"(?P<F{i}>{form})" for i, form in enumerate(_FORMS))
    return re.compile(rf"(?<![\w@./'’-])(?={_UP})(?:{forms})(?!\w)")


def places(text: str, is_new: Callable[[str], bool]) -> Iterator[tuple[int, int]]:
    """(start, end) of each country, and of what stands where places stand and is written so.

    is_new: whether a word is in no list, or in that of places."""
    for match in _pattern(text.islower()).finditer(text):
        words = match[0].replace("(", " ").replace(")", " ").split()
        if match.lastgroup in ("F2", "F4") and not _is_place(words, is_new):
            continue
        yield match.span()


def _is_place(words: list[str], is_new: Callable[[str], bool]) -> bool:
    """Not abbreviations, nor plain words that a heading writes in capitals."""
    if any(word in CAPITALS for word in words):
        return False
    return any(len(word) > 3 and is_new(word) for word in words)
