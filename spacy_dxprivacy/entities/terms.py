"""Names of drugs, products and firms that are no persons, in small letters; written for this."""

from __future__ import annotations

PRODUCTS = frozenset(
    """
    abilify accolate accupril accutane aceon aciphex activase actonel actos adderall adipex
    advair advil aggrenox albuterol aldactone aleve alkeran allegra allegra-d alphagan altace
    amaryl ambien amoxil anaprox androgel antivert apidra aranesp aricept arimidex aromasin
    arthrotec asacol ativan atrovent augmentin avandia avapro avastin avelox avodart azmacort
    azulfidine bactrim bactroban benadryl benicar bentyl betadine betapace biaxin boniva botox
    brilinta bumex buspar bystolic calan capoten carafate cardizem cardura catapres ceftin
    celebrex celexa cellcept cetaphil chantix cialis cipro clarinex claritin claritin-d cleocin
    clinoril clomid clozaril cogentin colace colcrys combivent compazine concerta coreg corgard
    coumadin cozaar crestor cymbalta cytomel cytotec cytoxan darvocet daypro decadron deltasone
    demadex demerol depakote depo-medrol depo-provera desyrel detrol dexedrine diabeta diflucan
    digoxin dilantin dilatrate dilaudid diovan ditropan dramamine duoneb duragesic dyazide
    effexor elavil eliquis enbrel entresto epipen equagesic erbitux estrace estraderm eucerin
    evista excedrin exelon famvir feldene femara fioricet fiorinal flagyl flexeril flomax
    flonase florinef flovent focalin foley fosamax fragmin gabapentin gatorade geodon gleevec
    glucophage glucotrol glucovance haldol herceptin humalog humira humulin hytrin hyzaar imdur
    imitrex imodium imuran inderal indocin inspra invokana isordil januvia jardiance kayexalate
    keflex kenalog keppra kerlix klonopin lamictal lamisil lanoxin lantus lasix lescol levaquin
    levemir levitra levoxyl levsin lexapro librium lidoderm lioresal lipitor lodine lomotil
    lopid lopressor lortab losec lotensin lotrel lovenox lunesta lupron lyrica macrobid maxzide
    medrol mellaril metamucil methergine mevacor miacalcin micronase midrin minipress miralax
    mobic monopril motrin mucinex mucinex-d myambutol mylanta namenda naprosyn nardil nasacort
    nasonex naturetin navane neosporin neulasta neurontin nexium niaspan nicorette nitrostat
    nizoral nolvadex norco normodyne noroxin norpramin norvasc novolin novolog nyquil omnicef
    orapred ortho oxycontin pamelor parnate paxil pepcid percocet peridex phenergan phoslo
    plaquenil plavix pletal ponstel pravachol precose premarin prempro prevacid prilosec
    prinivil pristiq procardia prograf prolixin propecia proscar protonix proventil provera
    provigil prozac pulmicort pyridium reglan relafen remeron remicade requip restasis restoril
    revia rhinocort risperdal ritalin robaxin robitussin rocephin roxicodone rozerem sanctura
    sandimmune serevent seroquel serzone sinemet sinequan singulair skelaxin soma spiriva
    staphylococcus strattera streptococcus suboxone sudafed symbicort synthroid tagamet tamiflu
    tapazole tegretol tenormin thorazine tofranil topamax toprol toradol tramadol trental tricor
    trileptal tums tylenol tylenol-pm ultracet ultram valium valtrex vancocin vaseline vasotec
    ventolin verelan versed viagra vibramycin vicks vicodin vioxx vistaril voltaren vytorin
    wellbutrin xalatan xanax xarelto xeloda xenical xopenex yasmin zanaflex zantac zarontin
    zaroxolyn zebeta zestoretic zestril zetia ziac zithromax zocor zofran zoladex zoloft zomig
    zonegran zosyn zovirax zyban zyloprim zyprexa zyrtec zyrtec-d zyvox
    """.split()
)

# Software, cars and goods that a capital makes look like names. Those that are also called so in
# the lists of names are persons to the recogniser.
GOODS = frozenset(
    """
    airtable ansible asana bamboo bitbucket bluetooth chatgpt chromebook confluence datadog docker
    dropbox dynatrace eclipse elasticsearch excel figma firebase firefox github gitlab gmail grafana
    hadoop html instagram ios ipad iphone java javascript jira jupyter kafka kanban kibana
    kotlin kubernetes latex linkedin linux lucene macbook magento mailchimp mariadb markdown matlab
    mongodb mysql nginx nodejs notion oauth ollama outlook pagerduty paypal photoshop pinterest
    playstation postgres postgresql postman powerpoint prometheus pytorch rabbitmq redis roku
    safari salesforce saml selenium sentry servicenow sharepoint shopify slack snowflake splunk
    spotify sql sqlite squarespace swagger tableau tensorflow terraform tiktok trello ubuntu
    vscode webex whatsapp wikipedia wifi windows wordpress xbox youtube zapier zendesk zigbee
    acura audi bentley bmw buick cadillac chevrolet chevy chrysler corvette cybertruck ducati
    ferrari fiat hyundai jaguar jeep kia lamborghini lexus maserati mazda mitsubishi nissan peugeot
    pontiac porsche prius renault saab skoda subaru suzuki tesla toyota vespa volkswagen volvo
    aspirin frisbee jacuzzi kleenex lego nerf rollerblade tupperware velcro xerox
    roadmap backlog onboarding offboarding kickoff
    """.split()
)
_FIRMS = frozenset(
    name.strip()
    for name in """
    abbott laboratories, adidas, adobe, aetna, airbnb, airbus, aldi, alibaba, allianz, amazon,
    american express, anthem, astrazeneca, at&t, aviva, axa, bank of america, barclays, basf,
    bayer, berkshire hathaway, best buy, blackrock, bloomberg, blue cross, blue shield,
    boeing, bosch, burger king, capgemini, carrefour, caterpillar, cigna, cisco, citibank,
    citigroup, coca-cola, comcast, costco, credit suisse, cvs, daimler, dell, deloitte, delta
    air lines, deutsche bank, deutsche telekom, dhl, disney, dominos, ebay, eli lilly,
    ericsson, ernst & young, etsy, expedia, facebook, fannie mae, fedex, fidelity, foxconn,
    freddie mac, geico, general electric, general motors, glaxosmithkline, goldman sachs,
    google, hewlett packard, hilton, hitachi, honeywell, hsbc, huawei, humana, ikea, infosys,
    instacart, intel, johnson & johnson, johnson and johnson, jpmorgan, jpmorgan chase, jp
    morgan, kaiser permanente, kellogg's, kpmg, lidl, lloyds, lockheed martin, louis vuitton,
    lufthansa, lyft, marriott, mastercard, mayo clinic, mcdonald's, mckinsey, merck, merrill
    lynch, michelin, microsoft, morgan stanley, nestle, nestlé, netflix, nike, nintendo,
    nokia, northrop grumman, novartis, nvidia, oracle, panasonic, pepsico, pfizer, philips,
    pricewaterhousecoopers, procter & gamble, procter and gamble, pwc, qualcomm, quest
    diagnostics, reed elsevier, rite aid, ryanair, sainsbury's, samsung, sanofi, santander,
    siemens, sony, southwest airlines, sprint, starbucks, state farm, steinway, t-mobile,
    tesco, thomson reuters, twitter, uber, ubs, unilever, unitedhealth, ups, usps, verizon,
    visa, vodafone, walgreens, walmart, wells fargo, whole foods, wipro, zillow
    """.replace("\n", " ").split(",")
)


def is_known_firm(text: str) -> bool:
    """Whether it is the name of a firm that everybody knows; some are also names of persons."""
    return text.lower() in _FIRMS
