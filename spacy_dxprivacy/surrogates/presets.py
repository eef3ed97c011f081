"""Stand-ins for the labels that recognisers give, ready to use: "standard" and "clinical".

The names of labels are those of OntoNotes, CoNLL, GMB, presidio and the i2b2 notes. "clinical" has
what tells who somebody is, and leaves quantities alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import DxError, Errors
from ..registries import registry
from ..validate import one_of
from .base import WAYS, Surrogate

PRESETS = ("standard", "clinical")
LABELS = {
    "name": "PERSON PER per PATIENT NAME DOCTOR STAFF HCW Person person",
    "date": "DATE TIME DATE_TIME DOB AGE tim date Date",
    "place": "GPE LOC LOCATION CITY STATE COUNTRY ZIP ZIP_CODE geo gpe loc Location",
    "address": "ADDRESS STREET STREET_ADDRESS LOCATION_OTHER",
    "organisation": "ORG ORGANIZATION HOSPITAL FAC PATORG org NORP_ORG",
    "contact": "EMAIL URL PHONE IP USERNAME EMAIL_ADDRESS PHONE_NUMBER IP_ADDRESS DOMAIN_NAME FAX "
    "USER",
    "digits": "ID MRN SSN US_SSN CREDIT_CARD IBAN IBAN_CODE CARD ACCOUNT US_DRIVER_LICENSE "
    "US_PASSPORT US_BANK_NUMBER US_ITIN MEDICAL_LICENSE UK_NHS MEDICALRECORD IDNUM DEVICE",
    "number": "QUANTITY CARDINAL MONEY PERCENT",
}


class Preset(dict[str, Surrogate]):
    """Stand-ins by label. The words of labels that it lacks go through the mechanism."""


@registry.dx_surrogates("dx.Preset.v1")
def make_preset(
    name: str = "standard", scope: str = "document", key: str | None = None, order: str = "mdy"
) -> Preset:
    """name: "standard" or "clinical" (no quantities). scope and key: of all of them. order: "mdy"
    or "dmy", how 03/04/2019 is read."""
    one_of("name", name, PRESETS)
    shift = "document" if scope == "mention" else scope
    make = registry.dx_surrogates.get  # each is imported here, where a preset is wanted
    made: dict[str, Surrogate] = {
        "name": make("dx.Name.v1")(True, scope=scope, key=key),
        "date": make("dx.DateShift.v1")(order=order, scope=shift, key=key),
        "place": make("dx.Place.v1")(scope, key),
        "address": make("dx.Address.v1")(scope, key),
        "organisation": make("dx.Organisation.v1")(scope, key),
        "contact": make("dx.Contact.v1")(scope, key),
        "digits": make("dx.Digits.v1")(scope, key),
    }
    if name == "standard":
        made["number"] = make("dx.Number.v1")()
    return Preset({label: one for kind, one in made.items() for label in LABELS[kind].split()})


def surrogates_of(given: Any) -> dict[str, Surrogate]:
    """A preset by name, a map of label to stand-in, or None for none. Raises DxError for anything
    else."""
    if given is None:
        return {}
    if isinstance(given, str):
        return make_preset(given)
    if not isinstance(given, Mapping):
        raise DxError(Errors.DX112.format(label="all labels", given=type(given).__name__))
    for label, one in given.items():
        if not isinstance(one, Surrogate) or one.way not in WAYS:
            raise DxError(Errors.DX112.format(label=label, given=type(one).__name__))
    return given if isinstance(given, Preset) else dict(given)
