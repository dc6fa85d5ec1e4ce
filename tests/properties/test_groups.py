"""The running minima against a recount, on tables large enough that counters are kept and subtracted."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from maskwise.compress.compress import compress
from maskwise.formats.policy_file import read_policy
from maskwise.policy.requirements.rule import Arithmetic, Rule
from maskwise.profile.profile import profile
from maskwise.search.bounds import Bound
from maskwise.search.interface import NoProgress, Problem
from maskwise.search.options import SearchOptions
from maskwise.search.score_search import ScoreSearch
from maskwise.search.topdown import ScoreChooser, TopDown
from maskwise.table.read import read
from tests.properties.tables import ATTRIBUTES, POLICY, REQUIREMENTS, people_table
from tests.reference.topdown import Reference


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_steps_on_larger_tables_are_the_papers(seed: int) -> None:
    people = people_table(seed, 600)
    expected = Reference(people.to_pylist(), ATTRIBUTES, REQUIREMENTS, "cls").run()
    policy = read_policy(POLICY)
    profiled, source = profile(read(people), policy)
    search = ScoreSearch(Problem(profiled, policy, SearchOptions()))
    solution = search.run(compress(source, profiled, search.request), NoProgress())
    assert len(expected) > 5
    assert [(s.attribute, s.before, list(s.after), list(s.requirements)) for s in solution.steps] == [
        (e["attribute"], e["from"], e["to"], e["requirements"]) for e in expected
    ]


@pytest.mark.parametrize("seed", range(3))
def test_groups_partition_the_records_and_minima_are_exact(seed: int) -> None:
    """After every step, each group's records and the anonymity equal a recount of the rows it holds."""
    people = people_table(seed, 4000)
    policy = read_policy(POLICY)
    profiled, source = profile(read(people), policy)
    search = ScoreSearch(Problem(profiled, policy, SearchOptions()))
    state = TopDown(
        search.trees,
        compress(source, profiled, search.request).tables,
        [Bound(0, 0, Rule(Arithmetic.K, -7, 7)), Bound(1, 1, Rule(Arithmetic.K, -30, 30))],
        has_class=True,
    )
    steps = 0
    chooser = ScoreChooser(state)
    while (best := chooser.choose()) is not None:
        state.refine(best.node)
        steps += 1
        for of_qid in state.groups:
            groups = of_qid.arrays
            n = of_qid.n_groups
            assert int(groups.size[:n].sum()) == len(groups.words)
            totals = [
                int(groups.words[s : s + z, 0].sum()) for s, z in zip(groups.start[:n], groups.size[:n], strict=True)
            ]
            assert totals == groups.total[:n, 0].tolist()
            assert -min(totals) == of_qid.now[0]
            shown = {tuple(groups.shown[:, g].tolist()) for g in range(n)}
            assert len(shown) == n
    assert steps > 5


def test_compressing_keeps_counts() -> None:
    people = people_table(1, 3000)
    policy = read_policy(POLICY)
    profiled, source = profile(read(people), policy)
    search = ScoreSearch(Problem(profiled, policy, SearchOptions()))
    for compact in compress(source, profiled, search.request).tables:
        assert int(compact.counts.sum()) == 3000
        assert len(np.unique(compact.codes, axis=0)) == len(compact.codes)


def test_row_order_changes_nothing() -> None:
    people = people_table(5, 2000)
    turned = people.take(pa.array(np.random.default_rng(0).permutation(2000)))
    policy = read_policy(POLICY)
    found = []
    for source in (people, turned):
        profiled, records = profile(read(source), policy)
        search = ScoreSearch(Problem(profiled, policy, SearchOptions()))
        found.append(search.run(compress(records, profiled, search.request), NoProgress()))
    assert found[0].steps == found[1].steps
    assert found[0].cuts == found[1].cuts


def test_stopping_after_any_step_is_safe() -> None:
    people = people_table(2, 500)
    policy = read_policy(POLICY)
    profiled, source = profile(read(people), policy)
    search = ScoreSearch(Problem(profiled, policy, SearchOptions()))
    counts = compress(source, profiled, search.request)
    whole = search.run(counts, NoProgress())
    for most in range(len(whole.steps)):
        limited = ScoreSearch(Problem(profiled, policy, SearchOptions(max_steps=most)))
        part = limited.run(counts, NoProgress())
        assert part.steps == whole.steps[:most]
        assert all(reached.figure >= reached.requirement.k for reached in part.reached)
        jobs = pc.unique(people["job"]).to_pylist()
        shown = {part.cut("job").show_text(job) for job in jobs}
        assert shown <= set(part.cut("job").labels)
