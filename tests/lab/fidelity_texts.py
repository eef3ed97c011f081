"""Documents whose entities fit together, generated under a seed and annotated."""

import random
from datetime import date, timedelta
from pathlib import Path

import srsly

from spacy_dxprivacy.entities.tables import STATES, ZIP_HEADS, cities, listed
from spacy_dxprivacy.lab.golden import Gold
from spacy_dxprivacy.text.mentions import Entity

CASES = srsly.read_yaml(Path(__file__).with_suffix(".yaml"))

FORMS = ("{d:%Y-%m-%d}", "{d:%B} {d.day}, {d.year}", "{d.day} {d:%B} {d.year}", "{d:%m/%d/%Y}")
TEMPLATES = CASES["templates"]


def documents(count, seed=0):
    """So many annotated texts."""
    choice = random.Random(seed)
    return [document(choice, TEMPLATES[i % len(TEMPLATES)]) for i in range(count)]


def document(choice, template):
    values, text, entities = values_of(choice), "", []
    for part in template.split("{"):
        field, close, rest = part.partition("}")
        if not close:
            text += part
            continue
        name, _, label = field.partition(":")
        if label:
            entities.append(Entity(label, len(text), len(text) + len(values[name])))
        text += values[name] + rest
    return Gold(text, entities)


def values_of(choice):
    gender = choice.choice(("female", "male"))
    people, used = [], set()
    while len(people) < 3:  # no name is of two of them, or both a given and a family name
        given = gender if not people else "female"
        person = choice.choice(listed(given)), choice.choice(listed("surnames"))
        if len({*person} - used) == 2:
            people.append(person)
            used.update(person)
    (first, last), *_ = people
    city, short = choice.choice([home for home in cities() if len(ZIP_HEADS[home[1]]) > 0])
    code = f"{choice.choice(ZIP_HEADS[short])}{choice.randrange(1000):03d}"
    birth = date(1950, 1, 1) + timedelta(choice.randrange(20_000))
    seen = date(2015, 1, 1) + timedelta(choice.randrange(3000))
    age = seen.year - birth.year - ((seen.month, seen.day) < (birth.month, birth.day))
    form = choice.choice(FORMS)
    names = dict(zip(("name", "other", "third"), (" ".join(p) for p in people), strict=True))
    mails = dict(zip(("mail", "othermail"), (mail(choice, *p) for p in people), strict=False))
    she = "she" if gender == "female" else "he"
    sign = choice.choice("$€£")
    return names | mails | {
        "first": first, "last": last, "she": she, "She": she.title(),
        "title": {"female": "Ms.", "male": "Mr."}[gender], "city": city, "state": short,
        "long": STATES[short], "zip": code, "age": str(age), "birth": form.format(d=birth),
        "seen": form.format(d=seen), "earlier": form.format(d=seen - timedelta(40)),
        "sum": f"{sign}{choice.randrange(10, 900)}", "sum2": f"{sign}{choice.randrange(900)}.50",
        "address": f"{choice.randrange(1, 999)} Oak Street, {city}, {short} {code}",
    }  # fmt: skip


def mail(choice, first, last):
    first, last = first.lower(), last.lower()
    form = choice.choice(("{f}.{l}", "{i}{l}", "{l}.{f}", "{f}{l}7", "{l}{i}"))
    return form.format(f=first, l=last, i=first[0]) + "@mail.example.net"
