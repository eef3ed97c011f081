"""Public lists that stand-ins are drawn from; NOTICE says where those in files come from."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

_FOLDER = Path(__file__).parent.parent / "data" / "surrogates"

STATES = {
    "AL": "Alabama 35 36", "AK": "Alaska 99", "AZ": "Arizona 85", "AR": "Arkansas 72",
    "CA": "California 90 91 92 93 94 95", "CO": "Colorado 80 81", "CT": "Connecticut 06",
    "DE": "Delaware 19", "DC": "District of Columbia 20", "FL": "Florida 32 33 34",
    "GA": "Georgia 30 31", "HI": "Hawaii 96", "ID": "Idaho 83", "IL": "Illinois 60 61 62",
    "IN": "Indiana 46 47", "IA": "Iowa 50 51 52", "KS": "Kansas 66 67", "KY": "Kentucky 40 41 42",
    "LA": "Louisiana 70 71", "ME": "Maine 04", "MD": "Maryland 21", "MA": "Massachusetts 01 02",
    "MI": "Michigan 48 49", "MN": "Minnesota 55 56", "MS": "Mississippi 39", "MO": "Missouri 63 64",
    "MT": "Montana 59", "NE": "Nebraska 68", "NV": "Nevada 89", "NH": "New Hampshire 03",
    "NJ": "New Jersey 07 08", "NM": "New Mexico 87", "NY": "New York 10 11 12 13 14",
    "NC": "North Carolina 27 28", "ND": "North Dakota 58", "OH": "Ohio 43 44 45",
    "OK": "Oklahoma 73 74", "OR": "Oregon 97", "PA": "Pennsylvania 15 16 17 18",
    "RI": "Rhode Island 02", "SC": "South Carolina 29", "SD": "South Dakota 57",
    "TN": "Tennessee 37 38", "TX": "Texas 75 76 77 78 79", "UT": "Utah 84", "VT": "Vermont 05",
    "VA": "Virginia 22 23 24", "WA": "Washington 98", "WV": "West Virginia 25 26",
    "WI": "Wisconsin 53 54", "WY": "Wyoming 82",
}  # fmt: skip
COUNTRIES = tuple(
    "Argentina,Australia,Austria,Bangladesh,Belgium,Bolivia,Brazil,Bulgaria,Cambodia,Cameroon,"
    "Canada,Chile,Colombia,Costa Rica,Croatia,Cuba,Cyprus,Denmark,Ecuador,Egypt,El Salvador,"
    "Estonia,Ethiopia,Fiji,Finland,France,Gabon,Germany,Ghana,Greece,Guatemala,Haiti,Honduras,"
    "Hungary,Iceland,India,Indonesia,Ireland,Israel,Italy,Jamaica,Japan,Kazakhstan,Kenya,Kuwait,"
    "Latvia,Lebanon,Liberia,Libya,Lithuania,Luxembourg,Madagascar,Malawi,Malaysia,Mali,Malta,"
    "Mauritius,Mexico,Moldova,Mongolia,Morocco,Mozambique,Namibia,Nepal,New Zealand,Nicaragua,"
    "Nigeria,Norway,Oman,Pakistan,Panama,Paraguay,Peru,Poland,Portugal,Qatar,Romania,Rwanda,"
    "Senegal,Serbia,Singapore,Slovakia,Slovenia,Somalia,South Africa,South Korea,Spain,Sri Lanka,"
    "Sudan,Sweden,Switzerland,Taiwan,Tanzania,Thailand,Togo,Tunisia,Uganda,Ukraine,Uruguay,"
    "Uzbekistan,Venezuela,Vietnam,Yemen,Zambia,Zimbabwe".split(",")
)
OTHER_COUNTRIES = frozenset(
    "afghanistan,albania,algeria,america,angola,armenia,azerbaijan,bahrain,belarus,benin,bhutan,"
    "botswana,britain,burma,burundi,chad,china,congo,czech republic,czechia,dominican republic,"
    "england,eritrea,gambia,georgia,great britain,guinea,guyana,hong kong,iran,iraq,ivory coast,"
    "jordan,korea,kosovo,kyrgyzstan,laos,lesotho,macedonia,mauritania,monaco,montenegro,myanmar,"
    "netherlands,niger,north korea,palestine,philippines,puerto rico,russia,saudi arabia,scotland,"
    "sierra leone,suriname,syria,tajikistan,turkey,turkmenistan,uk,united arab emirates,"
    "united kingdom,united states,united states of america,us,usa,u.s.,u.s.a.,u.k.,wales".split(",")
)
STREETS = tuple(
    "Alder Almond Amber Apple Arbor Ash Aspen Autumn Azalea Balsam Barley Bay Beacon Beech Bell "
    "Birch Bishop Blossom Bluff Bramble Briar Brick Bridge Brook Canal Canyon Cardinal Castle "
    "Cedar Chapel Cherry Chestnut Church Clay Cliff Clover Coral Cottage Cotton Court Cove Creek "
    "Crescent Crest Crystal Cypress Dale Daisy Deer Dogwood Dove Eagle East Elm Fern Field Fig "
    "Fir Forest Fountain Fox Front Garden Garnet Gate Glen Grand Granite Grape Green Grove Harbor "
    "Harvest Hawk Hawthorn Hazel Heather Heron Hickory High Highland Hill Holly Hudson Iris Ivy "
    "Jade Jasmine Juniper Knoll Lake Lark Laurel Lavender Lemon Liberty Lilac Lily Lime Linden "
    "Locust Lotus Magnolia Main Maple Market Marsh Meadow Mesa Mill Mint Mission Moss Mulberry "
    "Myrtle North Oak Oakwood Olive Orange Orchard Palm Park Peach Pear Pearl Pebble Pecan Pepper "
    "Pheasant Pine Pioneer Plaza Plum Pond Poplar Prairie Prospect Quail Quarry Rainbow Raven Reed "
    "Ridge River Robin Rose Rosemary Sage Sand School Sequoia Shore Sierra Silver South Sparrow "
    "Spring Spruce Star Station Stone Summer Summit Sunrise Sunset Swan Sycamore Tamarack Temple "
    "Terrace Thistle Timber Tulip Union Valley Vine Violet Vista Walnut Water West Wheat Willow "
    "Winter Wood Wren Yew".split()
)
STREET_KINDS = ("Street", "Avenue", "Road", "Lane", "Drive", "Court", "Place", "Way")
COMPANY_ENDS = ("Inc.", "LLC", "Group", "Partners", "Company", "Associates", "Services", "Holdings")
# A word of it says what kind of house it is; what follows is how such a house may be called.
HOUSES = {
    "hospital": "Hospital", "clinic": "Clinic", "medical": "Medical Center", "health": "Health",
    "university": "University", "college": "College", "school": "School", "church": "Church",
    "bank": "Bank", "pharmacy": "Pharmacy", "court": "Court", "department": "Department",
    "hotel": "Hotel", "foundation": "Foundation", "institute": "Institute", "center": "Center",
    "centre": "Centre", "laboratory": "Laboratory", "labs": "Labs", "insurance": "Insurance",
}  # fmt: skip


@lru_cache(maxsize=8)
def listed(name: str) -> tuple[str, ...]:
    """The lines of a file: "female", "male" (512 first names each), "surnames" (1,024), "cities"
    (1,024, with their state after a tab)."""
    return tuple((_FOLDER / f"{name}.txt").read_text(encoding="utf8").splitlines())


@lru_cache(maxsize=1)
def cities() -> tuple[tuple[str, str], ...]:
    """(city, short name of its state) of 1,024 cities of the United States."""
    pairs = (line.split("\t") for line in listed("cities"))
    return tuple((city, state) for city, state in pairs if state in STATES)


def state_name(short: str) -> str:
    """TX -> Texas"""
    return STATES[short].rstrip("0123456789 ")


def zip_heads(short: str) -> list[str]:
    """The first two digits that postal codes of a state may have."""
    return STATES[short][len(state_name(short)) :].split()
