"""What the name of a column says of its cells, in several languages.

A name is split into words (`dateOfBirth`, `date_of_birth`) without accents. A
meaning is recognized by a word, or by a longer stem anywhere in the name, as
German and Dutch write compounds in one word. `vocabulary` has the words.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

from maskwise.suggestion.code_lists import listed
from maskwise.suggestion.vocabulary import (
    CASES,
    NAME_WORDS,
    NAMED_PARTS,
    NUMBERS,
    ORDER,
    PARTS_OF_NAME,
    PEOPLE,
    PERSON_KEYS,
    VOCABULARY,
    Meaning,
)

_KEY_STEMS = re.compile(
    r"(patient(en|innen)?|person(en)?|customer|client|klient(en)?|user|employee|member|student(en)?|kunden|mitglieds"
    r"|mitarbeiter|personal|versicherten|bewohner|teilnehmer|probanden|klant|client|cliente|paciente|paziente|empleado"
    r")(id|no|nr|num|number|nummer|numero|key|code|kennung|schlussel)$"
)
_CASE_STEMS = re.compile(
    r"(case|fall|encounter|visit|episode|admission|aufnahme|behandlungs|behandlungsfall|sejour)"
    r"(id|no|nr|num|number|nummer|numero|key|code|kennung|schlussel)$"
)
_READMISSION = re.compile(
    r"(wiederaufnahme|wiederaufgenommen|readmission|readmitted|rehospitali[sz]ation)(?!.*(dat|tag|day|jour|time|zeit))"
)
"""Whether somebody came back, which is to be predicted, and no date."""
_NUMBER_ENDINGS = ("nummer", "number", "nr")
"""How a number in one word ends: `Aufnahmenummer` is no date."""
_PERSONAL = re.compile(
    r"(vor|nach|zu|ruf|ehe|spitz|familien|geburts|madchen|voor|achter|roep|geslachts|familie|meisjes|for|efter)"
    r"(name|namen|naam|namn)$"
)
"""A name of a person in one word, as German, Dutch and Swedish write it."""
_CODE = re.compile(r"co?d|zip|plz|leitz")
_MIN_STEM = 4
"""Fewer letters are no evidence inside a longer word."""
_MIN_PART = 6
"""So many letters of a known word are evidence at the end of a compound, or before an ending."""
_ENDINGS = listed("s n en es e er i name naam sname snaam bezeichnung gruppe group code typ type art")
"""What may follow a known word: a plural, or what says no more than the word itself."""


def words_of(name: str) -> tuple[str, ...]:
    """The words of a name, in lower case and without accents.

    >>> words_of("DateOfBirth"), words_of("Straße_Nr"), words_of("prénom")
    (('date', 'of', 'birth'), ('strasse', 'nr'), ('prenom',))
    """
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", plain)
    return tuple(re.findall(r"[a-z]+[0-9]*|[0-9]+", parted.casefold()))


def meaning_of(name: str) -> Meaning | None:
    """What a column called so is about, or None where the name says nothing.

    >>> [str(meaning_of(name)) for name in ("Geburtsdatum", "patient_id", "codePostal", "A7")]
    ['birth', 'the key of a person', 'a postcode', 'None']
    """
    words = words_of(name)
    joined = "".join(words)
    if (told := _told_by_all(words, joined)) is not None:
        return told
    is_number = any(word in NUMBERS or word.endswith(_NUMBER_ENDINGS) for word in words)
    for meaning in ORDER:
        if _says(meaning, words, joined) and not (is_number and meaning in {Meaning.DATE, Meaning.CLASS}):
            # A postal address is no postcode.
            is_address = (
                meaning is Meaning.POSTCODE and not _CODE.search(joined) and _says(Meaning.ADDRESS, words, joined)
            )
            return Meaning.ADDRESS if is_address else meaning
    if "text" in words:
        return Meaning.FREE_TEXT
    return Meaning.KEY if is_number and not set(words) & NAME_WORDS else None


def _told_by_all(words: tuple[str, ...], joined: str) -> Meaning | None:
    """What is told by all words of a name together, before any of them is looked at by itself."""
    if _is_person_key(words, joined):
        return Meaning.PERSON_KEY
    if (set(words) & CASES and set(words) & NUMBERS) or _CASE_STEMS.search(joined):
        return Meaning.CASE_KEY
    if _is_personal_name(words):
        return Meaning.NAME
    return Meaning.CLASS if _READMISSION.match(joined) else None


def is_bare_key(name: str) -> bool:
    """Whether a name is a word for a key and nothing else, so that nobody says what the key is of.

    >>> is_bare_key("id"), is_bare_key("nr"), is_bare_key("school_id")
    (True, True, False)
    """
    return set(words_of(name)) <= NUMBERS


def speaks_of_key(name: str) -> bool:
    """Whether a name has a word for a key, of whomever or whatever.

    >>> speaks_of_key("id"), speaks_of_key("school_id"), speaks_of_key("school")
    (True, True, False)
    """
    return not NUMBERS.isdisjoint(words_of(name))


def speaks_of_name(name: str) -> bool:
    """Whether a name of a column has a word for a name, of whomever or whatever.

    >>> speaks_of_name("nome_paz"), speaks_of_name("Anzeigename"), speaks_of_name("tournament")
    (True, True, False)
    """
    return any(word in NAME_WORDS or word.endswith(("name", "naam")) for word in words_of(name))


def _is_personal_name(words: tuple[str, ...]) -> bool:
    """Whether all words say whose or which name it is: `nom de naissance`, `PtLast`, `Geburtsname`."""
    named = set(words)
    if any(_PERSONAL.match(word) for word in words):
        return True
    is_part = bool(named & NAME_WORDS) or bool(named & PARTS_OF_NAME)
    return is_part and named <= NAME_WORDS | NAMED_PARTS | PARTS_OF_NAME | PEOPLE


def _is_person_key(words: tuple[str, ...], joined: str) -> bool:
    named = set(words)
    if named & NAME_WORDS or _says(Meaning.PHONE, words, joined) or _says(Meaning.NATIONAL_ID, words, joined):
        return False
    # `pt` is a patient beside `id`, alone it may be anything.
    is_alone = len(words) == 1 and len(words[0]) >= _MIN_STEM and bool(named & PEOPLE)
    is_alone = is_alone or (len(words) == 1 and words[0] in PERSON_KEYS)
    return is_alone or bool(named & PEOPLE and named & NUMBERS) or _KEY_STEMS.search(joined) is not None


def _says(meaning: Meaning, words: tuple[str, ...], joined: str) -> bool:
    known = VOCABULARY[meaning]
    pairs = {first + second for first, second in pairwise(words)}
    # `addr1`, `zip3`: a number behind a word counts columns or characters.
    bare = {word.rstrip("0123456789") for word in words if len(word) >= _MIN_STEM}
    # `y` is a class by itself; `x_y` are two letters.
    whole = words if len(words) == 1 else [word for word in words if len(word) > 1]
    if not known.words.isdisjoint((*whole, *pairs, *bare)):
        return True
    if any(len(stem) >= _MIN_STEM and stem in joined for stem in known.stems):
        return True
    long = [word for word in known.words if len(word) >= _MIN_PART]
    return any(_is_compound(word, part) for word in words for part in long)


def _is_compound(word: str, part: str) -> bool:
    """Whether a word is a known one with others before it, or with an ending: `Lieferanschrift`, `prenoms`."""
    return word.endswith(part) or (word.startswith(part) and word[len(part) :] in _ENDINGS)
