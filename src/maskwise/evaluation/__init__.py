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
"""

from __future__ import annotations

from maskwise.classifiers.c45.classifier import C45Classifier
from maskwise.classifiers.naive_bayes import NaiveBayes
from maskwise.evaluation.records import Evaluation, Record
from maskwise.evaluation.run import evaluate

__all__ = ["C45Classifier", "Evaluation", "NaiveBayes", "Record", "evaluate"]
