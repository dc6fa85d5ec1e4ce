"""What the name of a column says of its cells, in several languages.

A name is split into words (`dateOfBirth`, `date_of_birth`) without accents. A
meaning is recognized by a word, or by a longer stem anywhere in the name, as
German and Dutch write compounds in one word. `vocabulary` has the words.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

from maskwise.suggestion.vocabulary import NAME_WORDS, NAMED_PARTS, NUMBERS, ORDER, PEOPLE, VOCABULARY, Meaning

_KEY_STEMS = re.compile(
    r"(patient|person|customer|client|user|employee|member|student|kunden|mitglieds|mitarbeiter|personal|versicherten"
    r"|klant|client|cliente|paciente|paziente|empleado|fall)(id|no|nr|num|number|nummer|numero|key|code)$"
)
_MIN_STEM = 4
"""Fewer letters are no evidence inside a longer word."""


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
    if _is_person_key(words, joined):
        return Meaning.PERSON_KEY
    is_number = bool(set(words) & NUMBERS)
    for meaning in ORDER:
        if _says(meaning, words, joined) and not (is_number and meaning in {Meaning.DATE, Meaning.CLASS}):
            return meaning
    if set(words) & NAME_WORDS:
        rest = set(words) - NAME_WORDS
        return Meaning.NAME if rest <= NAMED_PARTS | PEOPLE else None
    return Meaning.KEY if is_number else None


def _is_person_key(words: tuple[str, ...], joined: str) -> bool:
    named = set(words)
    if named & NAME_WORDS or _says(Meaning.PHONE, words, joined) or _says(Meaning.NATIONAL_ID, words, joined):
        return False
    is_alone = len(words) == 1 and bool(named & PEOPLE)
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
    return any(len(stem) >= _MIN_STEM and stem in joined for stem in known.stems)
