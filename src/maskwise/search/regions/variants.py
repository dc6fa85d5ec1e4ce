"""Variants of the search by regions, and the choice among them.

Regions of k records are too small to be worth anything where k is small: what
they seem to know is noise. So the smallest region and how far the search looks
ahead are chosen on folds of the training records: regions are made from the other
folds, and a classifier that is trained on what these show predicts the fold. The
log-loss decides, which also sees rare classes, or the squared error of a number.
Test records are never looked at. The folds are smaller than the table and k is
not, so where the table is large the choice leans to larger regions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from maskwise.compress.compressed_table import Compact
from maskwise.search.regions import region_arrays
from maskwise.search.regions.growth import Growth
from maskwise.search.regions.qid_groups import NO_RULES
from maskwise.search.regions.targets import Settings
from maskwise.search.regions.teacher import add_up

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maskwise.search.regions.region_arrays import Domains
    from maskwise.search.regions.teacher import TaughtRecords

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

N_FOLDS = 3
MOST_RECORDS = 12_000
"""So many records are used to choose, about; of more they are drawn."""
LEAST_RECORDS = 60
"""Of fewer records nothing is learned about variants."""
_JUDGE = Settings(n_iterations=30, learning_rate=0.2)
"""A quick classifier: it is trained for every variant and fold."""
_CLEARLY = 1.0
"""By how many standard errors a variant must be better than the plain one."""


@dataclass(frozen=True, slots=True)
class RegionVariant:
    """One way to search."""

    factor: int = 1
    """The smallest region is so many times as large as the requirements ask."""
    depth: int = 5
    """So many levels below a split are tried before it is chosen."""


def list_variants(n_records: int, least: int) -> list[RegionVariant]:
    """What to try: the plain search first.

    Args:
        n_records: The records of the table.
        least: The smallest group that the requirements ask for.
    """
    factors = [factor for factor in (1, 2, 4, 8, 16) if factor == 1 or 8 * factor * least <= n_records]
    variants = [RegionVariant(factor) for factor in factors]
    return [*variants, RegionVariant(depth=0)]


def choose_variant(
    records: TaughtRecords,
    codes: Ints,
    domains: Domains,
    roots: Ints,
    least: int,
    seed: int,
) -> tuple[RegionVariant, str]:
    """The variant with the lowest log-loss on held-out folds, and a note of how it was chosen.

    Args:
        records: The training records.
        codes: (n_rows, n_attributes) the rows that they refer to.
        domains: The values that may be shown.
        roots: The root of each attribute.
        least: The smallest group that the requirements ask for.
        seed: Makes the folds repeatable.
    """
    n_records = len(records.row)
    variants = list_variants(n_records, least)
    if n_records < max(LEAST_RECORDS, 4 * least) or len(variants) == 1:
        note = "Splits were chosen by the plain search: there are too few records to compare variants."
        return variants[0], note
    rng = np.random.default_rng(seed)
    chosen = np.sort(rng.permutation(n_records)[:MOST_RECORDS])
    fold = rng.permutation(len(chosen)) % N_FOLDS

    def try_variant(variant: RegionVariant) -> Floats:
        losses = np.zeros(len(chosen))
        for f in range(N_FOLDS):
            train = chosen[fold != f]
            growth = _grow(records, codes, domains, roots, variant, least, train)
            losses[fold == f] = _losses(growth, records, codes, train, chosen[fold == f])
        return losses

    losses = np.array([try_variant(variant) for variant in variants])
    mean = losses.mean(axis=1)
    best = int(np.argmin(mean))
    if best and not _is_clearly_better(losses[best], losses[0]):
        best = 0
    found = variants[best]
    note = (
        f"Regions of at least {found.factor * least:,}, {found.depth} levels looked ahead: the best of {len(variants)} "
        f"variants by loss on held-out folds of the training records, {mean[best]:.4f}; of the plain search "
        f"{mean[0]:.4f}."
    )
    return found, note


def _is_clearly_better(losses: Floats, others: Floats) -> bool:
    """Whether some losses are lower than others of the same records by as many standard errors as a variant must be."""
    apart = others - losses
    return bool(apart.mean() > 0 and apart.mean() >= _CLEARLY * np.std(apart) / np.sqrt(len(apart)))


def _grow(
    records: TaughtRecords,
    codes: Ints,
    domains: Domains,
    roots: Ints,
    variant: RegionVariant,
    least: int,
    train: Ints,
) -> Growth:
    """Regions of some records by a variant.

    Args:
        records: All records.
        codes: The rows that they refer to.
        domains: The values that may be shown.
        roots: The root of each attribute.
        variant: How to search.
        least: The smallest group that the requirements ask for.
        train: Which records.
    """
    rows, row = np.unique(records.row[train], return_inverse=True)
    n_records_of_row = np.bincount(row)[:, None].astype(np.int64)
    compact = Compact(tuple(range(codes.shape[1])), codes[rows].astype(np.uint32), n_records_of_row)
    sums = add_up(records.taught[train], row, len(rows))
    growth = Growth(compact, sums, domains, roots, _terms(variant, least * variant.factor), ())
    growth.weigh_all()
    while growth.best() is not None:
        growth.split_best()
    return growth


def _terms(variant: RegionVariant, least: int) -> region_arrays.Terms:
    """Sizes alone: of sensitive values the choice knows nothing."""
    return region_arrays.Terms(
        NO_RULES,
        least,
        least,
        is_by_size=True,
        shrinkage=region_arrays.SHRINKAGE,
        depth=variant.depth,
        breadth=region_arrays.BREADTH,
        ahead=region_arrays.AHEAD,
    )


def _losses(growth: Growth, records: TaughtRecords, codes: Ints, train: Ints, held: Ints) -> Floats:
    """The loss of each held-out record, by a model trained on what regions and unmasked columns show."""
    shown, is_category = _features(growth)
    both = np.concatenate([train, held])
    values = np.column_stack([records.unmasked[both], shown[growth.find(codes[records.row[both]])]])
    named = np.concatenate([records.is_category, is_category])
    n_train = len(train)
    predicted = records.target.take(train).predict(values[:n_train], named, values[n_train:], _JUDGE)
    return records.target.take(held).losses(predicted)


def _features(growth: Growth) -> tuple[Floats, NDArray[np.bool_]]:
    """What each region shows, as numbers: the middle of an interval, the node of a tree."""
    domains, shown = growth.domains, np.array(growth.shown)
    is_interval = domains.kind == region_arrays.INTERVAL
    features = shown[:, :, region_arrays.NODE].astype(np.float64)
    for a in np.flatnonzero(is_interval):
        low, high = shown[:, a, region_arrays.LOW], shown[:, a, region_arrays.HIGH]
        middle = (domains.place[a, low] + domains.place[a, high]) / 2
        # Missing cells are shown as such where they are a part of their own.
        features[:, a] = np.where(low == high, np.nan, middle)
    _, ranks = np.unique(features[:, is_interval], return_inverse=True)
    if is_interval.any():
        flat = features[:, is_interval]
        placed = ranks.reshape(flat.shape).astype(np.float64)
        placed[np.isnan(flat)] = np.nan
        features[:, is_interval] = placed
    return features, ~is_interval
