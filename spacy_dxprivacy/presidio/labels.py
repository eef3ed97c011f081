"""Our labels as presidio calls them."""

from __future__ import annotations

# Label of a pipeline -> entity of presidio. Those that it has no name for keep theirs.
ENTITIES = {
    "PERSON": "PERSON",
    "PER": "PERSON",
    "GPE": "LOCATION",
    "LOC": "LOCATION",
    "FAC": "LOCATION",
    "ADDRESS": "LOCATION",
    "ORG": "ORGANIZATION",
    "NORP": "NRP",
    "DATE": "DATE_TIME",
    "TIME": "DATE_TIME",
    "EMAIL": "EMAIL_ADDRESS",
    "PHONE": "PHONE_NUMBER",
    "URL": "URL",
    "ID": "ID",
}
# Numbers that tell nobody.
IGNORED = frozenset({"CARDINAL", "QUANTITY", "ORDINAL", "PERCENT", "MONEY"})
