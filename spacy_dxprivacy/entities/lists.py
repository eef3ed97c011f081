"""Public lists of English words that the recogniser goes by, all in small letters but for names."""

from __future__ import annotations


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Public lists of the kinds that are looked up in lower case, without a final full stop.
LISTED: dict[str, frozenset[str]] = {
    "TITLE": _set(
        "mr mrs ms miss mister dr doctor prof professor rev reverend sir madam lord lady capt "
        "captain lt col gen sgt cpl pvt maj hon judge justice senator sen rep congressman "
        "congresswoman governor gov president mayor officer detective sheriff pastor rabbi imam "
        "sister brother nurse aunt auntie uncle grandma grandpa king queen prince princess duke "
        "señor señora señorita monsieur madame mme mlle herr frau fr sr. mx"
    ),
    "ROLE": _set(
        "patient client attorney lawyer physician surgeon therapist teacher manager colleague "
        "friend neighbor neighbour wife husband son daughter mother father mom dad boyfriend "
        "girlfriend partner roommate boss coach author artist actor actress singer rapper "
        "songwriter guitarist drummer bassist producer director writer poet composer player "
        "minister chancellor ambassador secretary named cousin niece nephew fiancé fiancée spouse "
        "counselor psychiatrist psychologist dentist pharmacist agent representative ceo "
        "spokesman spokeswoman founder journalist reporter witness defendant plaintiff"
    ),
    "PARTICLE": _set(
        "de del della di da do dos das du la le las los van von der den ter ten bin bint ibn al el "
        "ben abu y zu af av st ap mac mc 't san dela"
    ),
    "GREETING": _set("hi hello hey dear hiya howdy dearest hallo"),
    "SIGNOFF": _set(
        "regards sincerely best cheers thanks yours love respectfully truly xoxo thx faithfully "
        "cordially wishes rgds"
    ),
    "FIELD": _set("name from to cc attn attention signed surgeon physician provider attending"),
    "IN_PLACE": _set("in near outside around visiting visit visited toward towards downtown"),
    "ORDINAL": _set(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth "
        "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth "
        "thirtieth"
    ),
    "RELATIVE": _set("last next this past previous coming following recent early late mid"),
    "AMOUNT": _set(
        "a an few several couple many some one two three four five six seven eight nine ten eleven "
        "twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty "
        "fifty sixty seventy eighty ninety hundred"
    ),
    "SEASON": _set("spring summer autumn fall winter"),
    "IN_TIME": _set("in by since until till before after during around from of to for on through"),
    "ID_WORD": _set(
        "mrn ssn id no number account acct policy license licence passport invoice order ticket "
        "case ref reference record chart badge member #"
    ),
    "PLACE_HEAD": _set(
        "new san santa los las el la saint st fort port north south east west united saudi sri "
        "hong buenos rio cape mount lake são puerto costa baton des great"
    ),
}
# Kinds that only ever follow another word of a rule; the rules look these up as they come.
FOLLOWING: dict[str, frozenset[str]] = {
    "CUE": _set(
        "said says told tells asked asks replied wants wanted likes liked loves loved lives lived "
        "thinks thought knows knew married died born wrote writes explained added recalled smiled "
        "laughed shrugged nodded whispered shouted called calls 's ’s reports reported states "
        "denies denied complains complained presents presented agrees agreed arrived "
        "joined returned "
        "stayed works worked feels felt needs needed noted drove paid apologized "
        "apologised began grew spoke sat stood fell heard held met sent brought"
    ),
    "AUX": _set("is was has had will would can could does did went goes came got made took gave"),
    "HUMAN": _set(
        "said says told tells asks asked replied thinks thought began married died wrote explained "
        "recalled smiled laughed shrugged nodded whispered shouted lives lived grew spoke smokes "
        "drinks sat denies denied loves loved likes liked hates hated"
    ),
    "MODAL": _set("will would can could did had may might should must"),
    "DATE_UNIT": _set(
        "day days week weeks month months year years yr yrs decade decades century centuries "
        "weekend weekends fortnight quarter semester wk wks mo mos"
    ),
    "TIME_UNIT": _set("hour hours minute minutes second seconds hr hrs min mins sec secs"),
    "DAYPART": _set("morning afternoon evening night noon midnight"),
    "UNIT": _set(
        "mg mcg g kg lb lbs oz ml cc l dl cm mm m km ft inch inches miles mile units unit mmhg bpm "
        "calories kcal percent % people times dollars euros pounds mg/dl meq gb mb tb kb"
    ),
}
LISTED_KINDS: dict[str, frozenset[str]] = {
    word: frozenset(kind for kind, words in LISTED.items() if word in words)
    for word in frozenset().union(*LISTED.values())
}
CLOSED = _set(
    "pronoun possessive determiner preposition conjunction auxiliary negation wh_word "
    "adverb_particle adverb_function interjection modal"
)
NONE: frozenset[str] = frozenset()
PEOPLES = _set("nationality religion language region")
NAMES = _set("first_name surname")
LANDS = _set("country state region")
PLACES = LANDS | {"city"}
SURE = _set("SURE_FIRST LOW_FIRST")
# Words that a name does not go on with, though they are written with a capital.
NO_PART = _set(
    "street st. avenue ave road rd boulevard blvd drive suite apt iban royal "
    "hospital clinic university "
    "college school inc llc ltd corp company department center centre institute foundation "
    "association ministry airport station county city hotel building award act state states group "
    "systems services records review history patient doctor"
)
# First names that the table holds as places or plain words: mostly names, and sometimes names.
ALSO_SURE = _set(
    "Martin Vincent Victoria Pierre Denis Adolfo Benito Vicente Bernardo Mariana Lucia Helena "
    "Sofia Ali Diego Solomon Aurora Rosario Salvador Domingo Marshall Jordan Chad Luis Luís"
)
ALSO_FIRST = ALSO_SURE | _set(
    "Virginia Georgia Guy Jan Faith Israel Dallas Santiago Carolina Charity Will May Miles Sydney "
    "Alexandria Buddy Mai Adelaide Soledad Valencia Trinidad Rich Chance Paris Austin Sierra "
    "Denver Destiny Hope Joy Patience Prudence Constance Felicity Serenity Melody Trinity Genesis "
    "Harmony Journey Haven Angel Precious Crystal Amber Ruby Pearl Opal Jade Ivy Lily Daisy Violet "
    "Poppy Heather Holly Hazel Olive Willow Laurel Iris Fern Ginger Rosemary Dawn Eve Stella "
    "Brook Cliff Clay Dale Heath Forest Rocky Sandy Dusty Rusty Sonny Dean Hunter Archer "
    "Mason Carter Cooper Tanner Parker Porter Sawyer Chase Drew Drake Lance Max Curt Ernest "
    "Wade Reed Sterling Jewel Mercy Bliss Penny Misty Unity Verity "
    "Justice Florence Savannah Phoenix Kingston Lincoln Jackson Madison Kennedy"
)
# Spellings of chats and short forms that look like unknown or small-written names.
CHAT = _set(
    "til dis sim noe neva yer hella uni cal cas ard babe txt gud thanx thx dunno aight jus coz cos "
    "cuz bcoz okie msg thk omg wot nite juz howz hmmm tmr ttyl wanna gonna lemme gotcha yessir "
    "lol pls plz btw imo idk ppl abt iban tel fax "
    "mrn dob ssn npi bday rly govt hwy pic pics vid vids app "
    "apps meds labs info "
    "asap fyi iam dont cant wont im ive youre thats whats lets didnt doesnt isnt wasnt couldnt "
    "eircode postleitzahl postcode zipcode pincode konto tlf "
    "wouldnt shouldnt havent hasnt theyre uhm mmm hah xray xrays ok okay fone luv wkly sms mms"
)
# What closes a letter, and is hardly ever a name by itself.
CLOSINGS = _set("cheers regards sincerely thanks yours thx rgds")
JOINTS = ("-", "‐", "–", " ")
SUFFIX = _set("jr jr. sr sr. ii iii iv esq")
AMBIGUOUS_MONTHS = _set("may march mar dec sep jan jun")
AMBIGUOUS_WEEKDAYS = _set("sun sat wed mon thu thur")
# What illnesses, signs, devices and methods are, which are called after persons.
TERM_NOUNS = _set(
    "disease diseases syndrome syndromes lymphoma sarcoma tumor tumour catheter "
    "catheters sign signs "
    "phenomenon phenomena test tests scale score scores index criteria procedure "
    "operation fracture "
    "reflex reflexes palsy cyst cysts node nodes esophagus oesophagus contracture "
    "thyroiditis stain "
    "classification maneuver manoeuvre position tablets tablet capsules mg mcg drain tube graft "
    "histology ataxia chorea dystrophy pump stent clamp retractor suture sutures ligament neuroma "
    "arteritis encephalopathy aphasia area nevus hernia anemia anaemia law effect theorem equation "
    "constant number algorithm distribution"
)
# Words that are hardly ever anything but a first name, though they have another meaning.
SMALL_FIRST = _set(
    "john peter matt henry harry tom mike anna benjamin jay rick josh terry franklin "
    "charlotte kirk "
    "jimmy perry nelson ben marc brad warren maria bob dexter hank toby jenny derrick randy ken "
    "beth graham sally benedict glen billy benny bobby bonnie hakeem wally donna trey"
)
