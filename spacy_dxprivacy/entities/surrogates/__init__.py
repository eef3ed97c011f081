"""Surrogates of names, dates, numbers and places; `@dx_surrogates`, one for each label."""

from .base import Draws, Mention, Scope, Surrogate

# The module of each registered name; it is imported when the name is asked for.
MODULES = {
    "dx.Address.v1": "place",
    "dx.Address.v2": "place",
    "dx.Contact.v1": "codes",
    "dx.Contact.v2": "name_parts",
    "dx.DateShift.v1": "date_shift",
    "dx.Digits.v1": "codes",
    "dx.Digits.v2": "name_parts",
    "dx.Keep.v1": "plain",
    "dx.Mask.v1": "plain",
    "dx.Name.v1": "name",
    "dx.Name.v2": "name_parts",
    "dx.Number.v1": "number",
    "dx.Numbers.v1": "number",
    "dx.Organisation.v1": "place",
    "dx.Organisation.v2": "place",
    "dx.Place.v1": "place",
    "dx.Place.v2": "place",
    "dx.Preset.v1": "plain",
    "dx.Preset.v2": "plain",
    "dx.Redact.v1": "plain",
    "dx.Words.v1": "plain",
}

__all__ = ["MODULES", "Draws", "Mention", "Scope", "Surrogate"]
