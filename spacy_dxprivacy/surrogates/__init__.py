"""What stands for names, dates, numbers and places; `@dx_surrogates`, one for each label."""

from .address import make_address
from .base import Mention, Scope, Surrogate
from .contact import make_contact
from .date_shift import make_date_shift
from .digits import make_digits
from .name import make_name
from .number import make_number
from .organisation import make_organisation
from .place import make_place
from .plain import make_keep, make_mask, make_redact, make_words
from .presets import make_preset, surrogates_of
from .standing import StandIns, stand_in
from .streams import Draws

__all__ = [
    "Draws",
    "Mention",
    "Scope",
    "StandIns",
    "Surrogate",
    "make_address",
    "make_contact",
    "make_date_shift",
    "make_digits",
    "make_keep",
    "make_mask",
    "make_name",
    "make_number",
    "make_organisation",
    "make_place",
    "make_preset",
    "make_redact",
    "make_words",
    "stand_in",
    "surrogates_of",
]
