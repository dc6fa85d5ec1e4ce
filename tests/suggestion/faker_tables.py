"""Tables of people who do not exist, made with the package Faker in six languages, with the role of every column.

Cells are Faker's; names of columns are as registers call them, abbreviated or
not, and differ from table to table. Each pair of registers was written down
before any draft was made of it, so that it judges the vocabulary instead of
repeating it; bench/README.md has the figures of these first drafts.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from faker import Faker

from tests.suggestion.made_tables import CLASS, IDENTIFIER, QUASI, SENSITIVE, TEXT, MadeTable

LOCALES = {"en": "en_US", "de": "de_DE", "fr": "fr_FR", "es": "es_ES", "it": "it_IT", "nl": "nl_NL"}
ROLES = {
    "name given family email phone mobile ssn iban card street address login plate key uuid url": IDENTIFIER,
    "birth age sex postcode city state country job company marital children visit height education ip": QUASI,
    "diagnosis religion salary verdict": SENSITIVE,
    "note": TEXT,
    "result": CLASS,
}
"""The role of every part."""
REGISTERS: dict[str, dict[str, str]] = {
    "ward": {
        "en": "key=MRN name=PatientName birth=DOB sex=Gender postcode=ZIP city=Town diagnosis=DX1 "
        "visit=AdmitDate phone=HomePhone note=Remarks",
        "de": "key=Fallnr. name=Patient birth=Geb.-Datum sex=Geschl. postcode=PLZ city=Ort "
        "diagnosis=Hauptdiagnose visit=Aufnahmetag phone=Tel.privat note=Bemerkungen",
        "fr": "key=num_dossier name=nom_patient birth=date_naiss sex=sexe postcode=CP city=commune "
        "diagnosis=diag_principal visit=date_admission phone=tel_domicile note=remarques",
    },
    "staff": {
        "en": "key=EmployeeNo family=LastName given=FirstName birth=BirthDate sex=Sex street=StreetAddr "
        "postcode=ZipCode job=JobTitle salary=GrossPay iban=BankAcct email=WorkEmail "
        "marital=MaritalSt",
        "de": "key=Personalnr family=Nachname given=Vorname birth=Geburtstag sex=Geschlecht "
        "street=Str_Hausnr postcode=Postleitzahl job=Stellenbezeichnung salary=Bruttogehalt "
        "iban=IBAN email=Mailadresse marital=Fam.-Stand",
        "fr": "key=matricule family=nom given=prenom birth=DateNaissance sex=Sexe street=adresse1 "
        "postcode=codepostal job=fonction salary=salaire_brut iban=RIB email=mel "
        "marital=situation_familiale",
    },
    "shop": {
        "en": "key=cust_id name=full_name email=e_mail mobile=cell_no card=cc_number address=ship_to "
        "city=city country=country age=age children=n_kids visit=last_order",
        "de": "key=KdNr name=Kundenname email=eMail mobile=Mobilnr card=Kreditkartennr "
        "address=Lieferanschrift city=Stadt country=Land age=Alter children=Kinderzahl "
        "visit=letzte_Bestellung",
        "fr": "key=id_client name=nom_complet email=adresse_mail mobile=portable card=num_carte "
        "address=adresse_livraison city=ville country=pays age=age children=nb_enfants "
        "visit=derniere_commande",
    },
    "school": {
        "en": "key=student_no given=fname family=lname birth=d_o_b sex=gender street=addr_line1 "
        "postcode=postal_code religion=faith education=grade phone=parent_phone",
        "de": "key=Schüler-ID given=Rufname family=Familienname birth=geb_am sex=m/w street=Wohnadresse "
        "postcode=PLZ_Wohnort religion=Rel.zugeh. education=Klassenstufe phone=Tel_Eltern",
        "fr": "key=INE given=prénom_usuel family=nom_usage birth=né_le sex=genre street=domicile "
        "postcode=code_post religion=confession education=niveau phone=tel_parents",
    },
    "court": {
        "en": "key=docket name=defendant ssn=SSN birth=birthdate sex=sex city=residence job=occupation "
        "verdict=conviction visit=hearing_date note=narrative",
        "de": "key=Aktenzeichen name=Angeklagter ssn=RVNR birth=Geburtsdatum sex=Geschlecht city=Wohnsitz "
        "job=Beruf verdict=Verurteilung visit=Verhandlung_am note=Sachverhalt",
        "fr": "key=no_affaire name=prevenu ssn=NIR birth=date_de_naissance sex=sexe city=domicilié_à "
        "job=métier verdict=condamnation visit=date_audience note=faits",
    },
    "insured": {
        "en": "ssn=insurance_no family=surname given=forenames birth=year_of_birth sex=sex state=state "
        "company=employer salary=annual_income diagnosis=icd_code plate=reg_plate result=outcome",
        "de": "ssn=Vers.-Nr. family=Name given=Vornamen birth=Jahrgang sex=Geschlecht state=Bundesland "
        "company=Arbeitgeber salary=Jahreseinkommen diagnosis=ICD plate=Kfz-Kennz. result=Klasse",
        "fr": "ssn=num_secu family=nom_naissance given=prenoms birth=annee_naissance sex=sexe "
        "state=region company=employeur salary=revenu_annuel diagnosis=CIM10 plate=immat "
        "result=classe",
    },
    "survey": {
        "en": "uuid=respondent_uuid age=age_yrs sex=sex_at_birth height=height_cm education=educ_level "
        "marital=civil_status job=occ religion=religious_affil city=municipality url=profile_url "
        "email=contact",
        "de": "uuid=Befragten-ID age=Lebensalter sex=Geschlecht height=Größe_cm education=Schulabschl. "
        "marital=Familienstand job=Tätigkeit religion=Konfession city=Gemeinde url=Profil "
        "email=Kontakt",
        "fr": "uuid=id_repondant age=âge sex=sexe height=taille_cm education=diplôme "
        "marital=état_matrimonial job=profession religion=culte city=localité url=profil "
        "email=contact",
    },
    "visits": {
        "en": "login=user_name ip=src_ip visit=ts country=geo_country age=user_age sex=user_gender "
        "email=acct_email company=org url=referer name=display_name",
        "de": "login=Benutzer ip=IP-Adresse visit=Zeitstempel country=Herkunftsland age=Alter_J "
        "sex=Geschl email=Konto company=Firma url=Seite name=Anzeigename",
        "fr": "login=identifiant ip=ip_client visit=horodatage country=pays_origine age=age_ans sex=sexe "
        "email=compte company=société url=page name=nom_affiché",
    },
    "clinic": {
        "en": "key=ChartID family=PtLast given=PtFirst birth=PtDOB sex=PtSex street=Addr1 postcode=Zip5 "
        "diagnosis=PrimaryDx visit=SvcDate phone=Phone1",
        "de": "key=Patienten-Nr family=Zuname given=Vorn. birth=GebDat sex=Sex street=Anschr. "
        "postcode=Plz diagnosis=Diagnose1 visit=Behandlungsdatum phone=Telefon_1",
        "fr": "key=IPP family=nom_marital given=prénom birth=DDN sex=sexe_patient street=adr_rue "
        "postcode=c_postal diagnosis=code_cim visit=dt_entree phone=num_tel",
        "es": "key=NHC family=primer_apellido given=nombre_pila birth=f_nac sex=sexo street=domicilio "
        "postcode=cod_postal diagnosis=diagnostico_ppal visit=f_ingreso phone=tlf",
        "it": "key=nr_cartella family=cognome_paz given=nome_paz birth=dt_nascita sex=sesso "
        "street=indirizzo_res postcode=CAP_res diagnosis=diagnosi_princ visit=data_accesso "
        "phone=recapito_tel",
        "nl": "key=patientnummer family=geslachtsnaam given=roepnaam birth=geb_datum sex=geslacht "
        "street=straatnaam_nr postcode=pc6 diagnosis=hoofddiagnose visit=opnamedat phone=tel_nr",
    },
    "tenants": {
        "en": "name=TenantFullName email=PrimaryEmail mobile=MobilePhone birth=birth_dt job=profession "
        "company=company_name salary=monthly_salary iban=account_iban marital=marital_status "
        "children=dependents note=comment",
        "de": "name=Mieter email=E-Mail-Adr. mobile=Handynr. birth=geb. job=Berufsbezeichnung "
        "company=Unternehmen salary=Monatslohn iban=Kto_IBAN marital=Stand children=Anz_Kinder "
        "note=Notizfeld",
        "fr": "name=locataire email=e_mail mobile=tel_mobile birth=naissance job=emploi "
        "company=entreprise salary=revenus_mensuels iban=compte_iban marital=etat_civil "
        "children=enfants_a_charge note=commentaires",
        "es": "name=nombre_inquilino email=correo_e mobile=móvil birth=nacimiento job=profesión "
        "company=empresa salary=ingresos_mensuales iban=IBAN marital=est_civil children=num_hijos "
        "note=observ.",
        "it": "name=nominativo email=posta_elettronica mobile=cell. birth=nato_il job=mansione "
        "company=ditta salary=reddito_mensile iban=cc_iban marital=stato_civ children=n_figli "
        "note=annotazioni",
        "nl": "name=naam_huurder email=mailadres mobile=mobiel birth=geboren_op job=functienaam "
        "company=bedrijfsnaam salary=maandinkomen iban=iban_nr marital=burg_staat "
        "children=aantal_kinderen note=opm.",
    },
    "donors": {
        "en": "key=donor_ref given=Christian_name family=family_nm email=EmailAddr phone=tel_no "
        "street=Res_Address postcode=pcode city=Locality birth=BirthDt sex=M_F "
        "religion=Parish_faith diagnosis=Condition_code visit=GiftDate",
        "de": "key=Spender-Kennung given=VName family=NName email=Mail-Kontakt phone=Rufnr "
        "street=Wohnanschr postcode=Postltz city=Wohngemeinde birth=GebTag sex=Geschlechtsangabe "
        "religion=Bekenntnis diagnosis=Befundcode visit=Spendendatum",
        "fr": "key=ref_donateur given=petit_nom family=patronyme email=courriel_perso "
        "phone=téléphone_fixe street=adresse_postale postcode=code_postal_dom city=ville_residence "
        "birth=jour_naissance sex=civilité_sexe religion=appartenance_relig diagnosis=pathologie "
        "visit=date_don",
        "es": "key=ref_donante given=nombre_propio family=apellidos_donante email=dir_correo "
        "phone=teléfono_fijo street=calle_y_numero postcode=cpostal city=localidad_res "
        "birth=dia_nacimiento sex=genero religion=credo diagnosis=cod_cie visit=fecha_donacion",
        "it": "key=rif_donatore given=nome_proprio family=cognome_donatore email=ind_email "
        "phone=tel_fisso street=via_e_civico postcode=cap_residenza city=comune_res "
        "birth=gg_nascita sex=genere religion=fede_relig diagnosis=cod_patologia "
        "visit=data_donazione",
        "nl": "key=donor_ref given=voornamen family=achternamen email=e_mailadres phone=vast_nummer "
        "street=woonadres postcode=postcd city=plaats_wonen birth=geb_dag sex=sekse "
        "religion=kerkgenootschap diagnosis=ziektecode visit=giftdatum",
    },
    "licences": {
        "en": "name=LicenceHolder ssn=NationalInsNo plate=VRM birth=HolderDOB sex=HolderSex "
        "state=IssueState height=StatureCm job=OccupationText company=EmployerName mobile=SMSNumber "
        "card=PayCard url=PortalLink",
        "de": "name=Inhaber ssn=SozVersNr plate=Kennz birth=GebJMT sex=Anrede_Geschlecht state=Land_Bund "
        "height=Körpergr company=Arbeitgebername job=Berufsangabe mobile=Handy_Nr card=KK-Nr "
        "url=Portallink",
        "fr": "name=titulaire ssn=NoSS plate=plaque birth=naiss sex=sexe_titulaire state=région_admin "
        "height=stature job=intitulé_poste company=raison_sociale mobile=gsm_perso card=carte_bleue "
        "url=lien_profil",
    },
    "pupils": {
        "en": "key=UPN given=Preferred_Forename family=Legal_Surname birth=Date_Born sex=Gender_Cd "
        "address=Home_Addr phone=Guardian_Tel email=Guardian_Email postcode=Home_Postcode "
        "education=Year_Group marital=Parents_Status",
        "de": "key=SchuelerNr given=Vorname_Kind family=Nachname_Kind birth=Geburtsdat sex=Geschl_Kind "
        "address=Adresse_Kind phone=Notfallnummer email=Email_Erz postcode=Plz_Kind "
        "education=Bildungsgang marital=Fam_Stand_Eltern",
        "fr": "key=num_eleve given=prenom_eleve family=nom_eleve birth=date_nais sex=sexe_eleve "
        "address=adresse_famille phone=tel_urgence email=mail_parent postcode=cp_famille "
        "education=cycle_etudes marital=sit_fam_parents",
        "es": "key=num_expediente given=nombre_alumno family=apellidos_alumno birth=fec_nac "
        "sex=sexo_alumno address=direccion_familia phone=tel_urgencias email=email_tutor "
        "postcode=cp_familia education=curso_estudios marital=estado_padres",
        "it": "key=matricola given=nome_alunno family=cognome_alunno birth=data_nasc sex=sesso_alunno "
        "address=indirizzo_famiglia phone=tel_genitore email=email_genitore postcode=cap_famiglia "
        "education=titolo_studio marital=stato_genitori",
        "nl": "key=leerlingnr given=voornaam_kind family=achternaam_kind birth=geboortedat "
        "sex=geslacht_kind address=adres_ouders phone=telefoon_ouders email=mail_ouders "
        "postcode=postcode_ouders education=onderwijssoort marital=staat_ouders",
    },
    "clients": {
        "en": "key=AcctRef name=CustName mobile=Mobile_Phone ssn=TaxPayerID iban=IntlAcctNo "
        "salary=NetWorth job=Profession_Desc company=Business_Name country=Nationality_Cd "
        "birth=DoB_ISO children=NumDependants note=RM_Notes",
        "de": "key=Vertragsnr name=Vollname mobile=Mobiltel ssn=Steuer_IdNr iban=Bankkonto "
        "salary=Vermögensstand job=Berufsgruppe company=Firmenname country=Nationalität "
        "birth=GDatum children=Unterhaltspflichtige note=Vermerk",
        "fr": "key=ref_contrat name=nom_prenom mobile=mobile_client ssn=num_fiscal iban=num_iban "
        "salary=patrimoine job=categorie_pro company=nom_entreprise country=nationalité_cli "
        "birth=date_nce children=pers_a_charge note=obs",
    },
}
"""For each register and language its parts, and what they are called there."""


def people(language: str, register: str, n: int) -> MadeTable:
    """Draw the people of one register."""
    fake = Faker(LOCALES[language])
    fake.seed_instance(f"{language}{register}")
    rng = random.Random(f"{language}{register}")  # noqa: S311 - no secret
    codes = [f"{letter}{i}.{j}" for letter in "ABCEFGIJKMNRZ" for i in (10, 21, 34, 41) for j in (0, 1, 9)]
    words = {
        "en": ("single married divorced widowed", "Catholic Baptist Jewish none", "acquitted fined jailed probation"),
        "de": ("ledig verh. gesch. verw.", "ev rk keine andere", "Freispruch Geldstrafe Haft Bewährung"),
        "fr": ("célibataire marié divorcé veuf", "catholique juive aucune autre", "relaxe amende prison sursis"),
        "es": ("soltero casado divorciado viudo", "católica judía ninguna otra", "absuelto multa prisión fianza"),
        "it": ("celibe sposato divorziato vedovo", "cattolica ebraica nessuna altra", "assolto multa carcere sospesa"),
        "nl": ("ongehuwd gehuwd gescheiden weduwe", "rk pkn geen anders", "vrijspraak boete cel voorwaardelijk"),
    }[language]
    marital, faiths, verdicts = (text.split() for text in words)
    cities = [fake.city() for _ in range(40)]
    makers: dict[str, Callable[[int], Any]] = {
        "name": lambda _: fake.name(),
        "given": lambda _: fake.first_name(),
        "family": lambda _: fake.last_name(),
        "email": lambda _: fake.email(),
        "phone": lambda _: fake.phone_number(),
        "mobile": lambda _: fake.phone_number(),
        "ssn": lambda _: fake.ssn(),
        "iban": lambda _: fake.iban(),
        "card": lambda _: fake.credit_card_number(),
        "street": lambda _: fake.street_address(),
        "address": lambda _: fake.address().replace("\n", ", "),
        "login": lambda _: fake.user_name(),
        "plate": lambda _: fake.license_plate(),
        "key": lambda i: f"{2024}-{1000 + 3 * i}",
        "uuid": lambda _: fake.uuid4(),
        "url": lambda _: fake.url() + fake.slug(),
        "birth": lambda _: fake.date_of_birth(minimum_age=6, maximum_age=95).isoformat(),
        "age": lambda _: rng.randrange(18, 91),
        "sex": lambda _: rng.choice("mw" if language == "de" else "FM"),
        "postcode": lambda _: fake.postcode(),
        "city": lambda _: rng.choice(cities),
        "state": lambda _: fake.region() if language == "fr" else fake.state(),
        "country": lambda _: rng.choice(("US", "DE", "FR", "AT", "CH", "BE", "CA")),
        "job": lambda _: fake.job(),
        "company": lambda _: fake.company(),
        "marital": lambda _: rng.choice(marital),
        "children": lambda _: rng.randrange(5),
        "visit": lambda _: fake.date_between("-2y", "-1d").isoformat(),
        "height": lambda _: rng.randrange(148, 203),
        "education": lambda _: rng.choice(("A", "B", "C", "D", "E")),
        "ip": lambda _: fake.ipv4_public(),
        "diagnosis": lambda _: rng.choice(codes),
        "religion": lambda _: rng.choice(faiths),
        "salary": lambda _: 18_000 + 500 * int(rng.expovariate(0.02)),
        "verdict": lambda _: rng.choice(verdicts),
        "note": lambda _: fake.paragraph(nb_sentences=2),
        "result": lambda _: rng.choice(("yes", "no")),
    }
    named = dict(entry.split("=") for entry in REGISTERS[register][language].split())
    roles = {part: role for parts, role in ROLES.items() for part in parts.split()}
    if register == "insured":
        makers["birth"] = lambda _: fake.date_of_birth(minimum_age=18, maximum_age=95).year
    if register == "visits":
        makers["visit"] = lambda _: fake.date_time_between("-1y", "-1d").isoformat()
    cells = {name: [makers[part](i) for i in range(n)] for part, name in named.items()}
    return MadeTable(f"{register}-{language}", cells, {name: roles[part] for part, name in named.items()})


def faker_tables(n: int = 300) -> list[MadeTable]:
    """Every register in every language that it has: 54 tables."""
    return [people(language, register, n) for register, languages in REGISTERS.items() for language in languages]
