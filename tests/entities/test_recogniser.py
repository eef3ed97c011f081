"""dx_entity_recognizer: the bundled network, beside the rules and beside other components."""

import pickle
import shutil

import numpy as np
import pytest
import spacy
from conftest import pipeline_of

from spacy_dxprivacy.about import DATA
from spacy_dxprivacy.entities import decoding, network, recogniser
from spacy_dxprivacy.entities.extent import Bounds
from spacy_dxprivacy.errors import DxError, UsageError
from spacy_dxprivacy.io.build import make_pipeline

TEXT = "Dr. Oluwaseun Brandvold of Norwood Analytics moved to Fargo on 3 May 2021."
# Marked words that are to be found, and texts in which rules alone or the network alone miss some.
SMALL = [
    "hi its brynhild, {kwabena} and {edyta} are in {hackney} til {monday}",
    "NOTICE: {YEVHENIIA BRANDVOLD} OWES {PELLWORTH LETTINGS} THE RENT.",
    "call {020 7946 0812} or {07700 900123} or mail {k.lund@pellworth.example}",
    "Claim {FM-77-20418} of Mr {Thistlewick}, seen on {12/04/2022} in {Ulverston}.",
    "{Zorvath} scored twice as {Spartak Brenlow} beat {Viking} in {Tbilisi}.",
    "Her cousin {Quynh} runs {Pellworth Bakery} on {East 116th Street}.",
]


BOTH = ("dx_entity_ruler", "dx_entity_recognizer")


@pytest.fixture(scope="module")
def nlp():
    return pipeline_of("dx_entity_recognizer")


def found(doc):
    return [(ent.label_, ent.text) for ent in doc.ents]


def test_recognises_each_label_by_its_context(nlp):
    labels = {text: label for label, text in found(nlp(TEXT))}
    assert labels["Oluwaseun Brandvold"] == "PERSON"
    assert labels["Norwood Analytics"] == "ORG"
    assert labels["Fargo"] == "GPE"
    assert labels["3 May 2021"] == "DATE"
    assert set(nlp.pipe_labels["dx_entity_recognizer"]) == set(network.LABELS)


def test_ordinary_text_has_no_entities(nlp):
    texts = ["The oven is hot and the bread is fresh.", "Click Settings, then Reset.", "", " \n"]
    docs = list(nlp.pipe(texts))
    assert [found(doc) for doc in docs] == [[], [], [], []]
    assert all(doc.has_annotation("ENT_IOB") for doc in docs[:2])


@pytest.mark.parametrize(
    "text",
    [
        "Ask Stock Control for the Loading Bay Rota and the Staff Canteen Form.",
        "Overall status: Amber. Priority: Low. Assignee: Unassigned.",
        "The job of worker_17 waits for build_9.",
        "We moved the backups from Ansible to Terraform, and Grafana went red.",
    ],
)
def test_capitals_alone_are_no_name(nlp, text):
    assert found(nlp(text)) == []


@pytest.mark.parametrize(
    "text", ["IBAN DE89 3704 0044 0532 0130 00", "IBAN: GB82WEST12345698765432"]
)
def test_words_of_forms_before_their_numbers_are_no_names(text):
    nlp = pipeline_of("dx_entity_ruler", "dx_entity_recognizer")
    found = {(ent.text, ent.label_) for ent in nlp(f"Please pay to {text}, and call.").ents}
    assert found == {(text.lstrip("IBAN: "), "ID")}


def test_marks_alone_are_no_entity(nlp):
    text = "|Name|Born|\n|---|---|\n|Aoife Walsh|3/4/61|\n"
    assert all(any(map(str.isalnum, ent.text)) for ent in nlp(text).ents)


@pytest.mark.parametrize("end", ["M.D.", "R.N.", "Ph.D."])
def test_what_doctors_write_after_their_names_is_no_name(nlp, end):
    doc = nlp(f"Seen by Maria Lopez, {end}, today.")
    assert not [ent for ent in doc.ents if ent.label_ == "PERSON" and end in ent.text]


def test_batches_processes_copies_and_disk_give_the_same(nlp, tmp_path):
    texts = [TEXT, "Ask Ngozi.", "", "She lives in Ulverston with Mr. Thistlewick."] * 3
    one_by_one = [found(nlp(text)) for text in texts]
    assert [found(doc) for doc in nlp.pipe(texts, batch_size=5)] == one_by_one
    assert [found(doc) for doc in nlp.pipe(texts, n_process=2, batch_size=4)] == one_by_one
    nlp.to_disk(tmp_path / "saved")
    others = (spacy.load(tmp_path / "saved"), pickle.loads(pickle.dumps(nlp)))  # noqa: S301
    for other in others:
        assert [found(other(text)) for text in texts] == one_by_one


def test_a_long_document_is_read_in_parts_like_a_short_one(nlp, monkeypatch):
    doc = nlp.make_doc(" ".join([TEXT] * 30))
    (whole,) = decoding.predict_tags([doc])
    monkeypatch.setattr(decoding, "BATCH_TOKENS", 7)
    first, second = decoding.predict_tags([doc, nlp.make_doc(TEXT)])
    assert np.allclose(first, whole, atol=1e-5)
    assert np.allclose(second, decoding.predict_tags([nlp.make_doc(TEXT)])[0], atol=1e-5)


def shares_of(*rows):
    """Return probabilities of tags, of which each row says its own: {tag: probability}."""
    shares = np.full((len(rows), 2 * len(network.LABELS) + 1), 1e-6, dtype=np.float32)
    for row, probabilities in zip(shares, rows, strict=True):
        for tag, probability in probabilities.items():
            row[tag] = probability
    return shares


def test_an_entity_begins_with_the_first_tag_of_its_label():
    first, other = (network.tag("PERSON", begins=begins) for begins in (True, False))
    place = network.tag("GPE", begins=False)
    # A sure second tag needs the first one before it; alone it is none.
    torn = shares_of({0: 0.4, other: 0.6}, {0: 1.0})
    whole = shares_of({0: 0.55, first: 0.45}, {0: 0.02, other: 0.98}, {0: 1.0})
    mixed = shares_of({first: 1.0}, {0: 0.4, place: 0.6})
    even = dict.fromkeys(network.LABELS, 1.0)
    assert decoding.spans(torn, even) == []
    assert decoding.spans(whole, even) == [("PERSON", 0, 2)]
    assert decoding.spans(mixed, even) == [("PERSON", 0, 1)]


def test_a_new_first_tag_ends_an_entity_and_runs_are_apart():
    first, other = (network.tag("ORG", begins=begins) for begins in (True, False))
    rows = [{first: 1.0}, {other: 1.0}, {first: 1.0}, {0: 1.0}, {0: 1.0}, {first: 1.0}]
    assert decoding.spans(shares_of(*rows)) == [("ORG", 0, 2), ("ORG", 2, 3), ("ORG", 5, 6)]


def test_a_lower_threshold_marks_more_of_its_label_alone():
    first, place = (network.tag(label, begins=True) for label in ("PERSON", "GPE"))
    shares = shares_of({0: 0.7, first: 0.3}, {0: 1.0}, {0: 0.7, place: 0.3})
    even = dict.fromkeys(network.LABELS, 1.0)
    assert decoding.spans(shares, even) == []
    assert decoding.spans(shares, even | {"PERSON": 0.4}) == [("PERSON", 0, 1)]


def test_thresholds_are_settings_of_the_component_and_saved_with_it(tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("dx_entity_recognizer", config={"threshold": {"PERSON": 1e6}})
    assert "PERSON" not in {label for label, _ in found(nlp(TEXT))}
    assert "DATE" in {label for label, _ in found(nlp(TEXT))}
    nlp.to_disk(tmp_path / "saved")
    assert found(spacy.load(tmp_path / "saved")(TEXT)) == found(nlp(TEXT))


PATH = "components.dx_entity_recognizer.threshold.PERSON"


@pytest.mark.parametrize("settings", [{"entities": ["person"]}, {"config": "configs/entities.cfg"}])
def test_thresholds_are_overrides_of_commands(settings):
    nlp = make_pipeline(**settings, overrides={PATH: 1e6})
    recogniser_alone = nlp.get_pipe(BOTH[1])(nlp.make_doc(TEXT))
    assert "PERSON" not in {label for label, _ in found(recogniser_alone)}
    with pytest.raises(UsageError, match="ORG"):
        make_pipeline(**settings, overrides={PATH.replace("PERSON", "OGR"): 1.0})


def test_thresholds_need_a_recogniser():
    with pytest.raises(UsageError, match="threshold"):
        make_pipeline(overrides={PATH: 1.0})


@pytest.mark.parametrize(
    "settings",
    [
        {"threshold": {"NAME": 1.0}},
        {"threshold": {"ORG": 0.0}},
        {"evidence": {"rule": 5.0}},
        {"evidence": {"dx_rule": 0.0}},
    ],
)
def test_a_wrong_threshold_is_refused(settings):
    with pytest.raises(DxError, match="DX001"):
        spacy.blank("en").add_pipe("dx_entity_recognizer", config=settings)


def weighing(**evidence):
    nlp = pipeline_of("dx_entity_ruler")
    nlp.add_pipe("dx_entity_recognizer", config={"evidence": evidence})
    return nlp


def test_a_name_of_the_rules_is_evidence_that_the_network_weighs():
    text = "Screencap, I was looking forward to it. Then Mr. Thistlewick called."
    kept, taken = (found(weighing(dx_guess=factor)(text)) for factor in (1e9, 1.0))
    assert ("PERSON", "Screencap") in kept
    assert ("PERSON", "Screencap") not in taken
    assert ("PERSON", "Thistlewick") in taken


@pytest.mark.parametrize("beside", ['He said "no", and "go".', 'id;city\n"1";"Bath"'])
def test_names_of_the_rules_are_evidence_beside_quotes_and_fields(beside):
    doc = weighing(dx_guess=1e-9)(f"Screencap, I was looking forward to it. {beside}")
    assert ("PERSON", "Screencap") not in found(doc)


def test_guesses_are_no_evidence_in_a_text_that_is_hardly_english():
    english = "Met Zorvath on the way, and he paid."
    other = "Zorvath pernah tak makan nasi goreng, dia bilang."
    rules, sure, unsure = pipeline_of(BOTH[0]), weighing(dx_guess=1e9), weighing(dx_guess=1.0)
    assert next((ent.text, ent.id_) for ent in rules(other).ents) == ("Zorvath", "dx_guess")
    assert found(sure(other)) == found(unsure(other))
    assert ("PERSON", "Zorvath") in found(sure(english))


def test_small_names_do_not_make_a_text_hardly_english():
    nlp = spacy.blank("en")

    def is_hardly_english(text):
        doc = nlp(text)
        return recogniser.unknown_share(Bounds(doc)) > recogniser.MAX_UNKNOWN_SHARE

    assert is_hardly_english("dia tak makan nasi goreng")
    assert not is_hardly_english("hi its quynh, anna and peter")
    assert not is_hardly_english("Zorvath Brenlow, nasi")


def test_evidence_makes_the_tags_of_a_name_more_probable_and_no_others():
    shares = shares_of({0: 0.9}, {0: 0.9}, {0: 0.9})
    weighed = decoding.add_evidence(shares, [(("GPE", 1, 3), 100.0)])
    first, other = (network.tag("GPE", begins=begins) for begins in (True, False))
    assert np.flatnonzero(weighed[0] != shares[0]).tolist() == []
    assert np.flatnonzero(weighed[1] != shares[1]).tolist() == [first, other]
    assert np.flatnonzero(weighed[2] != shares[2]).tolist() == [other]
    assert weighed[2, other] == pytest.approx(100 * shares[2, other])


def test_names_of_your_own_patterns_and_in_disguise_stay():
    nlp = weighing(dx_rule=1e-9, dx_guess=1e-9)
    assert ("PERSON", "P3t3r") in found(nlp("Then P3t3r was looking forward to it."))
    nlp.get_pipe("dx_entity_ruler").add_patterns([{"label": "PERSON", "pattern": "Screencap"}])
    assert ("PERSON", "Screencap") in found(nlp("Screencap, I was looking forward to it."))


def test_rules_and_network_together_find_more_than_each():
    left = {}
    for names in (BOTH[:1], BOTH[1:], BOTH):
        nlp, missed = pipeline_of(*names), 0
        for marked in SMALL:
            doc = nlp(marked.replace("{", "").replace("}", ""))
            hidden = "".join(ent.text + "\n" for ent in doc.ents)
            words = [word for part in marked.split("{")[1:] for word in part.split("}")[0].split()]
            missed += sum(word not in hidden for word in words)
        left[names] = missed
    assert left[BOTH] < min(left[BOTH[:1]], left[BOTH[1:]])


@pytest.mark.parametrize(
    ("label", "earlier", "text"),
    [("PROJECT", "Norwood", "Norwood"), ("PERSON", "Oluwaseun", "Oluwaseun Brandvold")],
)
def test_earlier_entities_stay_and_are_widened_by_one_that_goes_further(label, earlier, text):
    nlp = pipeline_of("entity_ruler", "dx_entity_recognizer")
    nlp.get_pipe("entity_ruler").add_patterns([{"label": label, "pattern": earlier}])
    assert (label, text) in found(nlp(TEXT))


def test_a_number_gives_way_to_the_address_that_it_is_part_of():
    nlp = pipeline_of("dx_entity_recognizer")
    doc = nlp.make_doc("She lives at 218 Brackenridge Lane, Lufkin.")
    doc.set_ents([doc.char_span(13, 16, label="CARDINAL")])
    doc = nlp.get_pipe("dx_entity_recognizer")(doc)
    assert ("ADDRESS", "218 Brackenridge Lane") in found(doc)


@pytest.mark.parametrize("damage", ["cut", "gone", "other", "nan"])
def test_a_damaged_model_is_refused(tmp_path, damage):
    shutil.copytree(DATA / "ner-en", tmp_path / "model")
    file = tmp_path / "model" / network.PARAMETER_FILE
    if damage == "cut":
        file.write_bytes(file.read_bytes()[:5000])
    elif damage == "gone":
        file.unlink()
    else:
        with np.load(file) as stored:
            arrays = dict(stored)
        name = sorted(arrays)[0]
        arrays[name] = arrays[name][:1] if damage == "other" else np.full_like(arrays[name], np.nan)
        np.savez_compressed(file, **arrays)
    with pytest.raises(DxError, match="DX001"):
        network.load(tmp_path / "model")


def test_entity_mode_has_both_and_rules_can_be_chosen_alone():
    assert make_pipeline(entities=["person"]).pipe_names[:2] == list(BOTH)
    alone = make_pipeline(entities=["person"], model="rules")
    assert alone.pipe_names == ["dx_entity_ruler", "dx_entity_sanitizer"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("1. Mircea Ionescu\n2. Anna Petrov\n3. Tam", ["Mircea Ionescu", "Anna Petrov", "Tam"]),
        (
            "Brad L. Key met Zorblatt, Bowman and White. KEY left; key facts stayed.",
            ["Brad L. Key", "Zorblatt", "Bowman", "White", "KEY"],
        ),
    ],
)
def test_further_persons_of_a_list_are_found(text, names):
    assert [name for label, name in found(pipeline_of(*BOTH)(text)) if label == "PERSON"] == names


@pytest.mark.parametrize("name", ['Leroy "Bunny" Whyte', "Ada “Bo” Lind", "Rosa 'Ro' Zorblatt"])
def test_both_names_beside_a_nickname_go_without_rules(name):
    nlp = pipeline_of("dx_entity_recognizer")
    hidden = " ".join(ent.text for ent in nlp(f"We met {name} at noon.").ents)
    assert all(word.strip("\"“”'") in hidden for word in name.split())
    said = nlp('He told Leroy "Come" Tuesday, and "Then" Monday.')
    assert not [ent.text for ent in said.ents if ent.label_ == "PERSON" and "day" in ent.text]


@pytest.mark.parametrize("end", ["M.S. program", "M.D. track", "Ph.D. programme"])
def test_a_degree_that_is_taken_for_a_firm_is_no_entity(end):
    nlp = pipeline_of("dx_entity_ruler", "dx_entity_recognizer")
    doc = nlp(f"She petitions for reinstatement to the {end} in Food Microbiology at the school.")
    assert end.split()[0] not in {entity.text for entity in doc.ents}
