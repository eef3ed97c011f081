"""What is recorded: texts, and configurations as data.

After a rename of registered names or modules, change NAMES alone and record again, in one commit.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

# Names with versions, and the module of a function; nothing else in this folder spells them out.
NAMES = {
    "all_words": "dx.AllWords.v1",
    "word_list": "dx.WordList.v1",
    "entities": "dx.Entities.v1",
    "builtin_space": "dx.BuiltinSpace.v1",
    "pipeline_vectors": "dx.PipelineVectors.v1",
    "redact_unknown": "dx.Redact.v1",
    "random_word": "dx.RandomWord.v1",
    "random_digits": "dx.RandomDigits.v1",
    "raise": "dx.Raise.v1",
    "context": "dx.Context.v1",
    "uniform": "dx.Uniform.v1",
    "word_frequency": "dx.WordFrequency.v1",
    "word_pairs": "dx.WordPairs.v1",
    "nearest": "dx.Nearest.v1",
    "rank_sampling": "dx.RankSampling.v1",
    "vickrey": "dx.Vickrey.v1",
    "exact": "dx.Exact.v1",
    "faiss": "dx.Faiss.v1",
    "auto_index": "dx.AutoIndex.v1",
    "remap": "dx.Remap.v1",
    "address": "dx.Address.v1",
    "contact": "dx.Contact.v1",
    "date_shift": "dx.DateShift.v1",
    "digits": "dx.Digits.v1",
    "keep": "dx.Keep.v1",
    "mask": "dx.Mask.v1",
    "name": "dx.Name.v1",
    "number": "dx.Number.v1",
    "organisation": "dx.Organisation.v1",
    "place": "dx.Place.v1",
    "preset": "dx.Preset.v1",
    "redact": "dx.Redact.v1",
    "words": "dx.Words.v1",
    "clipped_laplace": "dx.ClippedLaplace.v1",
    "custext": "dx.CusText.v1",
    "diffractor": "dx.Diffractor.v1",
    "exponential": "dx.Exponential.v1",
    "gaussian": "dx.Gaussian.v1",
    "identity": "dx.Identity.v1",
    "jaccard": "dx.Jaccard.v1",
    "laplace": "dx.Laplace.v1",
    "mahalanobis": "dx.Mahalanobis.v1",
    "nadp": "dx.NADP.v1",
    "path_words": "dx.Path.v1",
    "path": "dx.Path.v2",
    "random_projection": "dx.RandomProjection.v1",
    "santext_plus": "dx.SanTextPlus.v1",
    "tem": "dx.TEM.v1",
    "truncated_gumbel": "dx.TruncatedGumbel.v1",
    "truncated_laplace": "dx.TruncatedLaplace.v1",
}

SEED = 7

NOTE = (
    "Dr. Helen Marsh saw Tobias Quigleyham on 14 March 2019 at Fernbrook Clinic, Leeds. He is "
    "47 years old, weighs 81.5 kg and had NO fever on 03/16/2019.\n\n"
    "Mr. Quigleyham's wife, Ana Marsh-Oduya, called twice: “he doesn't sleep”, she said. "
    "MRN 4471-0925; phone (555) 010-4477, mail t.quigleyham@mail.example."
)
TICKET = (
    "URGENT: PRINTER ON FLOOR 3 IS BROKEN AGAIN\n"
    "Hi team 😀, the re-install of zxqvdriver 2.14 failed at 09:45 - error 0x80F1. "
    "I can't print, and it's the third time this week!\tPlease send someone to room 12b."
)
TALK = "We were happy with the food. The waiter wasn't rude, but the soup was cold and too salty."
TINY = (
    "The old doctor walked to the small house by the river. She was very happy.\n"
    "MARY SAID: “the dog ate two red apples” — xylograph 42 😀!"
)
GERMAN = (
    "Frau Dr. Sabine Krügler hat Herrn Jonas Weidental am 14. März 2019 in Köln untersucht. "
    "Er wohnt in der Gartenstraße 12, 50667 Köln und ist 63 Jahre alt.\n"
    "Jonas Weidental kommt am 02.04.2019 wieder; Telefon 0221 5550147."
)
FRENCH = (
    "Mme Claire Dumontel a vu Julien Fabregas le 14 mars 2019 à Lyon. "
    "M. Fabregas revient le 02/04/2019."
)
ADDRESS = (
    "Contact: Ms. Priya Raman, 48 Willow Street, Boston, MA 02118. Company: Northgate Holdings "
    "Inc. Visit http://northgate.example/raman or write to priya.raman@northgate.example. "
    "ID: A7730012. Born 07/21/1975, seen on Monday, July 22, 2019 at 3:15 pm; Priya paid $1,250."
)
CLINICAL, EVERYDAY = (NOTE, ADDRESS), (TICKET, TALK)

# A public space of 160 words with random vectors, for what takes long on the built-in one.
TINY_WORDS = """
the a an and or but not no yes of to in on at by for from with after before over under I you he
she it we they my his her our is are was were be has had do does did can will would very too also
only man woman child mother father brother sister friend doctor nurse teacher farmer king queen
house home room door window table chair bed garden kitchen school hospital office church shop
street town village river mountain sea lake island forest field bridge day night morning evening
week month year hour today now then always Monday Friday January June London Paris Mary John Anna
Peter blue red green white black grey big small old new young good bad happy sad warm cold fever
pain medicine said went walked saw heard took gave made found ate slept ran read wrote apples
bread water milk tea dog cat horse bird tree flower stone sun moon rain one two three ten first
last
""".split()
TINY_DIMS = 12

Block = dict[str, Any]


@dataclass(frozen=True)
class Configuration:
    """Texts through a pipeline.

    Attributes:
        settings: Of the sanitizer. A dictionary with the key "@kind.name" stands for the block of
            the registered NAMES["name"]; the value "<key>" for the file of a key.
        factory: Of the sanitizer.
        before: Factories of the components before it.
        tiny: On the tiny space, as the vectors of the pipeline, instead of the built-in one.
    """

    settings: Block = field(default_factory=dict)
    texts: tuple[str, ...] = EVERYDAY
    factory: str = "dx_sanitizer"
    before: tuple[str, ...] = ()
    lang: str = "en"
    tiny: bool = False


@dataclass(frozen=True)
class CommandConfiguration:
    """A file through `python -m spacy dx sanitize`.

    Attributes:
        source: The name of a file that `inputs.py` makes.
        target: The name of the output.
        options: "<config>" stands for the file of a spaCy config with `pipeline`, "<key>" for the
            file of a key, "<model>" for the folder of a saved pipeline.
        pipeline: For these two.
    """

    source: str
    target: str
    options: tuple[str, ...] = ()
    pipeline: Configuration = Configuration()


def block(kind: str, name: str, /, **settings: Any) -> Block:
    """Return the block of a registered function."""
    return {f"@dx_{kind}": NAMES[name], **settings}


def mechanism(name: str, /, **settings: Any) -> Block:
    return block("mechanisms", name, **settings)


def nearest(index: str, /, **settings: Any) -> Block:
    return block("projections", "nearest", index=block("indexes", index, **settings))


def tiny(setting: Block, **more: Any) -> Configuration:
    """Return a configuration on the tiny space, which shows unknown words."""
    unknown = block("unknowns", "redact_unknown")
    return Configuration(
        {"unknown": unknown, "mechanism": setting, **more}, texts=(TINY, TALK), tiny=True
    )


def words(**settings: Any) -> Configuration:
    return Configuration(settings)


def entities(
    *texts: str, lang: str = "en", network: bool = False, labels: str = "", **settings: Any
) -> Configuration:
    """Return a configuration that replaces entities. labels: other ones than the default."""
    if labels:
        settings["selector"] = block("selectors", "entities", labels=labels.split())
    before = ("dx_entity_ruler", *(["dx_entity_recognizer"] if network else []))
    return Configuration(settings, texts or CLINICAL, "dx_entity_sanitizer", before, lang)


def preset(name: str, **settings: Any) -> Block:
    return block("surrogates", "preset", name=name, **settings)


def surrogate(name: str, /, **settings: Any) -> Block:
    return block("surrogates", name, **settings)


def command(source: str, target: str, *options: str, **pipeline: Any) -> CommandConfiguration:
    """Return a run of the command, with a default pipeline that holds a seed."""
    return CommandConfiguration(source, target, options, Configuration(**pipeline))


KEYED = {"scope": "corpus", "key": "<key>"}
EVERY_LABEL = "PERSON DATE TIME GPE ADDRESS ORG EMAIL URL PHONE ID QUANTITY CARDINAL"
RULES = {"before": ("dx_entity_ruler",), "factory": "dx_entity_sanitizer"}

MECHANISMS: dict[str, Any] = {
    # the default, and the sentence mechanism's policies and priors
    "default": Configuration(texts=(NOTE, TICKET, TALK)),
    "path_clinical": Configuration(
        {"mechanism": mechanism("path", epsilon=0.8, policy="clinical")}, (NOTE, TALK)
    ),
    "path_strict": words(mechanism=mechanism("path", epsilon=1.05, policy="strict")),
    "path_plain_uniform": words(
        mechanism=mechanism("path", epsilon=1.6, policy="plain", prior=block("priors", "uniform"))
    ),
    "path_word_frequency": words(
        mechanism=mechanism("path", epsilon=1.05, prior=block("priors", "word_frequency"))
    ),
    "path_pairs_clinical": Configuration(
        {
            "mechanism": mechanism(
                "path", epsilon=0.55, prior=block("priors", "word_pairs", domain="clinical")
            )
        },
        (NOTE,),
    ),
    "path_own_policy": words(
        mechanism=mechanism("path", epsilon=0.8, policy={"proper": 0.5, "negation": 6.0})
    ),
    "path_words": words(mechanism=mechanism("path_words", epsilon=1.6)),
    # on the built-in space
    "exponential": words(mechanism=mechanism("exponential", epsilon=3.5)),
    "laplace": words(mechanism=mechanism("laplace", epsilon=10.0)),
    # on the tiny space
    "exponential_exact": tiny(mechanism("exponential", epsilon=1.5, calibration="exact")),
    "clipped_laplace": tiny(mechanism("clipped_laplace", epsilon=60.0)),
    "custext": tiny(mechanism("custext", epsilon=3.0, k=8)),
    "diffractor": tiny(mechanism("diffractor", epsilon=0.5)),
    "gaussian": tiny(mechanism("gaussian", epsilon=30.0, delta=1e-6)),
    "identity": tiny(mechanism("identity")),
    "jaccard": tiny(mechanism("jaccard", epsilon=30.0, k=5)),
    "mahalanobis": tiny(mechanism("mahalanobis", epsilon=6.0)),
    "nadp": tiny(mechanism("nadp", epsilon=20.0)),
    "path_tiny": tiny(mechanism("path", epsilon=1.6, prior=block("priors", "uniform"))),
    "random_projection": tiny(mechanism("random_projection", epsilon=6.0, dims=6)),
    "santext_plus": tiny(mechanism("santext_plus", epsilon=2.0, p=0.3, sensitive=0.8)),
    "tem": tiny(mechanism("tem", epsilon=2.0, beta=0.01)),
    "truncated_gumbel": tiny(mechanism("truncated_gumbel", epsilon=10000.0)),
    "truncated_laplace": tiny(mechanism("truncated_laplace", epsilon=60.0, delta=1e-6)),
    # projections and indexes
    "laplace_faiss": tiny(mechanism("laplace", epsilon=4.0, projection=nearest("faiss"))),
    "laplace_faiss_builtin": Configuration(
        {"mechanism": mechanism("laplace", epsilon=10.0, projection=nearest("faiss"))},
        (TALK,),
    ),
    "laplace_rank_sampling": tiny(
        mechanism("laplace", epsilon=4.0, projection=block("projections", "rank_sampling", c=0.8))
    ),
    "laplace_vickrey": tiny(
        mechanism("laplace", epsilon=4.0, projection=block("projections", "vickrey", t=0.5))
    ),
}
SETTINGS: dict[str, Any] = {
    "scope_type": words(scope="type"),
    "casing_preserve": words(casing="preserve"),
    "vectors_table": tiny(
        mechanism("laplace", epsilon=4.0, projection=nearest("exact")), vectors="table"
    ),
    "vectors_noisy": tiny(mechanism("laplace", epsilon=4.0), vectors="noisy"),
    "unknown_redact": words(unknown=block("unknowns", "redact_unknown", text="[...]")),
    "unknown_random_word": words(unknown=block("unknowns", "random_word")),
    "unknown_random_digits": words(unknown=block("unknowns", "random_digits")),
    "unknown_raise": Configuration({"unknown": block("unknowns", "raise")}, (TALK, TICKET)),
    "numbers_relative": words(numbers=surrogate("number", epsilon=10.0)),
    "numbers_absolute": words(
        numbers=surrogate("number", epsilon=1.0, scale="absolute", unit=5.0, high=500.0)
    ),
    "editor": words(editor=block("editors", "remap")),
    "editor_path": words(
        mechanism=mechanism("path", epsilon=1.6, prior=block("priors", "uniform")),
        editor=block("editors", "remap", loss="path"),
    ),
    "word_list": words(
        selector=block("selectors", "word_list", words=["printer", "team", "cold", "waiter"])
    ),
    "carry": Configuration(
        {"carry": ["ents", "sents"]}, (NOTE,), before=("sentencizer", "dx_entity_ruler")
    ),
}
ENTITIES: dict[str, Any] = {
    "entities_default": entities(),
    "entities_network": entities(network=True),
    "entities_by_mechanism": entities(labels="PERSON DATE GPE", surrogates=None),
    "entities_once": entities(
        NOTE,
        selector=block("selectors", "entities", labels=["PERSON"], again=False),
    ),
    "preset_standard": entities(labels=EVERY_LABEL, surrogates=preset("standard")),
    "preset_clinical": entities(labels=EVERY_LABEL, surrogates=preset("clinical")),
    "preset_mention": entities(
        labels=EVERY_LABEL, surrogates=preset("standard", scope="mention", order="dmy")
    ),
    "preset_keyed": entities(labels=EVERY_LABEL, surrogates=preset("standard", **KEYED)),
    "preset_and_words": Configuration(
        {"surrogates": preset("clinical")}, (NOTE,), before=("dx_entity_ruler",)
    ),
    "own_surrogates": entities(
        labels="PERSON DATE GPE ORG EMAIL PHONE ID QUANTITY CARDINAL",
        surrogates={
            "PERSON": surrogate("name", gender="same", form=False),
            "DATE": surrogate("date_shift", window=30, weeks=True),
            "GPE": surrogate("words"),
            "ORG": surrogate("redact"),
            "EMAIL": surrogate("mask"),
            "PHONE": surrogate("digits"),
            "ID": surrogate("redact", text="XXX"),
            "QUANTITY": surrogate("number", epsilon=5.0),
            "CARDINAL": surrogate("keep"),
        },
    ),
    "own_surrogates_keyed": entities(
        labels="PERSON DATE GPE ORG ADDRESS EMAIL ID",
        surrogates={
            "PERSON": surrogate("name", **KEYED),
            "DATE": surrogate("date_shift", epsilon=0.05, order="auto", **KEYED),
            "GPE": surrogate("place", **KEYED),
            "ORG": surrogate("organisation", **KEYED),
            "ADDRESS": surrogate("address", **KEYED),
            "EMAIL": surrogate("contact", **KEYED),
            "ID": surrogate("digits", **KEYED),
        },
    ),
    "german_standard": entities(
        GERMAN, lang="de", labels=EVERY_LABEL, surrogates=preset("standard")
    ),
    "german_keyed": entities(
        GERMAN, lang="de", labels=EVERY_LABEL, surrogates=preset("clinical", **KEYED)
    ),
    "french_standard": entities(FRENCH, lang="fr", labels=EVERY_LABEL),
}
COMMANDS: dict[str, Any] = {
    "txt": command("note.txt", "out.txt", "--config", "<config>", texts=()),
    "txt_level": command("note.txt", "out.txt", "--epsilon", "strong"),
    "txt_mechanism": command("note.txt", "out.txt", "-m", "exponential", "-e", "3.5"),
    "txt_edit": command(
        "note.txt", "out.txt", "--epsilon", "balanced", "--editor.@dx_editors", "dx.Remap.v1"
    ),
    "txt_entities": command("note.txt", "out.txt", "--entities", "person,date"),
    "jsonl": command("tickets.jsonl", "out.jsonl", "--field", "text", "--keep-fields", "id"),
    "jsonl_persons": command(
        "tickets.jsonl",
        "out.jsonl",
        "--field",
        "text",
        "--entities",
        "person,date",
        "--key",
        "<key>",
        "--person-field",
        "patient",
        "--keep-fields",
        "id",
    ),
    "jsonl_nested": command(
        "nested.jsonl", "out.jsonl", "--field", "a.b", "--field", "items[].text"
    ),
    "csv": command("rows.csv", "out.csv", "--field", "text", "--entities", "person"),
    "tsv": command("rows.tsv", "out.tsv", "--field", "2", "--keep-fields", "none"),
    "csv_to_jsonl": command("rows.csv", "out.jsonl", "--field", "text"),
    "xlsx": command("rows.xlsx", "out.xlsx", "--field", "text"),
    "docx": command("letter.docx", "out.docx"),
    "docx_entities": command(
        "letter.docx", "out.docx", "--entities", "person,date", "--surrogates", "clinical"
    ),
    "html": command("page.html", "out.html"),
    "md": command("page.md", "out.md"),
    "eml": command("mail.eml", "out.eml", "--entities", "person,date,email"),
    "spacy": command("docs.spacy", "out.spacy"),
    "model": command("note.txt", "out.txt", "--model", "<model>", **RULES),
}
CONFIGURATIONS: dict[str, Any] = MECHANISMS | SETTINGS | ENTITIES | COMMANDS
