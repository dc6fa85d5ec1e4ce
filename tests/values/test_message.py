"""Messages: who reads which wording."""

from __future__ import annotations

import pytest

from maskwise.values.message import Audience, Level, Message, fold, note, warnings_of

BOTH = Message(Level.WARNING, Audience.RECIPIENT, "`HIW` of `Ill` occurs nowhere.", "A value of `Ill` occurs nowhere.")
PRIVATE = Message(Level.WARNING, Audience.OWNER, "`ssn` may tell who is who.")
PLAIN = note("`Age` has no range.")


def test_a_note_is_for_everybody_and_has_one_wording() -> None:
    assert (PLAIN.level, PLAIN.audience) == (Level.NOTE, Audience.RECIPIENT)
    assert not PLAIN.is_warning
    assert PLAIN.for_recipient == PLAIN.text


def test_recipients_read_the_public_wording_and_the_owner_the_full_one() -> None:
    assert BOTH.for_recipient == "A value of `Ill` occurs nowhere."
    assert warnings_of([BOTH]) == ("`HIW` of `Ill` occurs nowhere.",)


def test_recipients_read_nothing_of_what_only_the_owner_may_know() -> None:
    assert PRIVATE.for_recipient is None


def test_lists_keep_the_order_of_the_messages() -> None:
    messages = [PLAIN, PRIVATE, BOTH]
    assert warnings_of(messages) == (PRIVATE.text, BOTH.text)


def test_a_message_for_the_owner_alone_has_no_public_wording() -> None:
    with pytest.raises(ValueError, match="no public text"):
        Message(Level.NOTE, Audience.OWNER, "secret", "not so secret")


def test_messages_are_values() -> None:
    assert note("a") == note("a")
    assert len({note("a"), note("a"), note("b")}) == 2


def test_what_is_said_of_many_columns_is_said_once_where_the_first_stood() -> None:
    old = [note(f"`{name}` is old.", name, "{names} are old.") for name in "abcdefghijk"]
    new = [note(f"`{name}` is new.", name, "{names} are new.") for name in "xyz"]
    alone = note("Records were left out.")
    warning = Message(Level.WARNING, Audience.OWNER, "`a` is old.", column="a", of_many="{names} are old.")
    mixed = [new[0], old[0], alone, old[1], new[1], warning, old[2], new[2], *old[3:]]
    many = note("`a`, `b`, `c`, `d`, `e`, `f`, `g`, `h` and 3 more are old.")
    expected = [note("`x`, `y` and `z` are new."), many, alone, warning]
    assert list(fold(mixed)) == expected
    assert fold([alone] * 9) == (alone,) * 9


def test_names_with_braces_stay_as_they_are() -> None:
    odd = ["{names}", "{", "}", "{0}"]
    (message,) = fold(note(name, name, "{names} are old.") for name in odd)
    assert message.text == "`{names}`, `{`, `}` and `{0}` are old."
