"""What stands for names, dates, numbers and places; `@dx_surrogates`, one for each label."""

from .base import Mention, Scope, Surrogate
from .streams import Draws

# The module of each registered name; it is imported when the name is asked for.
MODULES = {
    "dx.Address.v1": "address",
    "dx.Contact.v1": "contact",
    "dx.DateShift.v1": "date_shift",
    "dx.Digits.v1": "digits",
    "dx.Keep.v1": "plain",
    "dx.Mask.v1": "plain",
    "dx.Name.v1": "name",
    "dx.Number.v1": "number",
    "dx.Numbers.v1": "number",
    "dx.Organisation.v1": "organisation",
    "dx.Place.v1": "place",
    "dx.Preset.v1": "presets",
    "dx.Redact.v1": "plain",
    "dx.Words.v1": "plain",
}

__all__ = ["MODULES", "Draws", "Mention", "Scope", "Surrogate"]
