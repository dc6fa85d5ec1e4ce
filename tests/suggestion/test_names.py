"""What names of columns say, in several languages."""

from __future__ import annotations

import pytest

from maskwise.suggestion.names import meaning_of
from maskwise.suggestion.vocabulary import VOCABULARY, Meaning


@pytest.mark.parametrize(
    ("names", "meaning"),
    [
        ("first_name Nachname prénom apellidos achternaam cognome fullName name nom customer_name", Meaning.NAME),
        ("date_of_birth Geburtsdatum fechaNacimiento geboortedatum data_nascita DOB", Meaning.BIRTH),
        ("PLZ zip_code codePostal código_postal postcode", Meaning.POSTCODE),
        ("SSN Steuer-ID DNI BSN codice_fiscale passport_no", Meaning.NATIONAL_ID),
        (
            "Patientennr Patientennr. PatientenID Patientennummer Klientennr Versicherten-Nr. Bewohnerkennung",
            Meaning.PERSON_KEY,
        ),
        ("PID Pat-ID PatNr Pat.Nr. PAT_ID IPP NIP", Meaning.PERSON_KEY),
        (
            "Aufnahmenummer Aufnahmenr Fallnr Fall-ID Fallnummer case_id CaseNo encounter_id num_sejour",
            Meaning.CASE_KEY,
        ),
        ("Zimmernr KIS-Nr", Meaning.KEY),
        ("patient_id Kundennummer customerNo klantnummer id_paciente", Meaning.PERSON_KEY),
        ("diagnosis Diagnose maladie enfermedad ziekte diagnosi ICD10", Meaning.HEALTH),
        ("religion Konfession geloof religión", Meaning.RELIGION),
        ("salary Gehalt salaire sueldo salaris stipendio income", Meaning.FINANCE),
        ("sexual_orientation", Meaning.SEXUAL_LIFE),
        ("trade_union Gewerkschaft vakbond", Meaning.UNION),
        ("email E-Mail courriel correo", Meaning.EMAIL),
        ("sex Geschlecht sexo geslacht", Meaning.SEX),
        ("class target label Wiederaufnahme readmitted readmission30 réhospitalisation", Meaning.CLASS),
        ("Wiederaufnahmedatum readmission_date Aufnahme", Meaning.DATE),
        # Names of people in other words, compounds, plurals and abbreviations.
        ("Geburtsname birth_name nom_de_naissance nom_usage PtLast roepnaam prenoms nome_paz cust_nm", Meaning.NAME),
        ("Lieferanschrift Wohnadresse adresse_postale postal_address", Meaning.ADDRESS),
        ("Bruttogehalt maandinkomen revenus", Meaning.FINANCE),
        ("Firmenname bedrijfsnaam OccupationText employeur", Meaning.WORK),
        ("code_post cod_postal", Meaning.POSTCODE),
    ],
)
def test_names_are_understood(names: str, meaning: Meaning) -> None:
    for name in names.split():
        assert meaning_of(name) is meaning, name


@pytest.mark.parametrize(
    "name",
    [
        "A7", "fnlwgt", "duration", "hospital_name", "width", "*", "", "数", "page", "x,y", "statement",
        "classification",
        "marketplace", "creditor", "last_order", "filename", "pt", "nomenclature",
    ],
)  # fmt: skip
def test_a_name_that_says_nothing_is_not_guessed(name: str) -> None:
    assert meaning_of(name) is None


def test_every_word_is_spelled_as_names_are_read() -> None:
    for words in VOCABULARY.values():
        for word in words.words | words.stems:
            assert word.isascii(), word
            assert word == word.lower(), word
