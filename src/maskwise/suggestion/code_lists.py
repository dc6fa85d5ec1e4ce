"""Lists that tell what a cell may be: codes of countries, given names, words of streets, codes of diagnoses."""

from __future__ import annotations


def listed(words: str) -> frozenset[str]:
    """The words of a text, separated by blanks.

    >>> sorted(listed("DE FR"))
    ['DE', 'FR']
    """
    return frozenset(words.split())


ALPHA_2 = listed(
    "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ "
    "CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO "
    "FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE "
    "JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO "
    "MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW "
    "PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM "
    "TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW"
)
"""ISO 3166-1 codes of two letters."""
ALPHA_3 = listed(
    "ABW AFG AGO AIA ALA ALB AND ARE ARG ARM ASM ATA ATF ATG AUS AUT AZE BDI BEL BEN BES BFA BGD BGR BHR BHS BIH BLM "
    "BLR BLZ BMU BOL BRA BRB BRN BTN BVT BWA CAF CAN CCK CHE CHL CHN CIV CMR COD COG COK COL COM CPV CRI CUB CUW CXR "
    "CYM CYP CZE DEU DJI DMA DNK DOM DZA ECU EGY ERI ESH ESP EST ETH FIN FJI FLK FRA FRO FSM GAB GBR GEO GGY GHA GIB "
    "GIN GLP GMB GNB GNQ GRC GRD GRL GTM GUF GUM GUY HKG HMD HND HRV HTI HUN IDN IMN IND IOT IRL IRN IRQ ISL ISR ITA "
    "JAM JEY JOR JPN KAZ KEN KGZ KHM KIR KNA KOR KWT LAO LBN LBR LBY LCA LIE LKA LSO LTU LUX LVA MAC MAF MAR MCO MDA "
    "MDG MDV MEX MHL MKD MLI MLT MMR MNE MNG MNP MOZ MRT MSR MTQ MUS MWI MYS MYT NAM NCL NER NFK NGA NIC NIU NLD NOR "
    "NPL NRU NZL OMN PAK PAN PCN PER PHL PLW PNG POL PRI PRK PRT PRY PSE PYF QAT REU ROU RUS RWA SAU SDN SEN SGP SGS "
    "SHN SJM SLB SLE SLV SMR SOM SPM SRB SSD STP SUR SVK SVN SWE SWZ SXM SYC SYR TCA TCD TGO THA TJK TKL TKM TLS TON "
    "TTO TUN TUR TUV TWN TZA UGA UKR UMI URY USA UZB VAT VCT VEN VGB VIR VNM VUT WLF WSM YEM ZAF ZMB ZWE"
)
"""ISO 3166-1 codes of three letters."""
ISCO_GROUPS = listed(
    "01 02 03 11 12 13 14 21 22 23 24 25 26 31 32 33 34 35 41 42 43 44 51 52 53 54 61 62 63 71 72 73 74 75 81 82 83 "
    "91 92 93 94 95 96"
)
"""The first two digits of ISCO-08 codes of occupations."""
TOP_DOMAINS = listed("com org net edu gov mil int info biz io eu uk local internal lan home") | {
    code.casefold() for code in ALPHA_2
}
"""The last names of hosts."""
GIVEN_NAMES = listed(
    "james mary john patricia robert jennifer michael linda william elizabeth david barbara richard susan joseph "
    "jessica thomas sarah charles karen christopher nancy daniel lisa matthew betty anthony margaret mark sandra "
    "donald ashley steven kimberly paul emily andrew donna joshua michelle kenneth carol kevin amanda brian dorothy "
    "george melissa edward deborah ronald stephanie timothy rebecca jason laura jeffrey sharon ryan cynthia jacob "
    "kathleen gary amy nicholas angela eric shirley jonathan anna stephen brenda larry pamela justin emma scott "
    "nicole brandon helen samantha katherine christine debra rachel oliver jack harry olivia amelia isla ava grace "
    "sophie hans peter klaus jurgen dieter manfred uwe wolfgang heinz gunter frank andreas stefan christian martin "
    "bernd matthias markus sebastian tobias florian lukas jonas leon finn felix maximilian ursula monika petra sabine "
    "renate helga karin brigitte ingrid erika claudia birgit heike susanne katrin anja julia lena hannah leonie marie "
    "jean pierre michel andre philippe alain bernard jacques nicolas laurent francois thierry pascal olivier julien "
    "antoine guillaume camille chloe manon lea ines jeanne isabelle nathalie sylvie monique catherine francoise "
    "valerie celine aurelie jose antonio manuel francisco juan javier carlos miguel angel rafael pedro alejandro "
    "fernando sergio pablo jorge alberto luis diego maria carmen josefa dolores pilar teresa isabel lucia paula "
    "cristina marta elena raquel jan pieter johannes cornelis hendrik willem kees daan sem lucas milan sanne lotte "
    "fleur anouk giuseppe giovanni mario luigi francesco angelo vincenzo pietro salvatore marco alessandro andrea "
    "matteo luca giulia francesca chiara giorgia sara rosa joao ana gabriel mateus beatriz larissa mohammed ahmed ali "
    "fatima aisha yusuf mehmet ayse piotr krzysztof andrzej tomasz katarzyna agnieszka lars erik anders johan karl "
    "nils astrid wei li ming chen yuki hiroshi raj priya amit sunita"
)
"""Frequent given names of several countries, without accents."""
STREET_WORDS = (
    r"\b(street|st|road|rd|avenue|ave|lane|ln|drive|dr|court|ct|boulevard|blvd|way|place|square|rue|chemin|allee|quai|"
    r"calle|avenida|plaza|paseo|via|viale|corso|piazza|rua|travessa)\b|stra(ss|ß)e|str\.|weg\b|gasse\b|platz\b|straat|"
    r"laan\b|plein\b|dreef\b|gatan\b|vej\b"
)
"""What streets are called."""
HARMFUL_DIAGNOSES = ("A5*", "A6*", "B2*", "F1*", "F2*", "F6*", "O04*", "Z21*")
"""Beginnings of the ICD-10 codes that harm most: sexual infections, HIV, addiction, psychosis, abortion.

Few and short, as `mask` warns of each that no record has; so some harmless codes are among them.
"""
