"""The words by which names of columns are understood.

They are English, German, French, Spanish, Dutch, Italian and Portuguese, with
some Polish and Swedish, in lower case and without accents.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from maskwise.suggestion.code_lists import listed


class Meaning(StrEnum):
    """What a column is about."""

    NAME = "a person's name"
    EMAIL = "an email address"
    PHONE = "a phone number"
    NATIONAL_ID = "a number of a person"
    ACCOUNT = "an account or card"
    ADDRESS = "an address"
    LOGIN = "a login or device"
    PERSON_KEY = "the key of a person"
    CASE_KEY = "the key of a case"
    KEY = "a key"
    NETWORK = "a network address"
    FREE_TEXT = "a note in free text"

    AGE = "age"
    BIRTH = "birth"
    SEX = "sex"
    POSTCODE = "a postcode"
    PLACE = "a place"
    COUNTRY = "a country"
    ORIGIN = "racial or ethnic origin"
    FAMILY = "family"
    EDUCATION = "education"
    WORK = "work"
    DATE = "a date"
    BODY = "the body"

    HEALTH = "health"
    RELIGION = "religion or belief"
    POLITICS = "political opinion"
    SEXUAL_LIFE = "sexual life"
    UNION = "membership of a trade union"
    GENETICS = "genetic or biometric data"
    CRIME = "criminal record"
    FINANCE = "finance"

    CLASS = "a class to predict"


KEYS = frozenset({Meaning.KEY, Meaning.PERSON_KEY, Meaning.CASE_KEY})
"""What stands for somebody or something."""
IDENTIFYING = frozenset({
    Meaning.NAME, Meaning.EMAIL, Meaning.PHONE, Meaning.NATIONAL_ID, Meaning.ACCOUNT, Meaning.ADDRESS, Meaning.LOGIN,
})  # fmt: skip
"""What names a person by itself."""
DEMOGRAPHIC = frozenset({
    Meaning.AGE, Meaning.BIRTH, Meaning.SEX, Meaning.POSTCODE, Meaning.PLACE, Meaning.COUNTRY, Meaning.ORIGIN,
    Meaning.FAMILY, Meaning.EDUCATION, Meaning.WORK, Meaning.DATE, Meaning.BODY,
})  # fmt: skip
"""What others may know of a person."""
EVERYDAY = frozenset({Meaning.AGE, Meaning.BIRTH, Meaning.SEX, Meaning.POSTCODE, Meaning.PLACE})
"""What everybody knows of a neighbour."""
ARTICLE_9 = frozenset({
    Meaning.HEALTH, Meaning.RELIGION, Meaning.POLITICS, Meaning.SEXUAL_LIFE, Meaning.UNION, Meaning.GENETICS,
})  # fmt: skip
"""The special categories of GDPR article 9 that nobody shall infer; racial origin is visible, so it is masked."""
SENSITIVE = ARTICLE_9 | {Meaning.CRIME, Meaning.FINANCE}
"""What nobody shall be able to infer: article 9, criminal records (article 10) and money."""


@dataclass(frozen=True, slots=True)
class Words:
    """How a meaning is called."""

    words: frozenset[str]
    """Whole words."""
    stems: frozenset[str] = frozenset()
    """Parts of a name that are long enough to tell by themselves."""


VOCABULARY: dict[Meaning, Words] = {
    Meaning.EMAIL: Words(
        listed("email mail emails courriel correo"),
        listed("emailadres emailaddress"),
    ),
    Meaning.NATIONAL_ID: Words(
        listed(
            "ssn nino nhs sin bsn nir dni nie nif cpf pesel personnummer hetu aadhaar passport passeport pasaporte "
            "paspoort passaporto steuerid svnr ahv ausweis licence license mrn curp rut"
        ),
        listed(
            "socialsecurity kvnr krankenkassen nationalid nationalinsurance passportn reisepass personalausweis "
            "sozialversicherung versichertennummer krankenversicherungsnummer versicherungsnummer steueridentifik "
            "steuernummer securitesociale numerosecu seguridadsocial burgerservice codicefiscale driverslicen "
            "drivinglicen fuhrerschein healthcard insurancenumber taxid taxnumber medicalrecord identitycard "
            "identiteitskaart cartaidentita"
        ),
    ),
    Meaning.ACCOUNT: Words(
        listed("iban bic swift"),
        listed(
            "accountn kontonummer creditcard cardnumber kreditkarte cartebancaire tarjeta bankaccount numerocompte "
            "numerocuenta rekeningnummer bankrekening contocorrente bankverbindung"
        ),
    ),
    Meaning.PHONE: Words(
        listed(
            "phone tel telephone mobile cell fax telefon telefono telefone telefoon handy mobil portable movil "
            "cellulare gsm msisdn"
        ),
        listed("phonenum telefoonn telefonn telefonnummer telefonnr telefoonnummer mobilnummer handynummer rufnummer"),
    ),
    Meaning.LOGIN: Words(
        listed(
            "username login nickname handle benutzername usuario gebruikersnaam nomutente imei mac device cookie "
            "vin kennzeichen immatriculation matricula kenteken targa twitter facebook instagram linkedin skype "
            "homepage"
        ),
        listed("licenseplate licenceplate numberplate deviceid usern"),
    ),
    Meaning.NETWORK: Words(
        listed("ip ipv4 ipv6 ipaddress"),
        listed("ipaddr ipadress adresseip clientip remoteip"),
    ),
    Meaning.ADDRESS: Words(
        listed(
            "address street addr adresse anschrift strasse rue calle direccion domicilio straat adres via indirizzo "
            "endereco hausnummer housenumber"
        ),
        listed("streetaddress strassenname strassehausnr streetname straatnaam wohnanschrift adressligne addressline"),
    ),
    Meaning.NAME: Words(
        listed(
            "firstname lastname surname forename fullname givenname familyname middlename initials voorletters "
            "maidenname vorname nachname familienname geburtsname prenom nomfamille apellido apellidos voornaam "
            "achternaam cognome sobrenome imie nazwisko fornamn efternamn fname lname"
        ),
        listed(
            "firstname lastname surname givenname familyname maidenname vorname nachname familienname geburtsname "
            "achternaam nomdefamille nomedefamilia nombrecompleto nombreyapellido nomecognome nomeecognome "
            "patientname customername employeename clientname studentname contactname personname mothersname "
            "fathersname patronym"
        ),
    ),
    Meaning.FREE_TEXT: Words(
        listed(
            "note notes comment comments remark remarks description freetext narrative anamnese anamnesis "
            "bemerkung bemerkungen kommentar notiz notizen commentaire remarque observaciones observacion "
            "comentario opmerking opmerkingen toelichting nota commento osservazioni descricao beschreibung"
        ),
        listed("freetext freitext textelibre textolibre vrijetekst testolibero"),
    ),
    Meaning.BIRTH: Words(
        listed("birth dob born birthday geburt naissance nacimiento geboorte nascita nascimento urodzenia fodelse yob"),
        listed("birthdate dateofbirth yearofbirth birthyear geburts naissance nacimiento geboorte nascita nascimento"),
    ),
    Meaning.AGE: Words(
        listed("age alter edad leeftijd eta idade wiek alder jahre"),
        listed("ageyears agegroup agegrp altersgruppe"),
    ),
    Meaning.SEX: Words(
        listed("sex gender female male geschlecht sexe sexo geslacht sesso genere genero genre plec kon"),
    ),
    Meaning.POSTCODE: Words(
        listed("zip zipcode postcode postcd postal plz cp cap cep postcodes zip5 postnummer"),
        listed("postcode postalcode zipcode postleitzahl codepost codigopostal codpost codicepostale"),
    ),
    Meaning.COUNTRY: Words(
        listed(
            "country land pays pais paese kraj nation nationality citizenship staatsangehorigkeit nationalitat "
            "nationalite nacionalidad nationaliteit nazionalita nacionalidade staat"
        ),
        listed("countryof geburtsland country staatsburger"),
    ),
    Meaning.PLACE: Words(
        listed(
            "city town county state province region district municipality village ward borough suburb area location "
            "place latitude longitude lat lon lng gps stadt ort wohnort gemeinde landkreis kreis bundesland bezirk "
            "ville commune departement ciudad municipio provincia comunidad poblacion localidad stad plaats "
            "woonplaats gemeente provincie citta comune regione cidade estado miasto"
        ),
        listed("birthplace geburtsort wohnort residence hometown"),
    ),
    Meaning.ORIGIN: Words(
        listed("race ethnicity ethnic ethnie etnia raza rasse herkunft origin razza caste"),
        listed("ethni migrations"),
    ),
    Meaning.FAMILY: Words(
        listed(
            "marital married matrimonial spouse children kids household family relationship dependents dependants "
            "familienstand kinder haushalt civil etatcivil enfants foyer estadocivil hijos hogar gezin kinderen "
            "huishouden figli famiglia statocivile siblings widowed divorced"
        ),
        listed(
            "marital familienst familyst burgerlijkestaat etatcivil estadocivil statocivile householdsize haushaltsgr"
        ),
    ),
    Meaning.EDUCATION: Words(
        listed(
            "education school degree edu qualification schooling university bildung abschluss schule schulabschluss "
            "ausbildung diplome etudes formation educacion estudios escolaridad opleiding onderwijs istruzione "
            "titolo studio"
        ),
        listed("education bildungs educativ abschluss niveauetude niveldeestudios opleidingsniveau titolodistudio"),
    ),
    Meaning.WORK: Words(
        listed(
            "job occupation profession dept work employment employer workclass industry sector department position "
            "title beruf tatigkeit arbeitgeber branche abteilung metier emploi poste ocupacion profesion trabajo "
            "puesto empleo beroep functie werk werkgever professione lavoro impiego mestiere zawod hours isco nace "
            "naics company companies firma rank organisation organization org business unternehmen betrieb "
            "dienstgeber funktion stelle employeur entreprise societe fonction empresa empleador cargo oficio "
            "azienda ditta datore mansione bedrijf organisatie baan empregador"
        ),
        listed("occupation firmen berufs erwerbs arbeitszeit raisonsociale razonsocial ragionesociale"),
    ),
    Meaning.DATE: Words(
        listed(
            "date day month year admit dt timestamp time admission discharge visit datum tag monat jahr zeit "
            "aufnahme entlassung jour mois annee heure entree sortie fecha dia mes ano ingreso alta opname ontslag "
            "jaar maand data giorno anno ricovero since"
        ),
        listed("datum aufnahme entlass"),
    ),
    Meaning.BODY: Words(
        listed("height weight bmi eye hair groesse grosse gewicht taille poids altura peso lengte altezza"),
        listed("eyecolor haircolor eyecolour haircolour korpergrosse korpergewicht"),
    ),
    Meaning.HEALTH: Words(
        listed(
            "diagnosis diagnoses disease dx illness condition icd icd10 symptom treatment medication drug drugs "
            "medicine hiv cancer diabetes disability blood allergy allergies surgery procedure diagnose krankheit "
            "erkrankung behandlung medikament therapie befund behinderung diagnostic maladie traitement medicament "
            "pathologie handicap enfermedad tratamiento medicamento ziekte aandoening behandeling medicatie "
            "malattia diagnosi terapia farmaco doenca pregnant pregnancy schwanger smoker smoking alcohol "
            "depression hypertension mental health gesundheit sante salud gezondheid salute patology comorbidity"
        ),
        listed("diagnos krankheit enfermedad erkrank disease illness medicat disabil hypertens schwangerschaft"),
    ),
    Meaning.RELIGION: Words(
        listed(
            "religion religious faith church denomination belief konfession confession glaube kirche kirchensteuer "
            "culte religione fede credo iglesia confesion geloof godsdienst kerk chiesa religiao wyznanie"
        ),
        listed("relig konfession kirchenst godsdienst bekenntnis kerkgenoot glaubens"),
    ),
    Meaning.POLITICS: Words(
        listed(
            "political politics party vote voting partei politik parti partido politica politiek partij partito "
            "ideology"
        ),
        listed("politic politisch parteizugeh"),
    ),
    Meaning.SEXUAL_LIFE: Words(
        listed("orientation lgbt lgbtq transgender sexuality"),
        listed("sexualorient sexualpref sexuelle orientacionsexual seksuele orientamentosessuale sexualitat"),
    ),
    Meaning.UNION: Words(
        listed("union gewerkschaft syndicat sindicato vakbond sindacato"),
        listed("tradeunion gewerkschaft sindica unionmember"),
    ),
    Meaning.GENETICS: Words(
        listed("gene genetic genotype genome dna biometric fingerprint"),
        listed("genetic genetisch biometri fingerabdruck empreintedig"),
    ),
    Meaning.CRIME: Words(
        listed(
            "crime criminal offence offense conviction arrest sentence prison straftat vorstrafe verurteilung delit "
            "condamnation delito condena delict reato condanna"
        ),
        listed("convict criminal vorstraf straftat"),
    ),
    Meaning.FINANCE: Words(
        listed(
            "income salary wage wages earnings pay debt loan credit savings balance wealth bankruptcy tax benefit "
            "benefits pension mortgage capital einkommen gehalt lohn verdienst schulden kredit sparguthaben "
            "vermogen steuer rente revenu salaire dette ingresos sueldo salario renta deuda inkomen salaris loon "
            "schuld reddito stipendio debito renda charges networth patrimoine patrimonio"
        ),
        listed(
            "einkommen vermogens bruttolohn nettolohn monatslohn jahreslohn stundenlohn insolven bankrupt remunerat"
        ),
    ),
    Meaning.CLASS: Words(
        listed("class target label outcome y response churn klasse zielgrosse classe clase"),
    ),
}

PEOPLE = listed(
    "applicant beneficiary borrower cardholder citizen client customer defendant donor employee individual insured "
    "member participant patient person policyholder pupil resident respondent student subject taxpayer user worker "
    "kunde kunden patienten versicherter mitglied mitarbeiter teilnehmer schuler cliente clients paciente empleado "
    "salarie assure eleve etudiant klant patientnr lid medewerker deelnemer paziente dipendente iscritto alumno pt "
    "pat pac paz kd cust emp tenant mieter locataire inquilino inquilini huurder schuldner angeklagter beklagter "
    "prevenu acusado imputato verdachte respondent befragter lehrer teacher enseignant docente"
)
"""What a person is called in a table."""
PERSON_KEYS = listed("pid patid patnr ipp nip mpi")
"""Short words for the number of a patient."""
CASES = listed(
    "case fall encounter visit episode admission stay aufnahme besuch behandlung sejour venue passage hospitalisation "
    "dossier ricovero ingreso opname"
)
"""What a hospital counts beside patients: a person may have several."""
NUMBERS = listed(
    "id ids key no nr num number code guid uid uuid hash pseudonym nummer numero numer index rowid schlussel kennung "
    "identifier identifiant identificador codigo codice cle clave sleutel lfd lfdnr serial ref reference "
    "matrikelnummer"
)
"""What a number is called that stands for somebody or something."""
NAME_WORDS = listed("name nm nom nombre nome naam namn nazwa")
"""What a name is called; of whom, the other words say."""
PARTS_OF_NAME = listed("first last given middle maiden")
"""Which name it is: beside a word for a person, or alone, they are a name themselves."""
NAMED_PARTS = listed(
    "full family fam sur birth legal preferred complete whole contact mother mothers father fathers spouse married "
    "der des de du di del of the vollstandiger voller complet completo completa volledige und y et e naissance "
    "nacimiento nascita geboorte usage usuel marital epouse jeune fille pila primer segundo primo secondo "
    "battesimo"
)
"""What stands beside the word for a name, where it is a person's."""
ORDER = (
    Meaning.EMAIL, Meaning.NATIONAL_ID, Meaning.ACCOUNT, Meaning.NETWORK, Meaning.LOGIN, Meaning.BIRTH,
    Meaning.POSTCODE, Meaning.PHONE, Meaning.NAME, Meaning.FREE_TEXT, Meaning.SEXUAL_LIFE, Meaning.GENETICS,
    Meaning.RELIGION, Meaning.POLITICS, Meaning.UNION, Meaning.CRIME, Meaning.FAMILY, Meaning.HEALTH, Meaning.FINANCE,
    Meaning.SEX, Meaning.AGE, Meaning.ORIGIN, Meaning.COUNTRY, Meaning.EDUCATION, Meaning.WORK, Meaning.BODY,
    Meaning.ADDRESS, Meaning.PLACE, Meaning.DATE, Meaning.CLASS,
)  # fmt: skip
"""Which meaning is taken where a name has several: the one that says more of a person first."""
