"""Tables about people who do not exist, with the role of every column: six languages, ten kinds of register.

Everything is drawn from a seed, without any package. Check digits are computed
here by themselves, so that the recognizers are not tested by their own code.
"""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable
from dataclasses import dataclass

IDENTIFIER, QUASI, SENSITIVE, PERSON, TEXT, CONSTANT, REPEATED, CLASS = (
    "identifier",
    "quasi-identifier",
    "sensitive",
    "person",
    "free text",
    "constant",
    "repeated",
    "class",
)

Cells = list[object]


@dataclass(frozen=True)
class MadeTable:
    """A table and what its columns are."""

    name: str
    cells: dict[str, Cells]
    roles: dict[str, str]

    def csv(self) -> str:
        """The table as a csv."""
        names = list(self.cells)
        rows = [",".join(_quoted(name) for name in names)]
        rows += [
            ",".join("" if cell is None else _quoted(str(cell)) for cell in row)
            for row in zip(*self.cells.values(), strict=True)
        ]
        return "\n".join(rows) + "\n"


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if set(text) & set(',"\n') else text


@dataclass(frozen=True)
class Language:
    """What people and things are called."""

    code: str
    given: str
    family: str
    cities: str
    street: Callable[[str, int], str]
    domain: str
    phone: Callable[[random.Random], str]
    postcode: Callable[[random.Random], str]
    national: Callable[[random.Random], str]
    iban: str
    jobs: str
    religions: str
    notes: str
    columns: str
    """What the columns are called, in the order of `PARTS`."""


PARTS = (
    "id", "given", "family", "email", "phone", "street", "postcode", "city", "birth", "sex", "national", "iban",
    "job", "religion", "salary", "diagnosis", "note", "nationality", "marital", "visit",
)  # fmt: skip


def digits(rng: random.Random, n: int) -> str:
    return "".join(str(rng.randrange(10)) for _ in range(n))


def german_tax(rng: random.Random) -> str:
    body = str(rng.randrange(1, 10)) + digits(rng, 9)
    product = 10
    for digit in body:
        total = (int(digit) + product) % 10
        product = ((10 if total == 0 else total) * 2) % 11
    check = 11 - product
    return body + str(0 if check == 10 else check)


def french_number(rng: random.Random) -> str:
    body = (
        f"{rng.choice((1, 2))}{rng.randrange(100):02}{rng.randrange(1, 13):02}{rng.randrange(1, 96):02}{digits(rng, 6)}"
    )
    return f"{body}{97 - int(body) % 97:02}"


def spanish_dni(rng: random.Random) -> str:
    number = rng.randrange(10_000_000, 99_999_999)
    return f"{number}{'TRWAGMYFPDXBNJZSQVHLCKE'[number % 23]}"


def dutch_bsn(rng: random.Random) -> str:
    while True:
        text = str(rng.randrange(100_000_000, 999_999_999))
        total = sum(int(digit) * weight for digit, weight in zip(text, (9, 8, 7, 6, 5, 4, 3, 2, -1), strict=True))
        if total % 11 == 0:
            return text


def american(rng: random.Random) -> str:
    return f"{rng.randrange(1, 600):03}-{rng.randrange(1, 100):02}-{rng.randrange(1, 10_000):04}"


def italian_code(rng: random.Random) -> str:
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    body = "".join(rng.choice(letters) for _ in range(6)) + f"{rng.randrange(100):02}{rng.choice('ABCDEHLMPRST')}"
    body += f"{rng.randrange(1, 32):02}{rng.choice(letters)}{digits(rng, 3)}"
    odd = dict(zip("BAKPLCQDREVOSFTGUHMINJWZYX", range(26), strict=True))
    odd |= {"1": 0, "0": 1, "2": 5, "3": 7, "4": 9, "5": 13, "6": 15, "7": 17, "8": 19, "9": 21}
    even = {letter: i for i, letter in enumerate(letters)} | {str(i): i for i in range(10)}
    total = sum((odd if place % 2 == 0 else even)[letter] for place, letter in enumerate(body))
    return body + letters[total % 26]


def made_iban(rng: random.Random, country: str) -> str:
    body = digits(rng, 18)
    number = int(body + "".join(str(ord(letter) - 55) for letter in country) + "00")
    return f"{country}{98 - number % 97:02}{body}"


ENGLISH = Language(
    "en", "James Mary Oliver Amelia Noah Isla Freya Callum Ewan Poppy Harriet Gareth Nigel Tamsin Priya Olu",
    "Smith Jones Okafor Patel Hargreaves Whitlock Baines Cartwright Donnelly Eastwood Fairfax Grimshaw Holloway",
    "Leeds York Bath Dover Hull Luton Derby Truro Wigan Stoke Crewe Ripon", lambda s, n: f"{n} {s} Road", "example.org",
    lambda r: f"+44 20 {digits(r, 4)} {digits(r, 4)}",
    lambda r: f"{r.choice(('LS', 'YO'))}{r.randrange(1, 20)} {r.randrange(1, 9)}{r.choice('ABD')}{r.choice('HJ')}",
    american, "GB", "nurse teacher clerk driver cook engineer farmer baker lawyer plumber",
    "Anglican Catholic Muslim Hindu none", "The patient came in late and was sent home the same day",
    "patient_id first_name surname email phone address postcode city date_of_birth sex ssn iban occupation religion "
    "salary diagnosis notes nationality marital_status visit_date",
)  # fmt: skip
GERMAN = Language(
    "de", "Hans Petra Jürgen Sabine Lukas Hannah Björn Anke Torsten Wiebke Dörte Kai Ulrike Veit Mechthild Götz",
    "Müller Schmidt Weber Krüger Lehmann Hoffmann Schäfer Köhler Brandt Vogel Jäger Roth Seidel Pohl Engel",
    "Kiel Ulm Bonn Hof Trier Fürth Gera Emden Celle Passau Soest Jena", lambda s, n: f"{s}straße {n}", "beispiel.de",
    lambda r: f"0{r.randrange(30, 999)}/{digits(r, 7)}", lambda r: f"{r.randrange(1, 99):02}{digits(r, 3)}",
    german_tax, "DE",
    "Pfleger Lehrerin Maurer Koch Bäcker Ingenieur Landwirt Richterin Fahrer Arzt",
    "evangelisch katholisch muslimisch keine", "Der Patient kam zu spät und wurde am selben Tag entlassen",
    "Kundennummer Vorname Nachname E-Mail Telefonnummer Straße PLZ Wohnort Geburtsdatum Geschlecht Steuer-ID IBAN "
    "Beruf Konfession Gehalt Diagnose Bemerkung Staatsangehörigkeit Familienstand Aufnahmedatum",
)  # fmt: skip
FRENCH = Language(
    "fr", "Jean Camille Élodie Gaël Maëlys Thibault Océane Loïc Anaïs Yann Capucine Rémi Solène Gwenaël",
    "Martin Bernard Dubois Lefèvre Moreau Girard Bonnet Lambert Fontaine Rousseau Chevalier Blanchard",
    "Brest Lyon Nice Dijon Reims Metz Pau Tours Caen Nancy Arles Sète", lambda s, n: f"{n} rue {s}", "exemple.fr",
    lambda r: f"0{r.randrange(1, 8)} {' '.join(digits(r, 2) for _ in range(4))}",
    lambda r: f"{r.randrange(1, 95):02}{digits(r, 3)}", french_number, "FR",
    "infirmier professeur maçon cuisinier boulanger ingénieur juge chauffeur médecin",
    "catholique protestant musulman aucune", "Le patient est venu en retard et il est sorti le jour même",
    "numero_client prénom nom courriel téléphone adresse code_postal ville date_naissance sexe numéro_sécu iban "
    "profession religion salaire diagnostic commentaire nationalité état_civil date_entrée",
)  # fmt: skip
SPANISH = Language(
    "es", "José Carmen Íñigo Begoña Lucía Nerea Iker Rocío Gonzalo Amaya Xavi Remedios Aitor Montserrat",
    "García Fernández López Ibáñez Muñoz Cabrera Ortega Vidal Crespo Lozano Herrera Pascual", "Vigo Jaén León Murcia "
    "Lugo Soria Cádiz Huesca Toledo Elche Getafe Reus", lambda s, n: f"Calle {s} {n}", "ejemplo.es",
    lambda r: f"+34 6{digits(r, 2)} {digits(r, 3)} {digits(r, 3)}", lambda r: f"{r.randrange(1, 52):02}{digits(r, 3)}",
    spanish_dni, "ES", "enfermera maestro albañil cocinero panadero ingeniera jueza conductor médico",
    "católica evangélica musulmana ninguna", "El paciente llegó tarde y salió del hospital el mismo día",
    "id_paciente nombre apellidos correo teléfono dirección código_postal ciudad fecha_nacimiento sexo DNI cuenta_iban "
    "profesión religión salario diagnóstico observaciones nacionalidad estado_civil fecha_ingreso",
)  # fmt: skip
DUTCH = Language(
    "nl", "Jan Sanne Kees Fleur Thijs Roos Bram Maaike Joris Femke Sjoerd Nienke Wouter Liesbeth",
    "Jansen Bakker Visser Smit Meijer Mulder Bos Vos Dekker Brouwer Dijkstra Hoekstra Postma",
    "Breda Delft Assen Venlo Zeist Gouda Ede Hoorn Weert Sneek Goes Tiel", lambda s, n: f"{s}straat {n}",
    "voorbeeld.nl",
    lambda r: f"06-{digits(r, 8)}", lambda r: f"{r.randrange(1000, 9999)} {r.choice('ABCDEX')}{r.choice('ABZ')}",
    dutch_bsn, "NL", "verpleger leraar metselaar kok bakker ingenieur rechter chauffeur arts",
    "katholiek protestant islam geen", "De patient kwam te laat en werd dezelfde dag ontslagen",
    "klantnummer voornaam achternaam email telefoonnummer adres postcode woonplaats geboortedatum geslacht BSN "
    "rekeningnummer beroep geloof salaris diagnose opmerkingen nationaliteit burgerlijke_staat opnamedatum",
)  # fmt: skip
ITALIAN = Language(
    "it", "Giulia Marco Ilaria Fabrizio Ludovica Gennaro Ornella Ivo Fiammetta Ettore Samuele Noemi",
    "Rossi Russo Ferrari Bianchi Greco Conti Marino Gallo Fontana Caruso Barbieri Lombardi",
    "Pisa Bari Como Lecce Udine Trento Siena Rieti Nuoro Asti Pavia Lodi", lambda s, n: f"Via {s} {n}", "esempio.it",
    lambda r: f"+39 3{digits(r, 2)} {digits(r, 7)}", lambda r: digits(r, 5), italian_code, "IT",
    "infermiere maestra muratore cuoco fornaio ingegnere giudice autista medico",
    "cattolica valdese islamica nessuna", "Il paziente arrivò tardi e fu dimesso lo stesso giorno",
    "codice_cliente nome cognome email telefono indirizzo cap città data_nascita sesso codice_fiscale iban professione "
    "religione stipendio diagnosi note nazionalità stato_civile data_ricovero",
)  # fmt: skip
LANGUAGES = (ENGLISH, GERMAN, FRENCH, SPANISH, DUTCH, ITALIAN)

REGISTERS: dict[str, str] = {
    "hospital": "id given family birth sex postcode city diagnosis visit note",
    "bank": "id given family email phone iban birth sex postcode job salary",
    "church": "family birth sex street postcode religion marital nationality",
    "payroll": "national given family birth sex job salary marital city",
}
"""Which parts each register has."""
ROLE_OF = {
    "id": IDENTIFIER, "given": IDENTIFIER, "family": IDENTIFIER, "email": IDENTIFIER, "phone": IDENTIFIER,
    "street": IDENTIFIER, "national": IDENTIFIER, "iban": IDENTIFIER, "postcode": QUASI, "city": QUASI, "birth": QUASI,
    "sex": QUASI, "job": QUASI, "nationality": QUASI, "marital": QUASI, "visit": QUASI, "religion": SENSITIVE,
    "salary": SENSITIVE, "diagnosis": SENSITIVE, "note": TEXT,
}  # fmt: skip


def people(language: Language, parts: str, n: int, seed: int) -> tuple[dict[str, Cells], dict[str, str]]:
    """Draw people; the columns are called as the language does."""
    rng = random.Random(f"{language.code}{parts}{seed}")  # noqa: S311 - no secret
    names = dict(zip(PARTS, language.columns.split(), strict=True))
    given, family, cities = (text.split() for text in (language.given, language.family, language.cities))
    codes = [f"{letter}{i:02}.{j}" for letter in "ABCEFIJKMZ" for i in (10, 20, 41) for j in (0, 1)]
    makers: dict[str, Callable[[int], object]] = {
        "id": lambda i: 100_000 + 7 * i,
        "given": lambda _: rng.choice(given),
        "family": lambda _: rng.choice(family) + rng.choice(("", "", f"-{rng.choice(family)}")),
        "email": lambda i: f"{rng.choice(given).lower()}.{i}@{language.domain}",
        "phone": lambda _: language.phone(rng),
        "street": lambda _: language.street(rng.choice(family), rng.randrange(1, 140)),
        "postcode": lambda _: language.postcode(rng),
        "city": lambda _: rng.choice(cities),
        "birth": lambda _: (dt.date(1935, 1, 1) + dt.timedelta(days=rng.randrange(70 * 365))).isoformat(),
        "sex": lambda _: rng.choice(("F", "M")),
        "national": lambda _: language.national(rng),
        "iban": lambda _: made_iban(rng, language.iban),
        "job": lambda _: rng.choice(language.jobs.split()),
        "religion": lambda _: rng.choice(language.religions.split()),
        "salary": lambda _: 1200 + 50 * int(rng.expovariate(0.02)),
        "diagnosis": lambda _: rng.choice(codes),
        "note": lambda i: f"{language.notes}, {rng.choice(cities)} {i}",
        "nationality": lambda _: rng.choice(("DE", "FR", "GB", "ES", "NL", "IT", "PL")),
        "marital": lambda _: rng.choice(("single", "married", "divorced")),
        "visit": lambda _: (dt.date(2024, 1, 1) + dt.timedelta(days=rng.randrange(360))).isoformat(),
    }
    chosen = parts.split()
    cells = {names[part]: [makers[part](i) for i in range(n)] for part in chosen}
    return cells, {names[part]: ROLE_OF[part] for part in chosen}


def registers(n: int = 400) -> list[MadeTable]:
    """Every register in every language: 24 tables."""
    made = []
    for language in LANGUAGES:
        for at, (register, parts) in enumerate(REGISTERS.items()):
            cells, roles = people(language, parts, n, at)
            made.append(MadeTable(f"{register}-{language.code}", cells, roles))
    return made


def unnamed(n: int = 400) -> MadeTable:
    """A table whose names say nothing: shapes and counts have to."""
    cells, roles = people(GERMAN, "email phone national iban postcode birth sex job note id", n, 9)
    renamed = {name: f"v{i}" for i, name in enumerate(cells)}
    return MadeTable(
        "unnamed",
        {renamed[name]: column for name, column in cells.items()},
        {renamed[name]: role for name, role in roles.items()},
    )


def visits(n: int = 600) -> MadeTable:
    """Patients with several records."""
    cells, roles = people(ENGLISH, "id sex birth postcode diagnosis visit", n // 3, 3)
    repeated = {name: [column[i // 3] for i in range(len(column) * 3)] for name, column in cells.items()}
    rng = random.Random(4)  # noqa: S311 - no secret
    repeated["visit_date"] = [f"2024-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}" for _ in repeated["sex"]]
    return MadeTable("visits", repeated, roles | {"patient_id": PERSON})


def logs(n: int = 500) -> MadeTable:
    """A log of a web server, with a person's device and much that repeats."""
    rng = random.Random(5)  # noqa: S311 - no secret
    cells: dict[str, Cells] = {
        "session": [f"{rng.getrandbits(128):032x}" for _ in range(n)],
        "client_ip": [f"10.{rng.randrange(4)}.{rng.randrange(250)}.{rng.randrange(250)}" for _ in range(n)],
        "country": [rng.choice(("US", "CA", "MX")) for _ in range(n)],
        "timestamp": [
            f"2024-03-{rng.randrange(1, 29):02}T{rng.randrange(24):02}:{rng.randrange(60):02}:00" for _ in range(n)
        ],
        "status": [rng.choice((200, 404, 500)) for _ in range(n)],
        "bytes": [rng.randrange(100, 90_000) for _ in range(n)],
        "server": ["web-1"] * n,
    }
    cells["country_name"] = [{"US": "United States", "CA": "Canada", "MX": "Mexico"}[str(c)] for c in cells["country"]]
    roles = dict.fromkeys(("client_ip", "country", "timestamp", "status", "bytes"), QUASI)
    return MadeTable("logs", cells, roles | {"session": IDENTIFIER, "server": CONSTANT, "country_name": REPEATED})


def coded(n: int = 600) -> MadeTable:
    """Codes of occupations, activities and diagnoses, places that form a hierarchy, hosts."""
    rng = random.Random(6)  # noqa: S311 - no secret
    towns = [rng.randrange(36) for _ in range(n)]
    cells: dict[str, Cells] = {
        "person_no": [f"N{i:06d}" for i in range(n)],
        "occupation_code": rng.choices(["2512", "2211", "5120", "9112", "7231", "3251", "1120", "4110"], k=n),
        "nace": rng.choices(["62.01", "01.11", "47.11", "86.10", "85.20", "41.20", "56.10", "64.19"], k=n),
        "town": [f"town {town}" for town in towns],
        "county": [f"county {town % 12}" for town in towns],
        "state": [f"state {town % 4}" for town in towns],
        "host": [f"pc{rng.randrange(40)}.{rng.choice('abc')}.example.org" for _ in range(n)],
        "icd": [f"{rng.choice('ACEFIJKMN')}{rng.randrange(10, 40)}.{rng.randrange(9)}" for _ in range(n)],
    }
    known = dict.fromkeys(("occupation_code", "nace", "town", "county", "state", "host"), QUASI)
    return MadeTable("coded", cells, {"person_no": IDENTIFIER, **known, "icd": SENSITIVE})


def all_tables(n: int = 400) -> list[MadeTable]:
    """All of them."""
    return [*registers(n), unnamed(n), visits(n), logs(n), coded()]
