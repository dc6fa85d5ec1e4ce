"""What masking costs a classifier: errors on test records, with and without masking.

Measure:
    evaluate: What masking costs a classifier; also `maskwise.evaluate`.
    Evaluation, Record: The errors that were measured.

Train:
    C45Classifier: The decision tree that the papers measure with.
    NaiveBayes: The other one, for numbers and categories together.

`run` is the entrance: `sample` reads, `partition` parts the records, `sweep`
chooses thresholds, `predictors` and `masked_numbers` say how a classifier sees a column,
`encoding` how it is coded, `learners` and `regressors` are trained by `trials`,
which measures them by `metrics`, also in `groupings`; `comparisons` are other ways
of masking, `records` holds the figures and `picture` draws them.

Nothing heavy is imported until it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.values.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from maskwise.classifiers import C45Classifier, NaiveBayes
    from maskwise.evaluation.records import Evaluation, Record
    from maskwise.evaluation.run import evaluate

_HOME = {
    "C45Classifier": "maskwise.classifiers",
    "Evaluation": "maskwise.evaluation.records",
    "NaiveBayes": "maskwise.classifiers",
    "Record": "maskwise.evaluation.records",
    "evaluate": "maskwise.evaluation.run",
}

__all__ = ["C45Classifier", "Evaluation", "NaiveBayes", "Record", "evaluate"]

__getattr__, __dir__ = lazy_exports(__name__, _HOME)
