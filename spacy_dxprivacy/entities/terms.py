"""Names of drugs and products that are no persons, in small letters. Written for this project."""

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
