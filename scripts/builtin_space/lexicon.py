"""Puts the sources together: everything that is known about words before any is chosen."""

from __future__ import annotations

from pathlib import Path

from builtin_space import authored, classes, derivations, forms, graph, medicine, origins, sources
from builtin_space.sources import Names
from builtin_space.vocabulary import Lexicon
from builtin_space.wordnet import read_wordnet

LISTED_SHARE = 1e-4  # of people, assumed to bear a name of the authored list


def read_lexicon(wordnet: Path, deny_list: Path) -> Lexicon:
    """wordnet: the folder of its database files. deny_list: words that are never chosen."""
    net = read_wordnet(wordnet)
    names = read_names()
    cities = sources.read_cities()
    members = classes.collect(names, cities)
    deny = authored.read_deny_list(deny_list)
    new = authored.read_new_words("modern_words.txt")
    found = forms.read_forms(net, parts_of(new))
    taken = {word.lower() for word in [*members, *(word for word, _ in new)]}
    derived = derivations.derive(net, found, taken)
    new |= {key: made for key, made in derived.items() if not any(map(deny.match, made))}
    anchors = authored.read_anchors("sense_overrides.txt")
    for (word, _), targets in sorted(new.items()):
        anchors[word] = anchors.get(word, []) + targets
    return Lexicon(
        net=net,
        forms=found,
        names=names,
        cities=cities,
        members=members,
        anchors=graph.resolve_anchors(anchors, net, found),
        new_words=parts_of(new),
        deny=deny,
        medical=medicine.medical_words(net),
        derived={word for word, _ in derived},
        whole_places={
            "city": {city.name for city in cities},
            "country": {name for name, _ in sources.read_countries().values()},
            "state": set(sources.read_states()),
        },
    )


def read_names() -> Names:
    """The names of all sources, with the authored ones and guessed regions."""
    names = sources.read_names()
    for sex, listed in authored.read_groups("given_names.txt").items():
        table = names.female if sex == "female" else names.male
        for name in listed:
            table[name] = max(table.get(name, 0.0), LISTED_SHARE)
    origins.guess_regions(names)
    return names


def parts_of(new: dict[tuple[str, str], list[str]]) -> dict[str, set[str]]:
    """Word -> its parts of speech."""
    parts: dict[str, set[str]] = {}
    for word, part in sorted(new):
        parts.setdefault(word, set()).add(part)
    return parts
