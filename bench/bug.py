"""How does bottom-up generalization scale, with and without pruning, and beside top-down?

The paper's setting (ICDM 2004, 6.2): Adult's seven categorical attributes; for
each record scale - 1 variations, each with random values on `novelty` of the
attributes. Figure 4 varies K, the scale and the novelty; the paper needed up to
730 seconds. Here the time is that of the search, from the compressed table on;
`whole` is read to verify. Pictures go to `bench/data/`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

import maskwise
from bench.measure import table
from bench.paper_data import ADULT, build_policy
from maskwise.compress.compress import compress
from maskwise.datasets import adult_folder, adult_trees, load_adult
from maskwise.formats.policy_file import read_policy
from maskwise.formats.taxonomies.registry import read_taxonomy
from maskwise.profile.profile import profile
from maskwise.report.plot import pyplot, save
from maskwise.search.bottomup import BottomUp
from maskwise.search.bottomup_search import BottomUpSearch
from maskwise.search.bounds import list_bounds
from maskwise.search.interface import Problem
from maskwise.search.options import Limits, SearchOptions
from maskwise.search.score_search import ScoreSearch
from maskwise.search.topdown import ScoreChooser, TopDown, descend
from maskwise.table.read import read

if TYPE_CHECKING:
    from maskwise.policy.policy import Policy

QID = ("workclass", "education", "marital-status", "occupation", "race", "sex", "native-country")
FOLDER = Path(__file__).parent / "data"


def vary(scale: int, novelty: int, seed: int = 7) -> pa.Table:
    """The complete records of Adult and scale - 1 variations of each."""
    adult = load_adult().drop_null().select([*QID, "income"])
    rng = np.random.default_rng(seed)
    n_rows = adult.num_rows * scale
    place = np.arange(n_rows) % adult.num_rows
    is_varied = np.arange(n_rows) >= adult.num_rows
    rank = rng.random((n_rows, len(QID))).argsort(axis=1).argsort(axis=1)
    columns = {"income": adult["income"].to_numpy(zero_copy_only=False)[place]}
    for j, name in enumerate(QID):
        leaves = np.array(read_taxonomy(adult_folder() / f"{name}.yaml").leaves(), object)
        values = adult[name].to_numpy(zero_copy_only=False)[place]
        change = is_varied & (rank[:, j] < novelty)
        values[change] = rng.choice(leaves, int(change.sum()))
        columns[name] = values
    return pa.table(columns)


def policy_with(k: int) -> Policy:
    return read_policy(build_policy(ADULT.class_name, [{"qid": QID, "k": k}], adult_trees()))


@dataclass(frozen=True)
class SearchTimes:
    """Seconds of one search by each method, and its size."""

    pruned: float
    unpruned: float
    top_down: float
    n_vids: int
    n_steps: int


def search_times(data: pa.Table, k: int) -> SearchTimes:
    policy = policy_with(k)
    profiled, records = profile(read(data), policy)
    seconds: dict[str, float] = {}
    n_vids = n_steps = 0
    for name in ("pruned", "unpruned", "top_down"):
        is_down = name == "top_down"
        options = SearchOptions(method="tdr" if is_down else "bug")
        search = (ScoreSearch if is_down else BottomUpSearch)(Problem(profiled, policy, options))
        compacts = compress(records, profiled, search.request).tables
        bounds = list_bounds(profiled, policy, search.request.tables)
        best = float("inf")
        for _ in range(3):
            begin = time.perf_counter()
            if is_down:
                top_down = TopDown(search.trees, compacts, bounds, has_class=True)
                descend(ScoreChooser(top_down), Limits(), lambda _: True)
            else:
                state = BottomUp(search.trees, compacts, bounds, has_class=True)
                steps, _ = state.run(Limits(), lambda _: True, prune=name == "pruned")
                n_vids, n_steps = len(compacts[0].counts), len(steps)
            best = min(best, time.perf_counter() - begin)
        seconds[name] = best
    return SearchTimes(seconds["pruned"], seconds["unpruned"], seconds["top_down"], n_vids, n_steps)


def draw(name: str, times: dict[int, SearchTimes]) -> None:
    plt = pyplot()
    figure, axes = plt.subplots(figsize=(6, 4))
    axes.plot(list(times), [t.unpruned for t in times.values()], marker="o", label="without pruning")
    axes.plot(list(times), [t.pruned for t in times.values()], marker="o", label="with pruning")
    axes.set_xlabel(name)
    axes.set_ylabel("search, seconds")
    axes.set_ylim(bottom=0)
    axes.legend()
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"bug-{name.lower().replace(' ', '-')}.svg").write_bytes(save(figure, ".svg"))


def main() -> None:
    largest = vary(30, 3)
    settings = {
        "K": {k: (largest, k) for k in (50, 100, 150, 200, 300, 500)},
        "scale factor": {scale: (vary(scale, 3), 150) for scale in (5, 10, 20, 30)},
        "novelty factor": {novelty: (vary(30, novelty), 150) for novelty in (1, 2, 3, 4, 5)},
    }
    for name, points in settings.items():
        times = {x: search_times(data, k) for x, (data, k) in points.items()}
        rows: list[tuple[object, ...]] = [
            (name, "with pruning, s", "without, s", "top-down, s", "steps", "distinct vids"),
            *((x, t.pruned, t.unpruned, t.top_down, t.n_steps, f"{t.n_vids:,}") for x, t in times.items()),
        ]
        table(rows)
        print()
        draw(name, times)
    whole = {}
    for method in ("tdr", "bug") * 3:
        begin = time.perf_counter()
        maskwise.anonymize(largest, policy_with(150), method=method)
        whole[method] = min(whole.get(method, float("inf")), time.perf_counter() - begin)
    table(
        [
            (f"{largest.num_rows:,} rows, K = 150, whole run", "seconds", "ratio"),
            *((method, seconds, seconds / whole["tdr"]) for method, seconds in whole.items()),
        ]
    )


if __name__ == "__main__":
    main()
