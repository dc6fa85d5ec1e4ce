"""Our `dataclass` does what the standard library's does."""

import copy
import dataclasses
import inspect
import pickle
from dataclasses import FrozenInstanceError, asdict, field, fields, replace
from typing import ClassVar, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskwise.values.dataclass import dataclass as ours

HOW = [
    {"frozen": True, "slots": True},
    {"frozen": True, "slots": True, "kw_only": True},
    {"frozen": True, "slots": True, "repr": False},
    {"frozen": True},
    {"slots": True},
    {"slots": True, "eq": False},
]


def write(decorate, how):
    """A class with fields of every kind that there is."""

    @decorate(**how)
    class Written:
        """A sentence."""

        kind: ClassVar[str] = "written"
        first: int
        second: str = "b"
        listed: list[int] = field(default_factory=list)
        known: dict[str, int] = field(default_factory=dict, compare=False, repr=False)
        fixed: int = field(init=False, default=7)
        made: list[int] = field(init=False, default_factory=list)
        later: int = field(init=False)

        def __post_init__(self):
            object.__setattr__(self, "later", self.first + 1)

        def double(self):
            return 2 * self.first

    return Written


@ours(frozen=True, slots=True)
class Pair:
    first: object
    second: object = None


@ours(frozen=True, slots=True)
class Empty:
    pass


@ours(frozen=True, slots=True)
class Named:
    name: str

    def __repr__(self):
        return f"<{self.name}>"


@pytest.fixture(params=HOW, ids=str)
def both(request):
    return write(ours, request.param), write(dataclasses.dataclass, request.param)


def said(call):
    """What a call gives, or the error that it ends in."""
    try:
        return repr(call())
    except (TypeError, FrozenInstanceError, AttributeError) as error:
        return type(error).__name__


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((), {}),
        ((1,), {}),
        ((1, "c", [2], {"x": 1}), {}),
        ((), {"first": 1, "listed": [3]}),
        ((1, "c", [2], {}, 5), {}),
        ((1,), {"fixed": 3}),
        ((1,), {"first": 2}),
    ],
)
def test_instances_are_made_from_the_same_arguments(both, arguments, named):
    def values(made):
        one = made(*arguments, **named)
        return [getattr(one, each.name) for each in fields(one)], one.double(), one.kind

    mine, theirs = both
    assert said(lambda: values(mine)) == said(lambda: values(theirs))


def test_signature_hints_and_slots_are_the_same(both):
    mine, theirs = both
    assert str(inspect.signature(mine)) == str(inspect.signature(theirs))
    assert get_type_hints(mine.__init__) == get_type_hints(theirs.__init__)
    assert [(each.name, each.kw_only) for each in fields(mine)] == [
        (each.name, each.kw_only) for each in fields(theirs)
    ]
    assert getattr(mine, "__slots__", None) == getattr(theirs, "__slots__", None)
    assert mine.__match_args__ == theirs.__match_args__
    assert (mine.__doc__, mine.__init__.__qualname__) == (theirs.__doc__, theirs.__init__.__qualname__)


def test_comparing_hashing_and_printing_are_the_same(both):
    def facts(made):
        one, same, other = (made(first=1, known={"x": n}) if n < 2 else made(first=2) for n in range(3))
        hashed = said(lambda: (hash(made(first=1, listed=())) == hash(made(first=1, listed=())), None))
        printed = repr(one) if "Written(" in repr(one) else "an object"
        return one == same, one == other, one != other, one == 1, hashed, printed

    mine, theirs = both
    assert facts(mine) == facts(theirs)


def test_attributes_can_be_set_where_the_standard_library_lets_them(both):
    def attempts(made):
        one = made(first=1)
        return [
            said(lambda: setattr(one, "first", 5)),
            # The standard library stumbles over its own class here where it has slots, and raises a TypeError.
            said(lambda: setattr(one, "unheard", 5)).replace("TypeError", "FrozenInstanceError"),
            said(lambda: delattr(one, "second")),
            one.first,
        ]

    mine, theirs = both
    assert attempts(mine) == attempts(theirs)


def test_a_factory_is_called_for_each_instance(both):
    mine, _ = both
    assert mine(first=1).listed is not mine(first=1).listed


values = st.recursive(
    st.integers() | st.text(max_size=3) | st.none(), lambda inner: st.tuples(inner, inner), max_leaves=4
)


@given(first=values, second=values, third=values)
def test_an_instance_can_be_copied_pickled_replaced_matched_and_told_as_a_dict(first, second, third):
    one = Pair(first, second)
    assert pickle.loads(pickle.dumps(one)) == copy.deepcopy(one) == copy.copy(one) == one  # noqa: S301 - its own
    assert hash(one) == hash(Pair(first, second))
    assert replace(one, second=third) == Pair(first, third)
    assert (one == Pair(second, first)) == (first == second)
    assert asdict(one) == {"first": first, "second": second}
    match one:
        case Pair(found, other):
            assert (found, other) == (first, second)


def test_a_method_of_the_class_stays():
    assert repr(Named("x")) == "<x>"
    assert Named("x") == Named("x")


def test_instances_without_fields_are_equal():
    assert Empty() == Empty()
    assert hash(Empty()) == hash(Empty())
    assert repr(Empty()) == "Empty()"


def test_an_instance_that_contains_itself_can_be_printed():
    listed: list[object] = []
    one = Pair(listed)
    listed.append(one)
    assert repr(one) == "Pair(first=[...], second=None)"
